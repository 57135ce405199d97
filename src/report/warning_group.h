/* SPDX-License-Identifier: Apache-2.0 */
/* A warning that several rows of a kernel share, but for its numbers, is said once: of all
   benchmarks of a harness, or of all cases on a busy machine. */
#pragma once

#include "model/result.h"

/* How many rows of the kernel of `row` have its warning `index`, this one included; 0: a row before
 * it has said it. */
size_t pawl_warning_rows(const struct pawl_results *results, size_t row, size_t index);
