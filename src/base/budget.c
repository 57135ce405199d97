/* SPDX-License-Identifier: Apache-2.0 */
#include "base/budget.h"

#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"

static int64_t deadline_ns; /* 0: no budget */
static char words[80];

void pawl_budget_begin(double seconds) {
  deadline_ns = seconds > 0 ? pawl_clock_ns() + (int64_t)(seconds * 1e9) : 0;
  snprintf(words, sizeof words, "not measured: the budget of %.6g s ended", seconds);
}

bool pawl_budget_is_over(void) { return deadline_ns && pawl_clock_ns() >= deadline_ns; }

double pawl_budget_limit(double seconds) {
  if (!deadline_ns) return seconds;
  const double left = (double)(deadline_ns - pawl_clock_ns()) * 1e-9;
  return seconds >= 0 && seconds < left ? seconds : left > 0 ? left : 0;
}

const char *pawl_budget_words(void) { return words; }

pawl_status pawl_budget_need(struct pawl_error *err) {
  return pawl_budget_is_over() ? pawl_fail(err, PAWL_TRY_AGAIN, "%s", words) : PAWL_OK;
}

bool pawl_budget_ended(enum pawl_status_code status) {
  return status == PAWL_TRY_AGAIN && pawl_budget_is_over();
}
