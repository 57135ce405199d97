/* SPDX-License-Identifier: Apache-2.0 */
/* The page's parts and pictures: that they are whole and safe, and that they are drawn for every
   kind of run. How they look is for eyes. */
#include "picture/draw.h"
#include "picture/picture.h"
#include "report_support.h"
#include "stats/variates.h"

#ifdef __SANITIZE_ADDRESS__
/* fontconfig keeps its patterns until the process ends */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }
#endif

static struct pawl_arena arena;
static char scratch[] = "/tmp/pawl-test-report.XXXXXX";

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static struct pawl_result placed(const char *kernel, const char *name, int64_t S, double scale) {
  struct pawl_result result = timed_result(&arena, kernel, name, S, scale);
  result.roofline = (struct pawl_roofline){(double)S / 8, "compute", 60, NULL, 0};
  return result;
}

static struct pawl_text read_file(const char *path) {
  struct pawl_text text = {0};
  struct pawl_error err = {0};
  if (pawl_file_read(path, 1 << 26, &text, &err) != PAWL_OK) fail_msg("%s", err.message);
  return text;
}

/* The page of a report, and its JSON as a document. */
struct made_page {
  struct pawl_report_page page;
  json_t *document;
};

static struct made_page page_of(const struct pawl_run_report *report) {
  struct pawl_error err = {0};
  struct made_page made = {0};
  if (pawl_picture_draw(report, true, false, &made.page.light, &err) != PAWL_OK ||
      pawl_picture_draw(report, true, true, &made.page.dark, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  pawl_report_page(report, &made.page);
  if (pawl_json_parse(made.page.json.data, made.page.json.length, "page", false, &made.document,
                      &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return made;
}

static void clear_page(struct made_page *made) {
  pawl_report_page_clear(&made->page);
  json_decref(made->document);
}

/* The first part of a kind; NULL: none. */
static const json_t *part_of(const struct made_page *made, const char *kind) {
  const json_t *part;
  size_t i;
  json_array_foreach(json_object_get(made->document, "parts"), i, part) {
    if (!strcmp(json_string_value(json_object_get(part, "part")), kind)) return part;
  }
  return NULL;
}

static void test_page(void **state) {
  (void)state;
  struct pawl_result before = placed("k", "c", 64, 1), now = placed("k", "c", 64, 1.2);
  now.environment = json_pack("{s:f, s:f, s:{s:i}}", "peak_gflops", 170.0, "peak_bandwidth_gb_s",
                              21.5, "device", "units", 2);
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  struct made_page made = page_of(&run.report);
  const json_t *headline = json_array_get(json_object_get(made.document, "parts"), 0);
  assert_string_equal(json_string_value(json_object_get(headline, "part")), "headline");
  assert_string_equal(json_string_value(json_object_get(headline, "tone")), "bad");
  const json_t *first = json_array_get(json_object_get(headline, "content"), 0);
  assert_string_equal(json_string_value(json_object_get(first, "strong")), "REGRESSION");
  const json_t *table = part_of(&made, "table");
  const json_t *row = json_array_get(json_object_get(table, "rows"), 0);
  assert_int_equal(json_array_size(json_object_get(row, "cells")),
                   json_array_size(json_object_get(table, "columns")));
  assert_non_null(strstr(made.page.json.data, "20.0 % slower"));
  assert_non_null(strstr(made.page.json.data, "{\"code\":\"device.units\"},\": "));
  assert_non_null(part_of(&made, "picture"));
  assert_non_null(strstr(made.page.light.data, "</svg>"));
  assert_non_null(strstr(made.page.dark.data, "</svg>"));
  assert_string_not_equal(made.page.light.data, made.page.dark.data);
  clear_page(&made);
  json_decref(now.environment);
}

/* Whether every text with the mark is a string from outside, and the parts are those that pawl
 * names. */
static void check_marked(const json_t *value, const char *key, const char *mark) {
  const char *name;
  json_t *item;
  size_t i;
  json_object_foreach((json_t *)(uintptr_t)value, name, item) check_marked(item, name, mark);
  json_array_foreach(value, i, item) check_marked(item, key, mark);
  if (!json_is_string(value) || !strstr(json_string_value(value), mark)) return;
  if (strcmp(key, "code") != 0) assert_string_equal(key, "text"); /* the text of a block */
  assert_null(strchr(json_string_value(value), '\x1b'));
}

static void test_hostile_page(void **state) {
  (void)state;
  const char *hostile =
      "</code>\"}],\"parts\":[]}\\<script src=//e.vil></script>\x1b[1m\xff`|\n\t\xe2\x80\xae";
  struct pawl_result before = placed(hostile, hostile, 64, 1),
                     now = placed(hostile, hostile, 64, 1.2);
  now.warnings = &hostile;
  now.warning_count = 1;
  now.environment = json_object();
  pawl_json_set_string(now.environment, "<b>", hostile);
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  const struct pawl_report_build build = {
      .kernel_name = hostile, .ok = false, .diagnostics = hostile};
  run.report.builds = &build;
  run.report.build_count = 1;
  run.report.notices = &hostile;
  run.report.notice_count = 1;
  run.results.commit = run.results.hardware_name = run.results.toolchain = hostile;
  struct made_page made = page_of(&run.report);
  check_marked(made.document, "", "e.vil");
  assert_non_null(strstr(made.page.json.data,
                         "</code>\\\"}],\\\"parts\\\":[]}\\\\<script src=//e.vil></script>?`|"));
  assert_null(strstr(made.page.json.data, "\xe2\x80\xae"));
  clear_page(&made);
  json_decref(now.environment);
}

static void test_page_without_results(void **state) {
  (void)state;
  const struct pawl_report_build build = {
      .kernel_name = "k", .ok = false, .diagnostics = "x.c:1: error: no\n"};
  const struct pawl_run_report report = {
      .builds = &build, .build_count = 1, .seconds = NAN, .cost_usd = NAN};
  struct made_page made = page_of(&report);
  assert_non_null(
      strstr(made.page.json.data, "{\"part\":\"block\",\"text\":\"x.c:1: error: no\\n\"}"));
  assert_null(part_of(&made, "picture"));
  assert_int_equal(made.page.light.length + made.page.dark.length, 0);
  clear_page(&made);
}

static void test_unwritable(void **state) {
  (void)state;
  struct pawl_result now = placed("k", "c", 64, 1);
  struct pawl_results results = results_of(&now, 1);
  const struct pawl_run_report report = {.results = &results, .seconds = NAN, .cost_usd = NAN};
  struct pawl_error err = {0};
  assert_true(pawl_picture_write(&report, "/proc/none.png", false, &err) != PAWL_OK);
}

static uint32_t big_endian(const char *p) {
  const unsigned char *u = (const unsigned char *)p;
  return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* Draws the PNG and tells its height in pixels. */
static uint32_t draw(const struct pawl_run_report *report) {
  struct pawl_error err = {0};
  const char *path = pawl_arena_printf(&arena, "%s/picture.png", scratch);
  if (pawl_picture_write(report, path, false, &err) != PAWL_OK) fail_msg("%s", err.message);
  struct pawl_text png = read_file(path);
  assert_true(png.length > 5000);
  assert_memory_equal(png.data, "\x89PNG\r\n\x1a\n", 8);
  assert_int_equal(big_endian(png.data + 16), 1960);
  const uint32_t height = big_endian(png.data + 20);
  pawl_text_clear(&png);
  return height;
}

static void test_picture_grows_with_rows_to_a_limit(void **state) {
  (void)state;
  uint32_t heights[3];
  const size_t counts[3] = {1, 3, 300};
  for (int i = 0; i < 3; i++) {
    const size_t count = counts[i];
    struct pawl_result *items = pawl_arena_alloc(&arena, count, sizeof *items);
    for (size_t j = 0; j < count; j++)
      items[j] = placed("k", pawl_arena_printf(&arena, "case_%zu", j), 64, 1 + (double)j);
    struct pawl_results results = results_of(items, count);
    const struct pawl_run_report report = {.results = &results, .seconds = NAN, .cost_usd = NAN};
    heights[i] = draw(&report);
  }
  assert_int_equal(heights[1] - heights[0], 2 * 2 * 64);
  assert_int_equal(heights[2] - heights[0], 23 * 2 * 64);
}

/* The page draws figures that may divide by zero or leave the axes: equal samples, huge and tiny
   figures, one sample, no limits. */
static void test_odd_figures_are_drawn(void **state) {
  (void)state;
  const double scales[] = {1e-6, 1, 1e6};
  struct pawl_result before[4], now[4];
  for (int i = 0; i < 3; i++) {
    const char *name = pawl_arena_printf(&arena, "%d", i);
    before[i] = placed("k", name, 64, scales[i]);
    now[i] = placed("k", name, 64, i == 1 ? 40 : scales[i]);
    for (int j = 0; j < 100; j++)
      now[i].performance.samples_ms[j] = now[i].performance.samples_ms[0];
    now[i].performance.median_ms = now[i].performance.samples_ms[0];
    now[i].performance.throughput_gflops = 1e-3 / scales[i];
  }
  before[3] = placed("k", "single", 64, 1);
  now[3] = before[3];
  now[3].performance.sample_count = 1;
  now[3].performance.median_ms = now[3].performance.samples_ms[0];
  now[2].environment = json_pack("{s:f, s:f}", "peak_gflops", 0.0, "peak_bandwidth_gb_s", -3.0);
  struct made_run run;
  judge_run(&run, &arena, before, 4, now, 4);
  assert_true(draw(&run.report) > 1000);
  struct pawl_text svg = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_picture_draw(&run.report, true, true, &svg, &err), PAWL_OK);
  assert_non_null(strstr(svg.data, "</svg>"));
  assert_null(strstr(svg.data, "nan"));
  assert_null(strstr(svg.data, "inf"));
  pawl_text_clear(&svg);
  json_decref(now[2].environment);
}

/* Blocks about 1 + slowdown, as many as the test asks for; every seventh spoiled. */
static const struct pawl_paired_test *paired_about(const char *name, double slowdown, double sd) {
  struct pawl_random random = pawl_random_init(20261122, (uint64_t)name[0]);
  struct pawl_paired_test *paired = pawl_arena_alloc(&arena, 1, sizeof *paired);
  struct pawl_error err = {0};
  pawl_paired_test_init(paired);
  paired->kernel_name = "k", paired->case_name = name;
  paired->blocks = pawl_arena_alloc(&arena, 200, sizeof *paired->blocks);
  while (paired->decision == PAWL_DECISION_CONTINUE) {
    struct pawl_paired_block *block = &paired->blocks[paired->block_count++];
    const double ratio = (1 + slowdown) * exp(sd * pawl_draw_normal(&random));
    *block = (struct pawl_paired_block){1, ratio, paired->block_count % 7 == 0 ? "busy" : NULL,
                                        PAWL_ORDER_UNKNOWN};
    if (pawl_paired_test_judge(paired, &err) != PAWL_OK) fail_msg("%s", err.message);
  }
  return paired;
}

/* The times of `count` calls about 1 + slowdown, ms. */
static double *samples_about(double slowdown, double sd, size_t count) {
  struct pawl_random random = pawl_random_init(20261122, (uint64_t)(slowdown * 1000 + 1e6));
  double *samples = pawl_arena_alloc(&arena, count, sizeof *samples);
  for (size_t i = 0; i < count; i++)
    samples[i] = (1 + slowdown) * exp(sd * pawl_draw_normal(&random));
  return samples;
}

/* A paired row of 40 samples of each arm. The candidate has a median of `candidate`. `far` of the
   base: 0: it spans the axis; else it is about 1, with two outliers there. */
static struct pawl_text picture_with_outliers(double candidate, double far) {
  enum { SAMPLES = 40 };
  struct pawl_result now = placed("kernel", "case", 64, 1);
  struct pawl_paired_test paired;
  struct pawl_ratchet_row row = {0};
  struct pawl_ratchet_report ratchet = {.rows = &row, .count = 1};
  const struct pawl_run_report report = {.ratchet = &ratchet, .seconds = NAN, .cost_usd = NAN};
  pawl_paired_test_init(&paired);
  paired.base_samples_ms = pawl_arena_alloc(&arena, SAMPLES, sizeof(double));
  for (int i = 0; i < SAMPLES; i++)
    paired.base_samples_ms[i] = far > 0 ? i < 2 ? far : 1 + 0.001 * i : 0.1 + 0.2 * i;
  paired.candidate_samples_ms = samples_about(candidate - 1, 0.01, SAMPLES);
  paired.base_sample_count = paired.candidate_sample_count = SAMPLES;
  pawl_comparison_init(&row.comparison);
  row.comparison.kernel_name = "kernel";
  row.comparison.config = now.config;
  row.paired = &paired;
  draw(&report);
  return read_file(pawl_arena_printf(&arena, "%s/picture.png", scratch));
}

static struct pawl_text picture_of_samples(double candidate) {
  return picture_with_outliers(candidate, 0);
}

static bool equal_texts(const struct pawl_text *a, const struct pawl_text *b) {
  return a->length == b->length && !memcmp(a->data, b->data, a->length);
}

/* An arrow shows on which side of the axis the samples beyond it are. */
static void test_samples_beyond_the_axis(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_text_clear)
  struct pawl_text right = picture_of_samples(100), left = picture_of_samples(0.01);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text farther = picture_of_samples(200);
  assert_false(equal_texts(&right, &left));
  assert_true(equal_texts(&right, &farther));
}

/* An arm that is three times slower has its place on the axis. Two outliers do not squeeze the
   others. */
static void test_axis_fits_both_arms(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_text_clear)
  struct pawl_text slow = picture_with_outliers(3, 1), slower = picture_with_outliers(3.5, 1);
  assert_false(equal_texts(&slow, &slower));
  PAWL_CLEANUP(pawl_text_clear)
  struct pawl_text far = picture_with_outliers(1.05, 3), farther = picture_with_outliers(1.05, 4);
  assert_true(equal_texts(&far, &farther));
}

/* Both arms of what was measured in pairs; identical code and rows without samples of both have no
 * row. */
static void test_both_arms_are_drawn(void **state) {
  (void)state;
  enum { ROWS = 4, SAMPLES = 300 };
  static const double slowdowns[ROWS] = {0.06, -0.12, 0, 0};
  struct pawl_result now[ROWS];
  struct pawl_paired_test paired[ROWS];
  struct pawl_ratchet_row rows[ROWS] = {0};
  struct pawl_ratchet_report ratchet = {.rows = rows, .count = ROWS};
  const struct pawl_run_report report = {.ratchet = &ratchet, .seconds = NAN, .cost_usd = NAN};
  assert_true(pawl_samples_height(&report) == 0);
  for (size_t i = 0; i < ROWS; i++) {
    const char *name = pawl_arena_printf(&arena, "case_%zu", i);
    now[i] = placed("kernel", name, 64, 1);
    pawl_paired_test_init(&paired[i]);
    paired[i].base_samples_ms = samples_about(0, 0.01, SAMPLES);
    paired[i].candidate_samples_ms = samples_about(slowdowns[i], 0.015, SAMPLES);
    paired[i].base_sample_count = paired[i].candidate_sample_count = SAMPLES;
    pawl_comparison_init(&rows[i].comparison);
    rows[i].comparison.kernel_name = "kernel";
    rows[i].comparison.config = now[i].config;
    rows[i].paired = &paired[i];
  }
  const double all = pawl_samples_height(&report);
  paired[2].identical = true;
  paired[3].base_sample_count = 0;
  assert_true(all > 0 && pawl_samples_height(&report) > 0 && pawl_samples_height(&report) < all);
  draw(&report);
  struct pawl_text svg = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_picture_draw(&report, true, true, &svg, &err), PAWL_OK);
  assert_null(strstr(svg.data, "nan"));
  pawl_text_clear(&svg);
}

static size_t drawn_letters(const struct pawl_run_report *report) {
  struct pawl_text picture = {0};
  struct pawl_error err = {0};
  size_t count = 0;
  assert_int_equal(pawl_picture_draw(report, true, false, &picture, &err), PAWL_OK);
  for (const char *at = picture.data; (at = strstr(at, "<use xlink:href=\"#glyph")); at++) count++;
  pawl_text_clear(&picture);
  return count;
}

/* The times beside the samples of a pair are those of the table: medians over blocks. */
static void test_times_beside_samples(void **state) {
  (void)state;
  enum { SAMPLES = 30 };
  struct pawl_result now = placed("kernel", "case", 64, 1);
  struct pawl_paired_test paired;
  struct pawl_ratchet_row row = {.paired = &paired};
  struct pawl_ratchet_report ratchet = {.rows = &row, .count = 1};
  const struct pawl_run_report report = {.ratchet = &ratchet, .seconds = NAN, .cost_usd = NAN};
  pawl_paired_test_init(&paired);
  paired.base_samples_ms = samples_about(0, 0.01, SAMPLES);
  paired.candidate_samples_ms = samples_about(0.06, 0.015, SAMPLES);
  paired.base_sample_count = paired.candidate_sample_count = SAMPLES;
  pawl_comparison_init(&row.comparison);
  row.comparison.kernel_name = "kernel";
  row.comparison.config = now.config;
  const size_t unknown = drawn_letters(&report);
  row.comparison.baseline_ms = 2, row.comparison.current_ms = 4;
  const size_t known = drawn_letters(&report);
  assert_true(known >= unknown + strlen("2.000ms>4.000ms"));
  row.comparison.current_ms = 12e3; /* 12.00 s */
  assert_int_equal(drawn_letters(&report), known - 1);
}

/* Rows are kernels and cases that moved at least twice; what cannot be placed in time is left out.
 */
static void test_moves_are_drawn(void **state) {
  (void)state;
  struct pawl_baseline_move moves[] = {
      {"a", "long", "cpu", PAWL_MOVE_NEW, NAN, 2, "1111111", "2026-10-01 09:00:00", NULL},
      {"b", "once", "cpu", PAWL_MOVE_NEW, NAN, 7, "2222222", "2026-10-02 09:00:00", NULL},
      {"a", "long", "cpu", PAWL_MOVE_IMPROVEMENT, 2, 1.5, "3333333", "2026-10-20 09:00:00", NULL},
      {"a", "long", "gpu", PAWL_MOVE_NEW, NAN, 1, NULL, "2026-10-21 09:00:00", NULL},
      {"a", "long", "gpu", PAWL_MOVE_ACCEPTED, 1, 1, "4444444", "2026-10-21 09:00:00",
       "equal, at once"},
      {"b", "once", "cpu", PAWL_MOVE_IMPROVEMENT, 7, 6, "5555555", "yesterday", NULL},
      {"b", "once", "cpu", PAWL_MOVE_IMPROVEMENT, 7, NAN, "6666666", "2026-10-22 09:00:00", NULL},
  };
  struct pawl_run_report report = {
      .moves = moves, .move_count = 2, .seconds = NAN, .cost_usd = NAN};
  struct pawl_error err = {0};
  struct pawl_text svg = {0};
  assert_true(pawl_moves_height(&report) == 0);
  assert_false(pawl_picture_exists(&report));
  report.move_count = 3;
  const double one = pawl_moves_height(&report);
  report.move_count = sizeof moves / sizeof *moves;
  assert_true(one > 0 && pawl_moves_height(&report) > one && pawl_moves_height(&report) < 2 * one);
  const double all = pawl_moves_height(&report);
  const size_t count =
      report.move_count; /* a move of the run continues the line of the earlier ones */
  report.earlier_moves = moves, report.earlier_move_count = 2;
  report.moves = moves + 2, report.move_count = 1;
  assert_true(pawl_moves_height(&report) == one);
  report.earlier_move_count = count, report.move_count = 0;
  assert_true(pawl_moves_height(&report) == all);
  draw(&report);
  assert_int_equal(pawl_picture_draw(&report, true, false, &svg, &err), PAWL_OK);
  assert_null(strstr(svg.data, "nan"));
  assert_null(strstr(svg.data, "inf"));
  pawl_text_clear(&svg);
  const char *path = pawl_arena_printf(&arena, "%s/ratchet.svg", scratch);
  assert_int_equal(pawl_picture_write(&report, path, true, &err), PAWL_OK);
  struct pawl_text file = read_file(path);
  assert_true(pawl_starts_with(file.data, "<?xml"));
  pawl_text_clear(&file);
}

/* A row of each kind: slower, faster, unchanged, undecided, far beyond the others, unpaired. */
static void test_changes_are_drawn(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double slowdown, sd;
  } kinds[] = {{"slower", 0.06, 0.01}, {"faster", -0.12, 0.02}, {"maintained", 0, 0.01},
               {"noisy", 0.02, 0.05},  {"far", 3, 0.1},         {"unpaired", 0, 0}};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  struct pawl_result before[KINDS], now[KINDS];
  for (size_t i = 0; i < KINDS; i++) {
    before[i] = placed("k", kinds[i].name, 64, 1);
    now[i] = placed("k", kinds[i].name, 64, 1.04);
  }
  struct made_run run;
  struct pawl_error err = {0};
  judge_run(&run, &arena, before, KINDS, now, KINDS);
  const double unpaired = pawl_changes_height(&run.report);
  for (size_t i = 0; i + 1 < KINDS; i++) {
    run.ratchet.rows[i].paired = paired_about(kinds[i].name, kinds[i].slowdown, kinds[i].sd);
    assert_int_equal(pawl_paired_test_compare(run.ratchet.rows[i].paired, &arena,
                                              &run.ratchet.rows[i].comparison, &err),
                     PAWL_OK);
  }
  assert_true(pawl_changes_height(&run.report) == unpaired && unpaired > 54 * KINDS);
  assert_true(draw(&run.report) > 2 * unpaired);
  struct pawl_text svg = {0};
  assert_int_equal(pawl_picture_draw(&run.report, true, true, &svg, &err), PAWL_OK);
  assert_null(strstr(svg.data, "nan"));
  assert_null(strstr(svg.data, "inf"));
  pawl_text_clear(&svg);
}

