/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of a search: a line of JSON for what is searched, one for each candidate, on the disk
   before the next is begun, and one for the end. A search that was killed goes on from it; a last
   line that was cut off is dropped. */
#ifndef PAWL_TUNE_JOURNAL_H
#define PAWL_TUNE_JOURNAL_H

#include "tune/tune.h"

#define PAWL_TUNE_JOURNAL "tune.jsonl" /* in the output folder */

struct pawl_tune_entry {
  struct pawl_tune_candidate candidate; /* its index is not set */
  size_t open;    /* questions that were open when it was timed, with its own */
  double seconds; /* of the whole search, when it was written */
};

struct pawl_tune_journal {
  int fd; /* -1: not open */
  const char *path;
  struct pawl_tune_entry *entries; /* of an earlier search */
  size_t count;
  size_t lost;      /* evaluations whose evaluator was lost */
  bool finished;    /* its last line says that the search came to its end */
  double seconds;   /* that the earlier search took */
  const char *kept; /* where an interrupted search's journal was moved to, so that this one does not
                       replace it; NULL */
};

/* A candidate's fields in its line of the journal; its index is not among them. Read: PAWL_BAD_DATA
   without a key or an outcome, and strings live in the arena. */
void pawl_tune_candidate_write(const struct pawl_tune_candidate *candidate, json_t *object);
pawl_status pawl_tune_candidate_read(const json_t *object, const char *name,
                                     struct pawl_arena *arena,
                                     struct pawl_tune_candidate *candidate, struct pawl_error *err);

/* PAWL_BAD_DATA: no measurement gives such times, as a time that is not positive. `name` is where
 * it was read. */
pawl_status pawl_tune_candidate_check(const struct pawl_tune_candidate *candidate, const char *name,
                                      struct pawl_error *err);

/* `identity` says what the times depend on. resume false: a new journal; one that was interrupted
   is kept under another name. Else the entries are read, and PAWL_BAD_DATA: it is of another
   search, or damaged before its last line. No journal is an empty one. */
pawl_status pawl_tune_journal_open(struct pawl_tune_journal *journal, const char *path,
                                   const json_t *identity, bool resume, struct pawl_arena *arena,
                                   struct pawl_error *err);
void pawl_tune_journal_release(struct pawl_tune_journal *journal);

/* Adds the strategy to an identity, and its version if the strategy asks other questions than it
   did at first. So no search goes on from the answers to other questions. */
void pawl_tune_journal_name_strategy(json_t *identity, const char *strategy);

const struct pawl_tune_entry *pawl_tune_journal_find(const struct pawl_tune_journal *journal,
                                                     const char *key);
pawl_status pawl_tune_journal_add(struct pawl_tune_journal *journal,
                                  const struct pawl_tune_entry *entry, struct pawl_error *err);
/* An evaluator was lost while it had the candidate `key`, which another gets: a line for who reads
 * the journal. */
pawl_status pawl_tune_journal_lost(struct pawl_tune_journal *journal, const char *key,
                                   const char *evaluator, struct pawl_error *err);
/* The text of a tuning's journal as a document like its tune.json: kernel_name, tune_params_keys,
   and candidates with their params; NULL: it is no such journal. A last line that was cut off is
   dropped. PAWL_BAD_DATA: a line is wrong.
 */
pawl_status pawl_tune_journal_to_document(const char *text, size_t length, const char *path,
                                          struct pawl_arena *arena, json_t **out,
                                          struct pawl_error *err);
/* The search is complete: the next one may replace the journal. */
pawl_status pawl_tune_journal_finish(struct pawl_tune_journal *journal, double seconds,
                                     struct pawl_error *err);

#endif
