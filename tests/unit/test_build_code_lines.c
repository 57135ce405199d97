/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines of machine code. tests/data/sass/wide.lines and narrow.lines are the .nv_fatbin of
   wide.cu there (wide_80.lines: for sm_80), by nvcc 13.0 -O3 -arch=sm_90a -no-compress -lineinfo
   with and without -DWIDE in the folder /suite. Their code has the bytes of wide.sass and
   narrow.sass. `nvdisasm -g` gave the lines of the addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/file.h"
#include "build/code_diff.h"
#include "build/line_program.h"

#define DATA PAWL_SOURCE_ROOT "/tests/data/sass/"
#define SYMBOL "_Z8sum_rowsPKfPfi"

static struct pawl_arena arena;

static struct pawl_code_source read_source(const char *name) {
  struct pawl_code_source source = {.tree = DATA};
  assert_int_equal(pawl_line_table_read(pawl_arena_printf(&arena, DATA "%s.lines", name), true,
                                        &arena, &source.table, NULL),
                   PAWL_OK);
  return source;
}

static struct pawl_machine_code read_listing(const char *name) {
  struct pawl_text file = {0};
  struct pawl_machine_code code = {0};
  assert_int_equal(
      pawl_file_read(pawl_arena_printf(&arena, DATA "%s.sass", name), 1 << 20, &file, NULL),
      PAWL_OK);
  pawl_disassembly_read(file.data, true, &arena, &code);
  pawl_text_clear(&file);
  return code;
}

static void test_lines_of_addresses(void **state) {
  (void)state;
  static const struct {
    uint64_t address;
    int line;
  } expected[] = {{0x0, 4},    {0x10, 6},   {0x40, 10},  {0x50, 6},   {0xe0, 6},   {0xf0, 7},
                  {0x100, 10}, {0x140, 12}, {0x150, 10}, {0x190, 12}, {0x1a0, 13}, {0x1d0, 13},
                  {0x1e0, 10}, {0x1f0, 18}, {0x220, 18}, {0x230, 19}};
  const struct pawl_code_source wide = read_source("wide"), narrow = read_source("narrow");
  for (size_t i = 0; i < PAWL_COUNT(expected); i++) {
    const struct pawl_line_row *row =
        pawl_line_table_find(&wide.table, SYMBOL, 90, expected[i].address);
    assert_non_null(row);
    assert_int_equal(row->line, expected[i].line);
    assert_string_equal(row->file, "/suite/wide.cu");
  }
  assert_null(pawl_line_table_find(&wide.table, SYMBOL, 80, 0x10));
  assert_null(pawl_line_table_find(&wide.table, "_Z5otherPf", 90, 0x10));
  assert_null(pawl_line_table_find(&wide.table, SYMBOL, 90, 1 << 20));
  assert_false(pawl_hash_equal(wide.table.code, narrow.table.code));
}

/* A cubin for sm_80 names its functions in .rel.debug_line, newer ones in .rela.debug_line. */
static void test_lines_of_an_older_gpu(void **state) {
  (void)state;
  const struct pawl_code_source wide = read_source("wide_80");
  const struct pawl_line_row *row = pawl_line_table_find(&wide.table, SYMBOL, 80, 0);
  assert_non_null(row);
  assert_int_equal(row->line, 4);
  assert_string_equal(row->file, "/suite/wide.cu");
}

static void test_lines_that_changed(void **state) {
  (void)state;
  const struct pawl_machine_code base = read_listing("wide"), candidate = read_listing("narrow");
  const struct pawl_code_source wide = read_source("wide"), narrow = read_source("narrow");
  struct pawl_code_diff diff;
  struct pawl_text text = {0};
  pawl_code_diff(&base, &candidate, &arena, &diff);
  pawl_code_lines(diff.items, diff.count, &wide, &narrow, &arena, &diff.lines);
  assert_string_equal(pawl_code_diff_place(&diff, &arena),
                      "wide.cu:15 `for (int i = 0; i < 4; i++) sum += reinterpret_cast<float "
                      "*>(rows)[(threadIdx.x ...`");
  pawl_code_diff_text(&diff, &text);
  assert_non_null(strstr(text.data, "in loops: 4 FADD came, 4 LDS came, 4 LOP3.LUT came and 3"));
  assert_non_null(strstr(text.data,
                         "wide.cu:12 `const float4 v = rows[(threadIdx.x + round) & "
                         "31];`\n    in loops: 1 LDS.128 went"));
  pawl_text_clear(&text);
}

