/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture of the history's tests: each test has a store of its own, and a run to add.
   Include cmocka.h and the headers that it needs before this header. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "store/sql.h"
#include "store/trend.h"

#define COMMIT_HEAD "0123456789abcdef0123456789abcdef" /* the number of the run follows */

static const char *address_pattern;
static int stores;

struct fixture {
  char address[512], folder[64];
  struct pawl_arena arena;
  json_t *owner;
  struct pawl_store *store;
  struct pawl_error err;
};

static void must(struct fixture *f, enum pawl_status_code status) {
  if (status != PAWL_OK) print_message("%s\n", f->err.message);
  assert_int_equal(status, PAWL_OK);
}

static void open_store(struct fixture *f) {
  must(f, pawl_store_open(f->address, f->folder, NULL, &f->store, &f->err));
}

/* Reads the stamp, which stays while nothing changes. */
static void take_stamp(struct fixture *f, struct pawl_text *out) {
  struct pawl_text again = {0};
  pawl_text_clear(out);
  must(f, pawl_store_stamp(f->store, out, &f->err));
  must(f, pawl_store_stamp(f->store, &again, &f->err));
  assert_string_equal(out->data, again.data);
  pawl_text_clear(&again);
}

/* Closes the open store and takes the address of a store that nobody has opened yet. */
static void next_address(struct fixture *f) {
  const char *place = strstr(address_pattern, "%d");
  pawl_store_close(f->store);
  f->store = NULL;
  snprintf(f->address, sizeof f->address, "%.*s%d%s", (int)(place - address_pattern),
           address_pattern, ++stores, place + 2);
}

static int setup(void **state) {
  struct fixture *f = pawl_alloc(1, sizeof *f);
  snprintf(f->folder, sizeof f->folder, "/tmp/pawl-store-XXXXXX");
  if (!mkdtemp(f->folder)) return -1;
  next_address(f);
  f->owner = json_array();
  open_store(f);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  pawl_store_close(f->store);
  json_decref(f->owner);
  pawl_arena_clear(&f->arena);
  if (pawl_remove_tree(f->folder, NULL) != PAWL_OK) return -1;
  pawl_free(f);
  return 0;
}

/* A run of two points, one with samples and environment, and a move. */
static struct pawl_history_run make_run(struct fixture *f, int number, long long time,
                                        double value) {
  struct pawl_history_run run;
  pawl_history_run_init(&run);
  run.id = pawl_arena_printf(&f->arena, "%032x", number);
  run.source = "run";
  run.time = time;
  run.commit = pawl_arena_printf(&f->arena, COMMIT_HEAD "%08x", number);
  run.commit_time = time - 5;
  run.subject = "Größer <script>alert(1)</script> 'quoted' \"twice\"";
  run.branch = "main";
  run.hardware = "cpu test";
  run.hardware_name = "A CPU";
  run.toolchain = "gcc 12";
  run.verdict = "maintained";
  run.seconds = 1.5;
  run.points = pawl_arena_alloc(&f->arena, 2, sizeof *run.points);
  run.point_count = 2;
  for (int i = 0; i < 2; i++) {
    struct pawl_history_point *point = &run.points[i];
    pawl_history_point_init(point);
    point->kernel_name = i ? "other" : "scale";
    point->case_name = "tiny";
    point->shape = "n=1000,dtype=f32";
    point->unit = "ms";
    point->value = value + i;
    point->low = value + i - 0.1;
    point->high = value + i + 0.1;
    point->samples = 12;
    point->verdict = "maintained";
    point->change_pct = -1.25;
    point->anchor = "abcdef0123";
    point->blocks = 14;
    point->role = i ? "reference" : "kernel";
  }
  run.points[0].machine = "host 'a'";
  run.points[0].base_sd_pct = 0.5 * value;
  run.points[0].block_sd_pct = 0.25;
  run.points[0].false_alarm = 0.0005;
  json_t *result =
      json_pack("{s:s, s:{s:[f,f,f]}, s:{s:s, s:i}}", "kernel_name", "scale", "performance",
                "samples_ms", 0.1, 1e-300, value, "environment", "host", "here", "cpus", 2);
  json_t *comparison = json_pack("{s:s}", "verdict", "maintained");
  json_array_append_new(f->owner, result);
  json_array_append_new(f->owner, comparison);
  json_t *profile =
      json_pack("{s:s, s:{s:i}}", "change", "more bytes", "counters", "schema_version", 1);
  json_array_append_new(f->owner, profile);
  run.points[0].profile = profile;
  run.points[0].result = result;
  run.points[0].comparison = comparison;
  run.points[1].code = "c0de";
  run.points[1].identical = true;
  run.moves = pawl_arena_alloc(&f->arena, 1, sizeof *run.moves);
  run.move_count = 1;
  *run.moves = (struct pawl_baseline_move){.kernel_name = "scale",
                                           .case_name = "tiny",
                                           .hardware = "cpu test",
                                           .kind = PAWL_MOVE_IMPROVEMENT,
                                           .from_ms = 2,
                                           .to_ms = value,
                                           .git_commit = run.commit,
                                           .timestamp = "2026-11-22 09:00:00"};
  return run;
}

