/* SPDX-License-Identifier: Apache-2.0 */
/* suggestions.md: what a tuning found and how to use it. */
#pragma once

#include "base/text.h"
#include "tune/insight.h"
#include "tune/proposal.h"

/* Markdown. `suite`: the path of pawl.yaml, and `folder`: that of the output, for its text;
 * `picture`: the name of the picture beside it; NULL: none. */
void pawl_tune_suggestions(const struct pawl_tune *tune, const struct pawl_tune_insight *insight,
                           const char *suite, const char *folder, const char *picture,
                           struct pawl_text *out);

/* The text of a pull request that applies a proposal: nothing of the file but its figures, and its
 * words as code. */
void pawl_tune_proposal_text(const struct pawl_tune_proposal *proposal, struct pawl_text *out);
