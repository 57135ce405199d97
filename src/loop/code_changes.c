/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/code_changes.h"

#include <string.h>

#include "base/budget.h"
#include "base/parallel.h"
#include "project/build_lines.h"

#define LINES_SECONDS 10.0 /* an explanation does not delay a run by a longer build */

/* `ahead`: the builds begin now, beside other work. Else they run when the lines are wanted. */
static void begin_lines(const struct pawl_run_context *run, const char *anchor, bool ahead,
                        struct pawl_code_change *change) {
  struct pawl_error ignored;
  if (pawl_change_base_tree(run->project, anchor, &change->tree, &ignored) != PAWL_OK) {
    change->tree = NULL;
    return;
  }
  if (!ahead) return;
  pawl_build_lines_begin(change->tree, change->base, LINES_SECONDS, &change->builds[0]);
  pawl_build_lines_begin(run->project, change->candidate, LINES_SECONDS, &change->builds[1]);
}

static void await_lines(struct pawl_code_change *change) {
  for (int i = 0; i < 2; i++) pawl_build_thread_await(&change->builds[i]);
}

static void code_changes_say(const struct pawl_code_change *change, struct pawl_arena *arena,
                             struct pawl_report_code *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_build_diff_text(&change->diff, &text);
  out->line = change->diff.line ? change->diff.line : change->diff.facts;
  out->text = pawl_arena_copy(arena, pawl_text_string(&text));
}

void pawl_code_changes_add(const struct pawl_run_context *run, const struct pawl_ready_kernel *base,
                           const struct pawl_ready_kernel *candidate, const char *anchor,
                           const struct pawl_listings *listings, bool lines,
                           struct pawl_code_changes *out) {
  struct pawl_arena *arena = &run->project->arena;
  struct pawl_code_change *change = pawl_arena_alloc(arena, 1, sizeof *change);
  if (pawl_budget_is_over()) return; /* a list of instructions decides nothing */
  *change = (struct pawl_code_change){.base = base, .candidate = candidate};
  if (lines && !pawl_same_machine_code(base, candidate))
    begin_lines(run, anchor, (int)out->count < pawl_cpu_count(), change);
  pawl_build_diff(base, candidate, listings, arena, &change->diff);
  if (change->diff.identical) {
    await_lines(change);
    return;
  }
  struct pawl_report_code *items = pawl_arena_alloc(arena, out->count + 1, sizeof *items);
  struct pawl_code_change **changes = pawl_arena_alloc(arena, out->count + 1, sizeof(void *));
  if (out->count) memcpy(items, out->items, out->count * sizeof *items);
  if (out->count) memcpy(changes, out->changes, out->count * sizeof(void *));
  items[out->count] =
      (struct pawl_report_code){.kernel_name = candidate->spec->name,
                                .base = anchor,
                                .arch = change->diff.is_host ? NULL : candidate->build.cuda_arch,
                                .missing = change->diff.missing};
  code_changes_say(change, arena, &items[out->count]);
  changes[out->count++] = change;
  out->items = items;
  out->changes = changes;
}

static void add_lines(const struct pawl_run_context *run, struct pawl_code_changes *changes,
                      size_t index) {
  struct pawl_code_change *change = changes->changes[index];
  await_lines(change);
  if (!change->tree) return;
  pawl_build_diff_add_lines(change->tree, change->base, run->project, change->candidate,
                            LINES_SECONDS, &change->diff);
  change->tree = NULL;
  code_changes_say(change, &run->project->arena, &changes->items[index]);
}

const struct pawl_build_diff *pawl_code_changes_find(const struct pawl_run_context *run,
                                                     struct pawl_code_changes *changes,
                                                     const struct pawl_arm_pair *pair) {
  for (size_t i = 0; i < changes->count; i++) {
    if (strcmp(changes->items[i].kernel_name, pair->candidate->spec->name) != 0 ||
        strcmp(changes->items[i].base, pair->anchor) != 0)
      continue;
    add_lines(run, changes, i);
    return &changes->changes[i]->diff;
  }
  return NULL;
}

void pawl_code_changes_finish(const struct pawl_run_context *run,
                              struct pawl_code_changes *changes) {
  for (size_t i = 0; i < changes->count; i++) add_lines(run, changes, i);
}
