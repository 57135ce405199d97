/* SPDX-License-Identifier: Apache-2.0 */
/* New inputs for a timed call. pawl draws all inputs and inouts of a set by another seed, from the
 * set's own distribution, and the operator adjusts them. So all values are new, and every structure
 * that the operator gives its inputs stays: an order, a symmetry, zeros, valid indices. pawl draws
 * into memory that no kernel sees, and copies the inputs to their place right before the call. */
#pragma once

#include "oracle/oracle.h"

/* Returns the bytes of a set, from its first tensor to the end of its last one. */
uint64_t pawl_problem_set_bytes(const struct pawl_problem *problem);
/* Allocates the private memory. PAWL_NO_MEMORY: there is none. */
pawl_status pawl_problem_reserve_new(struct pawl_problem *problem, struct pawl_error *err);
/* Draws new inputs for a set into the private memory. With `note` it also notes them as those that
 * a comparison expects. Any thread may call it after pawl_problem_reserve_new, while no other one
 * uses the operator. threads 0: all CPUs. PAWL_FAILED: the operator failed. */
pawl_status pawl_problem_draw_new(struct pawl_problem *problem, int set, uint64_t seed, bool note,
                                  int threads, struct pawl_error *err);
/* Copies the inputs that are in place, as if they had been drawn. */
void pawl_problem_draw_again(struct pawl_problem *problem, int set);
/* Returns whether pawl keeps drawn inputs, because they are small. */
bool pawl_problem_keeps_drawn(const struct pawl_problem *problem);
/* Draws a set's inputs by this seed with all CPUs, and keeps them for pawl_problem_draw_new. pawl
 * keeps the usual inputs of each set and its last new ones, and only inputs that are small. */
pawl_status pawl_problem_keep_new(struct pawl_problem *problem, int set, uint64_t seed,
                                  struct pawl_error *err);
/* Copies the drawn inputs to their place. With `evict` no cache holds the set afterwards. */
void pawl_problem_put_new(struct pawl_problem *problem, int set, bool evict);
/* Sets of new inputs for the unseen calls of GPU kernels. All processes of a problem may have them,
 * each process each set once. Returns how many sets there are. */
int pawl_problem_given_sets(const struct pawl_problem *problem);
/* Draws the inputs of this number, by the distribution of set 0. */
pawl_status pawl_problem_draw_given(struct pawl_problem *problem, int number, uint64_t seed,
                                    struct pawl_error *err);
/* Draws the first `most` of them in order, with half of the CPUs, until `stop`. Any thread may call
 * it while no other one draws for the problem. It draws none where an operator adjusts them,
 * because its worker may serve somebody else. Returns how many it drew. */
int pawl_problem_draw_given_ahead(struct pawl_problem *problem, int most, const _Atomic bool *stop);
/* Copies them to the place of a set. */
void pawl_problem_put_given(struct pawl_problem *problem, int set, int number);
/* *hides: a draw takes no longer than the worker's flush of its caches, so each call can have new
 * inputs at no cost. The first time a draw tells. */
pawl_status pawl_problem_flush_hides_draw(struct pawl_problem *problem, bool *hides,
                                          struct pawl_error *err);

/* Notes that a set's inputs are not the usual ones any more. */
void pawl_problem_mark_renewed(struct pawl_problem *problem, int set);
/* Leaves a set as it is until a request needs its usual inputs, which have this seed. */
void pawl_problem_owe_usual(struct pawl_problem *problem, int set, uint64_t seed);
/* Draws the usual inputs of a set again, if they were renewed. */
pawl_status pawl_problem_put_usual(struct pawl_problem *problem, int set, struct pawl_error *err);
