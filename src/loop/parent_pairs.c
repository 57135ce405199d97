/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/parent_pairs.h"

#include <string.h>

static pawl_status find_parent(const struct pawl_run_context *run, const struct pawl_arm_pair *pair,
                               enum pawl_parent *kind, struct pawl_arm_pair *out,
                               struct pawl_error *err) {
  const struct pawl_change_base *change_base = &run->change_base;
  *kind = PAWL_PARENT_NONE;
  if (!pair->paired || !change_base->merge_base || change_base->on_main) return PAWL_OK;
  if (pair->identical && pair->anchor_kind == PAWL_ANCHOR_REVISION)
    return PAWL_OK; /* the test against the anchor answers this */
  if (!strcmp(change_base->merge_base, pair->anchor)) {
    *kind = PAWL_PARENT_ANCHOR;
    return PAWL_OK;
  }
  PAWL_TRY(
      pawl_arm_pair_against(run, pair, change_base->merge_base, PAWL_ANCHOR_MERGE_BASE, out, err));
  if (!out->paired) return PAWL_OK;
  *kind = pawl_same_machine_code(&out->base, &pair->base) ? PAWL_PARENT_ANCHOR
          : out->identical                                ? PAWL_PARENT_UNCHANGED
                                                          : PAWL_PARENT_OTHER;
  return PAWL_OK;
}

pawl_status pawl_parents_find(const struct pawl_run_context *run,
                              const struct pawl_arm_pairs *pairs, struct pawl_parents *out,
                              struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  struct pawl_parents parents = {
      .of = pawl_arena_alloc(arena, pairs->count + 1, sizeof *parents.of),
      .other.items = pawl_arena_alloc(arena, pairs->count + 1, sizeof *pairs->items)};
  for (size_t i = 0; i < pairs->count; i++) {
    PAWL_TRY(find_parent(run, &pairs->items[i], &parents.of[i],
                         &parents.other.items[parents.other.count], err));
    parents.other.count += parents.of[i] == PAWL_PARENT_OTHER;
  }
  *out = parents;
  return PAWL_OK;
}

static const struct pawl_paired_test *find_test(const struct pawl_paired_tests *tests,
                                                const struct pawl_paired_test *like) {
  for (size_t i = 0; i < tests->count; i++) {
    const struct pawl_paired_test *test = &tests->items[i];
    if (!strcmp(test->kernel_name, like->kernel_name) && !strcmp(test->case_name, like->case_name))
      return test;
  }
  return NULL;
}

static enum pawl_parent parent_of(const struct pawl_arm_pairs *pairs,
                                  const struct pawl_parents *parents,
                                  const struct pawl_paired_test *test) {
  for (size_t i = 0; i < pairs->count; i++) {
    const struct pawl_arm_pair *pair = &pairs->items[i];
    if (!strcmp(pair->candidate->spec->name, test->kernel_name) &&
        !strcmp(pair->config->name, test->case_name))
      return parents->of[i];
  }
  return PAWL_PARENT_NONE;
}

static enum pawl_origin origin_of(enum pawl_parent parent,
                                  const struct pawl_paired_test *against_parent) {
  if (parent == PAWL_PARENT_ANCHOR) return PAWL_ORIGIN_HERE;
  if (parent == PAWL_PARENT_UNCHANGED) return PAWL_ORIGIN_INHERITED;
  if (!against_parent) return PAWL_ORIGIN_UNKNOWN;
  if (against_parent->decision == PAWL_DECISION_REGRESSION) return PAWL_ORIGIN_HERE;
  const bool decided = against_parent->decision == PAWL_DECISION_MAINTAINED ||
                       against_parent->decision == PAWL_DECISION_IMPROVEMENT;
  return decided ? PAWL_ORIGIN_INHERITED : PAWL_ORIGIN_UNKNOWN;
}

static void note_anchor(const struct pawl_run_context *run, const struct pawl_paired_test *test) {
  struct pawl_arena *arena = &run->project->arena;
  pawl_strings_add(run->notices, arena,
                   pawl_arena_printf(
                       arena, "%s on %s is slower than the merge base; against %s it is %s",
                       test->kernel_name, test->case_name, pawl_anchor_kind_name(test->anchor_kind),
                       pawl_decision_name(test->decision)));
}

void pawl_parents_judge(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                        const struct pawl_parents *parents,
                        const struct pawl_paired_tests *against_parents,
                        struct pawl_paired_tests *tests) {
  for (size_t i = 0; i < tests->count; i++) {
    struct pawl_paired_test *test = &tests->items[i];
    const struct pawl_paired_test *against_parent = find_test(against_parents, test);
    const bool slower_here = against_parent && against_parent->decision == PAWL_DECISION_REGRESSION;
    if (slower_here && test->decision != PAWL_DECISION_REGRESSION) {
      note_anchor(run, test);
      *test = *against_parent;
    }
    if (test->decision == PAWL_DECISION_REGRESSION)
      test->origin = origin_of(parent_of(pairs, parents, test), against_parent);
  }
}
