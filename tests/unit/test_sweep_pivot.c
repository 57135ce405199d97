/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a sweep's texts have a row for each shape, and leave out what all shapes share. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/pivot.h"

static struct pawl_sweep_point points[] = {{.case_name = "B=8,S=512,dtype=f16", .device = "cuda"},
                                           {.case_name = "B=4,S=1024,dtype=f16", .device = "cuda"}};
static struct pawl_sweep_arm arms[] = {
    {.name = "ours"}, {.name = "theirs", .reference = true}, {.name = "other", .reference = true}};
static struct pawl_sweep sweep = {
    .plan = {.arms = arms, .arm_count = 3, .points = points, .point_count = 2}};

static struct pawl_sweep_claim claim_of(int point, const char *reference,
                                        enum pawl_sweep_verdict verdict, double speedup) {
  return (struct pawl_sweep_claim){.kernel = "ours",
                                   .reference = reference,
                                   .case_name = points[point].case_name,
                                   .device = "cuda",
                                   .verdict = verdict,
                                   .speedup = speedup,
                                   .cliffs_delta = 2 * (speedup - 1),
                                   .detectable = 0.0042,
                                   .low = speedup - 0.01,
                                   .high = speedup + 0.01};
}

static void test_speedups(void **state) {
  (void)state;
  struct pawl_sweep_claim list[] = {
      claim_of(0, "theirs", PAWL_SWEEP_FASTER, 1.5), claim_of(1, "theirs", PAWL_SWEEP_UNDECIDED, 1),
      claim_of(0, "other", PAWL_SWEEP_FAILED, NAN), claim_of(1, "other", PAWL_SWEEP_SLOWER, 0.8)};
  struct pawl_sweep_claims claims = {.claims = list, .claim_count = 4};
  const struct pawl_sweep_view view = {&sweep, &claims};
  struct pawl_arena arena = {0};
  struct pawl_sweep_grid grid;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  assert_int_equal(pawl_sweep_count_kernels(&claims), 1);
  assert_string_equal(pawl_sweep_pivot_claims(&view, 0, false, &arena, &grid), "ours");
  assert_string_equal(pawl_sweep_common_sizes(&sweep.plan, &arena), "dtype=f16");
  pawl_sweep_grid_markdown(&grid, &text);
  assert_string_equal(text.data,
                      "| shape | theirs | other |\n|---|---:|---:|\n"
                      "| B=8,S=512 | 1.500 (1.490 to 1.510) | failed |\n"
                      "| B=4,S=1024 | 1.000 (0.990 to 1.010), not decided | 0.800 "
                      "(0.790 to 0.810) |\n");
  pawl_text_clear(&text);
  assert_string_equal(pawl_sweep_pivot_claims(&view, 0, true, &arena, &grid), "ours");
  pawl_sweep_grid_markdown(&grid, &text);
  assert_string_equal(text.data,
                      "| shape | theirs | other |\n|---|---:|---:|\n"
                      "| B=8,S=512 | 0.42 %, +1.000 |  |\n"
                      "| B=4,S=1024 | 0.42 %, +0.000 | 0.42 %, -0.400 |\n");
  pawl_arena_clear(&arena);
}

static void test_times(void **state) {
  (void)state;
  struct pawl_sweep_time list[] = {
      {.arm = "ours", .case_name = points[0].case_name, .device = "cuda", .median_ms = 0.25},
      {.arm = "theirs",
       .case_name = points[0].case_name,
       .device = "cuda",
       .median_ms = NAN,
       .outcome = PAWL_OUTCOME_UNSUPPORTED}};
  struct pawl_sweep_claims claims = {.times = list, .time_count = 2};
  const struct pawl_sweep_view view = {&sweep, &claims};
  struct pawl_arena arena = {0};
  struct pawl_sweep_grid grid;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_sweep_pivot_times(&view, false, &arena, &grid);
  pawl_sweep_grid_html(&grid, &text);
  assert_non_null(
      strstr(text.data, "<tr><td>B=8,S=512</td><td>0.25</td><td>unsupported</td></tr>"));
  pawl_sweep_pivot_times(&view, true, &arena, &grid);
  assert_int_equal(grid.rows, 1); /* no rate is known */
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_speedups), cmocka_unit_test(test_times)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
