/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of machine code and their differences. tests/data/sass/wide.sass and narrow.sass are
   wide.cu there as cuobjdump lists it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "build/code_diff.h"

#define DATA PAWL_SOURCE_ROOT "/tests/data/sass/"

static struct pawl_arena arena;

static struct pawl_machine_code read_listing(const char *path) {
  struct pawl_text file = {0};
  struct pawl_machine_code code = {0};
  assert_int_equal(pawl_file_read(path, 1 << 20, &file, NULL), PAWL_OK);
  pawl_disassembly_read(file.data, true, &arena, &code);
  pawl_text_clear(&file);
  return code;
}

static int count_of(const struct pawl_function_code *function, const char *name, int loops) {
  int count = 0;
  for (size_t i = 0; i < function->count; i++)
    count += !strcmp(function->items[i].name, name) && function->items[i].loops == loops;
  return count;
}

static void test_gpu_instructions(void **state) {
  (void)state;
  const struct pawl_machine_code wide = read_listing(DATA "wide.sass"),
                                 narrow = read_listing(DATA "narrow.sass");
  assert_int_equal(wide.count, 1);
  assert_string_equal(wide.items[0].name, "sum_rows");
  assert_string_equal(wide.items[0].symbol, "_Z8sum_rowsPKfPfi");
  assert_string_equal(wide.items[0].arch, "sm_90a");
  assert_int_equal(count_of(&wide.items[0], "LDS.128", 1), 1);
  assert_int_equal(count_of(&wide.items[0], "LDS", 1), 0);
  assert_int_equal(count_of(&wide.items[0], "FADD", 1), 4);
  assert_int_equal(count_of(&wide.items[0], "STG.E", 0), 1);
  assert_int_equal(count_of(&narrow.items[0], "LDS", 1), 4);
  assert_int_equal(count_of(&narrow.items[0], "LDG.E.128", 0), 1);
  /* the padding after the code counts for nothing */
  assert_string_equal(wide.items[0].items[wide.items[0].count - 1].name, "EXIT");
}

/* A listing of objdump with a loop over vectors. */
static void test_cpu_instructions(void **state) {
  (void)state;
  char listing[] =
      "0000000000001000 <_init>:\n    1000:\tret\n\n"
      "0000000000001100 <scale>:\n"
      "    1100:\txor    %eax,%eax\n"
      "    1102:\tnopw   0x0(%rax,%rax,1)\n"
      "    1108:\tvmovups (%rdi,%rax,1),%ymm1\n"
      "    110d:\tvfmadd231ps (%rsi,%rax,1),%ymm1,%ymm0\n"
      "    1113:\tvcvttss2si %xmm0,%ecx\n"
      "    1118:\tadd    $0x20,%rax\n"
      "    111c:\tcmp    %rax,%rdx\n"
      "    111f:\tjne    1108 <scale+0x8>\n"
      "    1121:\tcall   1000 <_init>\n"
      "    1126:\tmov    %rax,(%rdi)\n"
      "    1129:\tret\n";
  struct pawl_machine_code code;
  pawl_disassembly_read(listing, false, &arena, &code);
  assert_int_equal(code.count, 1);
  const struct pawl_function_code *scale = &code.items[0];
  assert_string_equal(scale->name, "scale");
  assert_null(scale->arch);
  assert_int_equal(scale->count, 10);
  static const struct {
    const char *name;
    enum pawl_instruction_class kind;
    int loops;
  } expected[] = {{"xor", PAWL_CLASS_INTEGER, 0},
                  {"vmovups ymm", PAWL_CLASS_MEMORY, 1},
                  {"vfmadd231ps ymm", PAWL_CLASS_VECTOR, 1},
                  {"vcvttss2si xmm", PAWL_CLASS_CONVERT, 1},
                  {"add", PAWL_CLASS_INTEGER, 1},
                  {"cmp", PAWL_CLASS_INTEGER, 1},
                  {"jne", PAWL_CLASS_CONTROL, 1},
                  {"call", PAWL_CLASS_CONTROL, 0},
                  {"mov", PAWL_CLASS_MEMORY, 0},
                  {"ret", PAWL_CLASS_CONTROL, 0}};
  for (size_t i = 0; i < scale->count; i++) {
    assert_string_equal(scale->items[i].name, expected[i].name);
    assert_int_equal(scale->items[i].kind, expected[i].kind);
    assert_int_equal(scale->items[i].loops, expected[i].loops);
  }
}

