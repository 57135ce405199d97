/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the order of a series, which test_store.c runs on every back end. */
#pragma once

#include "store_fixture.h"

/* Two levels, whose runs come in another order than their commits: the last ten commits of the
 * first level again, later. */
static void test_the_order_is_that_of_commits(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {0};
  add_two_levels(f);
  for (int i = 0; i < 10; i++) {
    struct pawl_history_run run = make_run(f, 11 + i, 9000 + i, 1.002);
    run.id = pawl_arena_printf(&f->arena, "%032x", 500 + i);
    run.commit_time = i % 2 ? -1 : 1000 + 10 + i - 5; /* the other runs of the commit know it */
    add(f, &run);
  }
  const struct pawl_trend trend = trend_of(f, &all);
  assert_int_equal(trend.count, 2 * LEVEL + 10);
  for (size_t i = 1; i < trend.count; i++)
    assert_true(trend.points[i].at >= trend.points[i - 1].at);
  assert_int_equal(trend.points[trend.count - 1].time, 1000 + 2 * LEVEL - 1);
  assert_int_equal(trend.summary.commits, 2 * LEVEL);
  assert_int_equal(trend.summary.change_count, 1);
  assert_string_equal(trend.summary.changes[0].commit, COMMIT_HEAD "00000015");
  const struct pawl_point *twice = &trend.points[11];
  assert_true(twice->place_runs == 2 && twice[-1].place_runs == 2 && twice->at == twice[-1].at);
  assert_true(twice->place_value == (twice->value + twice[-1].value) / 2);
}

/* A run tells the time of a commit that an earlier run did not know. */
static void test_a_commit_moves_to_its_time(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice all = {0};
  struct pawl_point *points;
  for (int i = 1; i <= 3; i++) {
    struct pawl_history_run run = make_run(f, i, 5000 + i, i);
    run.commit_time = i == 3 ? -1 : 100 * i;
    add(f, &run);
  }
  points_of(f, &all, &points);
  assert_true(points[0].value == 1 && points[2].value == 3 && points[2].at == 5003);
  assert_int_equal(summary_of(f, NULL).newest, points[2].id);
  struct pawl_history_run late = make_run(f, 3, 6000, 4);
  late.id = pawl_arena_printf(&f->arena, "%032x", 77);
  late.commit_time = 50;
  add(f, &late);
  assert_int_equal(points_of(f, &all, &points), 4);
  assert_true(points[0].value == 3 && points[1].value == 4 && points[3].value == 2);
  assert_true(points[0].at == 50 && points[1].at == 50);
  assert_int_equal(summary_of(f, NULL).newest, points[3].id);
}

/* A branch that is slower is no change of the line. */
static void test_a_branch_is_not_the_line(void **state) {
  struct fixture *f = *state;
  const struct pawl_trend_choice line = {0}, everything = {.others = true};
  struct pawl_branch *branches;
  size_t count;
  for (int i = 0; i < 3 * LEVEL; i++) {
    struct pawl_history_run run = make_run(f, i + 1, 1000 + i, 1 + 0.001 * (i % 3));
    if (i >= LEVEL && i < 2 * LEVEL) {
      run.branch = "pull";
      run.points[0].value = 1.2;
    } else if (i % 4 == 0) {
      run.branch = NULL; /* a run without a branch is of the line */
    }
    add(f, &run);
  }
  assert_int_equal(summary_of(f, NULL).change_count, 0);
  assert_int_equal(summary_of(f, NULL).points, 2 * LEVEL);
  assert_int_equal(summary_of(f, "pull").points, LEVEL);
  assert_int_equal(trend_of(f, &line).count, 2 * LEVEL);
  const struct pawl_trend all = trend_of(f, &everything);
  assert_int_equal(all.count, 3 * LEVEL);
  assert_true(!all.points[LEVEL].line && isnan(all.points[LEVEL].place_value));
  must(f, pawl_store_branches(f->store, series_of(f, "scale").id, &f->arena, &branches, &count,
                              &f->err));
  assert_true(count == 3 && !strcmp(branches[0].name, "main") && branches[1].points == LEVEL);
}
