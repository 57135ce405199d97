/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of a search: a line of JSON that describes the search, one line for each
   candidate, and one line for the end. Each line is on the disk before the next candidate
   begins. A killed search resumes from it; pawl drops an incomplete last line. */
#pragma once

#include "tune/tune.h"

#define PAWL_TUNE_JOURNAL "tune.jsonl" /* in the output folder */

struct pawl_tune_entry {
  struct pawl_tune_candidate candidate; /* its index is unset */
  size_t open;                          /* the open questions when it was timed, its own included */
  double seconds;                       /* the duration of the search at this line */
};

struct pawl_tune_journal {
  int fd; /* -1: not open */
  const char *path;
  struct pawl_tune_entry *entries; /* the entries of an earlier search */
  size_t count;
  size_t lost;    /* evaluations whose evaluator was lost */
  bool finished;  /* the last line says that the search has ended */
  double seconds; /* the duration of the earlier search */
  /* the new name of an interrupted search's journal, which this search must not replace; NULL:
     none */
  const char *kept;
};

/* Write puts the members of a candidate, except its index, into a line of the journal. Read returns
 * strings that live in the arena. Read fails with PAWL_BAD_DATA if there is no key or no
 * outcome. */
void pawl_tune_candidate_write(const struct pawl_tune_candidate *candidate, json_t *object);
pawl_status pawl_tune_candidate_read(const json_t *object, const char *name,
                                     struct pawl_arena *arena,
                                     struct pawl_tune_candidate *candidate, struct pawl_error *err);

/* Fails with PAWL_BAD_DATA if no measurement gives such times, for example a negative time. `name`
 * is the file or line of the candidate, for the message. */
pawl_status pawl_tune_candidate_check(const struct pawl_tune_candidate *candidate, const char *name,
                                      struct pawl_error *err);

/* Opens the journal. `identity` is everything that the times depend on. Without `resume` it begins
 * a new journal, and keeps an interrupted one under another name. With `resume` it reads the
 * entries; a missing journal is empty. Fails with PAWL_BAD_DATA if the journal belongs to another
 * search, or is damaged before its last line. */
pawl_status pawl_tune_journal_open(struct pawl_tune_journal *journal, const char *path,
                                   const json_t *identity, bool resume, struct pawl_arena *arena,
                                   struct pawl_error *err);
void pawl_tune_journal_release(struct pawl_tune_journal *journal);

/* Adds the strategy to an identity, with its version if that is not 0. So no search resumes from
   answers to other questions. */
void pawl_tune_journal_name_strategy(json_t *identity, const char *strategy);

const struct pawl_tune_entry *pawl_tune_journal_find(const struct pawl_tune_journal *journal,
                                                     const char *key);
pawl_status pawl_tune_journal_add(struct pawl_tune_journal *journal,
                                  const struct pawl_tune_entry *entry, struct pawl_error *err);
/* Records that an evaluator was lost while it had the candidate `key`. Another evaluator gets
   the candidate; the line is for readers of the journal. */
pawl_status pawl_tune_journal_lost(struct pawl_tune_journal *journal, const char *key,
                                   const char *evaluator, struct pawl_error *err);
/* Converts the text of a journal into a document like its tune.json: kernel_name, tune_params_keys,
 * and candidates with their params. *out is NULL if the text is no journal. It drops an incomplete
 * last line. Fails with PAWL_BAD_DATA if a line is wrong. */
pawl_status pawl_tune_journal_to_document(const char *text, size_t length, const char *path,
                                          struct pawl_arena *arena, json_t **out,
                                          struct pawl_error *err);
/* Records that the search is complete. The next search may replace the journal. */
pawl_status pawl_tune_journal_finish(struct pawl_tune_journal *journal, double seconds,
                                     struct pawl_error *err);
