/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of writers that take turns, which test_store.c runs on every back end. */
#pragma once

#include <sys/wait.h>

#include "store/store_handle.h"
#include "store_fixture.h"

static void test_all_or_none(void **state) {
  struct fixture *f = *state;
  const struct pawl_history_run one = make_run(f, 1, 1000, 1), two = make_run(f, 2, 1001, 2);
  pawl_store_begin(f->store);
  must(f, pawl_store_add(f->store, &one, NULL, &f->err));
  must(f, pawl_store_add(f->store, &two, NULL, &f->err));
  assert_int_equal(pawl_store_end(f->store, PAWL_BAD_DATA, &f->err), PAWL_BAD_DATA);
  assert_int_equal(run_count(f), 0);
  add(f, &one);
  assert_int_equal(run_count(f), 1);
}

#define MANY 2500 /* points that leave the memory for temporary tables */

/* Opens the history again, as another process would. */
static struct pawl_store *open_second(struct fixture *f) {
  struct pawl_store *store;
  must(f, pawl_store_open(f->address, f->folder, NULL, &store, &f->err));
  return store;
}

/* Begins a large run, whose points are of new series and, now and then, of "other". */
static struct pawl_history_run begin_large(struct fixture *f) {
  struct pawl_history_run run = make_run(f, 1, 1000, 1);
  bool added = false;
  pawl_store_begin(f->store);
  must(f, pawl_store_add(f->store, &run, &added, &f->err));
  assert_true(added);
  for (int i = 0; i < MANY; i++) {
    struct pawl_history_point point = run.points[i % 2];
    if (i % 100) point.kernel_name = pawl_arena_printf(&f->arena, "k%d", i);
    point.value = i;
    must(f, pawl_store_add_point(f->store, &run, &point, &f->err));
  }
  return run;
}

/* Checks that each point of the large run is in the series of its name, with its details. */
static void check_large(struct fixture *f) {
  PAWL_CLEANUP(pawl_json_release) json_t *owner = json_array();
  struct pawl_history_run part;
  int64_t *ids;
  size_t count, points = 0;
  must(f, pawl_store_runs(f->store, &f->arena, &ids, &count, &f->err));
  for (size_t i = 0; i < count; i++) {
    must(f, pawl_store_run(f->store, ids[i], &f->arena, owner, &part, &f->err));
    if (part.time != 1000) continue; /* another run */
    assert_true(part.point_count <= (size_t)f->store->most_points);
    for (size_t j = 0; j < part.point_count; j++) {
      const struct pawl_history_point *point = &part.points[j];
      const int number = (int)points++ - 2;
      const char *name = pawl_arena_printf(&f->arena, "k%d", number);
      if (number < 0) continue; /* the points that make_run() gives */
      assert_string_equal(point->kernel_name, number % 100 ? name : "scale");
      assert_true(point->value == number && (point->result != NULL) == (number % 2 == 0));
    }
  }
  assert_int_equal(points, 2 + MANY);
}

/* The second writer does not wait, so it adds its run, with new series, before the first one. */
static void test_a_large_run_keeps_nobody_waiting(void **state) {
  struct fixture *f = *state;
  struct pawl_store *second = open_second(f);
  begin_large(f);
  struct pawl_sql *sql = connect_to(f);
  must(f, pawl_sql_script(sql, sql->driver->hurry, &f->err));
  must(f, pawl_sql_script(sql, sql->driver->begin, &f->err));
  must(f, pawl_sql_script(sql, "ROLLBACK", &f->err));
  sql->driver->close(sql);
  struct pawl_history_run quick = make_run(f, 2, 2000, 3);
  quick.points[1].kernel_name = "k7";
  must(f, pawl_store_add(second, &quick, NULL, &f->err));
  pawl_store_close(second);
  assert_int_equal(run_count(f), 1);
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  assert_int_equal(pawl_store_added(f->store).points, 2 + MANY);
  assert_int_equal(run_count(f), 2);
  check_large(f);
  const struct pawl_series shared = series_of(f, "scale"), k7 = series_of(f, "k7");
  assert_int_equal(shared.points, 2 + MANY / 100);
  assert_int_equal(k7.points, 2);
  assert_true(k7.first_time == 1000 && k7.last_time == 2000 && k7.version == 2);
}

/* Another writer adds the same run first. The history keeps it once, and another run of the same
 * transaction comes in. */
static void test_the_same_run_from_two_writers(void **state) {
  struct fixture *f = *state;
  struct pawl_store *second = open_second(f);
  const struct pawl_history_run large = begin_large(f), two = make_run(f, 2, 1001, 2);
  must(f, pawl_store_add(f->store, &two, NULL, &f->err));
  must(f, pawl_store_add(second, &large, NULL, &f->err));
  pawl_store_close(second);
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  const struct pawl_store_added added = pawl_store_added(f->store);
  assert_true(added.runs == 1 && added.points == 2 && added.known == 1);
  assert_int_equal(run_count(f), 2);
  assert_int_equal(series_of(f, "scale").points, 2);
  const struct pawl_series series = series_of(f, "other");
  assert_true(series.points == 2 && series.version == 2);
  struct pawl_baseline_move *moves;
  size_t count;
  const struct pawl_series scale = series_of(f, "scale");
  must(f, pawl_store_moves(f->store, &scale, &f->arena, &moves, &count, &f->err));
  assert_int_equal(count, 2);
  must(f, pawl_store_series(f->store, &(struct pawl_series_choice){.kernel_name = "k7"}, &f->arena,
                            &(struct pawl_series *){NULL}, &count, &f->err));
  assert_int_equal(count, 0);
}

