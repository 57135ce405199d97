/* SPDX-License-Identifier: Apache-2.0 */
#include "record/conclusion.h"

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

size_t pawl_run_passed_checks(const struct pawl_run_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->check_count; i++) count += report->checks[i].report->passed;
  return count;
}

enum pawl_conclusion pawl_outcome_conclusion(enum pawl_outcome outcome) {
  static const enum pawl_conclusion conclusions[PAWL_OUTCOMES] = {
      [PAWL_OUTCOME_WRONG] = PAWL_CONCLUSION_WRONG,
      [PAWL_OUTCOME_BUILD] = PAWL_CONCLUSION_BUILD_FAILED,
      [PAWL_OUTCOME_CRASHED] = PAWL_CONCLUSION_CRASHED,
      [PAWL_OUTCOME_HUNG] = PAWL_CONCLUSION_HUNG,
      [PAWL_OUTCOME_NO_TIMES] = PAWL_CONCLUSION_NO_TIMES,
      [PAWL_OUTCOME_DROPPED] = PAWL_CONCLUSION_DROPPED,
  };
  return conclusions[outcome];
}

/* 0 is no conclusion yet. The others go from the worst to the best. */
static void take_worse(enum pawl_conclusion *worst, enum pawl_outcome outcome) {
  const enum pawl_conclusion conclusion = pawl_outcome_conclusion(outcome);
  if (conclusion && (!*worst || conclusion < *worst)) *worst = conclusion;
}

/* A failure without a known outcome counts as a wrong result. */
enum pawl_outcome pawl_check_worst(const struct pawl_check_report *check) {
  enum pawl_outcome worst = PAWL_OUTCOME_OK;
  enum pawl_conclusion conclusion = 0;
  if (check->failed == 0) return worst;
  for (size_t i = 0; i < check->count; i++) {
    const enum pawl_conclusion before = conclusion;
    take_worse(&conclusion, check->rows[i].outcome);
    if (conclusion != before) worst = check->rows[i].outcome;
  }
  return conclusion ? worst : PAWL_OUTCOME_WRONG;
}

/* Returns the worst failure of a kernel in a check or in the timing; 0: nothing failed. */
static enum pawl_conclusion failure(const struct pawl_run_report *report) {
  enum pawl_conclusion worst = 0;
  for (size_t i = 0; i < report->check_count; i++)
    take_worse(&worst, pawl_check_worst(report->checks[i].report));
  for (size_t i = 0; report->results && i < report->results->count; i++)
    take_worse(&worst, report->results->items[i].outcome);
  return worst;
}

static enum pawl_conclusion judged(const struct pawl_ratchet_report *ratchet) {
  static const enum pawl_conclusion conclusions[PAWL_VERDICTS] = {
      [PAWL_VERDICT_DROPPED] = PAWL_CONCLUSION_DROPPED,
      [PAWL_VERDICT_BROKEN] = PAWL_CONCLUSION_BROKEN,
      [PAWL_VERDICT_REGRESSION] = PAWL_CONCLUSION_REGRESSION,
      [PAWL_VERDICT_WORSE_CODE] = PAWL_CONCLUSION_WORSE_CODE,
      [PAWL_VERDICT_MISSING] = PAWL_CONCLUSION_MISSING,
      [PAWL_VERDICT_NEEDS_GPU] = PAWL_CONCLUSION_NEEDS_GPU,
      [PAWL_VERDICT_INCONCLUSIVE] = PAWL_CONCLUSION_INCONCLUSIVE,
      [PAWL_VERDICT_ACCEPTED] = PAWL_CONCLUSION_ACCEPTED,
      [PAWL_VERDICT_IMPROVEMENT] = PAWL_CONCLUSION_IMPROVEMENT,
      [PAWL_VERDICT_NEW] = PAWL_CONCLUSION_NEW,
      [PAWL_VERDICT_MAINTAINED] = PAWL_CONCLUSION_MAINTAINED,
      [PAWL_VERDICT_NO_DIFFERENCE] = PAWL_CONCLUSION_MAINTAINED,
      [PAWL_VERDICT_UNSUPPORTED] = PAWL_CONCLUSION_NOTHING,
  };
  return conclusions[pawl_ratchet_verdict(ratchet)];
}

enum pawl_conclusion pawl_run_conclusion(const struct pawl_run_report *report) {
  const enum pawl_conclusion failed = failure(report);
  if (failed == PAWL_CONCLUSION_DROPPED ||
      (report->ratchet && pawl_ratchet_verdict(report->ratchet) == PAWL_VERDICT_DROPPED))
    return PAWL_CONCLUSION_DROPPED;
  if (pawl_run_failed_builds(report) > 0) return PAWL_CONCLUSION_BUILD_FAILED;
  if (failed) return failed;
  if (report->ratchet) return judged(report->ratchet);
  if (report->check_alone && pawl_run_passed_checks(report) > 0) return PAWL_CONCLUSION_CORRECT;
  return report->results && report->results->count > 0 ? PAWL_CONCLUSION_MEASURED
                                                       : PAWL_CONCLUSION_NOTHING;
}

