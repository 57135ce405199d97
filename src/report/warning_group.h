/* SPDX-License-Identifier: Apache-2.0 */
/* Several rows of a kernel can share a warning, apart from its numbers: all benchmarks of a
   harness, or all cases on a busy machine. A report then shows it once. */
#pragma once

#include "model/result.h"

/* Returns the number of rows of this row's kernel that have its warning `index`, including this
   row. Returns 0 if an earlier row has it. */
size_t pawl_warning_rows(const struct pawl_results *results, size_t row, size_t index);
