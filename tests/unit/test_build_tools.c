/* SPDX-License-Identifier: Apache-2.0 */
#include "build_support.h"

#include <time.h>

#include "build/file_table.h"
#include "build/tools.h"
#include "build/words.h"

static void make_tool(struct fixture *f, const char *name, const char *script) {
  write_file(f, name, script);
  shell(f, "", pawl_arena_printf(&f->arena, "chmod +x '%s'", name));
}

static void test_every_row_is_complete(void **state) {
  (void)state;
  for (size_t i = 0; i < pawl_tool_spec_count; i++) {
    const struct pawl_tool_spec *spec = &pawl_tool_specs[i];
    assert_true(spec->name && spec->needed_for && spec->remedy);
    for (size_t j = 0; j < i; j++) assert_string_not_equal(spec->name, pawl_tool_specs[j].name);
  }
}

static void test_the_compiler_of_this_test_is_found(void **state) {
  struct fixture *f = *state;
  const struct pawl_tool tool = pawl_tool_probe("cc", &f->arena);
  assert_null(tool.reason);
  assert_int_equal(*tool.path, '/');
  assert_non_null(strpbrk(tool.version, "0123456789"));
  struct pawl_tool *tools;
  size_t count;
  pawl_tools_probe(&f->arena, &tools, &count);
  assert_int_equal(count, pawl_tool_spec_count);
  for (size_t i = 0; i < count; i++)
    assert_true((tools[i].version != NULL) == (tools[i].reason == NULL));
}

static void test_reasons(void **state) {
  struct fixture *f = *state;
  struct pawl_tool tool = pawl_tool_probe("/nonexistent/cc", &f->arena);
  assert_null(tool.path);
  assert_non_null(strstr(tool.reason, "cannot find '/nonexistent/cc'"));
  make_tool(f, "fails", "#!/bin/sh\necho first\nprintf 'no server \\n\\n' >&2\nexit 3\n");
  tool = pawl_tool_probe(in_folder(f, "fails"), &f->arena);
  assert_string_equal(strstr(tool.reason, "exited with"), "exited with status 3: no server");
  assert_null(tool.version);
  make_tool(f, "silent", "#!/bin/sh\n");
  assert_non_null(
      strstr(pawl_tool_probe(in_folder(f, "silent"), &f->arena).reason, "prints no version"));
  make_tool(f, "hangs", "#!/bin/sh\nexec sleep 60\n");
  const time_t start = time(NULL);
  assert_non_null(strstr(pawl_tool_probe(in_folder(f, "hangs"), &f->arena).reason, "timed out"));
  assert_true(time(NULL) - start < 30);
  make_tool(f, "works", "#!/bin/sh\nprintf '\\n\\t tool 1.2 \\r\\nmore\\n'\n");
  assert_string_equal(pawl_tool_probe(in_folder(f, "works"), &f->arena).version, "tool 1.2 ");
}

/* nvcc's version is on its fourth line, and its folder need not be in PATH. */
static void test_cuda_home(void **state) {
  struct fixture *f = *state;
  char *path = pawl_arena_copy(&f->arena, getenv("PATH"));
  make_tool(f, "bin/ncu",
            "#!/bin/sh\necho Nsight Compute\necho Copyright\necho Version 2025.3.1.0\n");
  setenv("CUDA_HOME", f->folder, 1);
  setenv("PATH", "/usr/bin:/bin", 1);
  const struct pawl_tool tool = pawl_tool_probe("ncu", &f->arena);
  setenv("PATH", path, 1);
  unsetenv("CUDA_HOME");
  if (!pawl_starts_with(tool.path, "/usr/"))
    assert_string_equal(tool.version, "Version 2025.3.1.0");
}

static void expect_quoted(const char *word, const char *quoted) {
  struct pawl_text text = {0};
  pawl_shell_quote(word, &text);
  assert_string_equal(text.data, quoted);
  pawl_text_clear(&text);
}

static void test_quoting(void **state) {
  (void)state;
  expect_quoted("-O3", "-O3");
  expect_quoted("", "''");
  expect_quoted("a b", "'a b'");
  expect_quoted("it's", "'it'\\''s'");
  expect_quoted("$x`y`\\", "'$x`y`\\'");
  expect_quoted("~", "'~'");
}

