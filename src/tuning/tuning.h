/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a search in progress: its options, the data that its steps share, and the steps for
 * one candidate. */
#pragma once

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
  const char *case_name;  /* NULL: the operator has only one case */
  const char *case_names; /* "all" or "small,large", in place of case_name; NULL: one case */
  const char *strategy;   /* "auto" */
  uint64_t seed;
  bool budget_given; /* false: the budget is the default, which a finished search ignores */
  /* for the whole search; work in progress is finished, so it may take a little longer */
  double budget_seconds;
  const char *folder; /* an existing folder for the journal */
  const char *prior;  /* a record to begin with, or "none"; NULL: the result of an earlier search */
  bool resume;
  /* if it becomes true, the search ends after the candidate in progress */
  const volatile sig_atomic_t *stop;
};

struct pawl_tuning {
  struct pawl_project *project;
  const struct pawl_tune_options *options;
  const struct pawl_kernel_spec *spec;
  struct pawl_ready_kernel base;           /* the kernel with the current parameters */
  struct pawl_check_report *current_check; /* the check of the current code; NULL: not needed yet */
  const struct pawl_known_files *sources;  /* their state when the search began */
  /* the other files from which the current code was built, at that time; NULL: not known yet */
  const struct pawl_known_files *headers;
  struct pawl_oracle *oracle;
  struct pawl_case *cases; /* all cases of the operator */
  size_t case_count;
  /* the cases that the search tunes for, in the order of the suite */
  const struct pawl_case **configs;
  size_t config_count;
  struct pawl_space space;
  struct pawl_search search;
  struct pawl_tune_prior prior;
  struct pawl_text prior_text; /* the content of the record */
  bool goes_on;                /* resumed from an existing journal */
  struct pawl_tune_journal journal;
  struct pawl_tune_bench bench;
  double check_seconds; /* the total of the whole checks of candidates during the screening */
  double longest_check; /* the longest of these checks */
  double block_seconds; /* for a block of the current code beside itself, on all tuned cases */
  struct pawl_tune_builds *builds; /* builds beside the search; NULL: none began */
  int64_t begin_ns;                /* as if the search had not been interrupted */
  struct pawl_tune tune;           /* the result so far */
};

/* pawl_tuning_seconds returns the duration of the search with its earlier parts. pawl_tuning_left
 * returns the rest of its budget in seconds, 0 if it is used up or the search must stop. */
double pawl_tuning_seconds(const struct pawl_tuning *tuning);
double pawl_tuning_left(const struct pawl_tuning *tuning);
bool pawl_tuning_is_stopped(const struct pawl_tuning *tuning);

/* Returns the ratio below which a candidate may be faster than the current code by more than the
 * noise. A block of the screening can be wrong by half of the noise limit. */
double pawl_tuning_worth(const struct pawl_tuning *tuning);

/* Returns the spec of the kernel with the parameters of a configuration. */
struct pawl_kernel_spec *pawl_tuning_spec(struct pawl_tuning *tuning, size_t index);
/* Builds a configuration. A failure is an outcome, not an error. Fails with PAWL_TRY_AGAIN if
 * somebody changed a source since the search began. */
pawl_status pawl_tuning_ready(struct pawl_tuning *tuning, size_t index,
                              struct pawl_ready_kernel *out, struct pawl_error *err);
/* Takes the present content of the kernel's sources as the content to tune. */
void pawl_tuning_know_sources(struct pawl_tuning *tuning);
/* Does the same for all other files from which the current code was built. */
void pawl_tuning_know_headers(struct pawl_tuning *tuning);
/* Fails with PAWL_TRY_AGAIN if one of these files has changed. */
pawl_status pawl_tuning_require_sources(const struct pawl_tuning *tuning, struct pawl_error *err);
/* Builds the current parameters and returns when they are built. Beside them it builds the
 * configurations that the search asks for whatever the times are. In a small space it also builds
 * those that the search may ask for next. It adds no more than the other CPUs build at once. A
 * failure appears again when the search needs that build. */
pawl_status pawl_tuning_build_first(struct pawl_tuning *tuning, struct pawl_error *err);
/* Queues the build of a configuration. */
void pawl_tuning_build_ahead(struct pawl_tuning *tuning, size_t index);
/* Returns whether this build has ended. */
bool pawl_tuning_is_built(const struct pawl_tuning *tuning, size_t index);
/* Waits until one of these builds has ended, for at most `seconds`. */
bool pawl_tuning_await_builds(const struct pawl_tuning *tuning, const size_t *indices, size_t count,
                              double seconds);
/* Waits for a queued build, then does what pawl_tuning_ready does. *seconds is the duration of the
 * build. */
pawl_status pawl_tuning_take_build(struct pawl_tuning *tuning, size_t index,
                                   struct pawl_ready_kernel *out, double *seconds,
                                   struct pawl_error *err);
/* Ends the unfinished builds. */
void pawl_tuning_end_builds(struct pawl_tuning *tuning);
/* Returns the jobs to pause during timed calls, or NULL. Builds run beside the timing of a GPU
 * kernel, and pause only during timed calls. A CPU kernel shares its CPUs with the builds, so these
 * pause from the first call to the last. */
struct pawl_jobs *pawl_tuning_jobs_beside(const struct pawl_tuning *tuning);
void pawl_tuning_pause_builds(const struct pawl_tuning *tuning);
void pawl_tuning_resume_builds(const struct pawl_tuning *tuning);
/* pawl_tuning_first_batch returns the number of questions to ask first. pawl_tuning_current returns
 * the configuration of the current parameters, or PAWL_NO_CONFIGURATION. */
size_t pawl_tuning_first_batch(const struct pawl_search *search);
size_t pawl_tuning_current(const struct pawl_tuning *tuning);
/* Returns whether the search tunes for the case of this name. */
bool pawl_tuning_is_for(const struct pawl_tuning *tuning, const char *case_name);
/* Measures the current code on the tuned cases, and prepares the timing of candidates. */
pawl_status pawl_tuning_open_bench(struct pawl_tuning *tuning, struct pawl_error *err);
/* Compares the kernel with the oracle on the smallest shapes of its check and on all tuned
   cases. An unsupported shape is a failure if the search times it, or if the current code passes
   it. */
pawl_status pawl_tuning_check(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                              enum pawl_outcome *outcome, const char **reason,
                              struct pawl_error *err);