static void test_difference(void **state) {
  (void)state;
  const struct pawl_machine_code wide = read_listing(DATA "wide.sass"),
                                 narrow = read_listing(DATA "narrow.sass");
  struct pawl_code_diff diff;
  struct pawl_text text = {0};
  pawl_code_diff(&wide, &narrow, &arena, &diff);
  assert_int_equal(diff.count, 1);
  assert_int_equal(diff.items[0].mix_in_loops[PAWL_CLASS_SHARED][0], 1);
  assert_int_equal(diff.items[0].mix_in_loops[PAWL_CLASS_SHARED][1], 4);
  assert_non_null(strstr(pawl_code_diff_line(&diff, &arena), "1 LDS.128 became 4 LDS"));
  pawl_code_diff_text(&diff, &text);
  const char *loop = strstr(pawl_text_string(&text), "  in 1 loop:\n"),
             *rest = strstr(pawl_text_string(&text), "  outside of loops:\n");
  assert_non_null(loop);
  assert_true(!rest || rest > loop);
  assert_non_null(strstr(loop, " LDS.128\n"));
  pawl_text_clear(&text);

  pawl_code_diff(&wide, &wide, &arena, &diff);
  assert_int_equal(diff.count, 0);
  assert_int_equal(diff.same, 1);
  assert_null(pawl_code_diff_line(&diff, &arena));
}

static struct pawl_function_code make_code(const char *letters) {
  struct pawl_function_code code = {
      .symbol = "f",
      .plain = "f",
      .name = "f",
      .items = pawl_arena_alloc(&arena, strlen(letters) + 1, sizeof *code.items)};
  for (; letters[code.count]; code.count++)
    code.items[code.count] =
        (struct pawl_instruction){.name = pawl_arena_printf(&arena, "%c", letters[code.count]),
                                  .form = (uint64_t)letters[code.count],
                                  .address = code.count,
                                  .target = -1};
  return code;
}

/* Applies the edits to the base: the result must be the candidate. Returns their number. */
static size_t check_edits(const char *base, const char *candidate) {
  struct pawl_function_code from = make_code(base), to = make_code(candidate);
  struct pawl_machine_code left = {&from, 1}, right = {&to, 1};
  struct pawl_code_diff diff;
  pawl_code_diff(&left, &right, &arena, &diff);
  char made[64];
  size_t length = 0, at = 0, edits = diff.count ? diff.items[0].edit_count : 0;
  for (size_t i = 0; i < edits; i++) {
    const struct pawl_code_edit *edit = &diff.items[0].edits[i];
    if (edit->came) {
      while (length < edit->item->address) made[length++] = base[at++];
      made[length++] = *edit->item->name;
    } else {
      while (at < edit->item->address) made[length++] = base[at++];
      at++;
    }
  }
  while (base[at]) made[length++] = base[at++];
  made[length] = '\0';
  assert_string_equal(made, candidate);
  return edits;
}

static void test_fewest_edits(void **state) {
  (void)state;
  assert_int_equal(check_edits("abcabba", "cbabac"), 5); /* Myers's example */
  assert_int_equal(check_edits("abc", "abc"), 0);
  assert_int_equal(check_edits("", "abc"), 3);
  assert_int_equal(check_edits("abc", ""), 3);
  assert_int_equal(check_edits("xaby", "xcaby"), 1);
  assert_int_equal(check_edits("xabby", "xaby"), 1);
  assert_int_equal(check_edits("abcdef", "ghijkl"), 12);
}

/* 0; 1: two loops, the inner one of two instructions; a jump backwards that is no loop */
static void test_loops(void **state) {
  (void)state;
  struct pawl_function_code code = make_code("abcdefghi");
  code.items[4].target = 3; /* d e: the inner loop */
  code.items[5].target = 1; /* b to f: the outer loop */
  code.items[6].target = 8; /* g: over h */
  code.items[7].target = 0; /* h jumps backwards, but nothing leads to it */
  code.items[6].ends = code.items[8].ends = true;
  pawl_find_loops(&code);
  static const int expected[] = {0, 1, 1, 2, 2, 1, 0, 0, 0};
  for (size_t i = 0; i < code.count; i++) assert_int_equal(code.items[i].loops, expected[i]);
  code.items[2].target = 2;
  pawl_find_loops(&code);
}

/* A listing that is cut off ends without a crash. */
static void test_damaged(void **state) {
  (void)state;
  struct pawl_text file = {0};
  assert_int_equal(pawl_file_read(DATA "wide.sass", 1 << 20, &file, NULL), PAWL_OK);
  for (size_t length = 0; length < file.length; length += 37) {
    for (int gpu = 0; gpu < 2; gpu++) {
      struct pawl_machine_code code;
      char *part = pawl_alloc(length + 1, 1);
      memcpy(part, file.data, length);
      pawl_disassembly_read(part, gpu, &arena, &code);
      pawl_free(part);
    }
  }
  pawl_text_clear(&file);
}

