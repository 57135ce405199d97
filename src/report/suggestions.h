/* SPDX-License-Identifier: Apache-2.0 */
/* Writes suggestions.md, which says what a tuning found and how to use it. */
#pragma once

#include "base/text.h"
#include "tune/insight.h"
#include "tune/proposal.h"

/* Writes Markdown. `suite` is the path of pawl.yaml, `folder` the path of the output; both appear
   in the text. `picture` is the name of the picture beside the text, or NULL if there is none. */
void pawl_tune_suggestions(const struct pawl_tune *tune, const struct pawl_tune_insight *insight,
                           const char *suite, const char *folder, const char *picture,
                           struct pawl_text *out);

/* Writes the text of a pull request that applies a proposal. From the proposal it takes only
   figures, and words as code. */
void pawl_tune_proposal_text(const struct pawl_tune_proposal *proposal, struct pawl_text *out);
