/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning for several cases: what its times and verdicts say together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "tune/journal.h"
#include "tune/tune.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-9 * fabs(b); }

static void test_sum_up(void **state) {
  (void)state;
  struct pawl_tune_times times[] = {{1, 4, true}, {8, 2, true}, {NAN, NAN, false}};
  struct pawl_tune_candidate candidate = {.times = times, .time_count = 2};
  pawl_tune_sum_up(&candidate);
  assert_true(
      near(candidate.median_ms / candidate.base_ms, 1)); /* a quarter here, four times there */
  assert_true(near(candidate.median_ms, sqrt(8)) && near(candidate.base_ms, sqrt(8)) &&
              candidate.checked);
  candidate.time_count = 3; /* it ended before the third case */
  pawl_tune_sum_up(&candidate);
  assert_true(near(candidate.median_ms, sqrt(8)) && !candidate.checked);
  candidate.outcome = PAWL_OUTCOME_WRONG; /* on one case is wrong */
  pawl_tune_sum_up(&candidate);
  assert_true(isnan(candidate.median_ms) && candidate.checked);
}

/* --- verdicts --- */

static struct pawl_tune_verdict verdict_of(enum pawl_decision decision, double slowdown) {
  struct pawl_tune_verdict verdict = {.outcome = PAWL_OUTCOME_OK};
  pawl_paired_test_init(&verdict.paired);
  verdict.paired.decision = decision;
  verdict.paired.policy.tolerate = 0.01;
  verdict.paired.slowdown = (struct pawl_slowdown){slowdown, slowdown - 0.01, slowdown + 0.01};
  return verdict;
}

static void test_verdicts(void **state) {
  (void)state;
  static const struct {
    enum pawl_decision decision;
    double slowdown;
    bool harmed, known;
  } rows[] = {
      {PAWL_DECISION_MAINTAINED, 0.005, false, true},
      {PAWL_DECISION_REGRESSION, 0.2, true, true},
      {PAWL_DECISION_INCONCLUSIVE, 0.005, false, true},
      {PAWL_DECISION_INCONCLUSIVE, 0.02, true, true},
      {PAWL_DECISION_IMPROVEMENT, -0.2, false, false}, /* its confirmation broke off */
  };
  struct pawl_arena arena = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pawl_tune_verdict verdict = verdict_of(rows[i].decision, rows[i].slowdown);
    pawl_tune_verdict_read(&verdict, 3, &arena);
    assert_int_equal(verdict.harmed, rows[i].harmed);
    assert_int_equal(isfinite(verdict.speedup), rows[i].known);
    if (!rows[i].known) continue;
    assert_true(near(verdict.speedup, 1 / (1 + rows[i].slowdown)) && verdict.low < verdict.speedup);
    assert_true(verdict.speedup < verdict.high);
  }
  struct pawl_tune_verdict wrong = verdict_of(PAWL_DECISION_CONTINUE, NAN);
  wrong.outcome = PAWL_OUTCOME_WRONG;
  pawl_tune_verdict_read(&wrong, 3, &arena);
  assert_true(wrong.harmed && isnan(wrong.speedup));
  pawl_arena_clear(&arena);
}

/* The limits of one of several cases are wider: they hold for all together. */
static void test_limits(void **state) {
  (void)state;
  struct pawl_paired_block blocks[12];
  struct pawl_arena arena = {0};
  struct pawl_tune_verdict alone = verdict_of(PAWL_DECISION_IMPROVEMENT, -0.5), together;
  for (int i = 0; i < 12; i++)
    blocks[i] = (struct pawl_paired_block){.base_ms = 20 + i, .candidate_ms = 10};
  alone.paired.confirmation = blocks;
  alone.paired.confirmation_count = alone.paired.counted = 12;
  together = alone;
  pawl_tune_verdict_read(&alone, 1, &arena);
  pawl_tune_verdict_read(&together, 8, &arena);
  assert_true(near(alone.speedup, together.speedup));
  assert_true(together.low < alone.low && together.high > alone.high);
  pawl_arena_clear(&arena);
}