/* A list of samples as a worker sends it. */
static struct pawl_code_samples read_samples(const char *text) {
  struct pawl_code_samples samples;
  json_t *list = json_loads(text, 0, NULL);
  assert_int_equal(pawl_code_samples_read(list, &arena, &samples, NULL), PAWL_OK);
  json_decref(list);
  return samples;
}

static const char *renamed; /* the symbol of all rows; NULL: their own */

static struct pawl_line_changes time_lines(const char *base, const char *candidate) {
  const struct pawl_machine_code before = read_listing("wide"), now = read_listing("narrow");
  struct pawl_code_source wide = read_source("wide"), narrow = read_source("narrow");
  const struct pawl_code_samples was = read_samples(base), is = read_samples(candidate);
  struct pawl_code_diff diff;
  for (size_t i = 0; renamed && i < narrow.table.count; i++) narrow.table.rows[i].symbol = renamed;
  wide.samples = &was;
  wide.seconds = 10e-6;
  narrow.samples = &is;
  narrow.seconds = 30e-6;
  pawl_code_diff(&before, &now, &arena, &diff);
  pawl_code_lines(diff.items, diff.count, &wide, &narrow, &arena, &diff.lines);
  return diff.lines;
}

#define AT(OFFSET, WAITS) \
  "{\"function\": \"" SYMBOL "\", \"offset\": " OFFSET ", \"waits\": {" WAITS "}}"

/* The 10 us of the base are 6 us of line 6 and 4 us of line 12. The 30 us of the candidate are all
   of line 6. */
static void test_times_of_lines(void **state) {
  (void)state;
  const struct pawl_line_changes lines = time_lines(
      "[" AT("16", "\"long_scoreboard\": 60") ", " AT("320", "\"wait\": 30, \"selected\": 10") "]",
      "[" AT("16", "\"long_scoreboard\": 20") ", " AT("0", "\"wait\": 0") "]");
  assert_true(lines.timed);
  assert_int_equal(lines.items[0].line, 6);
  assert_float_equal(lines.items[0].seconds[0], 6e-6, 1e-12);
  assert_float_equal(lines.items[0].seconds[1], 30e-6, 1e-12);
  const struct pawl_line_wait *wait = pawl_line_change_wait(&lines.items[0]);
  assert_string_equal(wait->reason, "long_scoreboard");
  assert_float_equal(wait->seconds[1], 30e-6, 1e-12);
  const struct pawl_line_change *last = &lines.items[lines.count - 1];
  assert_int_equal(last->line, 12); /* it went */
  assert_float_equal(last->seconds[0], 4e-6, 1e-12);
  assert_float_equal(last->seconds[1], 0, 1e-12);
  assert_string_equal(pawl_line_change_wait(last)->reason, "wait");
}

/* A warp that has ended waits for its stores. ncu counts that at the bracket of line 19. */
static void test_a_wait_for_stores_is_that_of_the_store(void **state) {
  (void)state;
  const struct pawl_line_changes lines =
      time_lines("[" AT("560", "\"drain\": 1") ", " AT("16", "\"wait\": 9") "]",
                 "[" AT("704", "\"drain\": 8, \"wait\": 1") ", " AT("16", "\"wait\": 3") "]");
  assert_int_equal(lines.items[0].line, 18);
  assert_float_equal(lines.items[0].seconds[0], 1e-6, 1e-12);
  assert_float_equal(lines.items[0].seconds[1], 20e-6, 1e-12);
  for (size_t i = 0; i < lines.count; i++)
    if (lines.items[i].line == 19) assert_float_equal(lines.items[i].seconds[1], 2.5e-6, 1e-12);
}

