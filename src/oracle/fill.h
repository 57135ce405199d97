/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the inputs of one set, and hashes them. */
#pragma once

#include "oracle/oracle.h"

/* Returns the operator's distribution of this name, or NULL. */
const struct pawl_distribution_info *pawl_fill_find(const struct pawl_operator_info *info,
                                                    const char *name);

/* Draws the elements [first, end) of a set's tensor. `data` is its element 0, wherever that is.
 * threads 0: all CPUs. */
void pawl_fill_draw(const struct pawl_problem *problem, int set, int tensor,
                    const struct pawl_distribution_info *distribution, uint64_t seed, void *data,
                    int64_t first, int64_t end, int threads);

/* Draws all elements of a set's tensor by a seed of its own: new values of large tensors at the
 * speed of memory, if the distribution allows it. */
void pawl_fill_draw_new(const struct pawl_problem *problem, int set, int tensor,
                        const struct pawl_distribution_info *distribution, uint64_t seed,
                        void *data, int threads);
/* Returns whether it does so for this tensor. */
bool pawl_fill_is_mixed(const struct pawl_problem *problem, int set, int tensor,
                        const struct pawl_distribution_info *distribution);

/* Notes the hashes of a set's inputs and inouts. `memory` holds them as the shared memory does from
 * the set's first tensor on. */
void pawl_fill_note(struct pawl_problem *problem, int set, const unsigned char *memory);
/* Keeps a copy of the set's inouts in such memory. */
void pawl_fill_save_inouts(struct pawl_problem *problem, int set, const unsigned char *memory);
