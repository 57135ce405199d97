/* SPDX-License-Identifier: Apache-2.0 */
/* pawl turns the output of compute-sanitizer into findings. tests/data/sanitizer holds its
   output for two small kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "check/sanitizer.h"

static void parse_file(const char *name, struct pawl_arena *arena, struct pawl_sanitizer_log *log) {
  struct pawl_text text = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/tests/data/sanitizer/%s", PAWL_SOURCE_ROOT, name);
  assert_int_equal(pawl_file_read(path, (size_t)1 << 20, &text, NULL), PAWL_OK);
  pawl_sanitizer_parse(pawl_text_string(&text), arena, log);
  pawl_text_clear(&text);
}

static void test_out_of_bounds(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_sanitizer_log log;
  parse_file("memcheck.txt", &arena, &log);
  assert_true(log.finished);
  assert_int_equal(log.count, 1); /* API errors that follow from it are no findings */
  assert_string_equal(log.findings[0].what, "Invalid __global__ write of size 4 bytes");
  assert_string_equal(log.findings[0].function, "k(float *, int)");
  assert_string_equal(log.findings[0].file, "oob.cu");
  assert_int_equal(log.findings[0].line, 3);
  assert_true(log.findings[0].count >= 3);
  pawl_arena_clear(&arena);
}

static void test_race(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_sanitizer_log log;
  parse_file("racecheck.txt", &arena, &log);
  assert_true(log.finished);
  assert_int_equal(log.count, 1);
  assert_string_equal(log.findings[0].what, "Error: Race reported between Write access");
  assert_string_equal(log.findings[0].function, "race(float *)");
  assert_string_equal(log.findings[0].file, "oob.cu");
  assert_int_equal(log.findings[0].line, 4);
  pawl_arena_clear(&arena);
}

static struct pawl_sanitizer_log parse(const char *text, struct pawl_arena *arena) {
  struct pawl_sanitizer_log log;
  pawl_sanitizer_parse(text, arena, &log);
  return log;
}

static void test_odd_texts(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_sanitizer_log log = parse("", &arena);
  assert_int_equal(log.count, 0);
  assert_false(log.finished);
  log = parse("hello\n========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", &arena);
  assert_int_equal(log.count, 0);
  assert_true(log.finished);
  log = parse(
      "========= COMPUTE-SANITIZER\n========= Device not supported. Please refer to the "
      "documentation\n",
      &arena);
  assert_int_equal(log.count, 0);
  assert_false(log.finished);
  assert_string_equal(log.trouble, "Device not supported. Please refer to the documentation");
  /* without line information; cut off in the middle */
  log = parse(
      "========= Invalid __shared__ read of size 4 bytes\n=========     at f(int)+0x10\n=========",
      &arena);
  assert_int_equal(log.count, 1);
  assert_string_equal(log.findings[0].function, "f(int)");
  assert_null(log.findings[0].file);
  assert_false(log.finished);
  log = parse("=========  at +0x in :\n========= x\n=========     at f+0x1 in a.cu:-3\n", &arena);
  assert_int_equal(log.count, 1);
  assert_null(log.findings[0].file);
  pawl_arena_clear(&arena);
}

/* A tool that cannot start finds nothing, and is not silent either. */
static void test_no_start(void **state) {
  static const char *const remarks[] = {
      "Unable to find injection library libsanitizer-collection.so",
      "Error: Target application terminated before first instrumented API call\n"
      "========= Tracking kernels launched by child processes requires the --target-processes all "
      "option.",
      "Error: No attachable process found. compute-sanitizer timed-out.\n"
      "========= Default timeout can be adjusted with --launch-timeout. Awaiting target "
      "completion.",
  };
  (void)state;
  for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
    struct pawl_arena arena = {0};
    const char *text =
        pawl_arena_printf(&arena, "========= COMPUTE-SANITIZER\n========= %s\n\n", remarks[i]);
    const struct pawl_sanitizer_log log = parse(text, &arena);
    assert_int_equal(log.count, 0);
    assert_true(log.no_start && !log.finished);
    assert_memory_equal(log.trouble, remarks[i], 20);
    pawl_arena_clear(&arena);
  }
}

/* cuda-memcheck, and compute-sanitizer before 2022. */
static void test_old_places(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_sanitizer_log log = parse(
      "========= CUDA-MEMCHECK\n========= Invalid __global__ write of size 4\n"
      "=========     at 0x00000070 in /src/a.cu:6:scale(float*, int)\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n========= ERROR SUMMARY: 1 error\n",
      &arena);
  assert_int_equal(log.count, 1);
  assert_string_equal(log.findings[0].function, "scale(float*, int)");
  assert_string_equal(log.findings[0].file, "/src/a.cu");
  assert_int_equal(log.findings[0].line, 6);
  log =
      parse("========= Invalid __shared__ read of size 4\n=========     at 0x70 in f<a::b>(int)\n",
            &arena);
  assert_string_equal(log.findings[0].function, "f<a::b>(int)");
  assert_null(log.findings[0].file);
  pawl_arena_clear(&arena);
}

/* Errors that the summary counts are a finding, even in words that pawl does not know. */
static void test_unknown_words(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_sanitizer_log log =
      parse("========= New remark\n========= ERROR SUMMARY: 2 errors\n", &arena);
  assert_int_equal(log.count, 1);
  assert_string_equal(log.findings[0].what, "New remark");
  assert_int_equal(log.findings[0].count, 2);
  log = parse("========= New remark\n========= ERROR SUMMARY: 0 errors\n", &arena);
  assert_int_equal(log.count, 0);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_out_of_bounds), cmocka_unit_test(test_race),
      cmocka_unit_test(test_odd_texts),     cmocka_unit_test(test_no_start),
      cmocka_unit_test(test_old_places),    cmocka_unit_test(test_unknown_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
