/* SPDX-License-Identifier: Apache-2.0 */
/* suggestions.md: what a tuning found and how to use it. */
#ifndef PAWL_REPORT_SUGGESTIONS_H
#define PAWL_REPORT_SUGGESTIONS_H

#include "base/text.h"
#include "tune/proposal.h"
#include "tune/tune.h"

/* Markdown. `suite`: the path of pawl.yaml, for its text. */
void pawl_tune_suggestions(const struct pawl_tune *tune, const char *suite, struct pawl_text *out);

/* The text of a pull request that applies a proposal: nothing of the file but its figures, and its words as code. */
void pawl_tune_proposal_text(const struct pawl_tune_proposal *proposal, struct pawl_text *out);

#endif
