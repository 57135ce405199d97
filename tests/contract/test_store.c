/* SPDX-License-Identifier: Apache-2.0 */
/* One suite for every back end of the history. Usage: test_store ADDRESS, where %d stands for a
   number: each test opens a store of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs these four first */
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/philox.h"
#include "store_fixture.h"
#include "store_notes.h"
#include "store_order.h"
#include "store_turns.h"

static void test_gives_back_what_it_got(void **state) {
  struct fixture *f = *state;
  const struct pawl_history_run run = make_run(f, 1, 1000, 1.0 / 3);
  add(f, &run);
  pawl_store_close(f->store);
  f->store = NULL;
  open_store(f);
  int64_t *ids;
  size_t count;
  struct pawl_history_run back;
  must(f, pawl_store_runs(f->store, &f->arena, &ids, &count, &f->err));
  assert_int_equal(count, 1);
  must(f, pawl_store_run(f->store, ids[0], &f->arena, f->owner, &back, &f->err));
  json_t *before = pawl_history_run_to_json(&run), *after = pawl_history_run_to_json(&back);
  json_array_append_new(f->owner, before);
  json_array_append_new(f->owner, after);
  assert_true(json_equal(before, after));
  assert_int_equal(pawl_store_run(f->store, ids[0] + 1, &f->arena, f->owner, &back, &f->err),
                   PAWL_NO_INPUT);
}

static void test_the_same_run_twice(void **state) {
  struct fixture *f = *state;
  const struct pawl_history_run run = make_run(f, 1, 1000, 1);
  bool added = true;
  add(f, &run);
  must(f, pawl_store_add(f->store, &run, &added, &f->err));
  assert_false(added);
  assert_int_equal(run_count(f), 1);
  assert_int_equal(series_of(f, "scale").points, 1);
}

static void test_points(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {.others = true},
                                 some = {.others = true, .from = 997, .to = 999},
                                 newest = {.others = true, .newest = 3},
                                 branch = {.branch = "topic"},
                                 both = {.branch = "topic", .newest = 1};
  struct pawl_point *points;
  for (int i = 1; i <= 6; i++) { /* not in the order of time */
    struct pawl_history_run run = make_run(f, i, 1000 + (i * 5) % 7, i);
    if (i % 2 == 0) run.branch = "topic";
    add(f, &run);
  }
  assert_int_equal(points_of(f, &all, &points), 6);
  for (int i = 0; i < 6; i++) assert_int_equal(points[i].time, 1001 + i);
  assert_string_equal(points[0].commit, COMMIT_HEAD "00000003");
  assert_int_equal(points[0].at, 1001 - 5);
  assert_string_equal(points[0].subject, "Größer <script>alert(1)</script> 'quoted' \"twice\"");
  assert_true(points[0].value == 3 && points[0].low == 3 - 0.1 && points[0].change_pct == -1.25);
  assert_true(isnan(points[0].change_low_pct));
  assert_int_equal(points[0].blocks, 14);
  assert_int_equal(points_of(f, &some, &points), 3);
  assert_int_equal(points[0].time, 1002);
  assert_int_equal(points_of(f, &newest, &points), 3);
  assert_int_equal(points[0].time, 1004);
  assert_int_equal(points[2].time, 1006);
  assert_int_equal(points_of(f, &branch, &points), 3);
  assert_int_equal(points_of(f, &both, &points), 1);
  assert_string_equal(points[0].branch, "topic");
  const struct pawl_series series = series_of(f, "scale");
  assert_int_equal(series.points, 6);
  assert_int_equal(series.first_time, 1001);
  assert_int_equal(series.last_time, 1006);
}

