/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of a command: one deadline for the whole process. Builds, requests to workers and
   commands end at it, and nothing new begins after it. docs/adr/budget.md argues it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PAWL_BUDGET_END \
  "PAWL_BUDGET_END" /* the variable of a part: the deadline of the whole run */

/* The budget begins now. 0: there is none. No other thread may run yet. If pawl started this pawl
   for a part of a run, the deadline of the whole run counts. */
void pawl_budget_begin(double seconds);
/* Ends the budget now, also one without a limit. A signal handler may call it. */
void pawl_budget_interrupt(void);
bool pawl_budget_is_interrupted(void);
/* Returns the variable that tells a part the deadline or the interrupt, valid until the next call;
   NULL: neither. */
const char *pawl_budget_variable(void);
bool pawl_budget_is_over(void);
/* Returns the time limit of a step: `seconds`, or what is left of the budget if that is less. A
   negative limit means for ever. */
double pawl_budget_limit(double seconds);
/* Returns the end of the first of `parts` steps that share what is left of the budget, in ns of
   pawl_clock_ns(); INT64_MAX: there is no budget. */
int64_t pawl_budget_share_end(size_t parts);
/* "not measured: the budget of 10 s ended". */
const char *pawl_budget_words(void);
/* "the budget of 10 s ended", or "the run was interrupted". */
const char *pawl_budget_cause(void);
/* PAWL_TRY_AGAIN with these words if the budget is over. */
pawl_status pawl_budget_need(struct pawl_error *err);
/* Whether a call failed because the budget is over. */
bool pawl_budget_ended(enum pawl_status_code status);
