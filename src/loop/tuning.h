/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning while it goes on: what it is asked for, what its steps share, and what each does to a candidate. */
#ifndef PAWL_LOOP_TUNING_H
#define PAWL_LOOP_TUNING_H

#include "loop/kernels.h"
#include "tune/journal.h"
#include "tune/search.h"
#include "tune/tune.h"

struct pawl_tune_options {
  const char *kernel, *case_name; /* both given; case NULL: the only one of the operator */
  const char *strategy;           /* "auto" */
  uint64_t seed;
  double budget_seconds; /* of the whole tuning; what was begun is finished, so it may take a little longer */
  const char *folder;    /* for the journal; it exists */
  bool resume;
};

struct pawl_tuning {
  struct pawl_project *project;
  const struct pawl_tune_options *options;
  const struct pawl_kernel_spec *spec;
  struct pawl_ready_kernel base; /* with the current parameters */
  struct pawl_oracle *oracle;
  struct pawl_case *cases; /* of the operator */
  size_t case_count;
  const struct pawl_case *config; /* the one that is tuned for */
  struct pawl_space space;
  struct pawl_search search;
  struct pawl_tune_journal journal;
  int64_t begin_ns;
  struct pawl_tune tune; /* what was found so far */
};

/* Seconds since the tuning began. */
double pawl_tuning_seconds(const struct pawl_tuning *tuning);

/* Builds a configuration; a failure is an outcome. */
pawl_status pawl_tuning_ready(struct pawl_tuning *tuning, size_t index, struct pawl_ready_kernel *out,
                              struct pawl_error *err);
/* Compares the kernel with the oracle, on the smallest shapes of its check and on all cases that are timed. */
pawl_status pawl_tuning_check(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                              enum pawl_outcome *outcome, const char **reason, struct pawl_error *err);

#endif
