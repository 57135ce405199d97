/* SPDX-License-Identifier: Apache-2.0 */
#include "report/junit.h"

#include <math.h>
#include <stdio.h>

#include "check/failure.h"
#include "record/conclusion.h"
#include "report/escape.h"
#include "report/figures.h"
#include "report/row_change.h"

/* A test suite in preparation. Its counts precede its cases in the file. */
struct suite {
  struct pawl_text cases;
  size_t tests, failures, skipped;
};

/* XML 1.0 allows no control characters except tab and newline, and pawl_html_text keeps only
   these. */
static void junit_attribute(struct pawl_text *out, const char *name, const char *value) {
  pawl_text_printf(out, " %s=\"", name);
  pawl_html_text(value ? value : "unknown", out);
  pawl_text_add(out, "\"");
}

static void junit_open_case(struct suite *suite, const char *kernel_name, const char *name,
                            double seconds) {
  suite->tests++;
  pawl_text_add(&suite->cases, "    <testcase");
  junit_attribute(&suite->cases, "classname", kernel_name);
  junit_attribute(&suite->cases, "name", name);
  if (pawl_figure_known(seconds)) pawl_text_printf(&suite->cases, " time=\"%.6f\"", seconds);
  pawl_text_add(&suite->cases, ">\n");
}

static void junit_fail(struct suite *suite, const char *kind, const char *message,
                       const char *detail) {
  suite->failures++;
  pawl_text_add(&suite->cases, "      <failure");
  junit_attribute(&suite->cases, "type", kind);
  junit_attribute(&suite->cases, "message", message);
  pawl_text_add(&suite->cases, ">");
  pawl_html_text(detail ? detail : "", &suite->cases);
  pawl_text_add(&suite->cases, "</failure>\n");
}

static void skip(struct suite *suite, const char *message) {
  suite->skipped++;
  pawl_text_add(&suite->cases, "      <skipped");
  junit_attribute(&suite->cases, "message", message);
  pawl_text_add(&suite->cases, "/>\n");
}

static void close_case(struct suite *suite) { pawl_text_add(&suite->cases, "    </testcase>\n"); }

static void add_builds(const struct pawl_run_report *report, struct suite *suite) {
  for (size_t i = 0; i < report->build_count; i++) {
    const struct pawl_report_build *build = &report->builds[i];
    junit_open_case(suite, build->kernel_name, "build", build->seconds);
    if (!build->ok) junit_fail(suite, "build", "does not build", build->diagnostics);
    close_case(suite);
  }
}

/* A check alone has all its rows. A stored run has its failures in the first rows. */
static const char *first_reason(const struct pawl_check_report *check) {
  for (size_t i = 0; i < check->count; i++)
    if (pawl_check_row_failed(&check->rows[i])) return check->rows[i].reason;
  return NULL;
}

static void add_checks(const struct pawl_run_report *report, struct suite *suite) {
  for (size_t i = 0; i < report->check_count; i++) {
    const struct pawl_check_report *check = report->checks[i].report;
    char words[80];
    snprintf(words, sizeof words, "%zu of %zu checks fail", check->failed, check->count);
    junit_open_case(suite, report->checks[i].kernel_name, "correctness", NAN);
    if (check->failed > 0)
      junit_fail(suite, pawl_outcome_name(pawl_check_worst(check)), words, first_reason(check));
    if (check->failed == 0 && check->left_out > 0)
      skip(suite, "the budget ended before the check did");
    else if (check->passed + check->failed == 0)
      skip(suite, "no check was possible");
    close_case(suite);
  }
}

static void junit_add_row(const struct pawl_ratchet_row *row, struct suite *suite) {
  const struct pawl_comparison *item = &row->comparison;
  char change[PAWL_ROW_CHANGE], before[PAWL_FIGURE], after[PAWL_FIGURE],
      words[PAWL_ROW_CHANGE + 3 * PAWL_FIGURE];
  const char *verdict = pawl_verdict_name(item->verdict);
  snprintf(words, sizeof words, "%s: %s, %s was %s", verdict, pawl_row_change(row, change),
           pawl_figure_time(item->current_ms, after), pawl_figure_time(item->baseline_ms, before));
  junit_open_case(suite, item->kernel_name, item->config.name, item->current_ms * 1e-3);
  if (pawl_verdict_fails(item->verdict)) junit_fail(suite, verdict, words, item->reason);
  if (pawl_verdict_is_no_judgement(item->verdict))
    skip(suite, item->reason ? item->reason : verdict);
  close_case(suite);
}

/* Without a judgement, the outcomes decide. */
static void add_result(const struct pawl_result *result, struct suite *suite) {
  const char *outcome = pawl_outcome_name(result->outcome);
  junit_open_case(suite, result->kernel_name, result->config.name,
                  result->performance.median_ms * 1e-3);
  if (pawl_outcome_fails(result->outcome))
    junit_fail(suite, outcome, outcome, result->reason);
  else if (result->outcome != PAWL_OUTCOME_OK)
    skip(suite, result->reason ? result->reason : outcome);
  close_case(suite);
}

static void add_suite(const char *name, struct suite *suite, struct pawl_text *out) {
  pawl_text_printf(
      out,
      "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
      name, suite->tests, suite->failures, suite->skipped);
  pawl_text_add(out, pawl_text_string(&suite->cases));
  pawl_text_add(out, "  </testsuite>\n");
  pawl_text_clear(&suite->cases);
}

void pawl_report_junit(const struct pawl_run_report *report, struct pawl_text *out) {
  struct suite builds = {0}, checks = {0}, performance = {0};
  add_builds(report, &builds);
  add_checks(report, &checks);
  size_t rows;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **sorted = pawl_run_rows(report, &rows);
  for (size_t i = 0; i < rows; i++) junit_add_row(sorted[i], &performance);
  for (size_t i = 0; !report->ratchet && report->results && i < report->results->count; i++)
    add_result(&report->results->items[i], &performance);
  pawl_text_printf(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pawl\" "
                   "tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
                   builds.tests + checks.tests + performance.tests,
                   builds.failures + checks.failures + performance.failures,
                   builds.skipped + checks.skipped + performance.skipped);
  add_suite("build", &builds, out);
  add_suite("correctness", &checks, out);
  add_suite("performance", &performance, out);
  pawl_text_add(out, "</testsuites>\n");
}
