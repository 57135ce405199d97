/* SPDX-License-Identifier: Apache-2.0 */
/* Every key that can change a verdict, changed alone, gives a notice that names it. The keys come
   from the tables that read them: a new row without a value here fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "suite/policy.h"
#include "suite/read.h"
#include "suite/tables.h"
#include "yaml/difference.h"

/* A value that is not the default, or not the base's. */
struct change {
  const char *key, *value;
};

static const struct change gate_changes[] = {
    {"accept", "pull-request"},
    {"tolerate", "2%"},
    {"detect", "4%"},
    {"improve", "6%"},
    {"false_alarm", "1%"},
    {"miss", "2%"},
    {"max_blocks", "100"},
    {"inconclusive", "fail"},
    {"between_runs", "2%"},
    {"busy", "count"},
    {"static", "fail"},
    {"static_occupancy", "40%"},
    {"limits", "{k: {detect: 5%}}"},
    {"control", "fdr"},
};
static const struct change measure_changes[] = {
    {"warmup", "1"},           {"samples", "50"},
    {"processes", "2"},        {"cache", "warm"},
    {"clocks", "lock"},        {"timeout", "5s"},
    {"memory_limit", "64MiB"}, {"cpus", "0-1"},
    {"threads", "3"},          {"placement", "scheduler"},
    {"isolation", "required"}, {"connections", "8"},
    {"files", "[/data]"},
};
static const struct change check_changes[] = {
    {"dtype", "f16"}, {"atol", "1"}, {"rtol", "1"}, {"rel_rms", "1"}, {"oracle", "cpu"},
};
static const struct change kernel_changes[] = {
    {"operator", "other"},      {"device", "cuda"},   {"optional", "true"},
    {"deterministic", "false"}, {"parse", "nvbench"}, {"select", "[x]"},
};
static const struct change operator_changes[] = {
    {"sources", "[b.c]"},
    {"include_dirs", "[i]"},
    {"flags", "[]"},
    {"libs", "[m]"},
    {"gpu_oracle", "{sources: [g.cu]}"},
};

#define KERNEL                                                    \
  "version: 1\nkernels: {k: {operator: scale, sources: [a.c]}}\n" \
  "cases: {c: {operator: scale}, d: {operator: scale}}\n"

static const char *value_of(const struct change *changes, size_t count, const char *key) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(changes[i].key, key) == 0) return changes[i].value;
  return NULL;
}
#define VALUE_OF(changes, key) value_of(changes, sizeof(changes) / sizeof *(changes), key)

static void parse(struct pawl_arena *arena, struct pawl_suite *out, const char *text) {
  struct pawl_error err = {0};
  if (pawl_suite_parse(text, strlen(text), "pawl.yaml", arena, out, &err) != PAWL_OK)
    fail_msg("%s", err.message);
}

/* The notices of a suite against another. */
static struct pawl_strings compare(struct pawl_arena *arena, const char *ours, const char *base) {
  struct pawl_suite a, b;
  struct pawl_strings notices = {0};
  parse(arena, &a, ours);
  parse(arena, &b, base);
  pawl_policy_compare(&a, &b, arena, &notices);
  return notices;
}

static void expect_one(struct pawl_arena *arena, const char *ours, const char *base,
                       const char *notice) {
  const struct pawl_strings notices = compare(arena, ours, base);
  if (notices.count != 1) fail_msg("%zu notices, not one of '%s'", notices.count, notice);
  assert_string_equal(notices.items[0], notice);
  assert_int_equal(compare(arena, ours, ours).count, 0);
}

static void each_key_of_the_gate_is_noticed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  for (size_t i = 0; i < pawl_gate_keys.count; i++) {
    const char *key = pawl_gate_keys.rows[i].name, *value = VALUE_OF(gate_changes, key);
    if (pawl_gate_keys.rows[i].uncompared) continue; /* the keys that a preset sets */
    if (!value) fail_msg("no change of '%s' of gate", key);
    expect_one(
        &arena, pawl_arena_printf(&arena, KERNEL "gate: {%s: %s}\n", key, value), KERNEL,
        pawl_arena_printf(
            &arena, "the gate policy differs in this change (%s); the policy of the base judges",
            key));
  }
  pawl_arena_clear(&arena);
}

