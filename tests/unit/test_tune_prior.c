/* SPDX-License-Identifier: Apache-2.0 */
/* An earlier search of a kernel whose parameters were others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/prior.h"

/* A record of one parameter. */
static void make_line(const char *name, const char *const *values, const double *times,
                      size_t count, struct pawl_arena *arena, struct pawl_tune_record *out) {
  struct pawl_tune_axis *axis = pawl_arena_alloc(arena, 1, sizeof *axis);
  uint16_t *all = pawl_arena_alloc(arena, count, sizeof *all);
  struct pawl_error err = {0};
  *axis = (struct pawl_tune_axis){.name = name, .count = count, .ordinal = true};
  axis->values = pawl_arena_alloc(arena, count, sizeof *axis->values);
  *out = (struct pawl_tune_record){.times = pawl_arena_alloc(arena, count, sizeof(double))};
  for (size_t i = 0; i < count; i++) {
    axis->values[i] = pawl_tune_value_of(values[i]);
    all[i] = (uint16_t)i;
    out->times[i] = times[i];
  }
  assert_int_equal(pawl_space_of_list(&out->space, axis, 1, all, count, arena, &err), PAWL_OK);
}

/* A parameter that is new has had one value so far, the one that the code has. One that is gone
   leaves several times of one configuration. */
static void test_prior_of_other_parameters(void **state) {
  (void)state;
  static const char *const numbers[] = {"1", "2"};
  static const double times[] = {4, 3};
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_tune_record line, old;
  struct pawl_tune_prior prior;
  struct pawl_space space;
  make_line("A", numbers, times, 2, &arena, &line);
  const char *pads[] = {"0", "1"}, *sizes[] = {"1", "2"};
  struct pawl_tune_dimension dimensions[] = {{"A", {sizes, 2}}, {"PAD", {pads, 2}}};
  struct pawl_param_value present[] = {{"PAD", "1"}};
  const struct pawl_kernel_spec spec = {
      .name = "k", .tune = dimensions, .tune_count = 2, .params = present, .param_count = 1};
  assert_int_equal(pawl_space_init(&space, &spec, "pawl.yaml", &arena, &err), PAWL_OK);
  assert_int_equal(pawl_tune_prior(&line, "old.json", &space, NULL, &arena, &prior, &err),
                   PAWL_BAD_DATA);
  assert_int_equal(pawl_tune_prior(&line, "old.json", &space, &spec, &arena, &prior, &err),
                   PAWL_OK);
  assert_int_equal(prior.known_count, 2);
  assert_int_equal(prior.known[0].index, pawl_space_find_key(&space, "A=2,PAD=1"));
  old = (struct pawl_tune_record){.space = space, .times = (double[]){1, 1, 1, 1}};
  old.times[pawl_space_find_key(&space, "A=1,PAD=0")] = 2;
  old.times[pawl_space_find_key(&space, "A=1,PAD=1")] = 8;
  assert_int_equal(pawl_tune_prior(&old, "old.json", &line.space, NULL, &arena, &prior, &err),
                   PAWL_OK);
  assert_int_equal(prior.known_count, 2);
  assert_true(prior.known[0].time == 1 && fabs(prior.known[1].time - 4) < 1e-9);
  const struct pawl_kernel_spec fixed = {
      .name = "k", .params = present, .param_count = 1}; /* PAD=1 */
  assert_int_equal(pawl_tune_prior(&old, "old.json", &line.space, &fixed, &arena, &prior, &err),
                   PAWL_OK);
  assert_true(prior.known_count == 2 && prior.known[1].time == 8);
  line.current = "A=1,PAD=0"; /* it began with this, whatever the code has now */
  assert_int_equal(pawl_tune_prior(&line, "old.json", &space, &spec, &arena, &prior, &err),
                   PAWL_OK);
  assert_int_equal(prior.known[0].index, pawl_space_find_key(&space, "A=2,PAD=0"));
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_prior_of_other_parameters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