static void test_another_shape_is_another_series(void **state) {
  struct fixture *f = *state;
  const struct pawl_series_choice choice = {.kernel_name = "scale"};
  struct pawl_series *series;
  size_t count;
  struct pawl_history_run run = make_run(f, 1, 1000, 1);
  add(f, &run);
  run = make_run(f, 2, 1001, 1);
  run.points[0].shape = "n=2000,dtype=f32";
  add(f, &run);
  run = make_run(f, 3, 1002, 1);
  run.hardware = "another cpu";
  add(f, &run);
  must(f, pawl_store_series(f->store, &choice, &f->arena, &series, &count, &f->err));
  assert_int_equal(count, 3);
}

static void test_details(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {0};
  struct pawl_point *points;
  struct pawl_history_run run = make_run(f, 1, 1000, 1);
  add(f, &run);
  run = make_run(f, 2, 1001, 2);
  add(f, &run);
  assert_int_equal(points_of(f, &all, &points), 2);
  json_t *result, *comparison;
  must(f, pawl_store_detail(f->store, points[1].id, &result, &comparison, &f->err));
  json_array_append_new(f->owner, result);
  json_array_append_new(f->owner, comparison);
  assert_true(json_equal(result, run.points[0].result));
  assert_true(json_equal(comparison, run.points[0].comparison));
  json_t *profile;
  must(f, pawl_store_profile(f->store, points[1].id, &profile, &f->err));
  json_array_append_new(f->owner, profile);
  assert_true(json_equal(profile, run.points[0].profile));
  assert_int_equal(pawl_store_detail(f->store, 999999, &result, &comparison, &f->err),
                   PAWL_NO_INPUT);
}

static void test_the_noise_of_machines(void **state) {
  struct fixture *f = *state;
  struct pawl_machine_run *runs;
  size_t count;
  for (int i = 1; i <= 3; i++) {
    struct pawl_history_run run = make_run(f, i, 1000 + i, i);
    if (i == 2) run.points[0].machine = "another host";
    if (i == 3) run.points[0].verdict = "regression";
    add(f, &run);
  }
  must(f, pawl_store_machines(f->store, 100, &f->arena, &runs, &count, &f->err));
  assert_int_equal(count, 3);
  assert_true(!strcmp(runs[0].machine, "another host") && !strcmp(runs[2].machine, "host 'a'"));
  assert_string_equal(runs[2].hardware_name, "A CPU");
  assert_string_equal(runs[2].commit, COMMIT_HEAD "00000003");
  assert_true(runs[2].time == 1003 && runs[2].comparisons == 1);
  assert_true(runs[2].regressions == 1 && runs[1].regressions == 0);
  assert_true(runs[2].base_sd_pct == 1.5 && runs[2].block_sd_pct == 0.25 &&
              runs[2].false_alarm == 0.0005);
  assert_true(runs[2].relative == 1.5 &&
              runs[1].relative == 0.5); /* the mean of the series is 1 % */
  must(f, pawl_store_machines(f->store, 1, &f->arena, &runs, &count, &f->err));
  assert_true(count == 1 && runs[0].time == 1003);
}

static void test_what_stands_around_a_point(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {0};
  struct pawl_point *points;
  struct pawl_point_noise noise;
  struct pawl_beside *beside;
  size_t count;
  for (int i = 1; i <= 2; i++) {
    const struct pawl_history_run run = make_run(f, i, 1000 + i, i);
    add(f, &run);
  }
  points_of(f, &all, &points);
  must(f, pawl_store_noise(f->store, points[1].id, &f->arena, &noise, &f->err));
  assert_string_equal(noise.role, "kernel");
  assert_string_equal(noise.machine, "host 'a'");
  assert_true(noise.base_sd_pct == 1 && noise.block_sd_pct == 0.25 && noise.false_alarm == 0.0005);
  assert_int_equal(pawl_store_noise(f->store, 999999, &f->arena, &noise, &f->err), PAWL_NO_INPUT);
  const struct pawl_series series = series_of(f, "scale");
  must(f, pawl_store_beside(f->store, &series, &f->arena, &beside, &count, &f->err));
  assert_true(count == 1 && beside[0].time == 1002 && beside[0].value == 3);
  assert_true(!strcmp(beside[0].kernel_name, "other") && !strcmp(beside[0].role, "reference"));
}