/* --- conclusions --- */

static struct pawl_dim small_dims[] = {{"n", 1000}}, large_dims[] = {{"n", 64000}};
static const struct pawl_case small = {.name = "small", .dims = small_dims, .count = 1};
static const struct pawl_case large = {.name = "large", .dims = large_dims, .count = 1};
static const struct pawl_case *const cases[] = {&small, &large};

static struct pawl_tune_verdict faster(double speedup) {
  struct pawl_tune_verdict verdict = verdict_of(PAWL_DECISION_IMPROVEMENT, 1 / speedup - 1);
  verdict.speedup = speedup;
  verdict.low = speedup - 0.1;
  verdict.high = speedup + 0.1;
  return verdict;
}

static void test_conclusions(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_candidate candidates[] = {{.key = "A=1", .median_ms = 1, .base_ms = 2},
                                             {.key = "A=2"}};
  struct pawl_tune_verdict verdicts[] = {faster(2), faster(1.5)};
  struct pawl_tune_finalist finalist = {.verdicts = verdicts, .verdict_count = 2};
  const struct pawl_space space = {.count = 9};
  struct pawl_tune tune = {.case_name = "small,large",
                           .cases = cases,
                           .case_count = 2,
                           .improve = 0.05,
                           .candidates = candidates,
                           .count = 2,
                           .space = &space,
                           .finalists = &finalist,
                           .finalist_count = 1};
  pawl_tune_mean_speedup(verdicts, 2, &finalist.speedup, &finalist.low, &finalist.high);
  assert_true(near(finalist.speedup, sqrt(3)) && near(finalist.low, sqrt(1.9 * 1.4)));
  pawl_tune_conclude(&tune, &arena);
  assert_string_equal(tune.conclusion,
                      "recommended: A=1 is 1.73 times as fast on small,large [1.63, 1.83]");
  assert_true(tune.recommended && tune.decided);
  verdicts[1] =
      verdict_of(PAWL_DECISION_MAINTAINED, 0.005); /* the same on one case: the mean counts */
  pawl_tune_verdict_read(&verdicts[1], 2, &arena);
  pawl_tune_mean_speedup(verdicts, 2, &finalist.speedup, &finalist.low, &finalist.high);
  pawl_tune_conclude(&tune, &arena);
  assert_true(tune.recommended);
  verdicts[1] =
      verdict_of(PAWL_DECISION_REGRESSION, 0.2); /* slower on one case: not one setting for all */
  verdicts[1].paired.case_name = "large";
  pawl_tune_verdict_read(&verdicts[1], 2, &arena);
  pawl_tune_mean_speedup(verdicts, 2, &finalist.speedup, &finalist.low, &finalist.high);
  pawl_tune_conclude(&tune, &arena);
  assert_string_equal(
      tune.conclusion,
      "no one setting: A=1 is 1.29 times as fast over 2 cases, but 20.0 % slower on large");
  assert_true(tune.decided && !tune.recommended);
  verdicts[1] =
      verdict_of(PAWL_DECISION_INCONCLUSIVE, 0.2); /* perhaps slower: nothing is decided */
  pawl_tune_verdict_read(&verdicts[1], 2, &arena);
  pawl_tune_conclude(&tune, &arena);
  assert_true(!tune.decided && !tune.recommended);
  pawl_arena_clear(&arena);
}

