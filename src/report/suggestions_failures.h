/* SPDX-License-Identifier: Apache-2.0 */
/* The section of suggestions.md on configurations that failed. */
#pragma once

#include "base/text.h"
#include "tune/tune.h"

/* Each kind of failure (reasons that differ in numbers alone are one), of how many configurations,
   and the first of them; the most frequent kind first. Nothing where none failed. */
void pawl_tune_suggest_failures(const struct pawl_tune *tune, struct pawl_text *out);