static void test_prune(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {0};
  const struct pawl_prune dry = {.before = 1003, .dry_run = true}, runs = {.before = 1003};
  struct pawl_pruned pruned;
  struct pawl_point *points;
  json_t *result, *comparison;
  for (int i = 1; i <= 4; i++) {
    const struct pawl_history_run run = make_run(f, i, 1000 + i, i);
    add(f, &run);
  }
  for (int i = 0; i < 2; i++) {
    must(f, pawl_store_prune(f->store, i ? &runs : &dry, &pruned, &f->err));
    assert_int_equal(pruned.runs, 2);
    assert_int_equal(pruned.points, 4);
    assert_int_equal(points_of(f, &all, &points), i ? 2 : 4);
  }
  const struct pawl_series series = series_of(f, "scale");
  assert_int_equal(series.points, 2);
  assert_int_equal(series.first_time, 1003);
  struct pawl_baseline_move *moves;
  size_t count;
  must(f, pawl_store_moves(f->store, &series, &f->arena, &moves, &count, &f->err));
  assert_int_equal(count, 4); /* the ratchet's line stays */
  assert_true(moves[3].to_ms == 4);
  must(f, pawl_store_detail(f->store, points[0].id, &result, &comparison, &f->err));
  assert_string_equal(
      json_string_value(json_object_get(json_object_get(result, "environment"), "host")), "here");
  json_decref(result);
  json_decref(comparison);
}

/* The run that goes is the newest of a series that stays, and the only one of another. */
static void test_a_removed_run_leaves_nothing(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {0};
  const struct pawl_series_choice lonely = {.kernel_name = "lonely"};
  struct pawl_point *points;
  struct pawl_series *series;
  size_t count;
  bool removed;
  struct pawl_history_run one = make_run(f, 1, 1000, 1), two = make_run(f, 2, 1001, 2);
  two.points[1].kernel_name = "lonely";
  add(f, &one);
  add(f, &two);
  for (int i = 0; i < 2; i++) { /* the first time the transaction fails */
    const enum pawl_status_code end = i ? PAWL_OK : PAWL_IO;
    pawl_store_begin(f->store);
    must(f, pawl_store_remove(f->store, "no such run", &removed, &f->err));
    assert_false(removed);
    must(f, pawl_store_remove(f->store, two.id, &removed, &f->err));
    assert_true(removed);
    assert_int_equal(pawl_store_end(f->store, end, &f->err), end);
    assert_int_equal(run_count(f), i ? 1 : 2);
    assert_int_equal(points_of(f, &all, &points), i ? 1 : 2);
    const struct pawl_series scale = series_of(f, "scale");
    assert_int_equal(scale.points, i ? 1 : 2);
    assert_int_equal(scale.last_time, i ? 1000 : 1001);
    must(f, pawl_store_series(f->store, &lonely, &f->arena, &series, &count, &f->err));
    assert_int_equal(count, i ? 0 : 1);
    struct pawl_baseline_move *moves;
    must(f, pawl_store_moves(f->store, &scale, &f->arena, &moves, &count, &f->err));
    assert_int_equal(count, i ? 1 : 2);
  }
  add(f, &two);
  assert_int_equal(series_of(f, "lonely").points, 1);
}

/* A run that a transaction adds before the removal counts once. */
static void test_a_run_is_replaced_in_one_transaction(void **state) {
  struct fixture *f = *state;
  bool removed;
  const struct pawl_history_run one = make_run(f, 1, 1000, 1), two = make_run(f, 2, 1002, 2),
                                three = make_run(f, 3, 1001, 3);
  add(f, &one);
  pawl_store_begin(f->store);
  must(f, pawl_store_add(f->store, &two, NULL, &f->err));
  must(f, pawl_store_remove(f->store, one.id, &removed, &f->err));
  must(f, pawl_store_add(f->store, &three, NULL, &f->err));
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  const struct pawl_series series = series_of(f, "scale");
  assert_int_equal(series.points, 2);
  assert_int_equal(series.first_time, 1001);
  assert_int_equal(series.last_time, 1002);
}