/* A tree whose one source has this text, and a line table that names it. */
static struct pawl_code_source write_source(const char *text) {
  char *folder = pawl_arena_copy(&arena, "/tmp/pawl-edit-XXXXXX");
  assert_non_null(mkdtemp(folder));
  assert_int_equal(
      pawl_file_write(pawl_arena_printf(&arena, "%s/k.cu", folder), text, strlen(text), NULL),
      PAWL_OK);
  struct pawl_line_row *row = pawl_arena_alloc(&arena, 1, sizeof *row);
  *row = (struct pawl_line_row){.file = "k.cu", .line = 1};
  return (struct pawl_code_source){.tree = folder, .table = {.rows = row, .count = 1}};
}

/* Where only the launch differs, the one edit of the source is its line. */
static void test_the_one_place_where_sources_differ(void **state) {
  (void)state;
  static const char base[] = "a();\n// of\nlaunch(2);\nb();\nc();\n";
  static const struct {
    const char *text;
    int line; /* 0: no place, or more than one */
  } candidates[] = {{base, 0},
                    {"a();\n// of\nlaunch(2 + 1);\nb();\nc();\n", 3},
                    {"a();\n// of the launch\n\nlaunch(3);\nb();\nc();\n", 4},
                    {"a();\nlaunch(2);\n\nb();\nc();\n", 0},
                    {"a();\n// of\nlaunch(2);\nmore();\n\nmore();\nb();\nc();\n", 4},
                    {"a();\n// of\nb();\nc();\n", 3},
                    {"a();\n/* new\n * words */\n// of\nlaunch(3);\nb();\nc();\n", 5},
                    {"a(1);\n// of\nlaunch(2);\nb();\nc(1);\n", 0}};
  const struct pawl_code_source before = write_source(base);
  for (size_t i = 0; i < PAWL_COUNT(candidates); i++) {
    const struct pawl_code_source now = write_source(candidates[i].text);
    struct pawl_line_change edit = {0};
    const bool found = pawl_code_lines_edit(&before, &now, &arena, &edit);
    assert_int_equal(found ? edit.line : 0, candidates[i].line);
    assert_int_equal(pawl_remove_tree(now.tree, NULL), PAWL_OK);
  }
  assert_int_equal(pawl_remove_tree(before.tree, NULL), PAWL_OK);
}

/* ncu names a kernel without its mangling. */
static void test_names_of_a_profiler(void **state) {
  (void)state;
  static const char *const names[] = {"sum_rows(const float *, float *, int)",
                                      "void <unnamed>::sum_rows<(int)4>(float (*)(int))", SYMBOL};
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    const char *list = pawl_arena_printf(
        &arena, "[{\"function\": \"%s\", \"offset\": 16, \"waits\": {\"wait\": 1}}]", names[i]);
    const struct pawl_line_changes lines = time_lines(list, list);
    assert_int_equal(lines.items[0].line, 6);
    assert_float_equal(lines.items[0].seconds[1], 30e-6, 1e-12);
  }
  const char *other = "[{\"function\": \"rows(int)\", \"offset\": 16, \"waits\": {\"wait\": 1}}]";
  assert_float_equal(time_lines(other, other).items[0].seconds[1], 0, 0);
  const char *list =
      "[{\"function\": \"sum_rows(int)\", \"offset\": 16, \"waits\": {\"wait\": 1}}]";
  renamed = "_Z18sum_rows_of_matrixPKf"; /* "8sum_rows" stands in it */
  assert_float_equal(time_lines(list, list).items[0].seconds[1], 0, 0);
  renamed = NULL;
}

/* Without the samples of one side no line has a time, and the order is that of the instructions. */
static void test_times_need_both_sides(void **state) {
  (void)state;
  const struct pawl_line_changes lines = time_lines("[]", "[" AT("16", "\"wait\": 5") "]");
  assert_false(lines.timed);
  assert_int_equal(lines.items[0].line, 15);
  assert_float_equal(lines.items[0].seconds[1], 0, 0);
}

