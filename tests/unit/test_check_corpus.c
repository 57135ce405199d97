/* SPDX-License-Identifier: Apache-2.0 */
/* The checker checked: every kernel of the corpus of wrong ones fails, for the reason that it was
   made to, and honest ones pass. Arguments: the attention operator's plug-in, the folder of the
   kernels' plug-ins. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "check/check.h"
#include "model/dtype.h"

static const char *operator_plugin, *kernel_folder;

struct row {
  const char *kernel;
  const char *reason; /* part of the reason of one failing row; NULL: all rows pass */
  const char *
      spares; /* a distribution whose rows must pass: why the others are tried at all; NULL: none */
  int32_t dtype; /* PAWL_DTYPE_NONE: f32 and f16 */
  bool causal;
};

static const struct row corpus[] = {
    {"honest", NULL, NULL, PAWL_DTYPE_NONE, false},
    {"honest", NULL, NULL, PAWL_BF16, false},
    {"honest", NULL, NULL, PAWL_DTYPE_NONE, true},
    {"sdpa_cpu", NULL, NULL, PAWL_DTYPE_NONE, false},
    {"sdpa_cpu_fast", NULL, NULL, PAWL_DTYPE_NONE, false},
    {"sdpa_cpu_fast", NULL, NULL, PAWL_BF16, true},
    {"zeros", "'o' is 0 everywhere", NULL, PAWL_DTYPE_NONE, false},
    {"constant_mean", "everywhere, but the expected values are", NULL, PAWL_DTYPE_NONE, false},
    {"mean_of_values", "out of tolerance", NULL, PAWL_DTYPE_NONE, false},
    {"copy_of_input", "out of tolerance", NULL, PAWL_DTYPE_NONE, false},
    {"one_tile_wrong", "out of tolerance", NULL, PAWL_DTYPE_NONE, false},
    {"last_row_missing", "are unwritten or NaN", NULL, PAWL_DTYPE_NONE, false},
    {"weights_in_bf16", "imprecise", NULL, PAWL_F16, false},
    {"accumulated_in_f16", "imprecise", NULL, PAWL_F16, false},
    {"inputs_in_tf32", "out of tolerance", NULL, PAWL_F32, false},
    {"stale_workspace", "unwritten or NaN", NULL, PAWL_F32, false},
    {"reads_output", "unwritten or NaN", NULL, PAWL_F32, false},
    {"input_overwritten", "changed its input 'q'", NULL, PAWL_DTYPE_NONE, false},
    {"nan_element", "not finite", NULL, PAWL_DTYPE_NONE, false},
    {"tile_edge_key", "out of tolerance", NULL, PAWL_F32, false},
    {"tile_edge_row", "out of tolerance", NULL, PAWL_F32, false},
    {"cached_by_pointer", "half of the inputs in place", NULL, PAWL_F32, false},
    {"cached_by_first_content", "second half of the inputs in place", NULL, PAWL_F32, false},
    {"cached_by_last_content", "first half of the inputs in place", NULL, PAWL_F32, false},
    {"stale_shape", "out of tolerance", NULL, PAWL_F32, false},
    {"uninitialised_read", "", NULL, PAWL_F32, false},
    {"nondeterministic", "the same inputs gave different bits", NULL, PAWL_F32, false},
    {"late_writer", "", NULL, PAWL_F32, false},
    {"late_rewriter", "", NULL, PAWL_F32, false},
    {"late_flipper", "", NULL, PAWL_F32, false},
    {"late_poisoner", "its input", NULL, PAWL_F32, false},
    {"causal_ignored", "out of tolerance", NULL, PAWL_F32, true},
    {"causal_too_wide", "out of tolerance", NULL, PAWL_F32, true},
    {"causal_too_narrow", "out of tolerance", NULL, PAWL_F32, true},
    {"scale_missing", "out of tolerance", NULL, PAWL_F32, false},
    {"heads_transposed", "out of tolerance", NULL, PAWL_F32, false},
    {"whole_tiles_only", "out of tolerance", NULL, PAWL_F32, false},
    {"overflows", "unwritten or NaN", "normal", PAWL_F16, false},
    {"first_tile_maximum", "unwritten or NaN", "normal", PAWL_F16, false},
    {"clamped_scores", "out of tolerance", "normal", PAWL_F32, false},
    {"beyond_the_end", "the byte 1 past the end of 'o'", NULL, PAWL_F32, false},
    {"before_the_beginning", "before the beginning of 'o'", NULL, PAWL_F32, false},
    {"reads_beyond_the_end", "not finite", NULL, PAWL_F32, false},
    {"last_batch_copied", "out of tolerance", NULL, PAWL_DTYPE_NONE, false},
    {"last_column_repeated", "out of tolerance", NULL, PAWL_DTYPE_NONE, false},
    {"first_call_only", "the same inputs gave different bits", NULL, PAWL_F32, false},
    {"small_weights_dropped", "out of tolerance", NULL, PAWL_F32, false},
    {"biased", "out of tolerance", NULL, PAWL_F32, false},
    {"rounding_left_changed", "the same inputs gave different bits", NULL, PAWL_F32, false},
    {"other_input_overwritten", "", NULL, PAWL_F32, false},
};

struct fixture {
  struct pawl_oracle oracle;
  struct pawl_arena arena;
};

static int start_oracle(void **state) {
  struct fixture *f = pawl_alloc(1, sizeof *f);
  struct pawl_error err = {0};
  const struct pawl_oracle_options options = {.worker = {.name = "attention",
                                                         .driver = PAWL_DRIVER_PLUGIN,
                                                         .plugin = operator_plugin,
                                                         .timeout_seconds = 60}};
  if (pawl_oracle_init(&f->oracle, &options, &err) != PAWL_OK) fail_msg("%s", err.message);
  *state = f;
  return 0;
}

