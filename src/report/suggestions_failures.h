/* SPDX-License-Identifier: Apache-2.0 */
/* The section of suggestions.md on configurations that failed. */
#ifndef PAWL_REPORT_SUGGESTIONS_FAILURES_H
#define PAWL_REPORT_SUGGESTIONS_FAILURES_H

#include "base/text.h"
#include "tune/tune.h"

/* Each reason, how many configurations failed for it, and the first of them; the most frequent first. Nothing where
   none failed. */
void pawl_tune_suggest_failures(const struct pawl_tune *tune, struct pawl_text *out);

#endif
