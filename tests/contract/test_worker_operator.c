/* SPDX-License-Identifier: Apache-2.0 */
/* One suite for operators behind both drivers that can hold one: a plug-in and a protocol command.
   Arguments: the folder of the test plug-ins, scale_operator.py. */
#include <stdio.h>

#include "scale_fixture.h"

static const char *plugins, *script;

static pawl_status start_with(struct fixture *f, enum pawl_worker_driver driver,
                              const char *plugin) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", plugins, plugin);
  const char *argv[] = {"python3", script, NULL};
  const struct pawl_worker_options options = {.driver = driver,
                                              .role = PAWL_ROLE_OPERATOR,
                                              .name = "scale",
                                              .plugin = path,
                                              .argv = argv,
                                              .tensors = &f->tensors,
                                              .expected = &f->expected,
                                              .memory_limit = (uint64_t)1 << 30,
                                              .timeout_seconds = 20};
  return pawl_worker_start(&f->worker, &options, &f->err);
}

static void start(struct fixture *f, void **state) {
  fixture_init(f);
  const enum pawl_worker_driver driver = *(enum pawl_worker_driver *)*state;
  if (start_with(f, driver, "test_operator.so")) fail_msg("%s", f->err.message);
}

static void describes_itself(void **state) {
  struct fixture f;
  start(&f, state);
  struct pawl_operator_info info;
  if (pawl_worker_describe_operator(f.worker, &f.arena, &info, &f.err))
    fail_msg("%s", f.err.message);
  assert_string_equal(info.name, "scale");
  assert_string_equal(info.summary, "y = 2 x");
  assert_int_equal(info.param_count, 1);
  assert_string_equal(info.params[0].name, "n");
  assert_int_equal(info.params[0].max, 1 << 24);
  assert_true(info.params[0].fallback < info.params[0].min);
  assert_int_equal(info.distribution_count, 2);
  assert_false(info.distributions[0].adjust);
  assert_true(info.distributions[1].adjust);
  assert_int_equal(info.tolerance_count, 2);
  assert_int_equal(info.tolerances[1].dtype, PAWL_F16);
  assert_true(info.tolerances[1].rtol == 1e-3);
  fixture_release(&f);
}

static void lists_tensors(void **state) {
  struct fixture f;
  start(&f, state);
  struct pawl_work work;
  if (pawl_worker_tensors(f.worker, &f.shape, &f.arena, &work, &f.err))
    fail_msg("%s", f.err.message);
  assert_int_equal(work.tensor_count, 2);
  assert_string_equal(work.tensors[1].name, "y");
  assert_int_equal(work.tensors[1].role, PAWL_OUT);
  assert_int_equal(work.tensors[1].dtype, PAWL_F32);
  assert_int_equal(work.tensors[1].size[0], FIXTURE_N);
  assert_true(work.flop == FIXTURE_N);
  assert_true(work.bytes == 2 * FIXTURE_N * 4);
  f.dims[0].value = 13;
  assert_int_equal(pawl_worker_tensors(f.worker, &f.shape, &f.arena, &work, &f.err), PAWL_CONFIG);
  assert_string_equal(f.err.message, "operator 'scale': n must not be 13");
  assert_int_equal(f.err.code, PAWL_CONFIG);
  fixture_release(&f);
}

static void adjusts_and_answers(void **state) {
  struct fixture f;
  start(&f, state);
  const double *expected = (const double *)(const void *)f.expected.map;
  if (pawl_worker_oracle(f.worker, &f.shape, &f.sets[1], &f.placed_expected, 1, &f.err))
    fail_msg("%s", f.err.message);
  for (int i = 0; i < FIXTURE_N; i++) assert_true(expected[i] == 2 * (i + 8));
  if (pawl_worker_adjust(f.worker, &f.shape, "ones", 4, &f.sets[0], &f.err))
    fail_msg("%s", f.err.message);
  for (int i = 0; i < FIXTURE_N; i++) assert_true(fixture_tensor(&f, 0, 0)[i] == 5);
  if (pawl_worker_oracle(f.worker, &f.shape, &f.sets[0], &f.placed_expected, 1, &f.err))
    fail_msg("%s", f.err.message);
  for (int i = 0; i < FIXTURE_N; i++) assert_true(expected[i] == 10);
  fixture_release(&f);
}

/* The arena may grow while the worker lives. */
static void follows_a_growing_arena(void **state) {
  struct fixture f;
  start(&f, state);
  assert_int_equal(pawl_worker_adjust(f.worker, &f.shape, "ones", 1, &f.sets[0], &f.err), PAWL_OK);
  const uint64_t far = (uint64_t)64 << 20;
  assert_int_equal(pawl_shared_grow(&f.tensors, far + 4 * FIXTURE_STEP, &f.err), PAWL_OK);
  f.placed[0][0].offset = far;
  if (pawl_worker_adjust(f.worker, &f.shape, "ones", 2, &f.sets[0], &f.err))
    fail_msg("%s", f.err.message);
  assert_true(fixture_tensor(&f, 0, 0)[FIXTURE_N - 1] == 3);
  fixture_release(&f);
}

/* Requests that do not fit the memory are refused, not obeyed. */
static void refuses_bad_places(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  if (start_with(&f, PAWL_DRIVER_PLUGIN, "test_operator.so")) fail_msg("%s", f.err.message);
  f.placed[0][0].offset = (uint64_t)1 << 40;
  assert_int_equal(pawl_worker_adjust(f.worker, &f.shape, "ones", 1, &f.sets[0], &f.err),
                   PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "is outside the shared memory"));
  f.placed[0][0].offset = f.tensors.size - 256; /* begins inside, ends outside */
  assert_int_equal(pawl_worker_adjust(f.worker, &f.shape, "ones", 1, &f.sets[0], &f.err),
                   PAWL_FAILED);
  assert_int_equal(pawl_worker_cause(f.worker), PAWL_CAUSE_REPORTED);
  f.placed[0][0].offset = 8;
  assert_int_equal(pawl_worker_adjust(f.worker, &f.shape, "ones", 1, &f.sets[0], &f.err),
                   PAWL_FAILED);
  f.placed[0][0].offset = FIXTURE_STEP;
  f.placed_expected.bytes -= 8;
  assert_int_equal(
      pawl_worker_oracle(f.worker, &f.shape, &f.sets[0], &f.placed_expected, 1, &f.err),
      PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "bad place for the expected values"));
  fixture_release(&f);
}

static void kernel_is_no_operator(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  assert_int_equal(start_with(&f, PAWL_DRIVER_PLUGIN, "test_accumulate.so"), PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "exports no 'pawl_operator_entry'"));
  fixture_release(&f);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  plugins = argv[1];
  script = argv[2];
  enum pawl_worker_driver plugin = PAWL_DRIVER_PLUGIN, protocol = PAWL_DRIVER_PROTOCOL;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(describes_itself, &plugin),
      cmocka_unit_test_prestate(lists_tensors, &plugin),
      cmocka_unit_test_prestate(adjusts_and_answers, &plugin),
      cmocka_unit_test_prestate(follows_a_growing_arena, &plugin),
      cmocka_unit_test_prestate(describes_itself, &protocol),
      cmocka_unit_test_prestate(lists_tensors, &protocol),
      cmocka_unit_test_prestate(adjusts_and_answers, &protocol),
      cmocka_unit_test_prestate(follows_a_growing_arena, &protocol),
      cmocka_unit_test(refuses_bad_places),
      cmocka_unit_test(kernel_is_no_operator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
