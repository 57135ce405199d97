/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a sweep's texts: a row for each shape, and a column for each reference, or for each
 * kernel and reference. The CSV files have every number. */
#pragma once

#include "sweep/files.h"
#include "sweep/table.h"

/* Returns the number of kernels with claims; each has a table of speed-ups. */
size_t pawl_sweep_count_kernels(const struct pawl_sweep_claims *claims);
/* Fills the claims of the n-th of these kernels, and returns its name. Each cell has the speed-up
 * and its interval, "1.078 (1.072 to 1.079)", or the `effects`: the detectable difference and
 * Cliff's delta, "0.42 %, +0.911"; "" without a time of both. Everything lives in the arena. */
const char *pawl_sweep_pivot_claims(const struct pawl_sweep_view *view, size_t kernel, bool effects,
                                    struct pawl_arena *arena, struct pawl_sweep_grid *out);
/* Fills the median times in ms, or the rates in TFLOP/s; without a rate there is no row. */
void pawl_sweep_pivot_times(const struct pawl_sweep_view *view, bool rates,
                            struct pawl_arena *arena, struct pawl_sweep_grid *out);
/* Returns the sizes that all shapes share: "B=32,dtype=f16"; "" if there are none. The tables leave
 * them out. */
const char *pawl_sweep_common_sizes(const struct pawl_sweep_plan *plan, struct pawl_arena *arena);
