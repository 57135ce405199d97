/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a Python file that may name another file. */
#include "build_support.h"

#include "base/count.h"
#include "base/text.h"
#include "build/named_files.h"
#include "build/python_names.h"

static bool has(struct fixture *f, const char *text, const char *word) {
  const char *names = pawl_python_names(text, strlen(text), &f->arena);
  assert_int_equal(strlen(names), strlen(text));
  return strstr(names, word) != NULL;
}

static void test_literals_end(void **state) {
  (void)state;
  static const struct {
    const char *text;
    long of_c, of_python;
  } literals[] = {{"'a' b", 3, 3},
                  {"\"a\\\"b\" c", 6, 6},
                  {"'open\nnext'", 5, 5},
                  {"'open\\\nnext' c", 12, 12},
                  {"''x", 2, 2},
                  {"\"\"\"two\nlines\"\"\" c", 2, 15},
                  {"'''a\\'''b''' c", 2, 12},
                  {"'''open", 2, 7},
                  {"'\\", 2, 2}};
  for (size_t i = 0; i < PAWL_COUNT(literals); i++) {
    const char *text = literals[i].text, *end = text + strlen(text);
    assert_int_equal(pawl_text_literal_end(text, end, false) - text, literals[i].of_c);
    assert_int_equal(pawl_text_literal_end(text, end, true) - text, literals[i].of_python);
  }
}

static void test_an_identifier_names_no_file(void **state) {
  struct fixture *f = *state;
  static const char *const texts[] = {"def norm(x):\n  return x\n",
                                      "@operator(tensors={})\ndef norm(x): return norm(x) + 1\n",
                                      "import numpy\nnorm = 3\n",
                                      "from numpy import (\n    exp, abs,\n)\nnorm = 3\n",
                                      "import numpy\nx = 'it''s' if y else \"a\\\"b\"; norm = 1\n",
                                      "'''a\n'b'\n'''\nnorm = 1\n",
                                      "# it's\nnorm = 1\n",
                                      "\"\"\"The norm\nand 'norm'.\"\"\"\nimport pawl\n",
                                      "def f():\n  # first\n  'a norm'\n",
                                      "x = 1  # norm\n",
                                      "x = 'no end\nnorm = 1\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_false(has(f, texts[i], "norm"));
}

static void test_strings_and_imports_name_files(void **state) {
  struct fixture *f = *state;
  static const char *const texts[] = {"import norm\n",
                                      "  from norm import y\n",
                                      "import numpy as np, norm\n",
                                      "from numpy import (exp,\n    norm)\n",
                                      "from numpy import exp, \\\n    norm\n",
                                      "x = import_module('norm')\n",
                                      "x = f(\"a\", r'norm')\n",
                                      "x = \"\"\"one\n\"norm\n\"\"\"\n",
                                      "f(\n  'norm')\n",
                                      "x = 1  # norm.py\n",

                                      "y = package.norm(x)\n",
                                      "if True: import norm\n",
                                      "x = 'a\\'norm'\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_true(has(f, texts[i], "norm"));
}

/* A kernel may have the name of its operator's function. */
static void test_a_function_is_not_the_module_beside_it(void **state) {
  struct fixture *f = *state;
  struct pawl_hash seen[4];
  for (size_t i = 0; i < 4; i++) {
    struct pawl_hasher hasher;
    write_file(f, "tree/operators.py",
               i < 2 ? "import pawl\ndef norm(x):\n  return x\n" : "import norm\n");
    write_file(f, "tree/norm.py", i % 2 ? "1" : "2");
    pawl_hasher_init(&hasher);
    pawl_named_files_hash(in_folder(f, "tree/operators.py"), in_folder(f, "tree"), &hasher);
    seen[i] = pawl_hasher_finish(&hasher);
  }
  assert_true(pawl_hash_equal(seen[0], seen[1]));
  assert_false(pawl_hash_equal(seen[2], seen[3]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_literals_end),
      cmocka_unit_test_setup_teardown(test_an_identifier_names_no_file, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_strings_and_imports_name_files, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_function_is_not_the_module_beside_it, set_up,
                                      tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
