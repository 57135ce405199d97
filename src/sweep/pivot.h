/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a sweep's texts: a row for each shape, and a column for each reference, or for each
 * kernel and reference. The CSV files have every number. */
#pragma once

#include "sweep/files.h"
#include "sweep/table.h"

/* Returns the number of kernels with claims; each has a table of speed-ups. */
size_t pawl_sweep_count_kernels(const struct pawl_sweep_claims *claims);
/* Fills the speed-ups of the n-th of these kernels: "1.078 (1.072 to 1.079)". Returns its name.
 * Everything lives in the arena. */
const char *pawl_sweep_pivot_speedups(const struct pawl_sweep_view *view, size_t kernel,
                                      struct pawl_arena *arena, struct pawl_sweep_grid *out);
/* Fills the median times in ms, or the rates in TFLOP/s; without a rate there is no row. */
void pawl_sweep_pivot_times(const struct pawl_sweep_view *view, bool rates,
                            struct pawl_arena *arena, struct pawl_sweep_grid *out);
/* Returns the sizes that all shapes share: "B=32,dtype=f16"; "" if there are none. The tables leave
 * them out. */
const char *pawl_sweep_common_sizes(const struct pawl_sweep_plan *plan, struct pawl_arena *arena);
