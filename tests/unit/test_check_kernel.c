/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a kernel as a whole: which rows there are, and what becomes of kernels that crash,
   hang, refuse or come from elsewhere. Arguments: the plug-in of operator `scale`, the folder of
   the hostile kernels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "check/check.h"
#include "model/dtype.h"

static const char *operator_plugin, *kernel_folder;

struct fixture {
  struct pawl_oracle oracle;
  struct pawl_arena arena;
  int64_t sizes[8];
  struct pawl_axis axis;
  int32_t dtypes[2];
  struct pawl_check_spec spec;
  struct pawl_check_options options;
  struct pawl_worker_options worker;
};

static int setup(void **state) {
  struct fixture *f = pawl_alloc(1, sizeof *f);
  struct pawl_error err = {0};
  const struct pawl_oracle_options options = {.worker = {.name = "scale",
                                                         .driver = PAWL_DRIVER_PLUGIN,
                                                         .plugin = operator_plugin,
                                                         .timeout_seconds = 30}};
  if (pawl_oracle_init(&f->oracle, &options, &err) != PAWL_OK) fail_msg("%s", err.message);
  memcpy(f->sizes, (int64_t[]){500, 20, 300, 40, 1000}, 5 * sizeof *f->sizes);
  f->axis = (struct pawl_axis){"n", f->sizes, 5};
  f->dtypes[0] = PAWL_F32;
  f->spec = (struct pawl_check_spec){.operator_name = "scale",
                                     .axes = &f->axis,
                                     .axis_count = 1,
                                     .dtypes = f->dtypes,
                                     .dtype_count = 1,
                                     .atol = NAN,
                                     .rtol = NAN,
                                     .rel_rms = NAN};
  f->worker = (struct pawl_worker_options){.driver = PAWL_DRIVER_PLUGIN,
                                           .role = PAWL_ROLE_KERNEL,
                                           .timeout_seconds = 10,
                                           .memory_limit = 1 << 30};
  f->options = (struct pawl_check_options){
      .worker = &f->worker, .oracle = &f->oracle, .spec = &f->spec, .seed = 42, .threads = 1};
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  pawl_oracle_release(&f->oracle);
  pawl_arena_clear(&f->arena);
  pawl_free(f);
  return 0;
}

static pawl_status try_check(struct fixture *f, const char *kernel,
                             struct pawl_check_report *report, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *plugin =
      pawl_path_join(kernel_folder, pawl_arena_printf(&f->arena, "hostile_%s.so", kernel));
  f->worker.name = kernel;
  f->worker.plugin = plugin;
  return pawl_check_kernel(&f->options, &f->arena, report, err);
}

static struct pawl_check_report check(struct fixture *f, const char *kernel) {
  struct pawl_check_report report = {0};
  struct pawl_error err = {0};
  if (try_check(f, kernel, &report, &err) != PAWL_OK) fail_msg("%s", err.message);
  assert_int_equal(report.passed + report.failed + report.unsupported, report.count);
  return report;
}

static int64_t size_of(const struct pawl_check_row *row) { return row->config.dims[0].value; }

/* The edge shape, the three smallest with both distributions, the others with the first. */
static void test_rows_of_a_matrix(void **state) {
  struct fixture *f = *state;
  static const struct {
    int64_t n;
    const char *distribution;
  } expected[] = {{19, "normal"},  {20, "normal"}, {20, "ones"},    {40, "normal"},  {40, "ones"},
                  {300, "normal"}, {300, "ones"},  {500, "normal"}, {1000, "normal"}};
  const struct pawl_check_report report = check(f, "honest");
  assert_int_equal(report.count, 9);
  for (size_t i = 0; i < report.count; i++) {
    assert_int_equal(size_of(&report.rows[i]), expected[i].n);
    assert_string_equal(report.rows[i].distribution, expected[i].distribution);
    assert_int_equal(report.rows[i].outcome, PAWL_OUTCOME_OK);
    assert_int_equal(report.rows[i].seed, 42);
    assert_null(report.rows[i].reason);
    assert_true(report.rows[i].seconds > 0);
  }
  assert_int_equal(report.passed, 9);
  assert_true(report.total.known && report.total.passed && !report.reduced);
  assert_true(report.total.max_abs_error == 0 && report.total.correlation > 0.999);
}

static void test_reduced_keeps_the_smallest(void **state) {
  struct fixture *f = *state;
  f->options.reduced = true;
  const struct pawl_check_report report = check(f, "honest");
  assert_int_equal(report.count, 7);
  assert_true(report.reduced);
  for (size_t i = 0; i < report.count; i++) assert_true(size_of(&report.rows[i]) <= 300);
}

static void test_timed_cases_are_always_checked(void **state) {
  struct fixture *f = *state;
  struct pawl_dim one[] = {{"n", 777}}, known[] = {{"n", 20}};
  const struct pawl_case cases[] = {{"timed", "scale", one, 1, PAWL_F32},
                                    {"known", "scale", known, 1, PAWL_F32}};
  f->options.reduced = true;
  f->options.cases = cases;
  f->options.case_count = 2;
  struct pawl_check_report report = check(f, "honest");
  assert_int_equal(report.count, 8);
  assert_int_equal(size_of(&report.rows[7]), 777);
  assert_string_equal(report.rows[7].config.name, "timed");
  f->options.cases_only = true;
  report = check(f, "honest");
  assert_int_equal(report.count, 4); /* both cases, both small, with both distributions */
  assert_true(report.total.passed);
  f->spec.atol = f->spec.rtol = f->spec.rel_rms = -1; /* that nothing meets */
  report = check(f, "honest");
  assert_int_equal(report.failed, 4);
  f->options.spec = NULL;
  report = check(f, "honest");
  assert_int_equal(report.passed, 4);
}

