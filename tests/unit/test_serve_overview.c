/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the first page: found a few at a time, and kept until their series changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs these four first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "serve/overview.h"

static void add_run(struct pawl_store *store, const char *id, const char *const *kernels,
                    size_t count) {
  struct pawl_history_point points[4];
  struct pawl_history_run run;
  struct pawl_error err = {0};
  pawl_history_run_init(&run);
  run.id = id;
  run.source = "run";
  run.time = 1000;
  run.points = points;
  run.point_count = count;
  for (size_t i = 0; i < count; i++) {
    pawl_history_point_init(&points[i]);
    points[i].kernel_name = kernels[i];
    points[i].case_name = "tiny";
    points[i].shape = "";
    points[i].unit = "ms";
    points[i].value = 2;
    if (pawl_outcome_parse(kernels[i], &points[i].outcome)) points[i].value = NAN;
  }
  assert_int_equal(pawl_store_add(store, &run, NULL, &err), PAWL_OK);
}

/* Lists the series, and checks the rows that are known at once and after a look without time. */
static void look(struct pawl_overview *overview, struct pawl_store *store, size_t known) {
  struct pawl_error err = {0};
  assert_int_equal(pawl_overview_list(overview, store, NULL, &err), PAWL_OK);
  assert_int_equal(overview->known, known);
  assert_int_equal(pawl_overview_read(overview, store, -1, &err), PAWL_OK);
  assert_int_equal(overview->known, known);
}

static json_t *part_of(const struct pawl_overview *overview, const char *words) {
  const struct pawl_overview_part part = {.words = words, .sort = "kernel", .count = 10};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error err = {0};
  json_t *document = NULL;
  pawl_overview_write(overview, &part, "", &text);
  assert_int_equal(pawl_json_parse(text.data, text.length, "part", false, &document, &err),
                   PAWL_OK);
  return document;
}

static void check_part(const struct pawl_overview *overview, long matched, long pending) {
  json_t *document = part_of(overview, NULL);
  assert_int_equal(json_integer_value(json_object_get(document, "series_count")),
                   matched + pending);
  assert_int_equal(json_integer_value(json_object_get(document, "matched")), matched);
  assert_int_equal(json_integer_value(json_object_get(document, "pending")), pending);
  assert_int_equal(json_array_size(json_object_get(document, "series")), matched);
  json_decref(document);
}

/* A history in a folder of its own. */
struct history {
  char folder[sizeof "/tmp/pawl-overview-XXXXXX"];
  struct pawl_store *store;
};

static void open_history(struct history *history) {
  *history = (struct history){.folder = "/tmp/pawl-overview-XXXXXX"};
  assert_non_null(mkdtemp(history->folder));
  assert_int_equal(
      pawl_store_open("sqlite:history.db", history->folder, NULL, &history->store, NULL), PAWL_OK);
}

static void close_history(struct history *history) {
  pawl_store_close(history->store);
  assert_int_equal(pawl_remove_tree(history->folder, NULL), PAWL_OK);
}

static void test_rows_come_in_parts_and_stay(void **state) {
  static const char *const kernels[] = {"k10", "k2", "k1"};
  struct history history;
  struct pawl_overview overview = {0};
  struct pawl_error err = {0};
  (void)state;
  open_history(&history);
  add_run(history.store, "00000000000000000000000000000001", kernels, PAWL_COUNT(kernels));
  look(&overview, history.store, 0);
  check_part(&overview, 0, 3);
  assert_int_equal(pawl_overview_read(&overview, history.store, INFINITY, &err), PAWL_OK);
  check_part(&overview, 3, 0);
  assert_string_equal(overview.rows[2].series->kernel_name, "k10");
  add_run(history.store, "00000000000000000000000000000002", &kernels[1], 1);
  look(&overview, history.store, 2); /* k2 has a new point */
  check_part(&overview, 2, 1);
  assert_int_equal(pawl_overview_read(&overview, history.store, INFINITY, &err), PAWL_OK);
  check_part(&overview, 3, 0);
  json_t *document = part_of(&overview, NULL);
  const json_t *row = json_array_get(json_object_get(document, "series"), 1);
  assert_string_equal(json_string_value(json_object_get(row, "kernel_name")), "k2");
  assert_int_equal(json_integer_value(json_object_get(row, "stored")), 2);
  json_decref(document);
  pawl_overview_clear(&overview);
  close_history(&history);
}

/* Checks how many rows the words find, and how many only words show. */
static void expect_rows(const struct pawl_overview *overview, const char *words, long matched,
                        long hidden) {
  json_t *document = part_of(overview, words);
  assert_int_equal(json_integer_value(json_object_get(document, "matched")), matched);
  assert_int_equal(json_integer_value(json_object_get(document, "hidden")), hidden);
  json_decref(document);
}

static void test_a_row_without_a_value_needs_a_filter(void **state) {
  static const char *const kernels[] = {"timed", "absent", "wrong"};
  struct history history;
  struct pawl_overview overview = {0};
  struct pawl_error err = {0};
  (void)state;
  open_history(&history);
  add_run(history.store, "00000000000000000000000000000001", kernels, PAWL_COUNT(kernels));
  look(&overview, history.store, 0);
  assert_int_equal(pawl_overview_read(&overview, history.store, INFINITY, &err), PAWL_OK);
  expect_rows(&overview, NULL, 2, 1);
  expect_rows(&overview, "tiny", 3, 0);
  expect_rows(&overview, "absent", 1, 0);
  pawl_overview_clear(&overview);
  close_history(&history);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_come_in_parts_and_stay),
                                     cmocka_unit_test(test_a_row_without_a_value_needs_a_filter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