static void test_nothing_to_draw(void **state) {
  (void)state;
  struct pawl_result failed = make_result("k", make_case(&arena, "c", 64));
  failed.outcome = PAWL_OUTCOME_WRONG;
  struct pawl_results results = results_of(&failed, 1);
  const struct pawl_run_report report = {.results = &results, .seconds = NAN, .cost_usd = NAN};
  struct pawl_error err = {0};
  assert_int_equal(pawl_picture_write(&report, "/tmp/never.png", false, &err), PAWL_BAD_DATA);
  assert_false(pawl_file_exists("/tmp/never.png"));
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
      cmocka_unit_test_teardown(test_page, clear_arena),
      cmocka_unit_test_teardown(test_hostile_page, clear_arena),
      cmocka_unit_test_teardown(test_page_without_results, clear_arena),
      cmocka_unit_test_teardown(test_unwritable, clear_arena),
      cmocka_unit_test_teardown(test_picture_grows_with_rows_to_a_limit, clear_arena),
      cmocka_unit_test_teardown(test_odd_figures_are_drawn, clear_arena),
      cmocka_unit_test_teardown(test_changes_are_drawn, clear_arena),
      cmocka_unit_test_teardown(test_both_arms_are_drawn, clear_arena),
      cmocka_unit_test_teardown(test_times_beside_samples, clear_arena),
      cmocka_unit_test_teardown(test_samples_beyond_the_axis, clear_arena),
      cmocka_unit_test_teardown(test_axis_fits_both_arms, clear_arena),
      cmocka_unit_test_teardown(test_moves_are_drawn, clear_arena),
      cmocka_unit_test_teardown(test_nothing_to_draw, clear_arena),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