/* Writes a tool of these words into the folder, and lets no other be found. */
static void write_tool(const char *tool, const char *words) {
  FILE *file = fopen(tool, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", words);
  fclose(file);
  assert_int_equal(chmod(tool, 0700), 0);
}

/* cuobjdump and objdump list several plug-ins side by side, and none of them again. */
static void test_listings(void **state) {
  (void)state;
  char folder[] = "/tmp/pawl-listings-XXXXXX", tool[64], cpu_tool[64], path[128];
  const char *const plugins[] = {DATA "wide.sass", DATA "narrow.sass"};
  struct pawl_listings listings = {0};
  struct pawl_machine_code code;
  struct pawl_error err;
  assert_non_null(mkdtemp(folder));
  snprintf(tool, sizeof tool, "%s/cuobjdump", folder);
  snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
  const char *const before = getenv("PATH") ? getenv("PATH") : "";
  char *const kept = pawl_arena_copy(&arena, before);
  write_tool(tool, "cat \"$2\"");
  snprintf(cpu_tool, sizeof cpu_tool, "%s/objdump", folder);
  write_tool(cpu_tool, "printf '%s\\n' '0000000000000010 <half>:' '  10:\tret'");
  setenv("PATH", path, 1);
  for (int i = 0; i < 4; i++) pawl_listings_add(&listings, plugins[i % 2], true);
  pawl_listings_add(&listings, "/nowhere", true);
  for (int i = 0; i < 2; i++) pawl_listings_add(&listings, plugins[0], false);
  assert_int_equal(listings.count, 4);
  pawl_listings_begin(&listings);
  pawl_listings_await(&listings);
  remove(tool);
  remove(cpu_tool);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pawl_disassemble(plugins[i], true, &listings, &arena, &code, &err), PAWL_OK);
    assert_int_equal(count_of(&code.items[0], "LDS.128", 1), !i);
  }
  assert_int_equal(pawl_disassemble(plugins[0], false, &listings, &arena, &code, &err), PAWL_OK);
  assert_string_equal(code.items[0].name, "half");
  assert_int_not_equal(pawl_disassemble(plugins[1], false, &listings, &arena, &code, &err),
                       PAWL_OK);
  assert_int_equal(pawl_disassemble("/nowhere", true, &listings, &arena, &code, &err), PAWL_FAILED);
  assert_int_not_equal(pawl_disassemble("/else", true, &listings, &arena, &code, &err), PAWL_OK);
  pawl_listings_clear(&listings);
  setenv("PATH", kept, 1);
  rmdir(folder);
}

/* Nobody waits for a listing that nobody wants any more, and a pause stops it. */
static void test_listings_end_and_pause(void **state) {
  (void)state;
  char folder[] = "/tmp/pawl-listings-XXXXXX", tool[64], path[128], words[128], mark[64];
  struct pawl_listings listings = {0};
  assert_non_null(mkdtemp(folder));
  snprintf(tool, sizeof tool, "%s/cuobjdump", folder);
  snprintf(mark, sizeof mark, "%s/mark", folder);
  snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
  char *const kept = pawl_arena_copy(&arena, getenv("PATH") ? getenv("PATH") : "");
  setenv("PATH", path, 1);
  write_tool(tool, "exec sleep 100");
  const int64_t begin = pawl_clock_ns();
  pawl_listings_add(&listings, "/nowhere", true);
  pawl_listings_begin(&listings);
  pawl_listings_clear(&listings);
  assert_true(pawl_seconds_since(begin) < 50);
  snprintf(words, sizeof words, "sleep .3; echo > %s", mark);
  write_tool(tool, words);
  pawl_listings_add(&listings, "/nowhere", true);
  pawl_listings_begin(&listings);
  assert_true(pawl_jobs_pause(listings.jobs));
  pawl_sleep_seconds(0.6);
  assert_int_not_equal(access(mark, F_OK), 0);
  pawl_jobs_resume(listings.jobs);
  pawl_listings_await(&listings);
  assert_int_equal(access(mark, F_OK), 0);
  pawl_listings_clear(&listings);
  setenv("PATH", kept, 1);
  remove(tool);
  remove(mark);
  rmdir(folder);
}

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gpu_instructions),
                                     cmocka_unit_test(test_cpu_instructions),
                                     cmocka_unit_test(test_difference),
                                     cmocka_unit_test(test_fewest_edits),
                                     cmocka_unit_test(test_loops),
                                     cmocka_unit_test(test_listings),
                                     cmocka_unit_test(test_listings_end_and_pause),
                                     cmocka_unit_test(test_damaged)};
  return cmocka_run_group_tests(tests, NULL, clear_arena);
}
