/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of a search: a line of JSON for what is searched, then one for each candidate, on the disk before the
   next is begun. A search that was killed goes on from it; a last line that was cut off is dropped. */
#ifndef PAWL_TUNE_JOURNAL_H
#define PAWL_TUNE_JOURNAL_H

#include "tune/tune.h"

struct pawl_tune_journal {
  int fd; /* -1: not open */
  const char *path;
  struct pawl_tune_candidate *entries; /* of an earlier search; their index is not set */
  size_t count;
};

/* `identity` says what the times depend on. resume false: whatever is there is replaced. Else the entries are read, and
   PAWL_BAD_DATA: it is of another search, or damaged before its last line. No journal is an empty one. */
pawl_status pawl_tune_journal_open(struct pawl_tune_journal *journal, const char *path, const json_t *identity,
                                   bool resume, struct pawl_arena *arena, struct pawl_error *err);
void pawl_tune_journal_release(struct pawl_tune_journal *journal);

const struct pawl_tune_candidate *pawl_tune_journal_find(const struct pawl_tune_journal *journal, const char *key);
pawl_status pawl_tune_journal_add(struct pawl_tune_journal *journal, const struct pawl_tune_candidate *candidate,
                                  struct pawl_error *err);

#endif
