/* SPDX-License-Identifier: Apache-2.0 */
/* An append-only file of JSON records that survives a crash at any byte: a synced record is there
 * after a restart. A record is a line: 32 digits of the hash of the JSON, a space, the JSON. The
 * next opening cuts off the unfinished line that a crash leaves. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"

#define PAWL_JOURNAL_LIMIT ((size_t)512 << 20) /* bytes of a journal that is opened */

struct pawl_journal {
  char *path;
  int fd;
  size_t bytes;     /* length of the file */
  uint64_t written; /* number of the last record written by this process */
  uint64_t synced;  /* number of the last record that is on the disk */
  /* A thread is in fdatasync. The others wait, because one sync serves them all. */
  bool syncing;
  /* A sync failed, so the contents of the disk are unknown. The journal accepts nothing. */
  bool broken;
  pthread_mutex_t lock;
  pthread_cond_t synced_more;
};

/* The findings on opening a journal. */
struct pawl_journal_report {
  size_t records,
      /* skipped: whole lines with damage, which no crash of pawl leaves. */
      skipped;
  size_t cut; /* bytes of an unfinished record at the end */
};

typedef void (*pawl_journal_reader)(void *context, const json_t *record);

/* Opens or creates; calls `reader` for every record, oldest first. */
pawl_status pawl_journal_open(struct pawl_journal *journal, const char *path,
                              pawl_journal_reader reader, void *context,
                              struct pawl_journal_report *report, struct pawl_error *err);
void pawl_journal_close(struct pawl_journal *journal);

/* Adds a record's line to a text for pawl_journal_replace. */
void pawl_journal_line(const json_t *record, struct pawl_text *out);

/* Writes one record, from any thread. It is safe after pawl_journal_sync with this number. On
 * failure the file is as before. */
pawl_status pawl_journal_append(struct pawl_journal *journal, const json_t *record,
                                uint64_t *number, struct pawl_error *err);
pawl_status pawl_journal_sync(struct pawl_journal *journal, uint64_t number,
                              struct pawl_error *err);

/* Replaces all by `lines`, atomically. Must not run beside an append. */
pawl_status pawl_journal_replace(struct pawl_journal *journal, const struct pawl_text *lines,
                                 struct pawl_error *err);
