/* SPDX-License-Identifier: Apache-2.0 */
/* An append-only file of JSON records that survives a crash at any byte: what was synced is there
   after a restart. A record is a line: 32 digits of the hash of the JSON, a space, the JSON. The
   part of a line that a crash leaves at the end is cut off at the next opening. */
#ifndef PAWL_SERVE_QUEUE_JOURNAL_H
#define PAWL_SERVE_QUEUE_JOURNAL_H

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
  bool
      syncing; /* a thread is in fdatasync; the others wait for it: one sync serves all that wait */
  bool broken; /* a sync failed: what is on the disk is not known any more, nothing is accepted */
  pthread_mutex_t lock;
  pthread_cond_t synced_more;
};

/* What was found in a journal on opening. */
struct pawl_journal_report {
  size_t records,
      skipped; /* skipped: whole lines that are damaged, which no crash of ours leaves */
  size_t cut;  /* bytes of an unfinished record at the end */
};

typedef void (*pawl_journal_reader)(void *context, const json_t *record);

/* Opens or creates; calls `reader` for every record, oldest first. */
pawl_status pawl_journal_open(struct pawl_journal *journal, const char *path,
                              pawl_journal_reader reader, void *context,
                              struct pawl_journal_report *report, struct pawl_error *err);
void pawl_journal_close(struct pawl_journal *journal);

/* Adds a line for a record to a text: what pawl_journal_replace takes. */
void pawl_journal_line(const json_t *record, struct pawl_text *out);

/* Writes one record; it is safe once pawl_journal_sync was called with the number given. From any
   thread. On failure the file is as before. */
pawl_status pawl_journal_append(struct pawl_journal *journal, const json_t *record,
                                uint64_t *number, struct pawl_error *err);
pawl_status pawl_journal_sync(struct pawl_journal *journal, uint64_t number,
                              struct pawl_error *err);

/* Replaces all by `lines`, atomically. Must not run beside an append. */
pawl_status pawl_journal_replace(struct pawl_journal *journal, const struct pawl_text *lines,
                                 struct pawl_error *err);

#endif
