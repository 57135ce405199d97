/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of device code. tests/data/cubin/spill.cubin is spill.cu there, by nvcc 13.0 for sm_80;
   ptxas said of it: plain 10 registers, 256 bytes smem, no spills; spiller 255 registers, 1488
   bytes of stack and of spill stores. local.cubin is local.cu by nvcc 13.0 for sm_90: array has no
   spills, both has 684 bytes of spill stores. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "build/cubin.h"
#include "build/demangle.h"

static void test_metrics(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_text cubin = {0};
  struct pawl_device_function *functions = NULL;
  size_t count = 0;
  assert_int_equal(
      pawl_file_read(PAWL_SOURCE_ROOT "/tests/data/cubin/spill.cubin", 1 << 20, &cubin, NULL),
      PAWL_OK);
  pawl_cubin_read((unsigned char *)cubin.data, cubin.length, &arena, &functions, &count);
  assert_int_equal(count, 2);
  const struct pawl_device_function *plain = &functions[0], *spiller = &functions[1];
  assert_string_equal(plain->name, "_Z5plainPf");
  assert_int_equal(plain->arch, 80);
  assert_int_equal(plain->registers, 10);
  assert_int_equal(plain->shared_bytes, 256);
  assert_int_equal(plain->spill_bytes, 0);
  assert_int_equal(plain->local_bytes, 0);
  assert_int_equal(plain->max_threads, -1);
  assert_true(isnan(pawl_device_function_occupancy(plain)));
  assert_string_equal(spiller->name, "_Z7spillerPfi");
  assert_int_equal(spiller->registers, 255);
  assert_int_equal(spiller->stack_bytes, 1488);
  assert_int_equal(spiller->spill_bytes, 1488);
  assert_int_equal(spiller->local_bytes, 0);
  assert_int_equal(spiller->max_threads, 128);
  /* 255 registers: 8 warps, two blocks of 128 threads out of 2048 */
  assert_true(fabs(pawl_device_function_occupancy(spiller) - 12.5) < 1e-9);
  pawl_text_clear(&cubin);
  pawl_arena_clear(&arena);
}

/* An array with an index that only a run knows is no spill. */
static void test_local_arrays(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_text cubin = {0};
  struct pawl_device_function *functions = NULL;
  size_t count = 0;
  assert_int_equal(
      pawl_file_read(PAWL_SOURCE_ROOT "/tests/data/cubin/local.cubin", 1 << 20, &cubin, NULL),
      PAWL_OK);
  pawl_cubin_read((unsigned char *)cubin.data, cubin.length, &arena, &functions, &count);
  assert_int_equal(count, 2);
  assert_string_equal(functions[0].name, "_Z4bothPfiPKf");
  assert_int_equal(functions[0].spill_bytes, 684);
  assert_int_equal(functions[0].local_bytes, 180);
  assert_string_equal(functions[1].name, "_Z5arrayPKfPfl");
  assert_int_equal(functions[1].spill_bytes, 0);
  assert_int_equal(functions[1].local_bytes, 84);
  pawl_text_clear(&cubin);
  pawl_arena_clear(&arena);
}

/* Without a word of the toolkit the stores may be spills or not: one of the two is unknown. */
static void test_older_toolkit(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_text cubin = {0};
  struct pawl_device_function *functions = NULL;
  size_t count = 0;
  assert_int_equal(
      pawl_file_read(PAWL_SOURCE_ROOT "/tests/data/cubin/local.cubin", 1 << 20, &cubin, NULL),
      PAWL_OK);
  static const char release[] = "release 13";
  static const unsigned char annotations[] = {0x04, 0x55};
  for (size_t i = 0; i + sizeof release < cubin.length; i++) {
    if (!memcmp(cubin.data + i, release, sizeof release - 1)) cubin.data[i + 9] = '2';
    if (!memcmp(cubin.data + i, annotations, sizeof annotations)) cubin.data[i + 1] = 0x7f;
  }
  pawl_cubin_read((unsigned char *)cubin.data, cubin.length, &arena, &functions, &count);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(functions[i].spill_bytes, -1);
    assert_int_equal(functions[i].local_bytes, -1);
  }
  pawl_text_clear(&cubin);
  pawl_arena_clear(&arena);
}

static void test_names_are_readable(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  assert_string_equal(pawl_demangle("_Z5plainPf", &arena), "plain");
  assert_string_equal(
      pawl_demangle(
          "_ZN44_GLOBAL__N__aa1834b7_11_sdpa_mma_cu_f565afc08sdpa_mmaI6__halfNS_6ConfigILi64EEE"
          "Lb1EEEvPKcS5_S5_Pciif",
          &arena),
      "(anonymous namespace)::sdpa_mma<__half, (anonymous namespace)::Config<64>, true>");
  static const char *const others[] = {"triton_kernel", "_Z", "_ZN3", "",
                                       "_ZN99999999999999999999a"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_string_equal(pawl_demangle(others[i], &arena), others[i]);
  pawl_arena_clear(&arena);
}

static void test_damaged(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_text cubin = {0};
  assert_int_equal(
      pawl_file_read(PAWL_SOURCE_ROOT "/tests/data/cubin/spill.cubin", 1 << 20, &cubin, NULL),
      PAWL_OK);
  for (size_t length = 0; length < cubin.length; length += 97) {
    struct pawl_device_function *functions = NULL;
    size_t count = 0;
    pawl_cubin_read((unsigned char *)cubin.data, length, &arena, &functions, &count);
    assert_true(count <= 2);
  }
  struct pawl_device_function *functions = NULL;
  size_t count = 0;
  struct pawl_error err = {0};
  assert_int_equal(
      pawl_device_functions(PAWL_SOURCE_ROOT "/meson.build", &arena, &functions, &count, &err),
      PAWL_BAD_DATA);
  pawl_text_clear(&cubin);
  pawl_arena_clear(&arena);
}

static void test_occupancy(void **state) {
  (void)state;
  struct pawl_device_function f = {.arch = 90, .registers = 32, .max_threads = 256};
  assert_true(fabs(pawl_device_function_occupancy(&f) - 100) < 1e-9);
  f.registers = 168; /* 5376 a warp: 12 warps, one block of 384 threads */
  f.max_threads = 384;
  assert_true(fabs(pawl_device_function_occupancy(&f) - 100 * 384.0 / 2048) < 1e-9);
  f.registers = 32;
  f.max_threads = 64;
  f.shared_bytes = 100 << 10; /* two blocks */
  assert_true(fabs(pawl_device_function_occupancy(&f) - 100 * 128.0 / 2048) < 1e-9);
  f.arch = 42;
  assert_true(isnan(pawl_device_function_occupancy(&f)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_metrics),       cmocka_unit_test(test_local_arrays),
      cmocka_unit_test(test_older_toolkit), cmocka_unit_test(test_names_are_readable),
      cmocka_unit_test(test_damaged),       cmocka_unit_test(test_occupancy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
