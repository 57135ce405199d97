/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters written into the text of pawl.yaml. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "suite/edit_params.h"

#define BEFORE "# a comment\nversion: 1\nkernels:\n"
#define OTHER "  other: {operator: attention, sources: [b.c], params: {M: 16, N: 16}} # é\n"
#define AFTER "cases: {c: {operator: attention, B: 1, H: 1, S: 16, D: 64, dtype: f32}}\n"

static struct pawl_param_value wanted[] = {{"N", "128"}, {"M", "32"}};

static enum pawl_status_code edit(const char *kernel, struct pawl_text *out,
                                  struct pawl_error *err) {
  struct pawl_text text = {0};
  pawl_text_printf(&text, "%s%s%s%s", BEFORE, OTHER, kernel, AFTER);
  const enum pawl_status_code status =
      pawl_suite_edit_params(text.data, text.length, "pawl.yaml", "k", wanted, 2, out, err);
  pawl_text_clear(&text);
  return status;
}

static void becomes(const char *kernel, const char *expected) {
  struct pawl_text out = {0}, whole = {0};
  struct pawl_error err = {0};
  if (edit(kernel, &out, &err) != PAWL_OK) fail_msg("%s: %s", kernel, err.message);
  pawl_text_printf(&whole, "%s%s%s%s", BEFORE, OTHER, expected, AFTER);
  assert_string_equal(out.data, whole.data);
  pawl_text_clear(&out);
  pawl_text_clear(&whole);
}

/* M becomes this value, where it is written plainly and in either quotes. */
static void writes(const char *value, const char *plain, const char *in_single,
                   const char *in_double) {
  const char *const before[] = {"16", "'16'", "\"16\""}, *const after[] = {plain, in_single,
                                                                           in_double};
  wanted[1].value = value;
  for (size_t i = 0; i < 3; i++) {
    struct pawl_text old = {0}, new = {0};
    pawl_text_printf(&old, "  k: {operator: attention, sources: [a.c], params: {M: %s, N: 8}}\n",
                     before[i]);
    pawl_text_printf(&new, "  k: {operator: attention, sources: [a.c], params: {M: %s, N: 128}}\n",
                     after[i]);
    becomes(old.data, new.data);
    pawl_text_clear(&old);
    pawl_text_clear(&new);
  }
  wanted[1].value = "32";
}

static void test_values_that_need_quotes(void **state) {
  (void)state;
  writes("-1", "-1", "'-1'", "\"-1\"");
  writes("-.5f", "-.5f", "'-.5f'", "\"-.5f\"");
  writes("unsigned short", "\"unsigned short\"", "'unsigned short'", "\"unsigned short\"");
  writes("16,8", "\"16,8\"", "'16,8'", "\"16,8\"");
  writes("it's", "\"it's\"", "'it''s'", "\"it's\"");
  writes("\"a\\b\"", "\"\\\"a\\\\b\\\"\"", "'\"a\\b\"'", "\"\\\"a\\\\b\\\"\"");
  writes("- x", "\"- x\"", "'- x'", "\"- x\"");
  writes("#1: é", "\"#1: é\"", "'#1: é'", "\"#1: é\"");
}

static void refused(const char *kernel, const char *why) {
  struct pawl_text out = {0};
  struct pawl_error err = {0};
  assert_int_equal(edit(kernel, &out, &err), PAWL_CONFIG);
  if (!strstr(err.message, why)) fail_msg("'%s' does not say '%s'", err.message, why);
  assert_int_equal(out.length, 0);
}

static void test_edits(void **state) {
  (void)state;
  becomes("  k: {operator: attention, sources: [a.c], params: {M: 16, N: 16, W: 4}} # M: 16\n",
          "  k: {operator: attention, sources: [a.c], params: {M: 32, N: 128, W: 4}} # M: 16\n");
  becomes(
      "  k:\n    operator: attention\n    sources: [a.c]\n    params:\n      # tiles, \"M: 1\"\n   "
      "   M:   16   # "
      "rows\n"
      "      N: '16'\n",
      "  k:\n    operator: attention\n    sources: [a.c]\n    params:\n      # tiles, \"M: 1\"\n   "
      "   M:   32   # "
      "rows\n"
      "      N: '128'\n");
  becomes(
      "  k: {operator: attention, flags: [\"-Dé=ü\"], sources: [a.c], params: {M: \"16\", N: 8}}\n",
      "  k: {operator: attention, flags: [\"-Dé=ü\"], sources: [a.c], params: {M: \"32\", N: "
      "128}}\n");
}

static void test_refusals(void **state) {
  (void)state;
  refused("  k: {operator: attention, sources: [a.c], params: {M: 16}}\n",
          "'N' of kernel 'k' is not among its 'params'");
  refused("  k: {operator: attention, sources: [a.c]}\n", "is not among its 'params'");
  refused("  k: {operator: attention, sources: [a.c], params: {M: &m 16, N: 16}}\n",
          "'M' of kernel 'k' has an anchor");
  refused("  k: {operator: attention, sources: [a.c], params: {M: &m 16, N: *m}}\n",
          "edit it manually");
  refused(
      "  j: {operator: attention, sources: [a.c], params: &p {M: 16, N: 16}}\n"
      "  k: {operator: attention, sources: [a.c], params: *p}\n",
      "manually");
  refused("  k: {operator: attention, sources: [a.c], params: {M: \"\\x31\", N: 16}}\n",
          "is not written as a plain value");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_edits),
                                     cmocka_unit_test(test_values_that_need_quotes),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
