/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants these first */
#include <cmocka.h>

#include "forge/baseline_merge.h"

/* --- two lines of moves --- */

static struct pawl_baseline_entry entry(const char *case_name, double ms, const char *commit) {
  return (struct pawl_baseline_entry){.kernel_name = "k",
                                      .case_name = case_name,
                                      .hardware = "h",
                                      .median_ms = ms,
                                      .git_commit = commit};
}

static double merged_ms(double base_ms, double ours_ms, double theirs_ms, size_t *changed) {
  struct pawl_baseline_entry b = entry("c", base_ms, "b"),
                             o = entry("c", ours_ms, ours_ms == base_ms ? "b" : "o"),
                             t = entry("c", theirs_ms, theirs_ms == base_ms ? "b" : "t");
  const struct pawl_baseline base = {.entries = &b, .count = base_ms > 0},
                             ours = {.entries = &o, .count = ours_ms > 0},
                             theirs = {.entries = &t, .count = theirs_ms > 0};
  struct pawl_arena arena = {0};
  struct pawl_baseline merged;
  const struct pawl_baseline_entry *first;
  pawl_baseline_merge(&base, &ours, &theirs, &arena, &merged, changed, &first);
  assert_int_equal(merged.count, 1);
  assert_true((first != NULL) == (*changed > 0));
  const double ms = merged.entries[0].median_ms;
  pawl_arena_clear(&arena);
  return ms;
}

static void test_merge(void **state) {
  (void)state;
  size_t changed;
  assert_true(merged_ms(9, 9, 9, &changed) == 9 && changed == 0); /* nobody moved */
  assert_true(merged_ms(9, 7, 9, &changed) == 7 && changed == 1); /* we did */
  assert_true(merged_ms(9, 9, 7, &changed) == 7 && changed == 0); /* they did */
  assert_true(merged_ms(9, 7, 8, &changed) == 7 && changed == 1); /* both: the faster */
  assert_true(merged_ms(9, 8, 7, &changed) == 7 && changed == 0);
  assert_true(merged_ms(0, 7, 8, &changed) == 7 && changed == 1); /* both new */
  assert_true(merged_ms(0, 8, 0, &changed) == 8 && changed == 1); /* new, theirs has none */
  assert_true(merged_ms(7, 9, 7, &changed) == 9 && changed == 1); /* a loss that we accepted */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_merge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
