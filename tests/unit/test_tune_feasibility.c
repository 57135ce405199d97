/* SPDX-License-Identifier: Apache-2.0 */
/* Failures predict which untried configurations fail. pawl learns a region that fails, and the
   parameters that the region does not depend on. It avoids nothing because of failures that lie
   anywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/feasibility.h"
#include "tune/strategy.h"

#define AXES 4
#define SIZES \
  8 /* 1, 2, 4 ... of a block and of a tile, whose product is what a device has room for */
#define WORDS 3 /* values of each of two parameters that do not matter for failures */
#define CONFIGURATIONS (SIZES * SIZES * WORDS * WORDS)
#define MOST_ROOM 6 /* log2 of it */

static void make_space(struct pawl_arena *arena, struct pawl_space *space) {
  static const char *const sizes[SIZES] = {"1", "2", "4", "8", "16", "32", "64", "128"};
  static const char *const words[WORDS] = {"a", "b", "c"};
  static const char *const names[AXES] = {"block", "tile", "order", "cache"};
  struct pawl_tune_axis *axes = pawl_arena_alloc(arena, AXES, sizeof *axes);
  uint16_t(*all)[AXES] = pawl_arena_alloc(arena, CONFIGURATIONS, sizeof *all);
  struct pawl_error err = {0};
  for (size_t i = 0; i < AXES; i++) {
    axes[i] =
        (struct pawl_tune_axis){.name = names[i], .count = i < 2 ? SIZES : WORDS, .ordinal = i < 2};
    axes[i].values = pawl_arena_alloc(arena, axes[i].count, sizeof *axes[i].values);
    for (size_t j = 0; j < axes[i].count; j++)
      axes[i].values[j] = pawl_tune_value_of(i < 2 ? sizes[j] : words[j]);
  }
  for (uint16_t i = 0; i < CONFIGURATIONS; i++) {
    all[i][0] = i / (SIZES * WORDS * WORDS);
    all[i][1] = i / (WORDS * WORDS) % SIZES;
    all[i][2] = i / WORDS % WORDS;
    all[i][3] = i % WORDS;
  }
  assert_int_equal(pawl_space_of_list(space, axes, AXES, &all[0][0], CONFIGURATIONS, arena, &err),
                   PAWL_OK);
}

/* More than half of the space has no room, the best is beside its edge, and the other parameters
 * matter a little. */
static double time_of(const struct pawl_space *space, size_t index) {
  const uint16_t *at = pawl_space_at(space, index);
  if (at[0] + at[1] > MOST_ROOM) return NAN;
  return 1 + 0.1 * pow(at[0] - 4, 2) + 0.1 * pow(at[1] - 2, 2) + 0.03 * at[2] + 0.02 * at[3];
}

static bool fails_anywhere(size_t index) { return index * 2654435761u % 1000 < 300; }

struct learnt {
  struct pawl_arena arena;
  struct pawl_space space;
  struct pawl_prediction_pool pool;
  struct pawl_feasibility feasibility;
  struct pawl_search search;
};

static void begin(struct learnt *learnt) {
  const struct pawl_space *space = &learnt->space;
  struct pawl_error err = {0};
  make_space(&learnt->arena, &learnt->space);
  assert_int_equal(pawl_search_init(&learnt->search, space, "random", 1, &err), PAWL_OK);
  pawl_prediction_pool_init(&learnt->pool, space, space->count);
  for (size_t i = 0; i < space->count; i++)
    learnt->pool.indices[learnt->pool.count++] = (uint32_t)i;
  pawl_prediction_pool_encode(&learnt->pool);
  pawl_feasibility_init(&learnt->feasibility, &learnt->pool);
}

static void end(struct learnt *learnt) {
  pawl_feasibility_release(&learnt->feasibility);
  pawl_prediction_pool_release(&learnt->pool);
  pawl_search_release(&learnt->search);
  pawl_arena_clear(&learnt->arena);
}

static void tell(struct learnt *learnt, size_t index, double value) {
  pawl_search_tell(&learnt->search, index, value);
  pawl_feasibility_learn(&learnt->feasibility, &learnt->search, true);
}