static void add(struct fixture *f, const struct pawl_history_run *run) {
  bool added = false;
  must(f, pawl_store_add(f->store, run, &added, &f->err));
  assert_true(added);
}

static size_t run_count(struct fixture *f) {
  int64_t *ids;
  size_t count;
  must(f, pawl_store_runs(f->store, &f->arena, &ids, &count, &f->err));
  return count;
}

static struct pawl_series series_of(struct fixture *f, const char *kernel) {
  const struct pawl_series_choice choice = {.kernel_name = kernel};
  struct pawl_series *series;
  size_t count;
  must(f, pawl_store_series(f->store, &choice, &f->arena, &series, &count, &f->err));
  assert_int_equal(count, 1);
  return *series;
}

static struct pawl_trend trend_of(struct fixture *f, const struct pawl_trend_choice *choice) {
  struct pawl_series *series = pawl_arena_alloc(&f->arena, 1, sizeof *series);
  struct pawl_trend trend;
  *series = series_of(f, "scale");
  must(f, pawl_trend_read(f->store, series, choice, &f->arena, &trend, &f->err));
  return trend;
}

static size_t points_of(struct fixture *f, const struct pawl_trend_choice *choice,
                        struct pawl_point **out) {
  const struct pawl_trend trend = trend_of(f, choice);
  *out = trend.points;
  return trend.count;
}

static struct pawl_sql *connect_to(struct fixture *f) {
  const struct pawl_sql_driver *driver;
  struct pawl_sql_open options = {.folder = f->folder};
  struct pawl_sql *sql;
  must(f, pawl_sql_find(f->address, &driver, &options.target, &f->err));
  must(f, driver->open(&options, &sql, &f->err));
  return sql;
}

static struct pawl_series_summary summary_of(struct fixture *f, const char *branch) {
  const struct pawl_series series = series_of(f, "scale");
  struct pawl_series_summary summary;
  must(f, pawl_series_summary_read(f->store, &series, branch, &f->arena, &summary, &f->err));
  pawl_series_summary_keep(f->store);
  return summary;
}

static int64_t kept_summaries(struct fixture *f) {
  struct pawl_sql *sql = connect_to(f);
  int64_t count;
  must(f, pawl_sql_number(sql, "SELECT count(*) FROM pawl_summaries", NULL, 0, 0, &count, &f->err));
  sql->driver->close(sql);
  return count;
}

#define LEVEL 20 /* runs of each of two levels */

static void add_two_levels(struct fixture *f) {
  pawl_store_begin(f->store);
  for (int i = 0; i < 2 * LEVEL; i++) {
    const struct pawl_history_run run =
        make_run(f, i + 1, 1000 + i, (i < LEVEL ? 1 : 1.5) + 0.001 * (i % 3));
    add(f, &run);
  }
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
}

#define DAY (24 * 3600)
#define REGRESSED 5
#define MOVED 12

/* Adds a run a day at two levels. The run of day REGRESSED has a regression, and the run of day
   MOVED has a move. */
static void add_days(struct fixture *f) {
  for (int i = 0; i < 2 * LEVEL; i++) {
    struct pawl_history_run run =
        make_run(f, i + 1, (i + 1) * DAY, (i < LEVEL ? 1 : 1.5) + 0.001 * (i % 3));
    run.move_count = i == MOVED;
    if (i == REGRESSED) run.points[0].verdict = "regression";
    add(f, &run);
  }
}

/* For which points there are samples; every point has its verdict. */
static void samples_of(struct fixture *f, bool has[2 * LEVEL]) {
  const struct pawl_trend_choice all = {0};
  struct pawl_point *points;
  assert_int_equal(points_of(f, &all, &points), 2 * LEVEL);
  for (int i = 0; i < 2 * LEVEL; i++) {
    json_t *result, *comparison, *profile;
    must(f, pawl_store_detail(f->store, points[i].id, &result, &comparison, &f->err));
    must(f, pawl_store_profile(f->store, points[i].id, &profile, &f->err));
    assert_true(comparison && profile);
    assert_non_null(points[i].verdict);
    has[i] = result;
    json_decref(result);
    json_decref(comparison);
    json_decref(profile);
  }
}

/* Replaces each `word`: {key} and {blob} of the old tables have a type by the back end. */
static void fill_in_types(struct pawl_text *text, const char *word, const char *type) {
  struct pawl_text filled = {0};
  const char *rest = text->data;
  for (const char *found; (found = strstr(rest, word)); rest = found + strlen(word)) {
    pawl_text_add_bytes(&filled, rest, (size_t)(found - rest));
    pawl_text_add(&filled, type);
  }
  pawl_text_add(&filled, rest);
  pawl_text_clear(text);
  *text = filled;
}

/* All children end well. */
static void wait_for(int count) {
  for (int i = 0; i < count; i++) {
    int status;
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
}
