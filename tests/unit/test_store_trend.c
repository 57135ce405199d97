/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those before it */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "store/trend.h"

#define COUNT 10000

static struct pawl_figure figures[COUNT];
static bool keep[COUNT];

static void draw_a_wave(void) {
  for (size_t i = 0; i < COUNT; i++)
    figures[i] = (struct pawl_figure){.place = 1000 + (int64_t)i, .value = 10 + sin((double)i)};
}

static size_t kept(void) {
  size_t count = 0;
  for (size_t i = 0; i < COUNT; i++) count += keep[i];
  return count;
}

static void extremes_and_failures_stay(void **state) {
  (void)state;
  draw_a_wave();
  figures[1234].value = 99;
  figures[4321].value = 1;
  figures[5000].value = NAN;
  pawl_trend_thin(figures, COUNT, 300, keep);
  const size_t wanted[] = {0, 1234, 4321, 5000, COUNT - 1};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) assert_true(keep[wanted[i]]);
  assert_in_range(kept(), 200, 310);
}

static void a_few_points_stay_as_they_are(void **state) {
  (void)state;
  draw_a_wave();
  memset(keep, 0, sizeof keep);
  pawl_trend_thin(figures, 100, 100, keep);
  assert_int_equal(kept(), 100);
  pawl_trend_thin(figures, 0, 100, keep);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(extremes_and_failures_stay),
                                     cmocka_unit_test(a_few_points_stay_as_they_are)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
