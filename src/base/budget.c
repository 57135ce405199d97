/* SPDX-License-Identifier: Apache-2.0 */
#include "base/budget.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define LEFT_OUT "not measured: "
#define INTERRUPTED "interrupted" /* instead of a deadline */

static _Atomic int64_t deadline_ns; /* 0: no budget */
static const char *_Atomic words;
static _Atomic bool ended; /* a signal ended the budget */

void pawl_budget_begin(double seconds) {
  static char own_words[80];
  if (ended) return;
  const char *given = getenv(PAWL_BUDGET_END);
  if (given && !strcmp(given, INTERRUPTED)) {
    pawl_budget_interrupt();
    return;
  }
  const int64_t whole_ns = given && seconds > 0 ? strtoll(given, NULL, 10) : 0;
  deadline_ns = seconds > 0 ? pawl_clock_ns() + (int64_t)(seconds * 1e9) : 0;
  if (whole_ns > 0 && whole_ns < deadline_ns) deadline_ns = whole_ns;
  snprintf(own_words, sizeof own_words, LEFT_OUT "the budget of %.6g s ended", seconds);
  words = own_words;
}

void pawl_budget_interrupt(void) {
  if (ended) return;
  words = LEFT_OUT "the run was interrupted";
  deadline_ns = pawl_clock_ns();
  ended = true;
}

bool pawl_budget_is_interrupted(void) { return ended; }

const char *pawl_budget_variable(void) {
  static char variable[48];
  if (ended) return PAWL_BUDGET_END "=" INTERRUPTED;
  snprintf(variable, sizeof variable, PAWL_BUDGET_END "=%" PRId64, deadline_ns);
  return deadline_ns ? variable : NULL;
}

bool pawl_budget_is_over(void) { return deadline_ns && pawl_clock_ns() >= deadline_ns; }

double pawl_budget_limit(double seconds) {
  if (!deadline_ns) return seconds;
  const double left = (double)(deadline_ns - pawl_clock_ns()) * 1e-9;
  return seconds >= 0 && seconds < left ? seconds : left > 0 ? left : 0;
}

int64_t pawl_budget_share_end(size_t parts) {
  if (!deadline_ns) return INT64_MAX;
  const int64_t now = pawl_clock_ns(), left = deadline_ns - now;
  return now + left / (int64_t)(parts ? parts : 1);
}

const char *pawl_budget_words(void) { return words; }

const char *pawl_budget_cause(void) { return words + sizeof LEFT_OUT - 1; }

pawl_status pawl_budget_need(struct pawl_error *err) {
  return pawl_budget_is_over() ? pawl_fail(err, PAWL_TRY_AGAIN, "%s", words) : PAWL_OK;
}

bool pawl_budget_ended(enum pawl_status_code status) {
  return status == PAWL_TRY_AGAIN && pawl_budget_is_over();
}