static int stop_oracle(void **state) {
  struct fixture *f = *state;
  pawl_oracle_release(&f->oracle);
  pawl_arena_clear(&f->arena);
  pawl_free(f);
  return 0;
}

static void check(struct fixture *f, const struct row *row, struct pawl_check_report *report) {
  int64_t b[] = {2}, h[] = {3}, s[] = {48, 72, 100}, d[] = {16}, causal[] = {row->causal};
  struct pawl_axis axes[] = {
      {"B", b, 1}, {"H", h, 1}, {"S", s, 3}, {"D", d, 1}, {"causal", causal, 1}};
  int32_t both[] = {PAWL_F32, PAWL_F16}, one[] = {row->dtype};
  const struct pawl_check_spec spec = {.operator_name = "attention",
                                       .axes = axes,
                                       .axis_count = 5,
                                       .dtypes = row->dtype ? one : both,
                                       .dtype_count = row->dtype ? 1 : 2,
                                       .atol = NAN,
                                       .rtol = NAN,
                                       .rel_rms = NAN};
  const char *name = pawl_arena_printf(&f->arena, "%s.so", row->kernel);
  PAWL_CLEANUP(pawl_free_pointer) char *plugin = pawl_path_join(kernel_folder, name);
  const struct pawl_worker_options worker = {.driver = PAWL_DRIVER_PLUGIN,
                                             .role = PAWL_ROLE_KERNEL,
                                             .name = row->kernel,
                                             .plugin = plugin,
                                             .timeout_seconds = 30};
  const struct pawl_check_options options = {
      .worker = &worker, .oracle = &f->oracle, .spec = &spec, .seed = 42, .threads = 2};
  struct pawl_error err = {0};
  if (pawl_check_kernel(&options, &f->arena, report, &err) != PAWL_OK)
    fail_msg("%s: %s", row->kernel, err.message);
}

static void require_honest(const struct row *row, const struct pawl_check_report *report) {
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_check_row *r = &report->rows[i];
    if (r->outcome != PAWL_OUTCOME_OK)
      fail_msg("honest '%s' failed on %s, %s: %s", row->kernel, r->config.name, r->distribution,
               r->reason);
    assert_true(r->errors.passed && r->errors.correlation > 0.99);
  }
  assert_true(report->total.known && report->total.passed);
  assert_true(report->total.max_abs_error > 0 && report->total.rel_rms_error > 0);
}

static void require_wrong(const struct row *row, const struct pawl_check_report *report) {
  const char *first = NULL;
  bool as_meant = false;
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_check_row *r = &report->rows[i];
    if (r->outcome == PAWL_OUTCOME_OK) continue;
    if (!first) first = r->reason;
    as_meant = as_meant || strstr(r->reason, row->reason);
    if (row->spares && !strcmp(row->spares, r->distribution))
      fail_msg("'%s' was to pass with %s: %s", row->kernel, r->distribution, r->reason);
  }
  assert_false(report->total.passed);
  if (!first) fail_msg("'%s' passed", row->kernel);
  if (!as_meant) fail_msg("'%s' failed for another reason: %s", row->kernel, first);
  printf("%-24s %2zu of %2zu rows failed: %s\n", row->kernel, report->failed, report->count, first);
}

static void test_corpus(void **state) {
  struct fixture *f = *state;
  for (size_t i = 0; i < sizeof corpus / sizeof *corpus; i++) {
    struct pawl_check_report report;
    check(f, &corpus[i], &report);
    assert_int_equal(report.passed + report.failed + report.unsupported, report.count);
    assert_true(report.count >= 19);
    if (corpus[i].reason)
      require_wrong(&corpus[i], &report);
    else
      require_honest(&corpus[i], &report);
  }
}

/* Another kernel as the oracle: honest ones pass in FP32, wrong ones fail as before, a wrong oracle
 * is noticed. */
static void test_reference_as_oracle(void **state) {
  struct fixture *f = *state;
  PAWL_CLEANUP(pawl_free_pointer) char *honest = pawl_path_join(kernel_folder, "honest.so");
  PAWL_CLEANUP(pawl_free_pointer) char *wrong = pawl_path_join(kernel_folder, "one_tile_wrong.so");
  struct pawl_worker_options reference = {.driver = PAWL_DRIVER_PLUGIN,
                                          .role = PAWL_ROLE_KERNEL,
                                          .name = "reference",
                                          .plugin = honest,
                                          .timeout_seconds = 30};
  const struct row fast = {"sdpa_cpu_fast", NULL, NULL, PAWL_F32, false};
  const struct row tile = {"one_tile_wrong", "out of tolerance", NULL, PAWL_F32, false};
  const struct row victim = {"honest", "out of tolerance", NULL, PAWL_F32, false};
  struct pawl_check_report report;
  pawl_oracle_use_reference(&f->oracle, &reference, "reference");
  check(f, &fast, &report);
  require_honest(&fast, &report);
  check(f, &tile, &report);
  require_wrong(&tile, &report);
  reference.plugin = wrong;
  pawl_oracle_use_reference(&f->oracle, &reference, "reference");
  check(f, &victim, &report);
  require_wrong(&victim, &report);
  pawl_oracle_use_reference(&f->oracle, NULL, NULL);
  check(f, &fast, &report);
  require_honest(&fast, &report);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_corpus, start_oracle, stop_oracle),
      cmocka_unit_test_setup_teardown(test_reference_as_oracle, start_oracle, stop_oracle)};
  if (argc != 3) return 2;
  operator_plugin = argv[1];
  kernel_folder = argv[2];
  return cmocka_run_group_tests_name("check_corpus", tests, NULL, NULL);
}
