/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/philox.h"
#include "gate/ratchet.h"
#include "results_support.h"

static struct pawl_arena arena;
static char scratch[] = "/tmp/pawl-test-ratchet.XXXXXX";
static const struct pawl_ratchet_options judge = {.gate = {.detect = 0.03, .improve = 0.05}};
static const struct pawl_ratchet_options update = {.gate = {.detect = 0.03, .improve = 0.05},
                                                   .update = true};

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static const char *in_scratch(const char *name) {
  return pawl_arena_printf(&arena, "%s/%s", scratch, name);
}

static struct pawl_ratchet_report run(struct pawl_baseline *baseline, struct pawl_results results,
                                      const struct pawl_ratchet_options *options) {
  struct pawl_ratchet_report report;
  struct pawl_error err = {0};
  if (pawl_ratchet(baseline, &results, options, &arena, &report, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return report;
}

/* A baseline of kernel k, case c at 1.00495 ms. */
static struct pawl_baseline start(void) {
  struct pawl_baseline baseline = {0};
  struct pawl_result first = timed_result(&arena, "k", "c", 64, 1);
  const struct pawl_ratchet_report report = run(&baseline, results_of(&first, 1), &update);
  assert_int_equal(report.counts[PAWL_VERDICT_NEW], 1);
  assert_int_equal(baseline.count, 1);
  return baseline;
}

static struct pawl_ratchet_report step(struct pawl_baseline *baseline, double scale) {
  struct pawl_result next = timed_result(&arena, "k", "c", 64, scale);
  return run(baseline, results_of(&next, 1), &update);
}

/* --- judging and moving --- */

static void test_new_is_recorded(void **state) {
  (void)state;
  const struct pawl_baseline baseline = start();
  const struct pawl_baseline_entry *entry = &baseline.entries[0];
  assert_string_equal(entry->kernel_name, "k");
  assert_string_equal(entry->case_name, "c");
  assert_string_equal(entry->hardware, "cpu Test CPU, 2 CPUs, 4 GiB");
  assert_string_equal(entry->git_commit, "0123456789abcdef0123456789abcdef01234567");
  assert_near(entry->median_ms, 1.00495, 1e-12);
  assert_int_equal(entry->sample_count, 100);
  assert_near(entry->samples_ms[0], 1, 0);
  assert_near(entry->samples_ms[99], 1.0099, 1e-12);
  assert_int_equal(baseline.move_count, 1);
  assert_int_equal(baseline.moves[0].kind, PAWL_MOVE_NEW);
  assert_true(isnan(baseline.moves[0].from_ms));
}

static void test_only_a_clear_gain_moves_it(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  const struct pawl_baseline_entry *before = baseline.entries;
  struct pawl_ratchet_report report = step(&baseline, 0.96); /* 4 % faster: not more than 5 % */
  assert_int_equal(report.counts[PAWL_VERDICT_MAINTAINED], 1);
  assert_int_equal(baseline.move_count, 1);
  report = step(&baseline, 0.95); /* 5 % exactly */
  assert_int_equal(report.counts[PAWL_VERDICT_MAINTAINED], 1);
  report = step(&baseline, 0.94);
  assert_int_equal(report.counts[PAWL_VERDICT_IMPROVEMENT], 1);
  assert_int_equal(report.rows[0].change, PAWL_RATCHET_IMPROVED);
  assert_int_equal(report.move_count, 1);
  assert_int_equal(baseline.count, 1);
  assert_near(baseline.entries[0].median_ms, 0.94 * 1.00495, 1e-12);
  assert_int_equal(baseline.moves[1].kind, PAWL_MOVE_IMPROVEMENT);
  assert_near(baseline.moves[1].from_ms, 1.00495, 1e-12);
  assert_near(baseline.moves[1].to_ms, 0.94 * 1.00495, 1e-12);
  assert_ptr_equal(report.rows[0].entry, before); /* the report still shows what it was */
  assert_near(report.rows[0].entry->median_ms, 1.00495, 1e-12);
}

static void test_noise_never_moves_it(void **state) {
  (void)state;
  struct pawl_baseline baseline = {0};
  struct pawl_random random = pawl_random_init(7, 7);
  for (int push = 0; push < 60; push++) {
    struct pawl_result result = timed_result(&arena, "k", "c", 64, 1);
    for (int i = 0; i < 100; i++)
      result.performance.samples_ms[i] = 1 + 0.2 * pawl_random_double(&random);
    result.performance.median_ms = result.performance.p50_ms = NAN;
    const struct pawl_ratchet_report report = run(&baseline, results_of(&result, 1), &update);
    assert_int_equal(report.counts[PAWL_VERDICT_REGRESSION], 0);
  }
  assert_int_equal(baseline.move_count, 1); /* the first */
}

static void test_regression_fails_and_stays(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_ratchet_report report = step(&baseline, 1.04);
  assert_int_equal(report.counts[PAWL_VERDICT_REGRESSION], 1);
  assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_REGRESSION);
  assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
  /* slow creep does not reset it: 2 % and 2 % again is judged against the first */
  assert_int_equal(step(&baseline, 1.02).counts[PAWL_VERDICT_MAINTAINED], 1);
  assert_int_equal(step(&baseline, 1.0404).counts[PAWL_VERDICT_REGRESSION], 1);
}

static void test_broken_results_never_move_it(void **state) {
  (void)state;
  const enum pawl_outcome failures[] = {PAWL_OUTCOME_WRONG, PAWL_OUTCOME_BUILD,
                                        PAWL_OUTCOME_CRASHED};
  for (int i = 0; i < 4; i++) {
    struct pawl_baseline baseline = start(), empty = {0};
    struct pawl_result fast = timed_result(&arena, "k", "c", 64, 0.5);
    if (i < 3) fast.outcome = failures[i];
    if (i == 3) fast.correctness.passed = false;
    assert_int_equal(run(&baseline, results_of(&fast, 1), &update).counts[PAWL_VERDICT_BROKEN], 1);
    assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
    assert_int_equal(baseline.move_count, 1);
    assert_int_equal(run(&empty, results_of(&fast, 1), &update).counts[PAWL_VERDICT_BROKEN], 1);
    assert_int_equal(empty.count, 0);
  }
}

static void test_without_update_nothing_moves(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_result fast = timed_result(&arena, "k", "c", 64, 0.5);
  struct pawl_ratchet_report report = run(&baseline, results_of(&fast, 1), &judge);
  assert_int_equal(report.rows[0].change, PAWL_RATCHET_IMPROVED);
  assert_int_equal(report.move_count, 1);
  assert_int_equal(baseline.move_count, 1);
  assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
  struct pawl_results dirty = results_of(&fast, 1);
  dirty.dirty = true;
  report = run(&baseline, dirty, &update);
  assert_non_null(report.update_refused);
  assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
}

static void test_other_hardware_is_left_alone(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_result slow = timed_result(&arena, "k", "c", 64, 3);
  struct pawl_results elsewhere = results_of(&slow, 1);
  elsewhere.hardware = "cpu Other CPU, 4 CPUs, 8 GiB";
  const struct pawl_ratchet_report report = run(&baseline, elsewhere, &update);
  assert_int_equal(report.count, 1); /* and the entry of the first machine is not missing here */
  assert_int_equal(report.counts[PAWL_VERDICT_NEW], 1);
  assert_int_equal(baseline.count, 2);
  assert_near(pawl_baseline_find(&baseline, "k", "c", "cpu Test CPU, 2 CPUs, 4 GiB")->median_ms,
              1.00495, 1e-12);
  assert_near(pawl_baseline_find(&baseline, "k", "c", elsewhere.hardware)->median_ms, 3 * 1.00495,
              1e-12);
  elsewhere.hardware = elsewhere.hardware_name =
      NULL; /* nobody knows where: shown, not decided, not recorded */
  const struct pawl_ratchet_report unknown = run(&baseline, elsewhere, &judge);
  assert_int_equal(unknown.counts[PAWL_VERDICT_INCONCLUSIVE] + unknown.counts[PAWL_VERDICT_NEW], 1);
  assert_int_equal(unknown.counts[PAWL_VERDICT_REGRESSION], 0);
}

static void test_missing_renamed_and_reshaped_are_loud(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_result other = timed_result(&arena, "k", "renamed", 64, 0.5);
  struct pawl_ratchet_report report = run(&baseline, results_of(&other, 1), &judge);
  assert_int_equal(report.counts[PAWL_VERDICT_MISSING], 1);
  assert_int_equal(report.counts[PAWL_VERDICT_NEW], 1);
  assert_int_equal(report.counts[PAWL_VERDICT_IMPROVEMENT], 0);
  assert_non_null(strstr(report.rows[1].comparison.reason, "is it the new name?"));
  other = timed_result(&arena, "k", "c", 32, 0.5);
  report = run(&baseline, results_of(&other, 1), &update);
  assert_int_equal(report.count, 1);
  assert_int_equal(report.counts[PAWL_VERDICT_MISSING], 1);
  assert_non_null(strstr(report.rows[0].comparison.reason, "shape of the case changed"));
  assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
  report = run(&baseline, results_of(NULL, 0), &update);
  assert_int_equal(report.counts[PAWL_VERDICT_MISSING], 1);
  assert_int_equal(baseline.count, 1);
}

static void test_a_refused_case_is_dropped_unless_it_is_removed(void **state) {
  (void)state;
  struct pawl_baseline baseline = start(), empty = {0};
  struct pawl_result refused = timed_result(&arena, "k", "c", 64, 0.5);
  refused.outcome = PAWL_OUTCOME_UNSUPPORTED;
  struct pawl_result dropped = refused;
  dropped.outcome = PAWL_OUTCOME_DROPPED, dropped.reason = "2 shapes";
  assert_int_equal(run(&baseline, results_of(&refused, 1), &update).counts[PAWL_VERDICT_DROPPED],
                   1);
  assert_int_equal(run(&baseline, results_of(&dropped, 1), &update).counts[PAWL_VERDICT_DROPPED],
                   1);
  assert_int_equal(run(&empty, results_of(&refused, 1), &judge).counts[PAWL_VERDICT_UNSUPPORTED],
                   1);
  const struct pawl_ratchet_report report = run(&empty, results_of(&dropped, 1), &update);
  assert_string_equal(report.rows[0].comparison.reason, "2 shapes");
  assert_int_equal(pawl_ratchet_status(&report, false), PAWL_FAILED);
  assert_int_equal(baseline.move_count, 1);
  assert_int_equal(empty.count, 0);
  /* the change's suite lacks the case, and the judge's gate lets it */
  const struct pawl_suite suite = {.cases = &refused.config, .case_count = 1}, change = {0};
  struct pawl_ratchet_options removes = judge;
  pawl_acceptances_find_removed(&suite, &suite, &arena, &removes.acceptances);
  assert_int_equal(run(&baseline, results_of(&refused, 1), &removes).counts[PAWL_VERDICT_DROPPED],
                   1);
  pawl_acceptances_find_removed(&suite, &change, &arena, &removes.acceptances);
  assert_int_equal(
      run(&baseline, results_of(&refused, 1), &removes).counts[PAWL_VERDICT_UNSUPPORTED], 1);
  assert_int_equal(run(&baseline, results_of(&dropped, 1), &removes).counts[PAWL_VERDICT_DROPPED],
                   1);
}

static void test_accept_needs_a_reason_and_a_right_result(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_error err = {0};
  struct pawl_result slow = timed_result(&arena, "k", "c", 64, 2), wrong = slow;
  wrong.outcome = PAWL_OUTCOME_WRONG;
  struct pawl_results good = results_of(&slow, 1), bad = results_of(&wrong, 1), dirty = good;
  dirty.dirty = true;
  assert_int_equal(pawl_baseline_accept(&baseline, &good, "k", "c", " ", &arena, &err), PAWL_USAGE);
  assert_int_equal(pawl_baseline_accept(&baseline, &good, "k", "d", "why", &arena, &err),
                   PAWL_USAGE);
  assert_int_equal(pawl_baseline_accept(&baseline, &bad, "k", "c", "why", &arena, &err),
                   PAWL_FAILED);
  assert_int_equal(pawl_baseline_accept(&baseline, &dirty, "k", "c", "why", &arena, &err),
                   PAWL_NOT_PERMITTED);
  assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
  assert_int_equal(
      pawl_baseline_accept(&baseline, &good, "k", "c", "the fix costs it", &arena, &err), PAWL_OK);
  assert_near(baseline.entries[0].median_ms, 2 * 1.00495, 1e-12);
  assert_string_equal(baseline.entries[0].reason, "the fix costs it");
  assert_int_equal(baseline.moves[1].kind, PAWL_MOVE_ACCEPTED);
  assert_string_equal(baseline.moves[1].reason, "the fix costs it");
  assert_near(baseline.moves[1].from_ms, 1.00495, 1e-12);
}

static void test_many_samples_are_thinned(void **state) {
  (void)state;
  struct pawl_result result = timed_result(&arena, "k", "c", 64, 1);
  double *many = pawl_arena_alloc(&arena, 10001, sizeof *many);
  for (int i = 0; i < 10001; i++) many[i] = 1 + 1e-4 * ((i * 7919) % 10001);
  result.performance.samples_ms = many;
  result.performance.sample_count = 10001;
  result.performance.median_ms = NAN;
  struct pawl_baseline baseline = {0};
  run(&baseline, results_of(&result, 1), &update);
  const struct pawl_baseline_entry *entry = baseline.entries;
  assert_int_equal(entry->sample_count, 101);
  assert_near(entry->samples_ms[0], 1, 0);
  assert_near(entry->samples_ms[50], 1.5, 1e-12);
  assert_near(entry->samples_ms[100], 2, 1e-12);
  assert_true(entry->ci_95_high - entry->ci_95_low <
              0.03); /* the interval of 10 001 samples; 101 samples would give 0.2 */
  const struct pawl_ratchet_report same = run(&baseline, results_of(&result, 1), &update);
  assert_int_equal(same.rows[0].comparison.verdict, PAWL_VERDICT_NO_DIFFERENCE);
  assert_near(same.rows[0].comparison.baseline_ci_low, entry->ci_95_low, 0);
}

/* --- the file --- */

static void write_text(const char *path, const char *text) {
  struct pawl_error err = {0};
  assert_int_equal(pawl_file_write(path, text, strlen(text), &err), PAWL_OK);
}

static char *read_text(const char *path) {
  struct pawl_text text = {0};
  struct pawl_error err = {0};
  if (pawl_file_read(path, 1 << 24, &text, &err) != PAWL_OK) fail_msg("%s", err.message);
  char *copy = pawl_arena_copy(&arena, pawl_text_string(&text));
  pawl_text_clear(&text);
  return copy;
}

static struct pawl_baseline read_back(const char *path) {
  struct pawl_baseline baseline;
  struct pawl_error err = {0};
  if (pawl_baseline_read(path, &arena, &baseline, &err) != PAWL_OK) fail_msg("%s", err.message);
  return baseline;
}

static void test_writing_is_stable(void **state) {
  (void)state;
  struct pawl_error err = {0};
  struct pawl_baseline baseline = {0};
  struct pawl_result results[3] = {timed_result(&arena, "z", "c", 64, 1.1 / 3),
                                   timed_result(&arena, "a", "d", 32, 2),
                                   timed_result(&arena, "a", "c", 64, 3)};
  run(&baseline, results_of(results, 3), &update);
  const char *path = in_scratch("made/perf/baseline.json"), *again = in_scratch("again.json");
  assert_int_equal(pawl_baseline_write(path, &baseline, &err), PAWL_OK);
  struct pawl_baseline back = read_back(path);
  assert_int_equal(back.count, 3);
  assert_string_equal(back.entries[0].kernel_name, "a");
  assert_string_equal(back.entries[0].case_name, "c");
  assert_string_equal(back.entries[2].kernel_name, "z");
  assert_memory_equal(back.entries[2].samples_ms, baseline.entries[0].samples_ms,
                      100 * sizeof(double));
  assert_int_equal(back.entries[0].config.count, 4);
  assert_int_equal(back.entries[0].config.dtype, PAWL_F32);
  assert_int_equal(pawl_baseline_write(again, &back, &err), PAWL_OK);
  assert_string_equal(read_text(path), read_text(again));
  /* the order in memory does not matter */
  const struct pawl_baseline_entry first = back.entries[0];
  back.entries[0] = back.entries[2];
  back.entries[2] = first;
  assert_int_equal(pawl_baseline_write(again, &back, &err), PAWL_OK);
  assert_string_equal(read_text(path), read_text(again));
  /* one number a line */
  assert_non_null(strstr(read_text(path), "\"samples_ms\": [2.0, "));
  /* and judged by what was read, all is as it was */
  assert_int_equal(run(&back, results_of(results, 3), &judge).counts[PAWL_VERDICT_MAINTAINED], 3);
}

static void test_absent_and_older_files(void **state) {
  (void)state;
  assert_int_equal(read_back(in_scratch("absent.json")).count, 0);
  const char *path = in_scratch("older.json");
  write_text(
      path,
      "{\"configs\": {\"c\": {\"median_ms\": 1.0, \"ci_95_low\": 0.99, \"ci_95_high\": 1.01, "
      "\"throughput_gflops\": 5, \"bandwidth_gb_s\": 6, \"git_commit\": \"abcd\", \"timestamp\": "
      "\"2025-01-01 00:00:00\"}}}");
  struct pawl_baseline older = read_back(path);
  assert_int_equal(older.count, 1);
  assert_false(older.from_results);
  assert_null(older.entries[0].hardware);
  assert_string_equal(older.entries[0].git_commit, "abcd");
  /* its hardware is unknown: nothing is decided, nothing moves */
  const struct pawl_ratchet_report report = step(&older, 0.5);
  assert_int_equal(report.counts[PAWL_VERDICT_INCONCLUSIVE], 1);
  assert_near(report.rows[0].comparison.delta_pct, (1 - 0.5 * 1.00495) * 100, 1e-9);
  assert_int_equal(older.count, 1);
  /* but results of unknown hardware, as the same scripts wrote them, are judged */
  struct pawl_result slow = timed_result(&arena, "k", "c", 64, 1.2);
  struct pawl_results unknown = results_of(&slow, 1);
  unknown.hardware = unknown.hardware_name = NULL;
  assert_int_equal(run(&older, unknown, &judge).counts[PAWL_VERDICT_REGRESSION], 1);
}

static void test_a_results_file_is_not_written_over(void **state) {
  (void)state;
  const char *path = in_scratch("results.json");
  struct pawl_result result = timed_result(&arena, "k", "c", 64, 1);
  const struct pawl_results results = results_of(&result, 1);
  struct pawl_error err = {0};
  assert_int_equal(pawl_results_write(&results, path, &err), PAWL_OK);
  const struct pawl_baseline baseline = read_back(path);
  assert_int_equal(baseline.count, 1);
  assert_true(baseline.from_results);
}

static void test_hostile_files(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", "JSON"},
      {"{\"schema_version\": 1, \"entries\": [", "JSON"},
      {"[]", "must be a baseline"},
      {"{\"entries\": []}", "schema_version"},
      {"{\"schema_version\": 99, \"entries\": []}", "newer pawl"},
      {"{\"schema_version\": 1, \"entries\": {}}", "must be a list"},
      {"{\"schema_version\": 1, \"entries\": [], \"extra\": 1}", "extra is unknown"},
      {"{\"schema_version\": 1, \"entries\": [7]}", "entries[0] must be an object"},
      {"{\"schema_version\": 1, \"entries\": [{\"kernel_name\": \"k\", \"median_ms\": 1}]}",
       "case_name is missing"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\"}]}", "median_ms is missing"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": -1}]}",
       "greater than 0"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": NaN}]}",
       "JSON"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1e999}]}",
       "JSON"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": \"1\"}]}",
       "not the text '1'"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1, "
       "\"samples_ms\": [1, 0]}]}",
       "samples_ms[1]"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1, "
       "\"samples_ms\": []}]}",
       "not an empty list"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1, "
       "\"ci_95_low\": 0.9}]}",
       "both ci_95_low and ci_95_high"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1, "
       "\"ci_95_low\": 2, "
       "\"ci_95_high\": 3}]}",
       "outside its interval"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1, \"medain\": "
       "1}]}",
       "medain is unknown"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1}, "
       "{\"case_name\": \"c\", "
       "\"median_ms\": 2}]}",
       "two entries"},
      {"{\"schema_version\": 1, \"entries\": [{\"case_name\": \"c\", \"median_ms\": 1, \"config\": "
       "{\"B\": 1.5}}]}",
       "integer"},
      {"{\"schema_version\": 1, \"entries\": [], \"moves\": [{}]}", "case_name is missing"},
      {"{\"configs\": 3}", "must be an object"},
      {"{\"configs\": {\"c\": {\"median_ms\": 0}}}", "greater than 0"},
      {"<<<<<<< HEAD\n{}", "JSON"},
  };
  const char *path = in_scratch("hostile.json");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct pawl_baseline baseline = {.count = 42};
    struct pawl_error err = {0};
    write_text(path, cases[i].text);
    const enum pawl_status_code status = pawl_baseline_read(path, &arena, &baseline, &err);
    if (status != PAWL_BAD_DATA || !strstr(err.message, cases[i].says) || strchr(err.message, '\n'))
      fail_msg("%s: status %d, '%s' does not say '%s'", cases[i].text, status, err.message,
               cases[i].says);
    assert_int_equal(baseline.count, 42);
  }
  struct pawl_baseline baseline;
  struct pawl_error err = {0};
  assert_int_equal(pawl_baseline_read(scratch, &arena, &baseline, &err),
                   PAWL_BAD_DATA); /* a folder */
}

