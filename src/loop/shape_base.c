/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/shape_base.h"

#include <string.h>

#include "base/text.h"
#include "project/operators.h"

void pawl_shape_base_release(struct pawl_shape_base *base) {
  if (base) pawl_check_matrix_release(&base->own);
}

static void shape_base_note_unasked(const struct pawl_shape_base *base, const char *why) {
  const struct pawl_run_context *run = base->run;
  struct pawl_arena *arena = &run->project->arena;
  pawl_strings_add(
      run->notices, arena,
      pawl_arena_printf(arena, "pawl cannot ask the merge base %.12s which shapes %s takes: %s",
                        run->change_base.merge_base, base->kernel->spec->name, why));
}

/* Builds the merge base's kernel. *known: it is built, or the merge base does not have it. */
static const struct pawl_ready_kernel *build_at_merge_base(struct pawl_shape_base *base,
                                                           bool *known) {
  const struct pawl_run_context *run = base->run;
  const struct pawl_kernel_spec *ours = base->kernel->spec;
  struct pawl_project *tree;
  struct pawl_error why = {0};
  const char *reason = why.message;
  enum pawl_status_code status =
      pawl_change_base_tree(run->project, run->change_base.merge_base, &tree, &why);
  const struct pawl_kernel_spec *spec =
      status == PAWL_OK ? pawl_suite_kernel(&tree->suite, ours->name) : NULL;
  const bool has = spec && pawl_text_equal(spec->operator_name, ours->operator_name);
  *known = status == PAWL_OK;
  if (status == PAWL_OK && !has) return NULL;
  if (status == PAWL_OK) status = pawl_project_ready(tree, spec, &base->built, &why);
  if (status == PAWL_OK && base->built.outcome == PAWL_OUTCOME_OK) return &base->built;
  if (status == PAWL_OK) reason = base->built.reason;
  shape_base_note_unasked(base, reason);
  *known = false;
  return NULL;
}

const struct pawl_ready_kernel *pawl_shape_base_find(struct pawl_shape_base *base) {
  const struct pawl_run_context *run = base->run;
  const bool against_main = !run->options->anchor && !run->change_base.on_main;
  const struct pawl_arm_pair *pair = NULL;
  bool known = false;
  if (base->sought) return base->found;
  base->sought = true;
  for (size_t i = 0; i < base->pairs->count && !pair; i++)
    if (base->pairs->items[i].candidate == base->kernel && base->pairs->items[i].paired)
      pair = &base->pairs->items[i];
  const bool other = against_main && run->change_base.merge_base &&
                     !(pair && !strcmp(pair->anchor, run->change_base.merge_base));
  if (other) base->found = build_at_merge_base(base, &known);
  if (!known) base->found = pair ? &pair->base : NULL;
  return base->found;
}

pawl_status pawl_shape_base_promised(struct pawl_shape_base *base,
                                     const struct pawl_check_matrix **out, struct pawl_error *err) {
  struct pawl_project *project = base->run->project;
  const struct pawl_suite *change = base->run->change_base.change;
  struct pawl_oracle *oracle;
  struct pawl_error why = {0};
  *out = NULL;
  if (!change) return PAWL_OK;
  PAWL_TRY(pawl_project_oracle(project, base->kernel->spec->operator_name, &oracle, err));
  if (pawl_operator_shapes(change, oracle, &project->arena, &base->own, &why) == PAWL_OK)
    *out = &base->own;
  else
    pawl_log_detail(project->options.log, "%s must take all shapes of the base: %s",
                    base->kernel->spec->name, why.message);
  return PAWL_OK;
}
