/* SPDX-License-Identifier: Apache-2.0 */
/* What only the plug-in driver does: operators, batches, workspaces. Arguments: folder of test plug-ins. */
#include <stdio.h>

#include "scale_fixture.h"

static const char *folder; /* of tests/plugins in the build folder */

static pawl_status start(struct fixture *f, enum pawl_worker_role role, const char *file) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  const struct pawl_worker_options options = {
      .driver = PAWL_DRIVER_PLUGIN,
      .role = role,
      .name = "scale",
      .plugin = path,
      .tensors = &f->tensors,
      .expected = role == PAWL_ROLE_OPERATOR ? &f->expected : NULL,
      .memory_limit = (uint64_t)256 << 20,
      .timeout_seconds = 10,
  };
  return pawl_worker_start(&f->worker, &options, &f->err);
}

static void kernel_works(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  assert_int_equal(start(&f, PAWL_ROLE_KERNEL, "hostile/hostile_honest.so"), PAWL_OK);
  struct pawl_kernel_info info;
  assert_int_equal(pawl_worker_describe_kernel(f.worker, &f.arena, &info, &f.err), PAWL_OK);
  assert_string_equal(info.operator_name, "scale");
  const char *reason = "";
  if (fixture_prepare(&f, &reason)) fail_msg("%s", f.err.message);
  assert_null(reason);
  double seconds;
  assert_int_equal(pawl_worker_run(f.worker, 0, &seconds, &f.err), PAWL_OK);
  assert_true(fixture_is_right(&f, 0));
  const struct pawl_time_request request = {
      .warmup = 3, .samples = 5, .cache = PAWL_CACHE_WARM, .flush_bytes = 1 << 20};
  struct pawl_time_reply reply;
  if (pawl_worker_time(f.worker, &request, &f.arena, &reply, &f.err)) fail_msg("%s", f.err.message);
  assert_int_equal(reply.count, 5);
  for (int i = 0; i < 5; i++) printf("%g %s\n", reply.seconds[i], reply.hashes[i]);
  fixture_release(&f);
}

static void operator_works(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  if (start(&f, PAWL_ROLE_OPERATOR, "test_operator.so")) fail_msg("%s", f.err.message);
  struct pawl_operator_info info;
  if (pawl_worker_describe_operator(f.worker, &f.arena, &info, &f.err)) fail_msg("%s", f.err.message);
  struct pawl_work work;
  if (pawl_worker_tensors(f.worker, &f.shape, &f.arena, &work, &f.err)) fail_msg("%s", f.err.message);
  assert_int_equal(work.tensor_count, 2);
  if (pawl_worker_adjust(f.worker, &f.shape, "ones", 4, &f.sets[0], &f.err)) fail_msg("%s", f.err.message);
  assert_true(fixture_tensor(&f, 0, 0)[999] == 5);
  if (pawl_worker_oracle(f.worker, &f.shape, &f.sets[0], &f.placed_expected, 1, &f.err)) fail_msg("%s", f.err.message);
  assert_true(((double *)(void *)f.expected.map)[0] == 10);
  assert_true(((double *)(void *)f.expected.map)[999] == 10);
  fixture_release(&f);
}

int main(int argc, char **argv) {
  folder = argc > 1 ? argv[1] : ".";
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernel_works), cmocka_unit_test(operator_works)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