/* A transaction that fails leaves nothing, and the next one does not see its rows. */
static void test_a_large_run_that_fails_leaves_nothing(void **state) {
  struct fixture *f = *state;
  begin_large(f);
  assert_int_equal(pawl_store_end(f->store, PAWL_BAD_DATA, &f->err), PAWL_BAD_DATA);
  assert_int_equal(run_count(f), 0);
  begin_large(f);
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  check_large(f);
}

/* The second run of a transaction tells the time of the first one's commit. */
static void test_a_commit_moves_within_a_transaction(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {0};
  struct pawl_point *points;
  struct pawl_history_run first = make_run(f, 1, 5000, 1), second = make_run(f, 2, 6000, 2);
  first.commit_time = -1;
  second.commit = first.commit;
  second.commit_time = 50;
  pawl_store_begin(f->store);
  add(f, &first);
  add(f, &second);
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  assert_int_equal(points_of(f, &all, &points), 2);
  assert_true(points[0].at == 50 && points[1].at == 50);
  assert_true(points[0].value == 1 && points[1].value == 2);
}

#define HELD 300000 /* microseconds, in which the first writer looks up its series and waits */

/* Removes the only run of "k5" and adds one of "k7", while the first writer waits for the lock. */
static void change_series(struct fixture *f, int ready) {
  struct fixture mine = {.owner = json_array()};
  struct pawl_store *store = NULL;
  bool removed = false;
  struct pawl_history_run quick = make_run(&mine, 2, 2000, 3);
  quick.points[1].kernel_name = "k7";
  if (pawl_store_open(f->address, f->folder, NULL, &store, &mine.err) != PAWL_OK) _exit(1);
  pawl_store_begin(store);
  enum pawl_status_code status =
      pawl_store_remove(store, pawl_arena_printf(&mine.arena, "%032x", 3), &removed, &mine.err);
  if (write(ready, "", 1) != 1) _exit(2);
  usleep(HELD);
  if (status == PAWL_OK) status = pawl_store_add(store, &quick, NULL, &mine.err);
  status = pawl_store_end(store, status, &mine.err);
  pawl_store_close(store);
  _exit(status == PAWL_OK && removed ? 0 : 3);
}

/* A series goes and another comes, with the same key, between the look-up and the lock. */
static void test_series_that_change_before_the_lock(void **state) {
  struct fixture *f = *state;
  int ends[2], status;
  char byte;
  struct pawl_history_run three = make_run(f, 3, 900, 1);
  three.points[1].kernel_name = "k5";
  add(f, &three);
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) change_series(f, ends[1]);
  begin_large(f);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  close(ends[0]);
  close(ends[1]);
  check_large(f);
  const struct pawl_series k5 = series_of(f, "k5"), k7 = series_of(f, "k7");
  assert_true(k5.points == 1 && k5.first_time == 1000 && k7.points == 2 && k7.first_time == 1000);
}

#define PART 5
#define PARTS ((2 + MANY + PART - 1) / PART)

static void land_parts(struct fixture *f) {
  f->store = open_second(f);
  f->store->most_points = PART;
  begin_large(f);
  _exit(pawl_store_end(f->store, PAWL_OK, &f->err) == PAWL_OK ? 0 : 1);
}

/* Many points come in parts, and other writers get their turn between two of them. Where a kill
 * ends them, the same run adds the parts that are missing. */
static void test_a_run_comes_in_parts(void **state) {
  struct fixture *f = *state;
  struct pawl_baseline_move *moves;
  size_t count;
  bool removed = false;
  int status;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) land_parts(f);
  while (!run_count(f)) usleep(1000);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  f->store->most_points = PART;
  const struct pawl_history_run run = begin_large(f);
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  const struct pawl_store_added added = pawl_store_added(f->store);
  assert_true(added.runs == 1 && added.known == 0); /* a run counts once, with its last part */
  assert_true(added.points > 0 && added.points < 2 + MANY);
  assert_int_equal(run_count(f), PARTS);
  check_large(f);
  const struct pawl_series scale = series_of(f, "scale");
  assert_int_equal(scale.points, 1 + MANY / 100);
  must(f, pawl_store_moves(f->store, &scale, &f->arena, &moves, &count, &f->err));
  assert_int_equal(count, 1);
  pawl_store_begin(f->store);
  must(f, pawl_store_remove(f->store, run.id, &removed, &f->err));
  must(f, pawl_store_end(f->store, PAWL_OK, &f->err));
  assert_true(removed);
  assert_int_equal(run_count(f), 0);
}