/* Every prefix of a good file is refused, none crashes. */
static void test_truncated_files(void **state) {
  (void)state;
  const struct pawl_baseline baseline = start();
  const char *path = in_scratch("whole.json"), *cut = in_scratch("cut.json");
  struct pawl_error err = {0};
  assert_int_equal(pawl_baseline_write(path, &baseline, &err), PAWL_OK);
  char *text = read_text(path);
  for (size_t length = strlen(text) - 2; length > 0; length -= length > 97 ? 97 : length) {
    text[length] = '\0';
    FILE *file = fopen(cut, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    struct pawl_baseline out;
    assert_int_equal(pawl_baseline_read(cut, &arena, &out, &err), PAWL_BAD_DATA);
  }
}

/* --- writing under attack --- */

static _Noreturn void write_for_ever(const char *path, const struct pawl_baseline *a,
                                     const struct pawl_baseline *b) {
  struct pawl_error err;
  for (;;) {
    if (pawl_baseline_write(path, a, &err) != PAWL_OK) _exit(1);
    if (pawl_baseline_write(path, b, &err) != PAWL_OK) _exit(1);
  }
}

static void test_kill_leaves_a_whole_file(void **state) {
  (void)state;
  struct pawl_baseline a = start(), b = start();
  step(&b, 0.5);
  const char *path = in_scratch("killed.json");
  struct pawl_error err = {0};
  assert_int_equal(pawl_baseline_write(path, &b, &err), PAWL_OK);
  const char *text_b = read_text(path);
  assert_int_equal(pawl_baseline_write(path, &a, &err), PAWL_OK);
  const char *text_a = read_text(path);
  struct pawl_random random = pawl_random_init(1, 2);
  int seen_a = 0, seen_b = 0;
  for (int round = 0; round < 60; round++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) write_for_ever(path, &a, &b);
    usleep(500 + pawl_random_below(&random, 6000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    const char *now = read_text(path);
    seen_a += strcmp(now, text_a) == 0;
    seen_b += strcmp(now, text_b) == 0;
    assert_int_equal(seen_a + seen_b, round + 1);
  }
}

static enum pawl_status_code add_one(void *context, struct pawl_baseline *baseline,
                                     struct pawl_arena *memory, bool *changed,
                                     struct pawl_error *err) {
  struct pawl_result result = timed_result(memory, context, "c", 64, 1);
  const struct pawl_results results = results_of(&result, 1);
  struct pawl_ratchet_report report;
  PAWL_TRY(pawl_ratchet(baseline, &results, &update, memory, &report, err));
  *changed = report.move_count > 0;
  return PAWL_OK;
}

static void test_two_at_once_lose_nothing(void **state) {
  (void)state;
  const char *path = in_scratch("shared.json"), *lock = in_scratch("cache/baseline.lock");
  enum { WRITERS = 4, ROUNDS = 5 };
  pid_t children[WRITERS];
  for (int w = 0; w < WRITERS; w++) {
    children[w] = fork();
    assert_true(children[w] >= 0);
    if (children[w] > 0) continue;
    for (int i = 0; i < ROUNDS; i++) {
      struct pawl_error err;
      char *kernel = pawl_arena_printf(&arena, "kernel_%d_%d", w, i);
      if (pawl_baseline_update(path, lock, 30, add_one, kernel, &arena, &err) != PAWL_OK) _exit(1);
    }
    _exit(0);
  }
  for (int w = 0; w < WRITERS; w++) {
    int status;
    assert_int_equal(waitpid(children[w], &status, 0), children[w]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const struct pawl_baseline baseline = read_back(path);
  assert_int_equal(baseline.count, WRITERS * ROUNDS);
  assert_int_equal(baseline.move_count, WRITERS * ROUNDS);
}

static void test_update_refuses_a_results_file(void **state) {
  (void)state;
  const char *path = in_scratch("kept.json"), *lock = in_scratch("kept.lock");
  struct pawl_result result = timed_result(&arena, "k", "c", 64, 1);
  const struct pawl_results results = results_of(&result, 1);
  struct pawl_error err = {0};
  assert_int_equal(pawl_results_write(&results, path, &err), PAWL_OK);
  const char *before = read_text(path);
  char kernel[] = "another";
  assert_int_equal(pawl_baseline_update(path, lock, 1, add_one, kernel, &arena, &err),
                   PAWL_BAD_DATA);
  assert_string_equal(read_text(path), before);
}

static int make_scratch(void **state) {
  (void)state;
  return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state) {
  (void)state;
  struct pawl_error err;
  return pawl_remove_tree(scratch, &err) == PAWL_OK ? 0 : -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_new_is_recorded, clear_arena),
      cmocka_unit_test_teardown(test_only_a_clear_gain_moves_it, clear_arena),
      cmocka_unit_test_teardown(test_noise_never_moves_it, clear_arena),
      cmocka_unit_test_teardown(test_regression_fails_and_stays, clear_arena),
      cmocka_unit_test_teardown(test_broken_results_never_move_it, clear_arena),
      cmocka_unit_test_teardown(test_without_update_nothing_moves, clear_arena),
      cmocka_unit_test_teardown(test_other_hardware_is_left_alone, clear_arena),
      cmocka_unit_test_teardown(test_missing_renamed_and_reshaped_are_loud, clear_arena),
      cmocka_unit_test_teardown(test_a_refused_case_is_dropped_unless_it_is_removed, clear_arena),
      cmocka_unit_test_teardown(test_accept_needs_a_reason_and_a_right_result, clear_arena),
      cmocka_unit_test_teardown(test_many_samples_are_thinned, clear_arena),
      cmocka_unit_test_teardown(test_writing_is_stable, clear_arena),
      cmocka_unit_test_teardown(test_absent_and_older_files, clear_arena),
      cmocka_unit_test_teardown(test_a_results_file_is_not_written_over, clear_arena),
      cmocka_unit_test_teardown(test_hostile_files, clear_arena),
      cmocka_unit_test_teardown(test_truncated_files, clear_arena),
      cmocka_unit_test_teardown(test_kill_leaves_a_whole_file, clear_arena),
      cmocka_unit_test_teardown(test_two_at_once_lose_nothing, clear_arena),
      cmocka_unit_test_teardown(test_update_refuses_a_results_file, clear_arena),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