static void test_a_summary_is_kept_until_a_point_comes_or_goes(void **state) {
  struct fixture *f = *state;
  const struct pawl_prune old = {.before = 1000 + LEVEL};
  struct pawl_pruned pruned;
  add_two_levels(f);
  struct pawl_series_summary found = summary_of(f, NULL), kept = summary_of(f, NULL);
  assert_int_equal(found.change_count, 1);
  assert_int_equal(kept.change_count, 1);
  assert_true(found.changes[0].point == kept.changes[0].point && kept.changes[0].commits == LEVEL);
  assert_true(kept.points == 2 * LEVEL && kept.commits == 2 * LEVEL && kept.best == 1.001);
  assert_true(kept.noise_pct == found.noise_pct && kept.level == found.level);
  assert_true(kept.latest == found.latest && kept.recent_count == found.recent_count);
  assert_string_equal(kept.changes[0].commit, found.changes[0].commit);
  assert_string_equal(kept.line, "main");
  assert_int_equal(kept_summaries(f), 1);
  assert_int_equal(summary_of(f, "a name that a visitor made up").points, 0);
  assert_int_equal(kept_summaries(f), 1);
  const struct pawl_history_run run = make_run(f, 99, 2000, 0.5);
  add(f, &run);
  kept = summary_of(f, NULL);
  assert_true(kept.points == 2 * LEVEL + 1 && kept.latest == 0.5);
  must(f, pawl_store_prune(f->store, &old, &pruned, &f->err));
  kept = summary_of(f, NULL);
  assert_true(kept.points == LEVEL + 1 && kept.change_count == 0);
}

static void test_the_stamp_changes_with_the_contents(void **state) {
  struct fixture *f = *state, other = {.store = NULL};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text before = {0}, after = {0};
  memcpy(other.address, f->address, sizeof other.address);
  memcpy(other.folder, f->folder, sizeof other.folder);
  open_store(&other);
  for (int i = 0; i < 4; i++) {
    struct fixture *writer = i % 2 ? f : &other; /* itself, too */
    const struct pawl_history_run run = make_run(f, i, 1000 + i, 2);
    take_stamp(f, &before);
    must(f, pawl_store_add(writer->store, &run, NULL, &f->err));
    take_stamp(f, &after);
    assert_string_not_equal(before.data, after.data);
  }
  pawl_store_close(other.store);
}

static void test_old_samples_go_where_nothing_happened(void **state) {
  struct fixture *f = *state;
  struct pawl_prune what = {.before = 31 * DAY, .only_samples = true, .dry_run = true};
  struct pawl_pruned pruned, again;
  bool has[2 * LEVEL];
  add_days(f);
  must(f, pawl_store_prune(f->store, &what, &pruned, &f->err));
  samples_of(f, has);
  for (int i = 0; i < 2 * LEVEL; i++) assert_true(has[i]); /* it was a dry run */
  what.dry_run = false;
  must(f, pawl_store_prune(f->store, &what, &again, &f->err));
  assert_memory_equal(&pruned, &again, sizeof pruned);
  assert_int_equal(pruned.points, 30 - 4);
  assert_int_equal(pruned.runs, 30 - 4);
  assert_int_equal(pruned.spared, 4);
  assert_true(pruned.bytes > 0);
  samples_of(f, has);
  for (int i = 0; i < 2 * LEVEL; i++)
    assert_int_equal(has[i],
                     i >= 30 || i == REGRESSED || i == MOVED || i == LEVEL - 1 || i == LEVEL);
  assert_int_equal(summary_of(f, NULL).change_count, 1);
}

