/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning while it goes on: what it is asked for, what its steps share, and what each does to a candidate. */
#ifndef PAWL_LOOP_TUNING_H
#define PAWL_LOOP_TUNING_H

#include <signal.h>

#include "loop/kernels.h"
#include "loop/tune_bench.h"
#include "tune/journal.h"
#include "tune/prior.h"
#include "tune/search.h"
#include "tune/tune.h"

struct pawl_tune_options {
  const char *kernel;
  const char *case_name;  /* NULL: the only one of the operator */
  const char *case_names; /* "all" or "small,large", in place of case_name; NULL: one case */
  const char *strategy;   /* "auto" */
  uint64_t seed;
  double budget_seconds; /* of the whole tuning; what was begun is finished, so it may take a little longer */
  const char *folder;    /* for the journal; it exists */
  const char *prior;     /* a record whose best configurations are tried first; NULL: none */
  bool resume;
  const volatile sig_atomic_t *stop; /* becomes true: the tuning ends after the candidate at hand */
};

/* A configuration that was built before the search asked for it. */
struct pawl_tune_first {
  size_t index;
  double seconds; /* of its build */
};

struct pawl_tuning {
  struct pawl_project *project;
  const struct pawl_tune_options *options;
  const struct pawl_kernel_spec *spec;
  struct pawl_ready_kernel base; /* with the current parameters */
  struct pawl_oracle *oracle;
  struct pawl_case *cases; /* of the operator */
  size_t case_count;
  const struct pawl_case **configs; /* what the search tunes for, in the order of the suite */
  size_t config_count;
  struct pawl_space space;
  struct pawl_search search;
  struct pawl_tune_prior prior;
  struct pawl_tune_journal journal;
  struct pawl_tune_bench bench;
  double block_seconds;          /* of a block of the current code beside itself, on each case that is tuned for */
  struct pawl_tune_first *first; /* what was built together with the current parameters */
  size_t first_count;
  double first_seconds;  /* that this took, until the first questions are prepared */
  int64_t begin_ns;      /* as if the tuning had not been interrupted */
  struct pawl_tune tune; /* what was found so far */
};

/* Seconds that the tuning has taken, earlier parts of it included; of its budget, that are left (0: none, or it is to
   stop). */
double pawl_tuning_seconds(const struct pawl_tuning *tuning);
double pawl_tuning_left(const struct pawl_tuning *tuning);

/* The kernel with the configuration's parameters put over its own. */
struct pawl_kernel_spec *pawl_tuning_spec(struct pawl_tuning *tuning, size_t index);
/* Builds a configuration; a failure is an outcome. */
pawl_status pawl_tuning_ready(struct pawl_tuning *tuning, size_t index, struct pawl_ready_kernel *out,
                              struct pawl_error *err);
/* Builds several at once, so that pawl_tuning_ready finds them built. What fails fails again there. seconds[i]: that
   the build took; 0: nothing was built ahead. */
void pawl_tuning_build_ahead(struct pawl_tuning *tuning, const size_t *indices, size_t count, double *seconds);
/* Builds the current parameters, and beside them the questions that the search asks whatever the times are, and in a
   small space those that it may ask next: no more than the other CPUs build at once. What fails fails again when it is
   asked for. */
pawl_status pawl_tuning_build_first(struct pawl_tuning *tuning, struct pawl_error *err);
/* How many questions to ask at first; the configuration of the current parameters, or PAWL_NO_CONFIGURATION. */
size_t pawl_tuning_first_batch(const struct pawl_search *search);
size_t pawl_tuning_current(const struct pawl_tuning *tuning);
/* Whether the search tunes for the case of this name. */
bool pawl_tuning_is_for(const struct pawl_tuning *tuning, const char *case_name);
/* Compares the kernel with the oracle, on the smallest shapes of its check and on all cases that are timed. */
pawl_status pawl_tuning_check(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                              enum pawl_outcome *outcome, const char **reason, struct pawl_error *err);

#endif
