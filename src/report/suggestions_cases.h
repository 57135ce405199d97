/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the sections of suggestions.md about a tuning for several cases. */
#pragma once

#include "base/text.h"
#include "tune/tune.h"

/* Writes the results of the one setting on each case, the best setting of each case, and the rule.
   Writes nothing if there is only one case. */
void pawl_tune_suggest_cases(const struct pawl_tune *tune, struct pawl_text *out);
/* Writes the rule as C. It nests `if` on the names of the operator's dimensions, and its leaves are
   LAUNCH(values). */
void pawl_tune_rule_code(const struct pawl_tune *tune, struct pawl_text *out);
