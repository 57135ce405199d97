/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bulk.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/philox.h"
#include "base/strings.h"
#include "base/sum_hash.h"
#include "pawl/convert.h"
#include "process/process.h"

static char scratch[] = "/tmp/pawl-test-base.XXXXXX";

static char *in_scratch(const char *name) { return pawl_path_join(scratch, name); }

static void test_names_in_natural_order(void **state) {
  (void)state;
  const char *const names[] = {"",   "02",  "2",    "10",   "a",  "K1",       "k1",
                               "k2", "k10", "k10b", "k100", "kb", "kernel 9", "kernel 10"};
  for (size_t i = 0; i < PAWL_COUNT(names); i++)
    for (size_t j = 0; j < PAWL_COUNT(names); j++) {
      const int order = pawl_natural_compare(names[i], names[j]);
      assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
    }
}

static void test_error_is_one_line(void **state) {
  (void)state;
  struct pawl_error err = {0};
  assert_int_equal(pawl_fail(&err, PAWL_BAD_DATA, "bad '%s'", "a\nb\x1b[31m"), PAWL_BAD_DATA);
  assert_string_equal(err.message, "bad 'a b [31m'");
  assert_int_equal(pawl_prefix(&err, "reading %s", "x"), PAWL_BAD_DATA);
  assert_string_equal(err.message, "reading x: bad 'a b [31m'");
  char long_text[2 * PAWL_ERROR_MESSAGE];
  memset(long_text, 'y', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  pawl_fail(&err, PAWL_IO, "%s", long_text);
  pawl_prefix(&err, "%s", "context");
  assert_true(pawl_starts_with(err.message, "context: yyy"));
}

static void test_numbers_are_whole_strings(void **state) {
  (void)state;
  double d = 7;
  int64_t i = 7;
  assert_true(pawl_parse_double("-3.5e2", &d) && d == -350);
  assert_true(pawl_parse_i64("-12", &i) && i == -12);
  static const char *const bad[] = {"", " 1", "1 ", "1x", "nan", "inf", "1e999", "--1"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_false(pawl_parse_double(bad[k], &d));
  assert_false(pawl_parse_i64("9223372036854775808", &i));
  assert_false(pawl_parse_i64("1.0", &i));
}

static void test_nearest(void **state) {
  (void)state;
  static const char *const names[] = {"sources", "operator", "device", "params"};
  assert_string_equal(pawl_nearest("sorces", names, 4), "sources");
  assert_string_equal(pawl_nearest("Device", names, 4), "device");
  assert_string_equal(pawl_nearest("parmas", names, 4), "params");
  assert_null(pawl_nearest("zzzzzz", names, 4));
  assert_null(pawl_nearest("q", &(const char *){"x"}, 1)); /* no letter is the same */
}

static void test_write_is_atomic_and_complete(void **state) {
  (void)state;
  struct pawl_error err = {0};
  struct pawl_text text = {0};
  char *path = in_scratch("file");
  assert_int_equal(pawl_file_write(path, "one", 3, &err), PAWL_OK);
  assert_int_equal(pawl_file_write(path, "two!", 4, &err), PAWL_OK);
  assert_int_equal(pawl_file_read(path, 100, &text, &err), PAWL_OK);
  assert_string_equal(text.data, "two!");
  assert_int_equal(pawl_file_read(path, 3, &text, &err), PAWL_BAD_DATA);
  assert_string_equal(text.data, "two!"); /* untouched on failure */
  assert_int_equal(pawl_file_read("/nonexistent/x", 3, &text, &err), PAWL_NO_INPUT);
  assert_int_equal(pawl_file_write("/nonexistent/x", "a", 1, &err), PAWL_CANNOT_WRITE);
  assert_int_equal(pawl_file_write("/dev/full", "a", 1, &err), PAWL_CANNOT_WRITE);
  assert_int_equal(pawl_file_read(scratch, 3, &text, &err), PAWL_BAD_DATA);
  pawl_text_clear(&text);
  pawl_free(path);
}

static void test_tree(void **state) {
  (void)state;
  struct pawl_error err = {0};
  char *deep = in_scratch("a/b/c"), *top = in_scratch("a"), *keep = in_scratch("keep"),
       *link_path = in_scratch("a/l");
  assert_int_equal(pawl_make_folders(deep, &err), PAWL_OK);
  assert_int_equal(pawl_make_folders(deep, &err), PAWL_OK);
  assert_int_equal(pawl_make_folders(keep, &err), PAWL_OK);
  assert_int_equal(pawl_make_folders("", &err), PAWL_CANNOT_WRITE);
  assert_int_equal(symlink(keep, link_path), 0);
  assert_int_equal(pawl_remove_tree(top, &err), PAWL_OK);
  assert_false(pawl_file_exists(top));
  assert_true(pawl_is_folder(keep)); /* the link went, not what it points to */
  assert_int_equal(pawl_remove_tree(top, &err), PAWL_OK);
  pawl_free(deep), pawl_free(top), pawl_free(keep), pawl_free(link_path);
}

static void test_lock_excludes(void **state) {
  (void)state;
  struct pawl_error err = {0};
  char *path = in_scratch("lock");
  struct pawl_lock first = {.fd = -1}, second = {.fd = -1};
  assert_int_equal(pawl_lock_acquire(&first, path, 0, &err), PAWL_OK);
  assert_int_equal(pawl_lock_acquire(&second, path, 0.05, &err), PAWL_TRY_AGAIN);
  char pid[32];
  snprintf(pid, sizeof pid, "process %ld", (long)getpid());
  assert_non_null(strstr(err.message, pid));
  pawl_lock_release(&first);
  assert_int_equal(pawl_lock_acquire(&second, path, 0, &err), PAWL_OK);
  pawl_lock_release(&second);
  assert_true(pawl_file_absent(path));
  pawl_free(path);
}

static enum pawl_status_code shell(const char *script, double seconds, bool drop_secrets,
                                   struct pawl_text *out, struct pawl_exit *exit) {
  struct pawl_error err = {0};
  const char *argv[] = {"sh", "-c", script, NULL};
  const struct pawl_process_options options = {.argv = argv, .drop_secrets = drop_secrets};
  pawl_text_clear(out);
  return pawl_process_run(&options, seconds, 1000, out, out, exit, &err);
}

static void test_process_output_status_and_signal(void **state) {
  (void)state;
  struct pawl_text out = {0}, words = {0};
  struct pawl_exit exit = {0};
  assert_int_equal(shell("echo hello; echo there >&2; exit 3", 10, false, &out, &exit), PAWL_OK);
  assert_int_equal(exit.status, 3);
  assert_string_equal(out.data, "hello\nthere\n");
  assert_int_equal(shell("kill -SEGV $$", 10, false, &out, &exit), PAWL_OK);
  assert_int_equal(exit.signal, SIGSEGV);
  pawl_exit_describe(&exit, &words);
  assert_string_equal(words.data, "was killed by SIGSEGV (Segmentation fault)");
  assert_int_equal(shell("head -c 100000 /dev/zero | tr '\\0' x", 10, false, &out, &exit), PAWL_OK);
  assert_int_equal(out.length, 1000); /* capped, not blocked */
  pawl_text_clear(&out), pawl_text_clear(&words);
}

static void test_process_time_limit_kills_the_group(void **state) {
  (void)state;
  struct pawl_text out = {0};
  struct pawl_exit exit = {0};
  const int64_t start = pawl_clock_ns();
  assert_int_equal(shell("sleep 30 & echo $!; sleep 30", 0.2, false, &out, &exit), PAWL_OK);
  assert_true(exit.timed_out);
  assert_true(pawl_clock_ns() - start < 5000000000);
  const pid_t grandchild = (pid_t)atol(out.data);
  for (int i = 0; i < 100 && !kill(grandchild, 0); i++) usleep(10000);
  char stat_path[64], line[256] = "";
  snprintf(stat_path, sizeof stat_path, "/proc/%ld/stat", (long)grandchild);
  FILE *stat_file = fopen(stat_path, "r"); /* gone, or a zombie that nobody reaps here */
  if (stat_file) {
    assert_non_null(fgets(line, sizeof line, stat_file));
    fclose(stat_file);
    assert_non_null(strstr(line, ") Z"));
  }
  /* a background grandchild that keeps the pipe open does not hold the caller */
  assert_int_equal(shell("sleep 30 & exit 0", 20, false, &out, &exit), PAWL_OK);
  assert_int_equal(exit.status, 0);
  assert_true(pawl_clock_ns() - start < 9000000000);
  pawl_text_clear(&out);
}

static void test_process_environment(void **state) {
  (void)state;
  struct pawl_text out = {0};
  struct pawl_exit exit = {0};
  setenv("GITHUB_TOKEN", "hunter2", 1);
  setenv("aws_secret_access_key", "hunter2", 1);
  setenv("HARMLESS", "yes", 1);
  assert_int_equal(shell("env", 10, true, &out, &exit), PAWL_OK);
  assert_null(strstr(out.data, "hunter2"));
  assert_int_equal(shell("echo $HARMLESS $GITHUB_TOKEN", 10, false, &out, &exit), PAWL_OK);
  assert_string_equal(out.data, "yes hunter2\n");
  unsetenv("GITHUB_TOKEN"), unsetenv("aws_secret_access_key"), unsetenv("HARMLESS");
  char *path = strdup(getenv("PATH"));
  unsetenv("PATH"); /* dash's `env` shows what it was given, no default of its own */
  assert_int_equal(shell("/usr/bin/env", 10, false, &out, &exit), PAWL_OK);
  assert_non_null(strstr(out.data, "PATH=/usr/local/bin:/usr/bin:/bin\n"));
  setenv("PATH", path, 1);
  free(path);
  pawl_text_clear(&out);
}

/* The loader puts nothing before the code of a sandboxed process. */
static void test_sandbox_drops_preloads(void **state) {
  (void)state;
  struct pawl_error err = {0};
  struct pawl_exit exit;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  const char *argv[] = {"sh", "-c", "echo ${LD_AUDIT:-none}", NULL};
  const struct pawl_sandbox sandbox = {.folder = "."};
  const struct pawl_process_options inside = {.argv = argv, .sandbox = &sandbox},
                                    outside = {.argv = argv};
  setenv("LD_AUDIT", "/nothing/there.so", 1); /* the loader only warns of it */
  assert_int_equal(pawl_process_run(&inside, 10, 1000, &out, NULL, &exit, &err), PAWL_OK);
  assert_string_equal(pawl_text_string(&out), "none\n");
  pawl_text_clear(&out);
  assert_int_equal(pawl_process_run(&outside, 10, 1000, &out, NULL, &exit, &err), PAWL_OK);
  assert_non_null(strstr(pawl_text_string(&out), "/nothing/there.so\n"));
  unsetenv("LD_AUDIT");
}

static void test_process_descriptors(void **state) {
  (void)state;
  struct pawl_error err = {0};
  int ends[2];
  assert_int_equal(pipe(ends), 0); /* not close-on-exec: must not leak all the same */
  char script[160];
  snprintf(
      script, sizeof script,
      "echo hi >&4; for i in 3 5 6 7 8 9; do [ -e /proc/$$/fd/$i ] && echo $i >&4; done; exit 0");
  const char *argv[] = {"sh", "-c", script, NULL};
  const struct pawl_process_options options = {
      .argv = argv, .fds = {-1, -1, -1, -1, ends[1]}, .fd_count = 5};
  struct pawl_process process = {0};
  struct pawl_exit exit = {0};
  assert_int_equal(pawl_process_start(&process, &options, &err), PAWL_OK);
  close(ends[1]);
  assert_int_equal(pawl_process_wait(&process, 10, &exit, &err), PAWL_OK);
  assert_int_equal(exit.status, 0);
  char buffer[200] = "";
  assert_true(read(ends[0], buffer, sizeof buffer - 1) > 0);
  assert_string_equal(buffer, "hi\n"); /* none but 0, 1, 2 and 4 is open */
  close(ends[0]);
  const char *absent[] = {"no-such-program-of-any-kind", NULL};
  const struct pawl_process_options missing = {.argv = absent};
  assert_int_equal(pawl_process_start(&process, &missing, &err), PAWL_UNAVAILABLE);
}

static void test_json(void **state) {
  (void)state;
  struct pawl_error err = {0};
  json_t *value = NULL;
  assert_int_equal(pawl_json_parse("{\"a\": NaN, \"b\": \"NaN\"}", 22, "x", false, &value, &err),
                   PAWL_BAD_DATA);
  assert_true(pawl_starts_with(err.message, "x:1:"));
  assert_int_equal(pawl_json_parse("{\"a\": NaN, \"b\": \"NaN\"}", 22, "x", true, &value, &err),
                   PAWL_OK);
  assert_true(json_is_null(json_object_get(value, "a")));
  assert_string_equal(json_string_value(json_object_get(value, "b")), "NaN");
  pawl_json_set_number(value, "c", NAN);
  pawl_json_set_number(value, "d", 0.1);
  pawl_json_set_number(value, "e", 3);
  pawl_json_set_string(value, "f", "bad \xff utf-8");
  pawl_json_set(value, "g", json_pack("[f, f]", 1.5, 2.25));
  struct pawl_text text = {0};
  pawl_json_write_text(value, true, &text);
  assert_string_equal(
      text.data,
      "{\n  \"a\": null,\n  \"b\": \"NaN\",\n  \"c\": null,\n  \"d\": 0.1,\n  \"e\": 3.0,\n"
      "  \"f\": \"bad ? utf-8\",\n  \"g\": [1.5, 2.25]\n}\n");
  double number;
  assert_int_equal(pawl_json_get_number(value, "b", "doc", 1, &number, &err), PAWL_BAD_DATA);
  assert_string_equal(err.message, "doc: 'b' must be a number, not a string");
  assert_int_equal(pawl_json_get_number(value, "zz", "doc", 9, &number, &err), PAWL_OK);
  assert_true(number == 9);
  pawl_text_clear(&text);
  pawl_json_release(&value);
}

/* 15 digits if they read back the same, else 16, else 17: at each power of two, and elsewhere. */
static void test_real_digits(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(3, 0);
  for (int i = -1074; i < 1024; i++) {
    const double draw = ldexp(pawl_random_double(&random), i);
    char rounded[40];
    snprintf(rounded, sizeof rounded, "%.*g", 13 + (int)pawl_random_below(&random, 4), draw);
    const double short_one = strtod(rounded, NULL);
    const double numbers[] = {
        ldexp(1, i), -ldexp(1, i), draw, short_one, nextafter(short_one, 0), nextafter(draw, 2)};
    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
      char wanted[40];
      for (int digits = 15; digits <= 17; digits++) {
        snprintf(wanted, sizeof wanted, "%.*g", digits, numbers[j]);
        if (strtod(wanted, NULL) == numbers[j]) break;
      }
      if (!strpbrk(wanted, ".e")) strcat(wanted, ".0");
      struct pawl_text text = {0};
      pawl_text_add_real(&text, numbers[j]);
      assert_string_equal(text.data, wanted);
      pawl_text_clear(&text);
    }
  }
}

/* The reader of plain JSON agrees with jansson about each text, and each number to the last bit. */
static void test_json_plain(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"a\": [1, -2.5, 0.1, 1e5, -0, -0.0], \"b\": {\"c\": null}, \"d\": [true, false, []]}",
      " [ ] ",
      "{}",
      "\"x\"",
      "[1e-300, 123456789012345678, 0.000000000000000000012345678901234567]",
      "[9223372036854775807, 12345678901234567890.5, 1e400]",
      "[9223372036854775808]",
      "[\"\\u00e4 \\n\", \"\xc3\xa4\", \"\x7f\"]",
      "{\"k\\n\": 1}",
      "[\"\xff\"]",
      "[\"a\nb\"]",
      "{\"a\": 1, \"a\": 2}",
      "[01]",
      "[1.]",
      "[.5]",
      "[+1]",
      "[-]",
      "[1e]",
      "[1,]",
      "[1 2]",
      "{\"a\" 1}",
      "{\"a\": 1,}",
      "{1: 1}",
      "[1] 2",
      "[tru]",
      "[",
      "\"x",
      "\"\\",
      "",
      "[NaN]",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    json_t *value = NULL;
    json_t *wanted = json_loads(texts[i], JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    const bool good =
        pawl_json_parse(texts[i], strlen(texts[i]), "x", false, &value, NULL) == PAWL_OK;
    assert_int_equal(good, wanted != NULL);
    if (wanted) assert_true(json_equal(value, wanted));
    json_decref(value);
    json_decref(wanted);
  }
  for (uint32_t i = 0; i < 20000; i++) {
    uint32_t out[4];
    pawl_philox(1, i, 0, out);
    const double unit = (double)((uint64_t)out[0] << 21 ^ out[1]) * 0x1p-53;
    const int digits = 12 + (int)(out[2] % 8), power = (int)(out[3] % 30) - 24;
    char text[64];
    snprintf(text, sizeof text, out[2] & 64 ? "%.*g" : "%.*e", digits, unit * pow(10, power));
    json_t *value = NULL;
    assert_int_equal(pawl_json_parse(text, strlen(text), "x", false, &value, NULL), PAWL_OK);
    const double number = json_number_value(value), wanted = strtod(text, NULL);
    assert_memory_equal(&number, &wanted, sizeof wanted);
    json_decref(value);
  }
}

/* Known answers of Random123 (kat_vectors, philox4x32 10). */
static void test_philox_known_answers(void **state) {
  (void)state;
  uint32_t out[4];
  pawl_philox(0, 0, 0, out);
  const uint32_t zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  assert_memory_equal(out, zeros, sizeof zeros);
  pawl_philox(~0ull, ~0ull, ~0ull, out);
  const uint32_t ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  assert_memory_equal(out, ones, sizeof ones);
  pawl_philox(0x299f31d0a4093822ull, 0x0370734413198a2eull, 0x85a308d3243f6a88ull, out);
  const uint32_t pi[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  assert_memory_equal(out, pi, sizeof pi);
}

static void test_conversions_round_trip(void **state) {
  (void)state;
  static const int32_t dtypes[] = {PAWL_F16, PAWL_BF16, PAWL_E4M3};
  for (size_t k = 0; k < 3; k++) {
    const uint32_t patterns = pawl_dtype_size(dtypes[k]) == 1 ? 256 : 65536;
    for (uint32_t bits = 0; bits < patterns; bits++) {
      uint16_t in[4] = {(uint16_t)bits},
               back[4] = {0}; /* room for any dtype, which the compiler does not know */
      const double value = pawl_load_f64(in, dtypes[k], 0);
      if (isnan(value)) continue;
      pawl_store_f64(back, dtypes[k], 0, value);
      assert_int_equal(in[0], back[0]);
    }
  }
  uint16_t half;
  pawl_store_f64(&half, PAWL_F16, 0, 1.0 + 0x1p-11); /* a tie: to even */
  assert_int_equal(half, 0x3c00);
  pawl_store_f64(&half, PAWL_F16, 0, 1.0 + 0x1p-11 + 0x1p-30);
  assert_int_equal(half, 0x3c01);
  pawl_store_f64(&half, PAWL_F16, 0, 65520.0);
  assert_int_equal(half, 0x7c00);
  pawl_store_f64(&half, PAWL_F16, 0, NAN);
  assert_true(isnan(pawl_load_f64(&half, PAWL_F16, 0)));
  pawl_store_f64(&half, PAWL_BF16, 0, INFINITY);
  assert_int_equal(half, 0x7f80);
}

static void add_one(void *context, int64_t i) { ((int *)context)[i]++; }

static void test_parallel_for_covers_all(void **state) {
  (void)state;
  int seen[1000] = {0};
  pawl_parallel_for(4, 1000, add_one, seen);
  for (int i = 0; i < 1000; i++) assert_int_equal(seen[i], 1);
  pawl_parallel_for(4, 0, add_one, seen);
}

static void test_out_of_memory_is_one_line_and_71(void **state) {
  (void)state;
  const pid_t pid = fork();
  if (pid == 0) {
    (void)!freopen("/dev/null", "w", stderr);
    pawl_memory_fail_at(2);
    struct pawl_arena arena = {0};
    pawl_arena_alloc(&arena, 10, 10);
    pawl_free(pawl_alloc(SIZE_MAX / 2, 1));
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), PAWL_NO_MEMORY);
}

/* A list grows without a copy for each string, and leaves a list of somebody else as it is. It
   lives on in an arena that takes over its own. */
static void test_a_list_of_many_strings(void **state) {
  (void)state;
  const char *theirs[] = {"a", "b", "theirs", NULL};
  struct pawl_strings list = {.items = theirs, .count = 2};
  struct pawl_arena arena = {0}, first = {0};
  for (int i = 0; i < 200000; i++) {
    pawl_strings_add(&list, &first, i % 2 ? "odd" : "even");
    assert_null(list.items[list.count]);
  }
  pawl_arena_join(&arena, &first);
  assert_null(first.chunk);
  assert_string_equal(theirs[2], "theirs");
  assert_int_equal(list.count, 200002);
  assert_string_equal(list.items[1], "b");
  assert_string_equal(list.items[2], "even");
  assert_string_equal(list.items[200001], "odd");
  pawl_arena_clear(&arena);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  return pawl_remove_tree(scratch, NULL) == PAWL_OK ? 0 : -1;
}

/* As base/sum_hash.h describes it. */
static struct pawl_hash plain_sum(const unsigned char *data, size_t length) {
  struct pawl_hash sum = {0};
  for (uint64_t place = 0; place < 1 + (length + 7) / 8; place++) {
    uint64_t w = 0;
    const size_t at = (size_t)(place - 1) * 8;
    if (place == 0)
      w = length;
    else
      memcpy(&w, data + at, length - at < 8 ? length - at : 8);
    w += (place + 1) * 0x9e3779b97f4a7c15u;
    w = (w ^ w >> 33) * 0xff51afd7ed558ccdu;
    w ^= w >> 33;
    sum.low += w;
    w *= 0xc4ceb9fe1a85ec53u;
    sum.high += w ^ w >> 33;
  }
  return sum;
}

static struct pawl_hash sum_of(const unsigned char *data, size_t length) {
  struct pawl_sum_hasher hasher = {0};
  pawl_sum_hash_add(&hasher, data, length);
  return hasher.sum;
}

static void test_sum_hash(void **state) {
  (void)state;
  const size_t size = ((size_t)5 << 20) + 3; /* long enough for several threads */
  unsigned char *data = pawl_alloc(size, 1);
  for (size_t i = 0; i < size; i++) data[i] = (unsigned char)(i * i >> 3);
  static const size_t lengths[] = {0, 1, 7, 8, 9, 4096};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    assert_true(pawl_hash_equal(sum_of(data, lengths[i]), plain_sum(data, lengths[i])));
  const struct pawl_hash whole = sum_of(data, size);
  assert_true(pawl_hash_equal(whole, plain_sum(data, size)));
  assert_false(pawl_hash_equal(whole, sum_of(data, size - 1)));
  data[size - 1] ^= 1;
  assert_false(pawl_hash_equal(whole, sum_of(data, size)));
  data[size - 1] ^= 1;
  unsigned char words[16]; /* two words that change places */
  memcpy(words, data + 800, 8), memcpy(words + 8, data + 4000, 8);
  memcpy(data + 4000, words, 8), memcpy(data + 800, words + 8, 8);
  const struct pawl_hash exchanged = sum_of(data, size);
  assert_true(exchanged.low != whole.low && exchanged.high != whole.high);
  struct pawl_sum_hasher pieces = {0}, other = {0}; /* ("ab", "c") and ("a", "bc") */
  pawl_sum_hash_add(&pieces, data, 16), pawl_sum_hash_add(&pieces, data + 16, 8);
  pawl_sum_hash_add(&other, data, 8), pawl_sum_hash_add(&other, data + 8, 16);
  assert_false(pawl_hash_equal(pieces.sum, other.sum));
  pawl_free(data);
}

static void test_bulk(void **state) {
  (void)state;
  const size_t size = ((size_t)5 << 20) + 6; /* long enough for several threads */
  unsigned char *data = pawl_alloc(size, 1), *copy = pawl_alloc(size, 1);
  for (size_t i = 0; i < size; i++) data[i] = (unsigned char)(i * i >> 3);
  static const size_t lengths[] = {0, 1, 4097, (1 << 20) + 1};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    memset(copy, 0x5a, size);
    pawl_bulk_copy(copy, data, lengths[i]);
    assert_memory_equal(copy, data, lengths[i]);
    assert_int_equal(copy[lengths[i]], 0x5a);
  }
  pawl_bulk_copy(copy, data, size);
  assert_memory_equal(copy, data, size);
  const struct pawl_hash whole = pawl_bulk_hash(data, size);
  assert_true(pawl_hash_equal(whole, pawl_bulk_hash(copy, size)));
  assert_false(pawl_hash_equal(whole, pawl_bulk_hash(copy, size - 1)));
  assert_int_equal(pawl_bulk_count_different(data, copy, size, 2, 8), 0);
  copy[size - 1] ^= 1, copy[0] ^= 1, copy[1] ^= 1,
      copy[3 << 20] ^= 1; /* three elements of two bytes */
  assert_false(pawl_hash_equal(whole, pawl_bulk_hash(copy, size)));
  assert_int_equal(pawl_bulk_count_different(data, copy, size, 2, 8), 3);
  FILE *file = tmpfile();
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fflush(file), 0);
  assert_true(pawl_bulk_read(fileno(file), copy, size, 0));
  assert_memory_equal(copy, data, size);
  assert_true(pawl_bulk_read(fileno(file), copy, size - 5, 5));
  assert_memory_equal(copy, data + 5, size - 5);
  assert_false(pawl_bulk_read(fileno(file), copy, size, 1)); /* one byte is missing */
  fclose(file);
  memcpy(copy, data, size);
  copy[(1 << 20) - 1] ^= 1, copy[1 << 20] ^= 1; /* on both sides of a piece's end */
  assert_int_equal(pawl_bulk_count_different(data, copy, size, 2, 8), 2);
  memset(copy, 0, size);
  assert_true(pawl_bulk_count_different(data, copy, size, 2, 8) > 8);
  pawl_free(data);
  pawl_free(copy);
}