/* A change cannot relax a limit of the base, add a weaker rule, or move one behind another. Another
   line is no difference. */
static void limits_are_compared_by_their_effect(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  static const char *const base =
      KERNEL "gate:\n  limits:\n    k: {detect: 5%}\n    \"k/c\": {detect: 6%}\n";
  static const char *const others[] = {
      KERNEL "gate:\n  limits:\n    k: {detect: 7%}\n    \"k/c\": {detect: 6%}\n",
      KERNEL "gate:\n  limits:\n    \"k/c\": {detect: 6%}\n    k: {detect: 5%}\n",
      KERNEL "gate:\n  limits:\n    k: {detect: 5%}\n",
      KERNEL "gate:\n  limits:\n    k: {detect: 5%}\n    \"k/c\": {detect: 6%, tolerate: 0%}\n",
      KERNEL "gate:\n  limits:\n    k: {detect: 5%}\n    \"k/*\": {detect: 6%}\n",
      KERNEL "gate:\n  limits:\n    k: {detect: 5%}\n    \"k/c\": {improve: 6%}\n",
      KERNEL,
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    expect_one(&arena, others[i], base,
               "the gate policy differs in this change (limits); the policy of the base judges");
  assert_int_equal(
      compare(&arena, KERNEL "gate:\n\n  limits:\n\n    k: {detect: 0.05}\n    k/c: {detect: 6%}\n",
              base)
          .count,
      0);
  expect_one(&arena, KERNEL "gate: {preset: fast}\n", KERNEL "gate: {preset: balanced}\n",
             "the gate policy differs in this change (tolerate, detect, false_alarm, miss, "
             "max_blocks); the policy of the base judges");
  assert_int_equal(compare(&arena, KERNEL "gate: {preset: balanced}\n", KERNEL).count, 0);
  pawl_arena_clear(&arena);
}

static void each_key_of_measuring_is_noticed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  for (size_t i = 0; i < pawl_measure_keys.count; i++) {
    const char *key = pawl_measure_keys.rows[i].name, *value = VALUE_OF(measure_changes, key);
    if (!value) fail_msg("no change of '%s' of measure", key);
    expect_one(
        &arena, pawl_arena_printf(&arena, "version: 1\nmeasure: {%s: %s}\n", key, value),
        "version: 1\n",
        pawl_arena_printf(
            &arena,
            "the measurement settings differ in this change (%s); the settings of the base apply",
            key));
  }
  pawl_arena_clear(&arena);
}

static void each_key_of_a_check_is_noticed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const char *base = "version: 1\ncheck: {scale: {n: [1, 2]}}\n";
  for (size_t i = 0; i < pawl_check_keys.count; i++) {
    const char *key = pawl_check_keys.rows[i].name, *value = VALUE_OF(check_changes, key);
    if (!value) fail_msg("no change of '%s' of a check", key);
    expect_one(
        &arena,
        pawl_arena_printf(&arena, "version: 1\ncheck: {scale: {n: [1, 2], %s: %s}}\n", key, value),
        base,
        pawl_arena_printf(
            &arena,
            "the check of 'scale' differs in this change (%s); the check of the base applies",
            key));
  }
  expect_one(&arena, "version: 1\ncheck: {scale: {n: [1]}}\n", base,
             "the check of 'scale' differs in this change (shape); the check of the base applies");
  expect_one(&arena, "version: 1\n", base,
             "the check of 'scale' is missing in this change; the check of the base applies");
  expect_one(&arena, base, "version: 1\n", "the check of 'scale' is new; it applies");
  pawl_arena_clear(&arena);
}

