/* SPDX-License-Identifier: Apache-2.0 */
/* How long the GPU is kept busy before a timed call, where the host is late now and then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/cuda_cover.h"

static bool late;      /* the GPU has done its work when the host asks */
static int64_t cycles; /* the length of the last spin; 0: none */

static pawl_cu_result make_event(pawl_cu_event *out, unsigned flags) {
  (void)flags;
  *out = NULL;
  return PAWL_CU_SUCCESS;
}
static pawl_cu_result record_event(pawl_cu_event event, pawl_cu_stream stream) {
  (void)event, (void)stream;
  return PAWL_CU_SUCCESS;
}
static pawl_cu_result ask_event(pawl_cu_event event) {
  (void)event;
  return late ? PAWL_CU_SUCCESS : PAWL_CU_NOT_READY;
}
static pawl_cu_result launch(pawl_cu_function function, unsigned x, unsigned y, unsigned z,
                             unsigned bx, unsigned by, unsigned bz, unsigned shared,
                             pawl_cu_stream stream, void **parameters, void **extra) {
  (void)function, (void)x, (void)y, (void)z, (void)bx, (void)by, (void)bz, (void)shared;
  (void)stream, (void)extra;
  cycles = (int64_t) * (uint64_t *)parameters[0];
  return PAWL_CU_SUCCESS;
}

static const struct pawl_cuda_driver driver = {.event_create = make_event,
                                               .event_record = record_event,
                                               .event_query = ask_event,
                                               .launch = launch};
static const struct host_cuda_spin spin = {.driver = &driver, .cycles_per_ns = 1};

/* Makes a call with a cover, and returns the nanoseconds of its spin. */
static int64_t call(struct host_cuda_cover *cover, bool is_late) {
  struct pawl_error err;
  bool waited;
  cycles = 0;
  late = is_late;
  assert_int_equal(host_cuda_cover_enqueue(cover, &spin, NULL, &err), PAWL_OK);
  assert_int_equal(host_cuda_cover_check(cover, &waited, &err), PAWL_OK);
  assert_int_equal(waited, is_late);
  if (waited) host_cuda_cover_extend(cover);
  return cycles;
}

static struct host_cuda_cover begin(void) {
  struct host_cuda_cover cover;
  struct pawl_error err;
  assert_int_equal(host_cuda_cover_init(&cover, &driver, &err), PAWL_OK);
  return cover;
}

/* One call of a hundred is late, as on a busy host. Few of the other calls have a spin. */
static void a_host_that_is_late_now_and_then(void **state) {
  (void)state;
  struct host_cuda_cover cover = begin();
  int64_t all = 0, longest = 0;
  for (int i = 1; i <= 1000; i++) {
    const int64_t ns = call(&cover, i % 100 == 0);
    all += ns;
    if (ns > longest) longest = ns;
  }
  assert_int_equal(longest, 50000);
  assert_true(all <= 10 * 8 * 50000);
}

/* A host that needs 150 us, always: 50 us and 100 us are too short. The spin finds 200 us and is
   seldom shorter. */
static void a_host_that_is_always_slow(void **state) {
  (void)state;
  struct host_cuda_cover cover = begin();
  int lates = 0;
  for (int i = 0; i < 1000; i++) {
    const bool is_late = cover.spin_ns < 150000;
    lates += is_late;
    call(&cover, is_late);
    assert_true(cover.spin_ns <= 200000);
  }
  assert_true(lates < 20);
}

static void a_launch_that_waits_for_the_gpu(void **state) {
  (void)state;
  struct host_cuda_cover cover = begin();
  for (int i = 0; i < HOST_CUDA_MAX_LATE; i++) call(&cover, true);
  assert_int_equal(cover.late_calls, HOST_CUDA_MAX_LATE);
  assert_int_equal(cover.spin_ns, 51200000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_host_that_is_late_now_and_then),
                                     cmocka_unit_test(a_host_that_is_always_slow),
                                     cmocka_unit_test(a_launch_that_waits_for_the_gpu)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