static void test_a_folder_holds_what_is_below_it(void **state) {
  (void)state;
  assert_true(pawl_path_holds("/a/b", "/a/b"));
  assert_true(pawl_path_holds("/a/b", "/a/b/c"));
  assert_true(pawl_path_holds("/", "/a"));
  assert_false(pawl_path_holds("/a/b", "/a/bc"));
  assert_false(pawl_path_holds("/a/b", "/a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_in_natural_order),
      cmocka_unit_test(test_error_is_one_line),
      cmocka_unit_test(test_numbers_are_whole_strings),
      cmocka_unit_test(test_a_list_of_many_strings),
      cmocka_unit_test(test_a_folder_holds_what_is_below_it),
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_write_is_atomic_and_complete),
      cmocka_unit_test(test_tree),
      cmocka_unit_test(test_lock_excludes),
      cmocka_unit_test(test_process_output_status_and_signal),
      cmocka_unit_test(test_process_time_limit_kills_the_group),
      cmocka_unit_test(test_process_environment),
      cmocka_unit_test(test_sandbox_drops_preloads),
      cmocka_unit_test(test_process_descriptors),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_real_digits),
      cmocka_unit_test(test_json_plain),
      cmocka_unit_test(test_philox_known_answers),
      cmocka_unit_test(test_conversions_round_trip),
      cmocka_unit_test(test_parallel_for_covers_all),
      cmocka_unit_test(test_sum_hash),
      cmocka_unit_test(test_bulk),
      cmocka_unit_test(test_out_of_memory_is_one_line_and_71),
  };
  return cmocka_run_group_tests_name("base", tests, set_up, tear_down);
}