static void test_a_run_thins_once_a_day(void **state) {
  struct fixture *f = *state;
  struct pawl_pruned pruned;
  add_days(f);
  must(f, pawl_store_retain(f->store, 40 * DAY, 30, &pruned, &f->err));
  assert_int_equal(pruned.points, 9 - 1);
  must(f, pawl_store_retain(f->store, 41 * DAY - 1, 30, &pruned, &f->err));
  assert_int_equal(pruned.points, 0);
  must(f, pawl_store_retain(f->store, 41 * DAY, 30, &pruned, &f->err));
  assert_int_equal(pruned.points, 1);
}

static void test_a_part_has_the_changes_of_the_whole(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice newest = {.from = 1000 + 2 * LEVEL - 10, .limit = 100};
  add_two_levels(f);
  const struct pawl_trend part = trend_of(f, &newest);
  assert_int_equal(part.count, 5);
  assert_int_equal(part.summary.points, 2 * LEVEL);
  assert_int_equal(part.summary.change_count, 1);
  const struct pawl_series_change *change = &part.summary.changes[0];
  assert_int_equal(change->time, 1000 + LEVEL);
  assert_int_equal(change->at, 1000 + LEVEL - 5);
  assert_string_equal(change->commit, COMMIT_HEAD "00000015");
  assert_string_equal(change->previous_commit, COMMIT_HEAD "00000014");
}

/* The second of two levels is that of edits that nobody committed; `all`: the first too. */
static struct pawl_trend read_edits(struct fixture *f, bool all) {
  const struct pawl_trend_choice whole = {0};
  for (int i = 0; i < 2 * LEVEL; i++) {
    struct pawl_history_run run =
        make_run(f, i + 1, 1000 + i, (i < LEVEL ? 2 : 1) + 0.001 * (i % 3));
    run.dirty = all || i >= LEVEL;
    add(f, &run);
  }
  const struct pawl_trend trend = trend_of(f, &whole);
  assert_int_equal(trend.count, 2 * LEVEL);
  return trend;
}

static void test_uncommitted_runs_are_not_the_present(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend trend = read_edits(f, false);
  struct pawl_beside *beside;
  size_t count;
  assert_true(trend.summary.commits == LEVEL && !trend.summary.uncommitted);
  assert_true(trend.summary.best == 2.001 && trend.summary.level == 2.001);
  assert_int_equal(trend.summary.newest_at, 1000 + LEVEL - 1 - 5);
  assert_int_equal(trend.summary.change_count, 0);
  const struct pawl_series other = series_of(f, "other");
  must(f, pawl_store_beside(f->store, &other, &f->arena, &beside, &count, &f->err));
  assert_int_equal(beside[0].time, 1000 + LEVEL - 1);
}

static void test_uncommitted_runs_alone_are_shown(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend trend = read_edits(f, true);
  assert_true(trend.summary.commits == 2 * LEVEL && trend.summary.uncommitted);
  assert_true(trend.summary.best == 1.001 && trend.summary.change_count == 1);
  assert_int_equal(trend.summary.newest_at, 1000 + 2 * LEVEL - 1 - 5);
}

static void test_a_newer_history_is_left_alone(void **state) {
  struct fixture *f = *state;
  struct pawl_sql *sql = connect_to(f);
  must(f, pawl_sql_script(sql, "INSERT INTO pawl_schema (version) VALUES (99)", &f->err));
  sql->driver->close(sql);
  struct pawl_store *store = NULL;
  assert_int_equal(pawl_store_open(f->address, f->folder, NULL, &store, &f->err), PAWL_BAD_DATA);
  assert_non_null(strstr(f->err.message, "version 99"));
  assert_null(store);
}