static void test_rule(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_candidate candidates[] = {{.key = "A=1", .median_ms = 1, .base_ms = 2},
                                             {.key = "A=2"}};
  struct pawl_tune_verdict verdicts[] = {faster(2), faster(1.5)};
  static const size_t settings[] = {PAWL_TUNE_NO_CANDIDATE, 0, 1};
  static const double ratios[] = {1, 1, 0.5, 1.2, 1.2, 0.66};
  static const int64_t shapes[] = {1000, 64000};
  struct pawl_tune_selection selection = {
      .settings = settings, .setting_count = 3, .ratios = ratios, .noise = 0.01};
  const struct pawl_rule_table table = {3, 2, 1, ratios, shapes};
  const struct pawl_space space = {.count = 9};
  struct pawl_tune tune = {.case_name = "small,large",
                           .cases = cases,
                           .case_count = 2,
                           .candidates = candidates,
                           .count = 2,
                           .space = &space,
                           .selection = &selection};
  pawl_rule_find(&table, 0, selection.noise, &selection.rule);
  assert_int_equal(selection.rule.settings, 2);
  assert_int_equal(pawl_tune_rule_candidate(&tune, 0), 0);
  assert_int_equal(pawl_tune_rule_candidate(&tune, 1), 1);
  pawl_tune_conclude(&tune, &arena);
  assert_non_null(strstr(selection.conclusion, "no rule: the budget ended"));
  assert_false(tune.decided || tune.finished);
  assert_non_null(
      strstr(tune.conclusion, "; the budget ended before the gate judged a rule for the cases"));
  pawl_rule_find(&table, 0, 0.7, &selection.rule); /* more noise than there are differences */
  selection.noise = 0.7;
  pawl_tune_conclude(&tune, &arena);
  assert_non_null(strstr(selection.conclusion,
                         "luck explains that much: the standard error of a ratio is 70.0 %"));
  selection.noise = 0.01;
  pawl_rule_find(&table, 0, selection.noise, &selection.rule);
  selection.verdicts = verdicts;
  pawl_tune_conclude(&tune, &arena);
  assert_true(selection.offered && tune.decided && !tune.recommended &&
              near(selection.gain, sqrt(3) - 1));
  assert_non_null(
      strstr(tune.conclusion, "a rule of 2 settings is 1.73 times as fast over 2 cases"));
  verdicts[1].harmed = true;
  verdicts[1].reason = "noise";
  pawl_tune_conclude(&tune, &arena);
  assert_false(selection.offered);
  assert_string_equal(selection.conclusion,
                      "no rule: its setting for large is not proven there: noise");
  verdicts[1] =
      verdict_of(PAWL_DECISION_INCONCLUSIVE, -0.4); /* it looks much faster, and the time was up */
  verdicts[1].paired.reason = verdicts[1].reason = "late";
  pawl_tune_verdict_read(&verdicts[1], 2, &arena);
  pawl_tune_conclude(&tune, &arena);
  assert_false(selection.offered);
  assert_string_equal(selection.conclusion,
                      "no rule: its setting for large is not proven there: late");
  verdicts[0] = verdicts[1] =
      verdict_of(PAWL_DECISION_MAINTAINED, -0.3); /* with a large `detect`: not proven */
  for (size_t i = 0; i < 2; i++) pawl_tune_verdict_read(&verdicts[i], 2, &arena);
  pawl_tune_conclude(&tune, &arena);
  assert_false(selection.offered);
  assert_string_equal(selection.conclusion,
                      "no rule: none of its settings is proven to be faster on its cases");
  verdicts[0] = faster(1.06);
  verdicts[1] = faster(1.03); /* proven, and too little */
  tune.improve = 0.05;
  pawl_tune_conclude(&tune, &arena);
  assert_false(selection.offered);
  assert_string_equal(
      selection.conclusion,
      "no rule: it is 4.5 % faster than the current parameters, and the limit is 5 %");
  verdicts[0] = faster(1.02);
  verdicts[1] = faster(1.01); /* new blocks say that it was luck */
  pawl_tune_conclude(&tune, &arena);
  assert_false(selection.offered);
  assert_non_null(
      strstr(selection.conclusion, "one setting is enough: new blocks gave the rule 1.5 %"));
  pawl_arena_clear(&arena);
}

