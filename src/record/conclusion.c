/* SPDX-License-Identifier: Apache-2.0 */
#include "record/conclusion.h"

#include <math.h>
#include <stdlib.h>

size_t pawl_run_failed_builds(const struct pawl_run_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->build_count; i++) count += !report->builds[i].ok;
  return count;
}

size_t pawl_run_failed_checks(const struct pawl_run_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->check_count; i++) count += report->checks[i].report->failed > 0;
  return count;
}

static size_t broken_results(const struct pawl_run_report *report) {
  size_t count = 0;
  for (size_t i = 0; report->results && i < report->results->count; i++) {
    const enum pawl_outcome outcome = report->results->items[i].outcome;
    count += outcome == PAWL_OUTCOME_WRONG || outcome == PAWL_OUTCOME_BUILD || outcome == PAWL_OUTCOME_CRASHED;
  }
  return count;
}

static enum pawl_conclusion judged(const struct pawl_ratchet_report *ratchet) {
  if (ratchet->broken > 0) return PAWL_CONCLUSION_BROKEN;
  if (ratchet->regressions > 0) return PAWL_CONCLUSION_REGRESSION;
  if (ratchet->missing > 0) return PAWL_CONCLUSION_MISSING;
  if (ratchet->undecided > 0) return PAWL_CONCLUSION_INCONCLUSIVE;
  if (ratchet->improvements > 0) return PAWL_CONCLUSION_IMPROVEMENT;
  if (ratchet->fresh > 0) return PAWL_CONCLUSION_NEW;
  return ratchet->maintained > 0 ? PAWL_CONCLUSION_MAINTAINED : PAWL_CONCLUSION_NOTHING;
}

enum pawl_conclusion pawl_run_conclusion(const struct pawl_run_report *report) {
  if (pawl_run_failed_builds(report) > 0) return PAWL_CONCLUSION_BUILD_FAILED;
  if (pawl_run_failed_checks(report) > 0) return PAWL_CONCLUSION_WRONG;
  if (broken_results(report) > 0) return PAWL_CONCLUSION_BROKEN;
  if (report->ratchet) return judged(report->ratchet);
  return report->results && report->results->count > 0 ? PAWL_CONCLUSION_MEASURED : PAWL_CONCLUSION_NOTHING;
}

const char *pawl_conclusion_name(enum pawl_conclusion conclusion) {
  switch (conclusion) {
    case PAWL_CONCLUSION_BUILD_FAILED: return "build_failed";
    case PAWL_CONCLUSION_WRONG: return "wrong";
    case PAWL_CONCLUSION_BROKEN: return "broken";
    case PAWL_CONCLUSION_REGRESSION: return "regression";
    case PAWL_CONCLUSION_MISSING: return "missing";
    case PAWL_CONCLUSION_INCONCLUSIVE: return "inconclusive";
    case PAWL_CONCLUSION_IMPROVEMENT: return "improvement";
    case PAWL_CONCLUSION_NEW: return "new";
    case PAWL_CONCLUSION_MAINTAINED: return "maintained";
    case PAWL_CONCLUSION_MEASURED: return "measured";
    case PAWL_CONCLUSION_NOTHING: return "nothing";
  }
  return "unknown";
}

bool pawl_conclusion_fails(enum pawl_conclusion conclusion) {
  return conclusion <= PAWL_CONCLUSION_MISSING;
}

static int rank(enum pawl_verdict verdict) {
  switch (verdict) {
    case PAWL_VERDICT_BROKEN: return 0;
    case PAWL_VERDICT_REGRESSION: return 1;
    case PAWL_VERDICT_MISSING: return 2;
    case PAWL_VERDICT_INCONCLUSIVE: return 3;
    case PAWL_VERDICT_IMPROVEMENT: return 4;
    case PAWL_VERDICT_NONE: return 5;
    case PAWL_VERDICT_MAINTAINED:
    case PAWL_VERDICT_NO_DIFFERENCE: return 6;
    case PAWL_VERDICT_UNSUPPORTED: return 7;
  }
  return 8;
}

static int compare_numbers(double a, double b) {
  return (a > b) - (a < b);
} /* unknown equals everything */

/* Worst verdict first; among regressions the largest loss, among improvements the largest gain. */
static int compare_rows(const void *a, const void *b) {
  const struct pawl_ratchet_row *const x = *(const struct pawl_ratchet_row *const *)a;
  const struct pawl_ratchet_row *const y = *(const struct pawl_ratchet_row *const *)b;
  int order = rank(x->comparison.verdict) - rank(y->comparison.verdict);
  if (order == 0 && x->comparison.verdict == PAWL_VERDICT_REGRESSION)
    order = compare_numbers(x->comparison.delta_pct, y->comparison.delta_pct);
  if (order == 0 && x->comparison.verdict == PAWL_VERDICT_IMPROVEMENT)
    order = compare_numbers(y->comparison.delta_pct, x->comparison.delta_pct);
  return order != 0 ? order : (x > y) - (x < y);
}

const struct pawl_ratchet_row **pawl_run_rows(const struct pawl_run_report *report, size_t *count) {
  *count = report->ratchet ? report->ratchet->count : 0;
  if (*count == 0) return NULL;
  const struct pawl_ratchet_row **const rows = pawl_alloc(*count, sizeof *rows);
  for (size_t i = 0; i < *count; i++) rows[i] = &report->ratchet->rows[i];
  qsort(rows, *count, sizeof *rows, compare_rows);
  return rows;
}

bool pawl_code_is_worse(const struct pawl_code *before, const struct pawl_code *now) {
  return before && now && (now->registers > before->registers || now->spill_bytes > before->spill_bytes);
}