static void test_samples_of_another_form(void **state) {
  (void)state;
  static const char *const bad[] = {"{}", "[{}]", "[" AT("-1", "\"wait\": 5") "]",
                                    "[" AT("1", "\"wait\": \"5\"") "]",
                                    "[" AT("1", "\"wait\": -5") "]"};
  for (size_t i = 0; i < PAWL_COUNT(bad); i++) {
    struct pawl_code_samples samples = {.count = 7};
    json_t *list = json_loads(bad[i], 0, NULL);
    assert_int_equal(pawl_code_samples_read(list, &arena, &samples, NULL), PAWL_BAD_DATA);
    assert_int_equal(samples.count, 7);
    json_decref(list);
  }
}

/* A unit of DWARF 2: its length, version 2, the length of the rest of the header; an instruction
   has 1 byte, line base -5, line range 14, opcode base 10; the operands of the opcodes; folder "d";
   file "f". Its program sets address 16 and line 7, goes on by 4 bytes and 2 lines, and by 8 bytes
   to the end. */
static const char unit[] =
    "\x2d\0\0\0\2\0\x17\0\0\0\1\1\xfb\x0e\x0a\0\1\1\1\1\0\0\0\1"
    "d\0\0f\0\1\0\0\0"
    "\0\5\2\x10\0\0\0\3\6\1\x49\2\x08\0\1\1";
#define UNIT (sizeof unit - 1)

struct rows_seen {
  size_t count;
  struct pawl_line_event items[8];
};

static void see_row(void *context, const struct pawl_line_event *event) {
  struct rows_seen *seen = context;
  if (seen->count < PAWL_COUNT(seen->items)) seen->items[seen->count] = *event;
  seen->count++;
}

static void test_line_program(void **state) {
  (void)state;
  struct rows_seen seen = {0};
  assert_int_equal(unit[0], UNIT - 4);
  assert_true(pawl_line_program_run((const unsigned char *)unit, UNIT, see_row, &seen));
  assert_int_equal(seen.count, 3);
  static const struct {
    uint64_t address;
    int line;
  } expected[] = {{16, 7}, {20, 9}, {28, 0}};
  for (size_t i = 0; i < PAWL_COUNT(expected); i++) {
    assert_int_equal(seen.items[i].address, expected[i].address);
    assert_int_equal(seen.items[i].line, expected[i].line);
    assert_string_equal(seen.items[i].file, "f");
    assert_string_equal(seen.items[i].folder, "d");
  }
  /* A damaged program is refused, or gives other rows. It reads nothing beyond its end. */
  for (size_t length = 1; length < UNIT; length++) {
    unsigned char *part = pawl_alloc(length, 1);
    memcpy(part, unit, length);
    assert_false(pawl_line_program_run(part, length, see_row, &seen));
    pawl_free(part);
  }
  for (size_t i = 0; i < 8 * UNIT; i++) {
    unsigned char *damaged = pawl_alloc(UNIT, 1);
    memcpy(damaged, unit, UNIT);
    damaged[i / 8] ^= (unsigned char)(1u << i % 8);
    (void)pawl_line_program_run(damaged, UNIT, see_row, &seen);
    pawl_free(damaged);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_of_addresses),
      cmocka_unit_test(test_lines_that_changed),
      cmocka_unit_test(test_lines_of_an_older_gpu),
      cmocka_unit_test(test_times_of_lines),
      cmocka_unit_test(test_times_need_both_sides),
      cmocka_unit_test(test_names_of_a_profiler),
      cmocka_unit_test(test_a_wait_for_stores_is_that_of_the_store),
      cmocka_unit_test(test_the_one_place_where_sources_differ),
      cmocka_unit_test(test_samples_of_another_form),
      cmocka_unit_test(test_line_program),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pawl_arena_clear(&arena);
  return failed;
}