/* A setting that is the best on all cases is a finalist, which `improve` and its own verdict
 * concern, and no rule. */
static void test_one_setting_is_no_rule(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_candidate candidates[] = {{.key = "A=1", .median_ms = 1, .base_ms = 2}};
  struct pawl_tune_verdict verdicts[] = {faster(1.04), faster(1.04)};
  static const size_t settings[] = {PAWL_TUNE_NO_CANDIDATE, 0};
  static const double ratios[] = {1, 1, 0.96, 0.96};
  static const int64_t shapes[] = {1000, 64000};
  struct pawl_tune_selection selection = {.settings = settings,
                                          .setting_count = 2,
                                          .ratios = ratios,
                                          .noise = 0.001,
                                          .verdicts = verdicts};
  const struct pawl_rule_table table = {2, 2, 1, ratios, shapes};
  struct pawl_tune tune = {
      .cases = cases, .case_count = 2, .improve = 0.05, .candidates = candidates, .count = 1};
  tune.selection = &selection;
  pawl_rule_find(&table, 0, selection.noise, &selection.rule);
  assert_int_equal(selection.rule.settings, 1);
  pawl_tune_conclude_rule(&tune, &arena);
  assert_false(selection.offered);
  assert_string_equal(selection.conclusion,
                      "one setting is enough: no rule looks better than A=1 alone");
  static const double unknown[] = {1, 1, NAN, NAN}; /* the recommended one has no blocks there */
  const struct pawl_rule_table left = {2, 2, 1, unknown, shapes};
  selection.one = 1;
  pawl_rule_find(&left, 1, selection.noise, &selection.rule);
  pawl_tune_conclude_rule(&tune, &arena);
  assert_false(selection.offered);
  assert_string_equal(
      selection.conclusion,
      "one setting is enough: no rule looks better than the current parameters alone");
  pawl_arena_clear(&arena);
}

/* --- the journal --- */

static void test_journal(void **state) {
  (void)state;
  char folder[] = "/tmp/test_tune_several_cases.XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *path = pawl_path_join(folder, "tune.jsonl");
  struct pawl_arena arena = {0};
  struct pawl_tune_journal journal;
  struct pawl_error err = {0};
  json_t *identity = json_object();
  const struct pawl_tune_times times[] = {{1, 4, true}, {8, 2, true}, {NAN, NAN, false}};
  struct pawl_tune_entry entry = {.candidate = {.key = "A=1", .times = times, .time_count = 3},
                                  .open = 1};
  pawl_json_set_string(identity, "kernel_name", "k");
  pawl_tune_sum_up(&entry.candidate);
  assert_int_equal(pawl_tune_journal_open(&journal, path, identity, false, &arena, &err), PAWL_OK);
  assert_int_equal(pawl_tune_journal_add(&journal, &entry, &err), PAWL_OK);
  pawl_tune_journal_release(&journal);
  assert_int_equal(pawl_tune_journal_open(&journal, path, identity, true, &arena, &err), PAWL_OK);
  const struct pawl_tune_entry *found = pawl_tune_journal_find(&journal, "A=1");
  assert_non_null(found);
  assert_int_equal(found->candidate.time_count, 3);
  assert_true(found->candidate.times[1].median_ms == 8 && found->candidate.times[1].base_ms == 2);
  assert_true(found->candidate.times[1].checked && !found->candidate.times[2].checked);
  assert_true(isnan(found->candidate.times[2].median_ms) && !found->candidate.checked);
  assert_true(near(found->candidate.median_ms, sqrt(8)));
  pawl_tune_journal_release(&journal);
  json_decref(identity);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
  pawl_free(path);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sum_up),  cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_limits),  cmocka_unit_test(test_conclusions),
      cmocka_unit_test(test_rule),    cmocka_unit_test(test_one_setting_is_no_rule),
      cmocka_unit_test(test_journal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
