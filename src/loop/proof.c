/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/proof.h"

#include "base/text.h"

/* Only a plug-in has machine code, and pawl builds it for another machine only if it is for a GPU.
   The code of a CPU kernel may depend on the CPU of the machine that builds it. */
static pawl_status find_unprovable(const struct pawl_suite *suite, struct pawl_error *err) {
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    const bool is_plugin = spec->kind == PAWL_FROM_SOURCES || spec->kind == PAWL_FROM_BUILD;
    if (!spec->reference && (spec->device != PAWL_CUDA || !is_plugin || !spec->operator_name))
      return pawl_fail(err, PAWL_UNDECIDED,
                       "machine code alone cannot judge '%s': it is no plug-in for a GPU; measure "
                       "this change",
                       spec->name);
  }
  return PAWL_OK;
}

pawl_status pawl_proof_begin(const struct pawl_run_context *run,
                             const struct pawl_baseline *baseline, struct pawl_error *err) {
  struct pawl_project *project = run->project, *tree;
  const struct pawl_change_base *base = &run->change_base;
  if (!base->merge_base || base->on_main)
    return pawl_fail(err, PAWL_UNDECIDED,
                     "machine code alone cannot judge this commit: %s; measure it",
                     base->on_main ? "it is part of the main branch" : "it has no merge base");
  if (!baseline->count)
    return pawl_fail(err, PAWL_UNDECIDED,
                     "machine code alone cannot judge this change: the baseline of %.12s is empty; "
                     "measure the change",
                     base->merge_base);
  PAWL_TRY(pawl_change_base_tree(project, base->merge_base, &tree, err));
  PAWL_TRY(find_unprovable(&tree->suite, err));
  PAWL_TRY(find_unprovable(&project->suite, err));
  pawl_devices_hide_gpu(&project->devices, "'--code-only' uses none");
  return PAWL_OK;
}

static bool is_proven(const struct pawl_ratchet_row *row) {
  return row->comparison.verdict == PAWL_VERDICT_MAINTAINED && row->code_now && row->paired &&
         row->paired->identical;
}

static bool has_row(const struct pawl_ratchet_report *ratchet,
                    const struct pawl_baseline_entry *entry) {
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_comparison *item = &ratchet->rows[i].comparison;
    if (pawl_text_equal(item->kernel_name, entry->kernel_name) &&
        pawl_text_equal(item->config.name, entry->case_name))
      return true;
  }
  return false;
}

const char *pawl_proof_gap(const struct pawl_run_context *run, const struct pawl_baseline *baseline,
                           const struct pawl_ratchet_report *ratchet) {
  const struct pawl_project *project = run->project;
  struct pawl_arena *arena = &run->project->arena;
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_comparison *item = &ratchet->rows[i].comparison;
    if (!is_proven(&ratchet->rows[i]))
      return pawl_arena_printf(arena, "machine code alone does not prove %s on %s",
                               item->kernel_name, item->config.name);
  }
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (pawl_selection_has(&run->options->selection, &project->suite, entry->kernel_name,
                           entry->case_name) &&
        !has_row(ratchet, entry))
      return pawl_arena_printf(arena, "the baseline has %s on %s, which this run does not judge",
                               entry->kernel_name, entry->case_name);
  }
  return ratchet->count ? NULL : "this run judges nothing";
}
