/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of suggestions.md on a tuning for several cases. */
#pragma once

#include "base/text.h"
#include "tune/tune.h"

/* The one setting on each case, the best setting of each, and the rule. Nothing with one case. */
void pawl_tune_suggest_cases(const struct pawl_tune *tune, struct pawl_text *out);
/* The rule as C: nested `if` on the names of the operator's dimensions, whose leaves are
 * LAUNCH(values). */
void pawl_tune_rule_code(const struct pawl_tune *tune, struct pawl_text *out);