static void each_word_of_a_kernel_is_noticed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  for (size_t i = 0; i < pawl_kernel_keys.count; i++) {
    const struct pawl_key *row = &pawl_kernel_keys.rows[i];
    if (row->uncompared) continue;
    const char *value = VALUE_OF(kernel_changes, row->name);
    const bool command = strcmp(row->name, "parse") == 0,
               narrowed = strcmp(row->name, "select") == 0,
               named = strcmp(row->name, "operator") == 0;
    if (!value) fail_msg("no change of '%s' of a kernel", row->name);
    const char *rest = narrowed  ? "command: [a], parse: nvbench"
                       : command ? "command: [a]"
                       : named   ? "sources: [a.c]"
                                 : "operator: scale, sources: [a.c]";
    expect_one(&arena,
               pawl_arena_printf(&arena, "version: 1\nkernels: {k: {%s, %s: %s}}\n", rest,
                                 row->name, value),
               pawl_arena_printf(&arena, "version: 1\nkernels: {k: {%s%s}}\n", rest,
                                 named ? ", operator: scale" : ""),
               pawl_arena_printf(&arena, "the kernel 'k' differs in this change (%s)", row->name));
  }
  const char *judged =
      "version: 1\nkernels: {k: {operator: scale, sources: [a.c], flags: [-O1]}}\n";
  expect_one(&arena, "version: 1\nreferences: {k: {operator: scale, sources: [b.c]}}\n", judged,
             "the kernel 'k' is a reference in this change: it is not judged");
  assert_int_equal(
      compare(&arena,
              "version: 1\nkernels: {k: {operator: scale, sources: [b.c], params: {A: 1}}}\n",
              judged)
          .count,
      0);
  pawl_arena_clear(&arena);
}

static void each_key_of_an_operator_differs(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  for (size_t i = 0; i < pawl_operator_keys.count; i++) {
    const char *key = pawl_operator_keys.rows[i].name;
    struct pawl_suite a, b;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text keys = {0};
    const bool source = !strcmp(key, "sources"),
               other = !strcmp(key, "build") || !strcmp(key, "protocol");
    const char *value = VALUE_OF(operator_changes, key);
    if (other) { /* another way to come into being: in the place of sources */
      const char *ways[][2] = {
          {"build: {command: [make], output: a.so}", "build: {command: [make, -j], output: a.so}"},
          {"protocol: [a]", "protocol: [b]"}};
      const int way = !strcmp(key, "protocol");
      parse(&arena, &a,
            pawl_arena_printf(&arena, "version: 1\noperators: {o: {%s}}\n", ways[way][0]));
      parse(&arena, &b,
            pawl_arena_printf(&arena, "version: 1\noperators: {o: {%s}}\n", ways[way][1]));
    } else {
      if (!value) fail_msg("no change of '%s' of an operator", key);
      parse(&arena, &a, "version: 1\noperators: {o: {sources: [a.c]}}\n");
      parse(&arena, &b,
            source ? pawl_arena_printf(&arena, "version: 1\noperators: {o: {sources: %s}}\n", value)
                   : pawl_arena_printf(&arena,
                                       "version: 1\noperators: {o: {sources: [a.c], %s: %s}}\n",
                                       key, value));
    }
    pawl_keys_difference(&pawl_operator_keys, &a.operators[0], &b.operators[0], &keys);
    assert_string_equal(pawl_text_string(&keys), key);
  }
  pawl_arena_clear(&arena);
}

static void cases_are_noticed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const char *base = "version: 1\ncases: {c: {operator: scale, n: 8, dtype: f32}}\n";
  static const char *const changed =
      "the case 'c' is changed in this change; pawl measures the case of the base";
  expect_one(&arena, "version: 1\ncases: {c: {operator: scale, n: 4, dtype: f32}}\n", base,
             changed);
  expect_one(&arena, "version: 1\ncases: {c: {operator: scale, n: 8, dtype: f16}}\n", base,
             changed);
  expect_one(&arena, "version: 1\ncases: {c: {operator: softmax, n: 8, dtype: f32}}\n", base,
             changed);
  expect_one(&arena, "version: 1\n", base,
             "the case 'c' is missing in this change; pawl measures the case of the base");
  expect_one(&arena, base, "version: 1\n", "the case 'c' is new");
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_key_of_the_gate_is_noticed),
      cmocka_unit_test(limits_are_compared_by_their_effect),
      cmocka_unit_test(each_key_of_measuring_is_noticed),
      cmocka_unit_test(each_key_of_a_check_is_noticed),
      cmocka_unit_test(each_word_of_a_kernel_is_noticed),
      cmocka_unit_test(each_key_of_an_operator_differs),
      cmocka_unit_test(cases_are_noticed),
  };
  return cmocka_run_group_tests_name("suite_policy", tests, NULL, NULL);
}
