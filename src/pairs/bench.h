/* SPDX-License-Identifier: Apache-2.0 */
/* The anchor and the candidate of one kernel and case, measured side by side until the verdict is
 * known. */
#ifndef PAWL_PAIRS_BENCH_H
#define PAWL_PAIRS_BENCH_H

#include "pairs/request.h"

/* Samples of each arm in a block. */
int pawl_paired_bench_samples(const struct pawl_measure_spec *spec);

/* Measures blocks for each request until its test decides or the budget ends. Spoiled blocks are
   repeated, max_blocks of them at most. The requests share their two arms and their operator: one
   fresh process of each arm serves a block of every request that is not decided yet, so that its
   start is paid once a block. Each request's blocks are fresh processes to it, as when it is
   measured alone; what two requests share is a process's luck, and a bound on false alarms that is
   shared out over the requests (comparisons) does not ask that they be independent. Of a harness,
   one run of each arm is a block of every request. `out` and `outcomes` have `count`. Strings and
   arrays live in the arena.
 */
pawl_status pawl_paired_bench(struct pawl_project *project,
                              const struct pawl_paired_bench_request *requests, size_t count,
                              struct pawl_paired_test *out,
                              struct pawl_paired_bench_outcome *outcomes, struct pawl_error *err);

/* Starts pairs of processes for the first blocks of a request with a problem, if the device has the
   room, draws the inputs, has the expected values, and has the pairs get ready in a thread: they
   become the request's `early`. */
pawl_status pawl_paired_bench_launch(struct pawl_project *project,
                                     const struct pawl_paired_bench_request *request,
                                     struct pawl_waiting_pairs *waiting, struct pawl_error *err);

#endif