static const char *split(struct pawl_arena *arena, const char *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text found = {0};
  struct pawl_words words = {0};
  struct pawl_error err = {0};
  if (pawl_words_split(&words, arena, text, "the text", &err) != PAWL_OK) {
    assert_int_equal(err.code, PAWL_USAGE);
    assert_int_equal(words.count, 0);
    return pawl_arena_copy(arena, err.message);
  }
  for (size_t i = 0; i < words.count; i++) pawl_text_printf(&found, "[%s]", words.items[i]);
  return pawl_arena_copy(arena, pawl_text_string(&found));
}

static void test_splitting(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"", ""},
      {" \t\n", ""},
      {"--gres=gpu:1 \t --exclusive ", "[--gres=gpu:1][--exclusive]"},
      {"--comment=\"a b\" c", "[--comment=a b][c]"},
      {"'--comment=\"a b\"'", "[--comment=\"a b\"]"},
      {"'' \"\" x''y", "[][][xy]"},
      {"a\\ b \\'c \\\\", "[a b]['c][\\]"},
      {"\"a\\\"b\\\\c\\d\" '\\'", "[a\"b\\c\\d][\\]"},
      {"$x `y` *;|&#~", "[$x][`y`][*;|&#~]"},
      {"a 'b", "the text: the end of a quote is missing in 'a 'b'"},
      {"a \"b'", "the text: the end of a quote is missing in 'a \"b''"},
      {"a \"b\\", "the text: the end of a quote is missing in 'a \"b\\'"},
      {"a\\", "the text: the end of a quote is missing in 'a\\'"},
  };
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    assert_string_equal(split(&arena, pairs[i][0]), pairs[i][1]);
}

/* A command line that pawl joins for a shell splits into the same words. */
static void test_splitting_undoes_joining(void **state) {
  (void)state;
  static const char *const all[] = {"plain", "",        "it's", "a b", "\"",
                                    "\\",    "$x`y`\\", "~",    "\n",  "%j"};
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_words words = {0}, again = {0};
  struct pawl_error err = {0};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pawl_words_add(&words, &arena, all[i]);
  assert_int_equal(
      pawl_words_split(&again, &arena, pawl_words_join(&words, &arena), "the words", &err),
      PAWL_OK);
  assert_int_equal(again.count, words.count);
  for (size_t i = 0; i < words.count; i++) assert_string_equal(again.items[i], words.items[i]);
}

/* Whether a new file can matter depends on the names that a source may ask for. */
static void test_computed_names(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool computes;
  } sources[] = {
      {"#include <a.h>\n # include_next\t\"b.h\"\nint included, import_a;\n", false},
      {"/* include MACRO */\n#error include MACRO\n", false},
      {"#if defined(__has_include) && __has_include(<a.h>)\n", false},
      {"#ifdef __has_include\n#if __has_include_next(\"a.h\")\n#endif\n#endif\n", false},
      {"#include MACRO\n", true},
      {"#include \\\n MACRO\n", true},
      {"#inc\\\nlude MACRO\n", true},
      {"#inc\\ \r\nlude MACRO\n", true},
      {"# /* */ include MACRO\n", true},
      {"/* */ #include MACRO\n", true},
      {"#include /* */ <a.h>\n", true},
      {"%:include <a.h>\n", true},
      {"?\?=include MACRO\n", true},
      {"#import MACRO\n", true},
      {"#embed MACRO\n", true},
      {"#if __has_include(MACRO)\n", true},
      {"#if __has_embed ( MACRO )\n", true},
      {"#define asks __has_include\n", true},
  };
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    struct pawl_text text = {0};
    pawl_text_add(&text, sources[i].text);
    pawl_text_join_lines(&text);
    if (pawl_text_computes_names(&text) != sources[i].computes) print_message("%s", text.data);
    assert_int_equal(pawl_text_computes_names(&text), sources[i].computes);
    pawl_text_clear(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_row_is_complete),
      cmocka_unit_test_setup_teardown(test_the_compiler_of_this_test_is_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_reasons, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_cuda_home, set_up, tear_down),
      cmocka_unit_test(test_quoting),
      cmocka_unit_test(test_splitting),
      cmocka_unit_test(test_computed_names),
      cmocka_unit_test(test_splitting_undoes_joining),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
