/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the section of suggestions.md about configurations that failed. */
#pragma once

#include "base/text.h"
#include "tune/tune.h"

/* Writes each kind of failure, the number of its configurations, and its first configuration.
   Reasons that differ only in numbers are one kind. The most frequent kind comes first. Writes
   nothing if no configuration failed. */
void pawl_tune_suggest_failures(const struct pawl_tune *tune, struct pawl_text *out);