static void test_every_older_version_is_brought_up_to_date(void **state) {
  struct fixture *f = *state;
  next_address(f);
  struct pawl_sql *sql = connect_to(f);
  struct pawl_text text = {0};
  must(f, pawl_file_read(PAWL_SOURCE_ROOT "/tests/data/history/version-1.sql", 1 << 20, &text,
                         &f->err));
  fill_in_types(&text, "{key}", sql->driver->key_type);
  fill_in_types(&text, "{blob}", sql->driver->blob_type);
  must(f, pawl_sql_script(sql, text.data, &f->err));
  pawl_text_clear(&text);
  sql->driver->close(sql);
  for (int i = 0; i < 2; i++) { /* the second time there is nothing to do */
    open_store(f);
    const struct pawl_trend_choice all = {0};
    struct pawl_point *points;
    assert_int_equal(points_of(f, &all, &points), 1);
    assert_true(points[0].value == 2.5);
    assert_string_equal(points[0].subject, "An old commit");
    if (!i) pawl_store_close(f->store);
  }
  int64_t *ids;
  size_t count;
  struct pawl_history_run back;
  must(f, pawl_store_runs(f->store, &f->arena, &ids, &count, &f->err));
  must(f, pawl_store_run(f->store, ids[0], &f->arena, f->owner, &back, &f->err));
  assert_int_equal(back.move_count, 1);
  assert_null(back.points[0].profile);
  assert_null(back.points[0].role);
  assert_true(isnan(back.points[0].base_sd_pct) && isnan(back.points[0].false_alarm));
  struct pawl_machine_run *machines;
  must(f, pawl_store_machines(f->store, 10, &f->arena, &machines, &count, &f->err));
  assert_int_equal(count, 0);
}

#define WRITERS 4
#define RUNS_EACH 20

static void test_several_writers(void **state) {
  struct fixture *f = *state;
  for (int i = 0; i < WRITERS; i++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child) continue;
    struct fixture mine = {.owner = json_array()};
    struct pawl_store *store = NULL;
    bool well = pawl_store_open(f->address, f->folder, NULL, &store, &mine.err) == PAWL_OK;
    for (int j = 0; well && j < RUNS_EACH; j++) {
      const struct pawl_history_run run = make_run(&mine, 1 + i * RUNS_EACH + j, 1000 + j, j);
      well = pawl_store_add(store, &run, NULL, &mine.err) == PAWL_OK;
    }
    if (!well) fprintf(stderr, "writer %d: %s\n", i, mine.err.message);
    pawl_store_close(store);
    _exit(well ? 0 : 1);
  }
  wait_for(WRITERS);
  assert_int_equal(run_count(f), WRITERS * RUNS_EACH);
  assert_int_equal(series_of(f, "other").points, WRITERS * RUNS_EACH);
}

#define FIRST_ONES 8

/* Nobody has made the tables yet, and all want to. */
static void test_several_open_a_new_history_at_once(void **state) {
  struct fixture *f = *state;
  next_address(f);
  for (int i = 0; i < FIRST_ONES; i++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child) continue;
    struct fixture mine = {.owner = json_array()};
    struct pawl_store *store = NULL;
    const struct pawl_history_run run = make_run(&mine, 1 + i, 1000 + i, 1);
    const bool well = pawl_store_open(f->address, f->folder, NULL, &store, &mine.err) == PAWL_OK &&
                      pawl_store_add(store, &run, NULL, &mine.err) == PAWL_OK;
    if (!well) fprintf(stderr, "process %d: %s\n", i, mine.err.message);
    pawl_store_close(store);
    _exit(well ? 0 : 1);
  }
  wait_for(FIRST_ONES);
  open_store(f);
  assert_int_equal(run_count(f), FIRST_ONES);
}

#define KILLS 20
#define MOST_RUNS_A_KILL 100000

/* Adds runs without end, and says after each that it is there. */
static void add_until_killed(struct fixture *f, int kill, int said) {
  struct pawl_store *store = NULL;
  if (pawl_store_open(f->address, f->folder, NULL, &store, &f->err) != PAWL_OK) _exit(1);
  for (int j = 0;; j++) {
    const int number = 1 + kill * MOST_RUNS_A_KILL + j;
    const struct pawl_history_run run = make_run(f, number, 1000 + j, j);
    if (pawl_store_add(store, &run, NULL, &f->err) != PAWL_OK) _exit(2);
    if (write(said, &number, sizeof number) != sizeof number) _exit(3);
  }
}

