/* SPDX-License-Identifier: Apache-2.0 */
/* An append-only file of JSON records that survives a crash at any byte: a synced record is there
 * after a restart. A record is a line: 32 digits of the JSON's hash, a space, the JSON. If a crash
 * leaves an unfinished line, the next opening cuts it off. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"

#define PAWL_JOURNAL_LIMIT ((size_t)512 << 20) /* bytes: pawl opens no larger journal */

struct pawl_journal {
  char *path;
  int fd;
  size_t bytes;
  uint64_t written; /* number of the last record written by this process */
  uint64_t synced;  /* number of the last record that is on the disk */
  /* a thread is in fdatasync; the others wait, because one sync serves them all */
  bool syncing;
  /* a sync failed, so the contents of the disk are unknown: the journal accepts nothing */
  bool broken;
  pthread_mutex_t lock;
  pthread_cond_t synced_more;
};

struct pawl_journal_report {
  /* skipped: whole lines with damage, which no crash of pawl leaves */
  size_t records, skipped;
  size_t cut; /* bytes of an unfinished record at the end */
};

typedef void (*pawl_journal_reader)(void *context, const json_t *record);

/* Opens or creates the journal, and calls `reader` for every record, oldest first. */
pawl_status pawl_journal_open(struct pawl_journal *journal, const char *path,
                              pawl_journal_reader reader, void *context,
                              struct pawl_journal_report *report, struct pawl_error *err);
void pawl_journal_close(struct pawl_journal *journal);

/* Appends a record's line to a text for pawl_journal_replace. */
void pawl_journal_line(const json_t *record, struct pawl_text *out);

/* Writes one record, from any thread. A crash can lose it until pawl_journal_sync with its number.
 * After a failure the file is as before. */
pawl_status pawl_journal_append(struct pawl_journal *journal, const json_t *record,
                                uint64_t *number, struct pawl_error *err);
pawl_status pawl_journal_sync(struct pawl_journal *journal, uint64_t number,
                              struct pawl_error *err);

/* Replaces the contents by `lines`, atomically. No append may run meanwhile. */
pawl_status pawl_journal_replace(struct pawl_journal *journal, const struct pawl_text *lines,
                                 struct pawl_error *err);
