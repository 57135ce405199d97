/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "suite/tables.h"
#include "yaml/difference.h"

void pawl_policy_note(struct pawl_strings *notices, struct pawl_arena *arena, const char *format,
                      ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const char **grown = pawl_arena_alloc(arena, notices->count + 1, sizeof *grown);
  if (notices->count) memcpy(grown, notices->items, notices->count * sizeof *grown);
  grown[notices->count++] = pawl_arena_copy(arena, line);
  notices->items = grown;
}

/* Returns the keys that differ ("tolerate, detect") in the arena, or NULL. */
static const char *difference(const struct pawl_keys *table, const void *ours, const void *base,
                              struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text keys = {0};
  pawl_keys_difference(table, ours, base, &keys);
  return keys.length ? pawl_arena_copy(arena, pawl_text_string(&keys)) : NULL;
}

static bool same_case(const struct pawl_case *a, const struct pawl_case *b) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text left = {0}, right = {0};
  pawl_text_printf(&left, "%s ", a->operator_name ? a->operator_name : "");
  pawl_text_printf(&right, "%s ", b->operator_name ? b->operator_name : "");
  pawl_case_key(a, &left);
  pawl_case_key(b, &right);
  return !strcmp(pawl_text_string(&left), pawl_text_string(&right));
}

static void compare_cases(const struct pawl_suite *ours, const struct pawl_suite *base,
                          struct pawl_arena *arena, struct pawl_strings *notices) {
  for (size_t i = 0; i < base->case_count; i++) {
    const struct pawl_case *config = pawl_suite_case(ours, base->cases[i].name);
    if (config && same_case(config, &base->cases[i])) continue;
    pawl_policy_note(notices, arena,
                     "the case '%s' is %s in this change; pawl measures the case of the base",
                     base->cases[i].name, config ? "changed" : "missing");
  }
  for (size_t i = 0; i < ours->case_count; i++) {
    if (!pawl_suite_case(base, ours->cases[i].name))
      pawl_policy_note(notices, arena, "the case '%s' is new", ours->cases[i].name);
  }
}

static void compare_checks(const struct pawl_suite *ours, const struct pawl_suite *base,
                           struct pawl_arena *arena, struct pawl_strings *notices) {
  for (size_t i = 0; i < base->check_count; i++) {
    const char *name = base->checks[i].operator_name;
    const struct pawl_check_spec *check = pawl_suite_check(ours, name);
    const char *keys = check ? difference(&pawl_check_keys, check, &base->checks[i], arena) : NULL;
    if (!check)
      pawl_policy_note(notices, arena,
                       "the check of '%s' is missing in this change; the check of the base applies",
                       name);
    if (keys)
      pawl_policy_note(
          notices, arena,
          "the check of '%s' differs in this change (%s); the check of the base applies", name,
          keys);
  }
  for (size_t i = 0; i < ours->check_count; i++) {
    if (!pawl_suite_check(base, ours->checks[i].operator_name))
      pawl_policy_note(notices, arena, "the check of '%s' is new; it applies",
                       ours->checks[i].operator_name);
  }
}

/* Compares the kernels. A change may choose how its kernels are built; the verdict mentions its
   other differences. */
static void compare_kernels(const struct pawl_suite *ours, const struct pawl_suite *base,
                            struct pawl_arena *arena, struct pawl_strings *notices) {
  for (size_t i = 0; i < base->kernel_count; i++) {
    const struct pawl_kernel_spec *theirs = &base->kernels[i],
                                  *kernel = pawl_suite_kernel(ours, theirs->name);
    const char *keys = kernel ? difference(&pawl_kernel_keys, kernel, theirs, arena) : NULL;
    if (keys)
      pawl_policy_note(notices, arena, "the kernel '%s' differs in this change (%s)", theirs->name,
                       keys);
    if (kernel && kernel->reference && !theirs->reference)
      pawl_policy_note(notices, arena,
                       "the kernel '%s' is a reference in this change: it is not judged",
                       theirs->name);
  }
}

void pawl_policy_compare(const struct pawl_suite *ours, const struct pawl_suite *base,
                         struct pawl_arena *arena, struct pawl_strings *notices) {
  const char *gate = difference(&pawl_gate_keys, &ours->gate, &base->gate, arena);
  const char *measure = difference(&pawl_measure_keys, &ours->measure, &base->measure, arena);
  if (gate)
    pawl_policy_note(notices, arena,
                     "the gate policy differs in this change (%s); the policy of the base judges",
                     gate);
  if (measure)
    pawl_policy_note(
        notices, arena,
        "the measurement settings differ in this change (%s); the settings of the base apply",
        measure);
  compare_cases(ours, base, arena, notices);
  compare_checks(ours, base, arena, notices);
  compare_kernels(ours, base, arena, notices);
}
