/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning while it goes on: what it is asked for, what its steps share, and what each does to a
 * candidate. */
#ifndef PAWL_TUNING_TUNING_H
#define PAWL_TUNING_TUNING_H

#include <signal.h>

#include "project/kernels.h"
#include "tune/journal.h"
#include "tune/prior.h"
#include "tune/search.h"
#include "tune/tune.h"
#include "tuning/bench.h"
#include "tuning/builds.h"

#define PAWL_TUNE_RESULT "tune.json" /* in the output folder */

struct pawl_tune_options {
  const char *kernel;
  const char *case_name;  /* NULL: the only one of the operator */
  const char *case_names; /* "all" or "small,large", in place of case_name; NULL: one case */
  const char *strategy;   /* "auto" */
  uint64_t seed;
  bool budget_given;     /* else it is the default: a search that has ended needs no more */
  double budget_seconds; /* of the whole tuning; what was begun is finished, so it may take a little
                            longer */
  const char *folder;    /* for the journal; it exists */
  const char *prior;     /* a record to begin with, or "none"; NULL: what an earlier search knew */
  bool resume;
  const volatile sig_atomic_t *stop; /* becomes true: the tuning ends after the candidate at hand */
};

struct pawl_tuning {
  struct pawl_project *project;
  const struct pawl_tune_options *options;
  const struct pawl_kernel_spec *spec;
  struct pawl_ready_kernel base;           /* with the current parameters */
  struct pawl_check_report *current_check; /* of the current code; NULL: nobody needed it yet */
  const struct pawl_known_files *sources;  /* as they were when the tuning began */
  const struct pawl_known_files
      *headers; /* and what else the current code was built of, as it was then; NULL: not yet */
  struct pawl_oracle *oracle;
  struct pawl_case *cases; /* of the operator */
  size_t case_count;
  const struct pawl_case **configs; /* what the search tunes for, in the order of the suite */
  size_t config_count;
  struct pawl_space space;
  struct pawl_search search;
  struct pawl_tune_prior prior;
  struct pawl_text prior_text; /* the bytes of its file */
  bool goes_on;                /* from a journal that is there */
  struct pawl_tune_journal journal;
  struct pawl_tune_bench bench;
  double check_seconds; /* that whole checks of candidates took during the screening */
  double longest_check; /* of these */
  double block_seconds; /* of a block of the current code beside itself, on each case that is tuned
                           for */
  struct pawl_tune_builds *builds; /* beside all this; NULL: none began */
  int64_t begin_ns;                /* as if the tuning had not been interrupted */
  struct pawl_tune tune;           /* what was found so far */
};

/* Seconds that the tuning has taken, earlier parts of it included; of its budget, that are left (0:
   none, or it is to stop). */
double pawl_tuning_seconds(const struct pawl_tuning *tuning);
double pawl_tuning_left(const struct pawl_tuning *tuning);
bool pawl_tuning_is_stopped(const struct pawl_tuning *tuning);

/* A candidate with a smaller ratio may be faster by more than what is called noise: a block of the
   screening can be wrong by half of that. */
double pawl_tuning_worth(const struct pawl_tuning *tuning);

/* The kernel with the configuration's parameters put over its own. */
struct pawl_kernel_spec *pawl_tuning_spec(struct pawl_tuning *tuning, size_t index);
/* Builds a configuration; a failure is an outcome. PAWL_TRY_AGAIN: somebody changed a source since
 * the tuning began. */
pawl_status pawl_tuning_ready(struct pawl_tuning *tuning, size_t index,
                              struct pawl_ready_kernel *out, struct pawl_error *err);
/* The kernel's sources, as they are now, are those of the tuning. */
void pawl_tuning_know_sources(struct pawl_tuning *tuning);
/* The same of all that the current code, which is ready, was built of. */
void pawl_tuning_know_headers(struct pawl_tuning *tuning);
/* PAWL_TRY_AGAIN: one is not what it was. */
pawl_status pawl_tuning_require_sources(const struct pawl_tuning *tuning, struct pawl_error *err);
/* Builds the current parameters, and beside them the questions that the search asks whatever the
   times are, and in a small space those that it may ask next: no more than the other CPUs build at
   once. Returns when the current ones are built; a failure is met again by who needs the build. */
pawl_status pawl_tuning_build_first(struct pawl_tuning *tuning, struct pawl_error *err);
/* Has a configuration built beside other work. */
void pawl_tuning_build_ahead(struct pawl_tuning *tuning, size_t index);
/* Whether its build has ended. */
bool pawl_tuning_is_built(const struct pawl_tuning *tuning, size_t index);
/* Waits until the build of one of these has ended, at most so many seconds. */
bool pawl_tuning_await_builds(const struct pawl_tuning *tuning, const size_t *indices, size_t count,
                              double seconds);
/* The same as pawl_tuning_ready of one that is built ahead, when it is. *seconds: that its build
 * took. */
pawl_status pawl_tuning_take_build(struct pawl_tuning *tuning, size_t index,
                                   struct pawl_ready_kernel *out, double *seconds,
                                   struct pawl_error *err);
/* Those that are not done end. */
void pawl_tuning_end_builds(struct pawl_tuning *tuning);
/* A GPU's kernel is timed while others build, and they stand still during timed calls alone: the
   jobs for that, or NULL. A CPU's kernel shares its CPUs with the builds, which stand still from
   the first of these calls to the second.
 */
struct pawl_jobs *pawl_tuning_jobs_beside(const struct pawl_tuning *tuning);
void pawl_tuning_pause_builds(const struct pawl_tuning *tuning);
void pawl_tuning_resume_builds(const struct pawl_tuning *tuning);
/* How many questions to ask at first; the configuration of the current parameters, or
 * PAWL_NO_CONFIGURATION. */
size_t pawl_tuning_first_batch(const struct pawl_search *search);
size_t pawl_tuning_current(const struct pawl_tuning *tuning);
/* Whether the search tunes for the case of this name. */
bool pawl_tuning_is_for(const struct pawl_tuning *tuning, const char *case_name);
/* Measures the current code on the cases that are tuned for, and is ready for candidates. */
pawl_status pawl_tuning_open_bench(struct pawl_tuning *tuning, struct pawl_error *err);
/* Compares the kernel with the oracle, on the smallest shapes of its check and on all cases that
   are timed. A shape that it does not support is a failure where it is timed, or where the current
   code passes. */
pawl_status pawl_tuning_check(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                              enum pawl_outcome *outcome, const char **reason,
                              struct pawl_error *err);

#endif
