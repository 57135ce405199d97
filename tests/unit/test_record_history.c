/* SPDX-License-Identifier: Apache-2.0 */
/* The history keeps these parts of a run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "record/history.h"

#define COUNTERS "{\"schema_version\": 1, \"kernels\": []}\n"

struct fixture {
  struct pawl_result rows[3];
  struct pawl_results results;
  struct pawl_ratchet_row judged[2];
  struct pawl_paired_test paired;
  struct pawl_paired_block blocks[4];
  struct pawl_ratchet_report ratchet;
  struct pawl_report_profile profile;
  struct pawl_run_report report;
  struct pawl_arena arena;
  json_t *owner;
  struct pawl_history_run run;
};

/* "fast" is judged and profiled, "kept" is a reference of an earlier run, "broken" crashed, "same"
 * is identical code.
 */
static int setup(void **state) {
  struct fixture *f = pawl_alloc(1, sizeof *f);
  static const char *const names[] = {"fast", "kept", "broken"};
  for (int i = 0; i < 3; i++) {
    pawl_result_init(&f->rows[i]);
    f->rows[i].kernel_name = names[i];
    f->rows[i].config = (struct pawl_case){.name = "tiny"};
    f->rows[i].performance.median_ms = 2;
  }
  f->rows[1].environment = json_pack("{s:s}", PAWL_KEPT_FROM, "2026-11-20 23:14:05");
  f->rows[2].outcome = PAWL_OUTCOME_CRASHED;
  f->rows[2].reason = "signal\x1b[31m 11\xff";
  f->results =
      (struct pawl_results){.items = f->rows, .count = 3, .commit = "0123abcd", .hardware = "cpu"};
  for (int i = 0; i < 2; i++) {
    pawl_comparison_init(&f->judged[i].comparison);
    f->judged[i].comparison.config = (struct pawl_case){.name = "tiny"};
  }
  f->judged[0].comparison.kernel_name = "fast";
  f->judged[0].comparison.verdict = PAWL_VERDICT_IMPROVEMENT;
  f->judged[0].comparison.delta_pct = 12;
  f->judged[1].comparison.kernel_name = "same";
  f->judged[1].comparison.verdict = PAWL_VERDICT_MAINTAINED;
  f->ratchet = (struct pawl_ratchet_report){.rows = f->judged, .count = 2};
  f->profile = (struct pawl_report_profile){.kernel_name = "fast",
                                            .case_name = "tiny",
                                            .change = "fewer bytes",
                                            .text = "long",
                                            .folder = "profiles/fast-tiny"};
  f->report = (struct pawl_run_report){.results = &f->results,
                                       .ratchet = &f->ratchet,
                                       .profiles = &f->profile,
                                       .profile_count = 1,
                                       .seconds = 3};
  f->owner = json_array();
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  json_decref(f->rows[1].environment);
  json_decref(f->owner);
  pawl_arena_clear(&f->arena);
  pawl_free(f);
  return 0;
}

static const struct pawl_history_point *point_of(const struct fixture *f, const char *kernel) {
  for (size_t i = 0; i < f->run.point_count; i++)
    if (!strcmp(f->run.points[i].kernel_name, kernel)) return &f->run.points[i];
  return NULL;
}

static void keep(struct fixture *f, const char *folder) {
  struct pawl_error err = {0};
  assert_int_equal(
      pawl_history_of_report(&f->report, folder, "run", &f->arena, f->owner, &f->run, &err),
      PAWL_OK);
}

static void test_points(void **state) {
  struct fixture *f = *state;
  keep(f, NULL);
  assert_int_equal(f->run.point_count, 3);
  assert_null(point_of(f, "kept")); /* the run that measured it has it */
  const struct pawl_history_point *fast = point_of(f, "fast"), *broken = point_of(f, "broken"),
                                  *same = point_of(f, "same");
  assert_true(fast->value == 2 && fast->change_pct == 12);
  assert_string_equal(fast->verdict, "improvement");
  assert_string_equal(broken->reason, "signal 11?");
  assert_true(isnan(broken->value));
  assert_null(broken->verdict);
  assert_true(isnan(same->value) && !same->result && same->comparison);
  assert_string_equal(f->run.commit, "0123abcd");
  assert_int_equal(strlen(f->run.id), 32);
}