static void test_a_region(void **state) {
  (void)state;
  struct learnt learnt = {0};
  double sums[2] = {0};
  size_t counts[2] = {0};
  begin(&learnt);
  for (int i = 0; i < 40; i++) {
    const size_t index = pawl_search_draw(&learnt.search);
    tell(&learnt, index, time_of(&learnt.space, index));
  }
  for (size_t i = 0; i < learnt.space.count; i++) {
    const uint16_t *at = pawl_space_at(&learnt.space, i);
    const int over = at[0] + at[1] - MOST_ROOM;
    if (pawl_search_is_tried(&learnt.search, i) || over == 0 || over == 1)
      continue; /* the edge may be missed by one */
    sums[over > 0] += pawl_feasibility_at(&learnt.feasibility, i);
    counts[over > 0]++;
  }
  assert_true(sums[0] / (double)counts[0] > 0.9);
  assert_true(sums[1] / (double)counts[1] < 0.1);
  end(&learnt);
}

/* Untried configurations look the same, whether they work or fail. */
static void test_anywhere(void **state) {
  (void)state;
  struct learnt learnt = {0};
  double sums[2] = {0};
  size_t counts[2] = {0};
  begin(&learnt);
  for (int i = 0; i < 100; i++) {
    const size_t index = pawl_search_draw(&learnt.search);
    tell(&learnt, index, fails_anywhere(index) ? NAN : 1);
  }
  for (size_t i = 0; i < learnt.space.count; i++) {
    if (pawl_search_is_tried(&learnt.search, i)) continue;
    sums[fails_anywhere(i)] += pawl_feasibility_at(&learnt.feasibility, i);
    counts[fails_anywhere(i)]++;
  }
  const double working = sums[0] / (double)counts[0], failing = sums[1] / (double)counts[1];
  assert_true(fabs(working - failing) < 0.1);
  assert_true(failing > 0.5);
  end(&learnt);
}

/* Two failures make their neighbours be avoided, and nothing that is far from both. */
static void test_few(void **state) {
  (void)state;
  struct learnt learnt = {0};
  begin(&learnt);
  const uint16_t corner[AXES] = {7, 7, 0, 0}, beside[AXES] = {7, 6, 0, 0}, far[AXES] = {0, 0, 2, 2};
  const uint16_t start[AXES] = {0, 0, 0, 0};
  tell(&learnt, pawl_space_find(&learnt.space, start), 1);
  tell(&learnt, pawl_space_find(&learnt.space, corner), NAN);
  assert_true(pawl_feasibility_at(&learnt.feasibility, pawl_space_find(&learnt.space, beside)) <
              0.7);
  assert_true(pawl_feasibility_at(&learnt.feasibility, pawl_space_find(&learnt.space, far)) > 0.9);
  end(&learnt);
}

/* Five failures, of which four are at one edge, have a process of their own; four do not. */
static void test_from_five(void **state) {
  (void)state;
  struct learnt learnt = {0};
  begin(&learnt);
  for (uint16_t i = 0; i < 5; i++) {
    const uint16_t works[AXES] = {0, i, 0, 0}, fails[AXES] = {7, i, 0, 0}, odd[AXES] = {0, 7, 2, 2};
    assert_false(learnt.feasibility.asks_failing);
    tell(&learnt, pawl_space_find(&learnt.space, works), 1);
    tell(&learnt, pawl_space_find(&learnt.space, i < 4 ? fails : odd), NAN);
  }
  assert_true(learnt.feasibility.asks_failing);
  end(&learnt);
}

/* The search learns where nothing works: 56 % of the space fail, and fewer of its questions until
   it has the best. The search that looked at neighbours alone asked 102 questions, of which 89 %
   failed. */
static void test_search(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  double failed = 0, asked = 0;
  make_space(&arena, &space);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct pawl_search search;
    struct pawl_error err = {0};
    assert_int_equal(pawl_search_init(&search, &space, "auto", seed, &err), PAWL_OK);
    for (bool found = false; !found; asked++) {
      const size_t index = pawl_search_next(&search);
      const double time = time_of(&space, index);
      failed += isnan(time) ? 1 : 0;
      found = time <= 1;
      pawl_search_tell(&search, index, time);
    }
    pawl_search_release(&search);
  }
  assert_true(asked / 20 < 40);
  assert_true(failed / asked < 0.6);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_region), cmocka_unit_test(test_anywhere), cmocka_unit_test(test_few),
      cmocka_unit_test(test_from_five), cmocka_unit_test(test_search)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