/* The conclusion's word in documents, its title in reports, and its meaning for the change. */
enum meaning { NEUTRAL, BAD, GOOD };
static const struct {
  const char *name, *title;
  enum meaning meaning;
} conclusions[] = {
    [PAWL_CONCLUSION_DROPPED] = {"dropped", "DROPPED", BAD},
    [PAWL_CONCLUSION_BUILD_FAILED] = {"build_failed", "BUILD FAILED", BAD},
    [PAWL_CONCLUSION_WRONG] = {"wrong", "WRONG RESULT", BAD},
    [PAWL_CONCLUSION_CRASHED] = {"crashed", "CRASHED", BAD},
    [PAWL_CONCLUSION_HUNG] = {"hung", "HUNG", BAD},
    [PAWL_CONCLUSION_NO_TIMES] = {"no_times", "NO TIMES", BAD},
    [PAWL_CONCLUSION_BROKEN] = {"broken", "BROKEN", BAD},
    [PAWL_CONCLUSION_REGRESSION] = {"regression", "REGRESSION", BAD},
    [PAWL_CONCLUSION_WORSE_CODE] = {"worse_code", "WORSE CODE", BAD},
    [PAWL_CONCLUSION_NEEDS_GPU] = {"needs_gpu", "NEEDS A GPU", NEUTRAL},
    [PAWL_CONCLUSION_MISSING] = {"missing", "MISSING", BAD},
    [PAWL_CONCLUSION_INCONCLUSIVE] = {"inconclusive", "INCONCLUSIVE", NEUTRAL},
    [PAWL_CONCLUSION_ACCEPTED] = {"accepted", "REGRESSION ACCEPTED", NEUTRAL},
    [PAWL_CONCLUSION_IMPROVEMENT] = {"improvement", "IMPROVEMENT", GOOD},
    [PAWL_CONCLUSION_NEW] = {"new", "NEW", GOOD},
    [PAWL_CONCLUSION_MAINTAINED] = {"maintained", "MAINTAINED", GOOD},
    [PAWL_CONCLUSION_CORRECT] = {"correct", "CORRECT", GOOD},
    [PAWL_CONCLUSION_MEASURED] = {"measured", "MEASURED", NEUTRAL},
    [PAWL_CONCLUSION_NOTHING] = {"nothing", "NOTHING MEASURED", NEUTRAL},
};

const char *pawl_conclusion_name(enum pawl_conclusion conclusion) {
  return conclusions[conclusion].name;
}

const char *pawl_conclusion_title(enum pawl_conclusion conclusion) {
  return conclusions[conclusion].title;
}

bool pawl_conclusion_fails(enum pawl_conclusion conclusion) {
  return conclusions[conclusion].meaning == BAD;
}

bool pawl_conclusion_is_good(enum pawl_conclusion conclusion) {
  return conclusions[conclusion].meaning == GOOD;
}

static int compare_numbers(double a, double b) {
  return (a > b) - (a < b);
} /* NaN equals every number */

/* Orders by the worst verdict, then regressions by the largest loss and improvements by the largest
 * gain. */
static int conclusion_compare_rows(const void *a, const void *b) {
  const struct pawl_ratchet_row *x = *(const struct pawl_ratchet_row *const *)a;
  const struct pawl_ratchet_row *y = *(const struct pawl_ratchet_row *const *)b;
  int order = pawl_verdict_precedence(x->comparison.verdict) -
              pawl_verdict_precedence(y->comparison.verdict);
  if (order == 0 && x->comparison.verdict == PAWL_VERDICT_REGRESSION)
    order = compare_numbers(x->comparison.delta_pct, y->comparison.delta_pct);
  if (order == 0 && x->comparison.verdict == PAWL_VERDICT_IMPROVEMENT)
    order = compare_numbers(y->comparison.delta_pct, x->comparison.delta_pct);
  return order != 0 ? order : (x > y) - (x < y);
}

const struct pawl_ratchet_row **pawl_run_rows(const struct pawl_run_report *report, size_t *count) {
  *count = report->ratchet ? report->ratchet->count : 0;
  if (*count == 0) return NULL;
  const struct pawl_ratchet_row **rows = pawl_alloc(*count, sizeof *rows);
  for (size_t i = 0; i < *count; i++) rows[i] = &report->ratchet->rows[i];
  qsort(rows, *count, sizeof *rows, conclusion_compare_rows);
  return rows;
}

bool pawl_code_spills_more(const struct pawl_code *before, const struct pawl_code *now) {
  return before->spill_bytes >= 0 && now->spill_bytes > before->spill_bytes;
}

bool pawl_code_is_worse(const struct pawl_code *before, const struct pawl_code *now) {
  return before && now &&
         (now->registers > before->registers || pawl_code_spills_more(before, now));
}