/* Base times of 1, e^0.02 and e^0.04 ms: their logarithms have a standard deviation of 2 %. */
static void test_noise(void **state) {
  struct fixture *f = *state;
  pawl_paired_test_init(&f->paired);
  const struct pawl_paired_block blocks[] = {
      {.base_ms = 1, .candidate_ms = 1},
      {.base_ms = exp(0.02), .candidate_ms = 1},
      {.base_ms = 9, .candidate_ms = 1, .spoiled = "other processes"},
      {.base_ms = exp(0.04), .candidate_ms = 1},
  };
  memcpy(f->blocks, blocks, sizeof blocks);
  f->paired.blocks = f->blocks;
  f->paired.block_count = 4;
  f->paired.counted = 3;
  f->paired.gpu = "GPU-1";
  f->paired.policy = pawl_sequential_default_policy();
  f->paired.policy.false_alarm = 0.001;
  f->paired.policy.comparisons = 4;
  f->paired.block_sd = 0.005;
  f->judged[0].paired = &f->paired;
  keep(f, NULL);
  const struct pawl_history_point *fast = point_of(f, "fast");
  assert_string_equal(fast->machine, "GPU-1");
  assert_string_equal(fast->role, "kernel");
  assert_float_equal(fast->base_sd_pct, 2, 1e-6);
  assert_float_equal(fast->block_sd_pct, 0.5, 1e-9);
  assert_float_equal(fast->false_alarm, 0.00025, 1e-12);
  assert_null(point_of(f, "broken")->machine);
  f->paired.gpu = NULL;
  keep(f, NULL);
  assert_true(*point_of(f, "fast")->machine); /* the host */
  f->paired.identical = true;
  f->paired.counted = 0; /* nothing was measured: no noise, no false alarm */
  keep(f, NULL);
  assert_true(isnan(point_of(f, "fast")->false_alarm) && !point_of(f, "fast")->machine);
}

static void test_profile(void **state) {
  struct fixture *f = *state;
  char folder[] = "/tmp/pawl-history-XXXXXX";
  struct pawl_error err;
  assert_non_null(mkdtemp(folder));
  PAWL_CLEANUP(pawl_free_pointer) char *inside = pawl_path_join(folder, f->profile.folder);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(inside, "profile.json");
  assert_int_equal(pawl_make_folders(inside, &err), PAWL_OK);
  assert_int_equal(pawl_file_write(path, COUNTERS, strlen(COUNTERS), &err), PAWL_OK);
  keep(f, folder);
  const json_t *profile = point_of(f, "fast")->profile;
  assert_string_equal(json_string_value(json_object_get(profile, "change")), "fewer bytes");
  assert_null(json_object_get(profile, "text"));
  assert_non_null(json_object_get(json_object_get(profile, "counters"), "kernels"));
  assert_null(point_of(f, "broken")->profile);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
}

static void test_document(void **state) {
  struct fixture *f = *state;
  struct pawl_history_run back;
  struct pawl_error err = {0};
  keep(f, NULL);
  json_t *document = pawl_history_run_to_json(&f->run);
  json_array_append_new(f->owner, document);
  assert_int_equal(pawl_history_run_from_json(document, "d", &f->arena, &back, &err), PAWL_OK);
  json_t *again = pawl_history_run_to_json(&back);
  assert_true(json_equal(document, again));
  json_decref(again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_points, setup, teardown),
      cmocka_unit_test_setup_teardown(test_noise, setup, teardown),
      cmocka_unit_test_setup_teardown(test_profile, setup, teardown),
      cmocka_unit_test_setup_teardown(test_document, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
