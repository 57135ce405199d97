/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the anchor and the candidate of a kernel and case side by side until the verdict is
   known. */
#pragma once

#include "pairs/request.h"

/* Returns the samples of each arm in a block. */
int pawl_paired_bench_samples(const struct pawl_measure_spec *spec);
/* Returns the number of rounds of a block on this kind of device. */
int pawl_paired_bench_rounds(int32_t device);

/* Measures blocks for each request until its test decides or the budget ends. pawl repeats spoiled
 * blocks, at most max_blocks of them. The requests share their two arms and their operator. One
 * fresh process of each arm serves a block of every undecided request, so each block pays for one
 * start. Two requests share the luck of a process. The bound on false alarms allows that, because
 * it is divided among the requests (`comparisons`) and needs no independence. One run of each arm
 * of a harness is a block of every request. `out` and `outcomes` have `count` items; their strings
 * and arrays live in the request's arena. */
pawl_status pawl_paired_bench(struct pawl_project *project,
                              const struct pawl_paired_bench_request *requests, size_t count,
                              struct pawl_paired_test *out,
                              struct pawl_paired_bench_outcome *outcomes, struct pawl_error *err);

/* Draws the inputs of a request with a problem and gets their expected values, once. */
pawl_status pawl_paired_bench_fill(const struct pawl_paired_bench_request *request,
                                   struct pawl_error *err);
/* Starts pairs of processes for the first blocks of a request with a problem, if the device has the
 * room. Fills the problem. A thread prepares the pairs, which are the
 * request's `early` from then on. */
pawl_status pawl_paired_bench_launch(struct pawl_project *project,
                                     const struct pawl_paired_bench_request *request,
                                     struct pawl_waiting_pairs *waiting, struct pawl_error *err);
