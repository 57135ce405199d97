/* SPDX-License-Identifier: Apache-2.0 */
/* Freed blocks of the GPU's memory serve again, where they have enough room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/cuda_memory.h"

#define MIB ((size_t)1 << 20)

static int taken, given_back;

static pawl_cu_result take(pawl_cu_pointer *out, size_t bytes) {
  (void)bytes;
  *out = (pawl_cu_pointer)++taken << 40;
  return PAWL_CU_SUCCESS;
}
static pawl_cu_result give_back(pawl_cu_pointer memory) {
  assert_int_equal(memory & (((pawl_cu_pointer)1 << 40) - 1), 0);
  given_back++;
  return PAWL_CU_SUCCESS;
}
static pawl_cu_result fill(pawl_cu_pointer to, unsigned char value, size_t bytes,
                           pawl_cu_stream stream) {
  (void)to, (void)value, (void)bytes, (void)stream;
  return PAWL_CU_SUCCESS;
}

static const struct pawl_cuda_driver driver = {
    .alloc = take, .free = give_back, .fill_async = fill};

static struct host_cuda_memory begin(bool bare) {
  taken = given_back = 0;
  return (struct host_cuda_memory){.driver = &driver, .bare = bare};
}

static pawl_cu_pointer allocate(struct host_cuda_memory *memory, size_t bytes) {
  struct pawl_error err;
  pawl_cu_pointer data = 0;
  assert_int_equal(host_cuda_allocate(memory, bytes, &data, &err), PAWL_OK);
  return data;
}

static void the_smallest_block_with_room_serves_again(void **state) {
  (void)state;
  struct host_cuda_memory memory = begin(false);
  const pawl_cu_pointer large = allocate(&memory, 8 * MIB), small = allocate(&memory, MIB);
  host_cuda_free(&memory, large);
  host_cuda_free(&memory, small);
  assert_int_equal(allocate(&memory, MIB / 2), small);
  assert_int_equal(allocate(&memory, MIB / 2), large);
  assert_int_equal(taken, 2);
  host_cuda_free(&memory, large);
  allocate(&memory, 9 * MIB); /* no spare block has the room, so the large one goes */
  assert_int_equal(taken, 3);
  assert_int_equal(given_back, 1);
  host_cuda_memory_release(&memory);
  assert_int_equal(given_back, 3);
}

static void a_kernel_may_need_the_rest_of_the_device(void **state) {
  (void)state;
  struct host_cuda_memory memory = begin(false);
  const pawl_cu_pointer a = allocate(&memory, 600 * MIB), b = allocate(&memory, 600 * MIB),
                        c = allocate(&memory, 2048 * MIB);
  host_cuda_free(&memory, c);
  assert_int_equal(given_back, 1);
  host_cuda_free(&memory, a);
  assert_int_equal(given_back, 1);
  host_cuda_free(&memory, b);
  assert_int_equal(given_back, 2);
  host_cuda_memory_release(&memory);
  assert_int_equal(given_back, 3);
}

static void a_block_that_a_checker_watches_serves_once(void **state) {
  (void)state;
  struct host_cuda_memory memory = begin(true);
  host_cuda_free(&memory, allocate(&memory, MIB));
  assert_int_equal(given_back, 1);
  host_cuda_memory_release(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_smallest_block_with_room_serves_again),
                                     cmocka_unit_test(a_kernel_may_need_the_rest_of_the_device),
                                     cmocka_unit_test(a_block_that_a_checker_watches_serves_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