static void check_runs_are_whole(struct fixture *f, size_t said) {
  int64_t *ids;
  size_t count;
  struct pawl_history_run run;
  must(f, pawl_store_runs(f->store, &f->arena, &ids, &count, &f->err));
  assert_true(count >= said && count <= said + KILLS);
  for (size_t i = 0; i < count; i++) {
    must(f, pawl_store_run(f->store, ids[i], &f->arena, f->owner, &run, &f->err));
    assert_int_equal(run.point_count, 2);
    assert_int_equal(run.move_count, 1);
    assert_non_null(run.points[0].result);
  }
  size_t runs, points,
      tries = 0; /* a server may still commit what a dead client sent last, between two questions */
  do runs = (size_t)run_count(f), points = (size_t)series_of(f, "scale").points;
  while (runs != points && tries++ < 100 && !usleep(100000));
  assert_int_equal(points, runs);
}

/* Every run that was said to be there is there, and of others at most the one that was in flight:
 * whole or not at all.
 */
static void test_killed_at_any_instant(void **state) {
  struct fixture *f = *state;
  struct pawl_random random = pawl_random_init(7, 0);
  size_t said = 0;
  for (int i = 0; i < KILLS; i++) {
    int ends[2], number;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) add_until_killed(f, i, ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], &number, sizeof number), sizeof number); /* it is at work */
    said++;
    usleep(pawl_random_below(&random, 20000));
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    while (read(ends[0], &number, sizeof number) == sizeof number) said++;
    close(ends[0]);
  }
  check_runs_are_whole(f, said);
}

int main(int argc, char **argv) {
  if (argc != 2 || !strstr(argv[1], "%d")) {
    fputs("usage: test_store ADDRESS-WITH-%d\n", stderr);
    return 64;
  }
  address_pattern = argv[1];
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_gives_back_what_it_got),
      TEST(test_the_same_run_twice),
      TEST(test_the_noise_of_machines),
      TEST(test_what_stands_around_a_point),
      TEST(test_points),
      TEST(test_another_shape_is_another_series),
      TEST(test_details),
      TEST(test_prune),
      TEST(test_a_removed_run_leaves_nothing),
      TEST(test_a_run_is_replaced_in_one_transaction),
      TEST(test_a_summary_is_kept_until_a_point_comes_or_goes),
      TEST(test_a_part_has_the_changes_of_the_whole),
      TEST(test_the_order_is_that_of_commits),
      TEST(test_a_commit_moves_to_its_time),
      TEST(test_a_branch_is_not_the_line),
      TEST(test_a_note_is_on_its_change),
      TEST(test_a_note_follows_its_change_by_one_commit),
      TEST(test_notes_outlive_their_series),
      TEST(test_uncommitted_runs_are_not_the_present),
      TEST(test_uncommitted_runs_alone_are_shown),
      TEST(test_the_stamp_changes_with_the_contents),
      TEST(test_old_samples_go_where_nothing_happened),
      TEST(test_a_run_thins_once_a_day),
      TEST(test_all_or_none),
      TEST(test_a_large_run_keeps_nobody_waiting),
      TEST(test_the_same_run_from_two_writers),
      TEST(test_series_that_change_before_the_lock),
      TEST(test_a_commit_moves_within_a_transaction),
      TEST(test_a_large_run_that_fails_leaves_nothing),
      TEST(test_a_run_comes_in_parts),
      TEST(test_a_newer_history_is_left_alone),
      TEST(test_every_older_version_is_brought_up_to_date),
      TEST(test_several_writers),
      TEST(test_several_open_a_new_history_at_once),
      TEST(test_killed_at_any_instant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
