/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a search whose candidates several evaluators time at once. This process needs no device: it
 * asks the questions and keeps the journal. */
#pragma once

#include "fleet/pool.h"
#include "tuning/tuning.h"

/* The result of a search with evaluators. */
struct pawl_tune_pool_result {
  bool written; /* the judge or an earlier command wrote the files; false: nobody did */
  /* if the files are written: only the candidates, the conclusion, decided and recommended */
  struct pawl_tune tune;
};

/* Returns the number of requests that each of `evaluators` evaluators has at once: the one that it
 * times, and as many builds beside it as keep its device busy. The mean seconds of a build and of a
 * measurement are 0 if they are unknown. `cpus` counts the CPUs that the evaluator has for itself;
 * 0 means that nothing builds while it times. A question that is asked in advance knows less. All
 * evaluators together therefore have as many as a search on one device, or two each. */
size_t pawl_tune_pool_ahead(double build_seconds, double measure_seconds, double cpus,
                            int evaluators);

/* Does what pawl_loop_tune does. Fails with PAWL_UNAVAILABLE if no evaluator is left and none will
 * come; the journal stays. */
pawl_status pawl_loop_tune_pool(struct pawl_project *project,
                                const struct pawl_tune_options *options,
                                const struct pawl_pool_plan *plan,
                                struct pawl_tune_pool_result *out, struct pawl_error *err);