static void test_dtypes(void **state) {
  struct fixture *f = *state;
  f->dtypes[1] = PAWL_F16;
  f->spec.dtype_count = 2;
  const struct pawl_check_report report = check(f, "prints"); /* it is right for f32 only */
  assert_int_equal(report.count, 18);
  for (size_t i = 0; i < 18; i++) {
    assert_int_equal(report.rows[i].config.dtype, i < 9 ? PAWL_F32 : PAWL_F16);
    assert_int_equal(report.rows[i].outcome == PAWL_OUTCOME_OK, i < 9);
  }
}

static void test_edge_that_the_operator_rejects(void **state) {
  struct fixture *f = *state;
  f->sizes[1] = 14; /* 13 is no size of the operator */
  assert_int_equal(check(f, "honest").count, 8);
}

static void test_refused_shapes_are_counted(void **state) {
  struct fixture *f = *state;
  f->sizes[1] = 7;
  struct pawl_check_report report = check(f, "honest");
  assert_int_equal(report.unsupported, 2);
  assert_int_equal(report.rows[1].outcome, PAWL_OUTCOME_UNSUPPORTED);
  assert_non_null(strstr(report.rows[1].reason, "n must not be 7"));
  assert_true(report.total.passed);
  f->sizes[1] = 8; /* 7 is the edge: refused without a word */
  report = check(f, "honest");
  assert_int_equal(report.count, 8);
  assert_int_equal(report.unsupported, 0);
  f->axis.values = (int64_t[]){7};
  f->axis.count = 1;
  report = check(f, "honest");
  assert_int_equal(report.unsupported, report.count);
  assert_false(report.total.known);
  assert_false(report.total.passed);
  assert_true(isnan(report.total.max_abs_error));
}

static void test_crashes_are_rows(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *kernel, *reason;
  } rows[] = {{"segfault", "SIGSEGV"},
              {"abort", "SIGABRT"},
              {"exit_zero", "exit"},
              {"error_number", "error_number"},
              {"undefined_symbol", "undefined"},
              {"crashes_on_load", ""}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const struct pawl_check_report report = check(f, rows[k].kernel);
    assert_int_equal(report.failed, 9);
    assert_false(report.total.passed);
    for (size_t i = 0; i < 9; i++) {
      assert_int_equal(report.rows[i].outcome, PAWL_OUTCOME_CRASHED);
      const char *reason = i < 3 ? rows[k].reason : "the kernel failed three times in a row";
      assert_int_equal(report.rows[i].not_run, i >= 3);
      if (!strstr(report.rows[i].reason, reason))
        fail_msg("%s: %s", rows[k].kernel, report.rows[i].reason);
    }
  }
}

static void test_hang_is_a_row(void **state) {
  struct fixture *f = *state;
  f->worker.timeout_seconds = 0.3;
  const struct pawl_check_report report = check(f, "hang");
  assert_int_equal(report.failed, 9);
  assert_non_null(strstr(report.rows[0].reason, "timed out"));
}

static void test_changed_inputs_are_rows(void **state) {
  struct fixture *f = *state;
  const struct pawl_check_report report = check(f, "changes_inputs");
  assert_int_equal(report.failed, 9);
  assert_int_equal(report.rows[0].outcome, PAWL_OUTCOME_WRONG);
  assert_non_null(strstr(report.rows[0].reason, "changed its input 'x'"));
}

static void test_bad_requests(void **state) {
  struct fixture *f = *state;
  struct pawl_check_report report = {0};
  struct pawl_error err = {0};
  f->axis.name = "m";
  assert_int_equal(try_check(f, "honest", &report, &err), PAWL_CONFIG);
  assert_non_null(strstr(err.message, "'m'"));
  assert_null(report.rows);
  f->axis.name = "n";
  f->dtypes[0] = PAWL_BF16;
  assert_int_equal(try_check(f, "honest", &report, &err), PAWL_CONFIG);
  struct pawl_axis axes[] = {f->axis, f->axis, f->axis, f->axis,
                             f->axis, f->axis, f->axis, f->axis};
  f->spec.axes = axes;
  f->spec.axis_count = 8;
  assert_int_equal(try_check(f, "honest", &report, &err), PAWL_CONFIG);
  assert_non_null(strstr(err.message, "100000"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(test_rows_of_a_matrix),
      TEST(test_reduced_keeps_the_smallest),
      TEST(test_timed_cases_are_always_checked),
      TEST(test_dtypes),
      TEST(test_edge_that_the_operator_rejects),
      TEST(test_refused_shapes_are_counted),
      TEST(test_crashes_are_rows),
      TEST(test_hang_is_a_row),
      TEST(test_changed_inputs_are_rows),
      TEST(test_bad_requests),
  };
  if (argc != 3) return 2;
  operator_plugin = argv[1];
  kernel_folder = argv[2];
  return cmocka_run_group_tests_name("check_kernel", tests, NULL, NULL);
}
