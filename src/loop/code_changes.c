/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/code_changes.h"

#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "project/build_lines.h"

#define LINES_SECONDS 10.0 /* builds with lines do not delay a run longer */

static struct pawl_line_builds *find_builds(const struct pawl_code_changes *changes,
                                            const struct pawl_ready_kernel *candidate,
                                            const char *anchor) {
  struct pawl_line_builds *builds = changes->line_builds;
  while (builds && (builds->candidate != candidate || strcmp(builds->anchor, anchor) != 0))
    builds = builds->next;
  return builds;
}

void pawl_code_changes_begin_lines(const struct pawl_run_context *run,
                                   const struct pawl_ready_kernel *base,
                                   const struct pawl_ready_kernel *candidate, const char *anchor,
                                   int most, struct pawl_code_changes *changes) {
  struct pawl_project *project = run->project, *tree;
  struct pawl_jobs *jobs = project->listings.jobs;
  if (pawl_jobs_are_stopping(jobs)) jobs = NULL;
  const double seconds = jobs ? 0 : LINES_SECONDS; /* a wait that is too long ends jobs */
  struct pawl_error ignored;
  int begun = 0;
  for (const struct pawl_line_builds *item = changes->line_builds; item; item = item->next) begun++;
  if (begun >= most || find_builds(changes, candidate, anchor) ||
      pawl_change_base_tree(project, anchor, &tree, &ignored) != PAWL_OK)
    return;
  struct pawl_line_builds *builds = pawl_arena_alloc(&project->arena, 1, sizeof *builds);
  *builds = (struct pawl_line_builds){
      .next = changes->line_builds, .candidate = candidate, .anchor = anchor};
  changes->line_builds = builds;
  pawl_build_lines_begin(tree, base, seconds, jobs, &builds->threads[0]);
  pawl_build_lines_begin(project, candidate, seconds, jobs, &builds->threads[1]);
}

/* Waits for the builds of a kernel. All kernels share the seconds since the first wait. When they
   are over, pawl ends all builds. */
static void await_lines(const struct pawl_run_context *run, struct pawl_code_changes *changes,
                        struct pawl_line_builds *builds) {
  int64_t from = pawl_clock_ns();
  if (!changes->awaited_since) changes->awaited_since = from;
  if (!builds) return;
  for (int i = 0; i < 2; i++) {
    struct pawl_build_thread *thread = &builds->threads[i];
    const double left = LINES_SECONDS - pawl_seconds_since(changes->awaited_since);
    if (pawl_build_thread_await_for(thread, left)) continue;
    changes->late = true;
    pawl_jobs_stop(run->project->listings.jobs);
    pawl_build_thread_await(thread);
  }
  pawl_log_detail(run->project->options.log,
                  "pawl waited %.2f s for the builds of '%s' with source lines, which took %.2f s "
                  "(base) and %.2f s beside other work",
                  pawl_seconds_lap(&from), builds->candidate->spec->name,
                  builds->threads[0].seconds, builds->threads[1].seconds);
}

/* Returns why one of the versions has no build in time, or NULL. It would take as long again. */
static const char *reason_of_failure(const struct pawl_code_changes *changes,
                                     const struct pawl_line_builds *builds,
                                     struct pawl_arena *arena) {
  for (int i = 0; builds && i < 2; i++) {
    const struct pawl_build_thread *thread = &builds->threads[i];
    if (thread->status == PAWL_FAILED)
      return pawl_arena_printf(arena, "with line tables %s", thread->error.message);
    if (thread->status == PAWL_TRY_AGAIN && changes->late)
      return pawl_arena_printf(arena,
                               "with line tables '%s' does not build within %.0f s after the last "
                               "timed call; 'pawl diff' waits for it",
                               thread->spec.name, LINES_SECONDS);
  }
  return NULL;
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
                           bool lines, struct pawl_code_changes *out) {
  struct pawl_arena *arena = &run->project->arena;
  struct pawl_code_change *change = pawl_arena_alloc(arena, 1, sizeof *change);
  if (pawl_budget_is_over()) return; /* a list of instructions decides nothing */
  *change = (struct pawl_code_change){.base = base, .candidate = candidate};
  if (pawl_same_machine_code(base, candidate)) return;
  struct pawl_error ignored;
  if (lines && pawl_change_base_tree(run->project, anchor, &change->tree, &ignored) == PAWL_OK)
    pawl_code_changes_begin_lines(run, base, candidate, anchor, pawl_cpu_count(), out);
  pawl_build_diff(base, candidate, &run->project->listings, arena, &change->diff);
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
  if (!change->tree) return;
  struct pawl_line_builds *builds =
      find_builds(changes, change->candidate, changes->items[index].base);
  await_lines(run, changes, builds);
  change->diff.no_lines = reason_of_failure(changes, builds, &run->project->arena);
  if (!change->diff.no_lines)
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

void pawl_code_changes_end(const struct pawl_run_context *run, struct pawl_code_changes *changes) {
  pawl_jobs_stop(run->project->listings.jobs);
  for (struct pawl_line_builds *builds = changes->line_builds; builds; builds = builds->next)
    for (int i = 0; i < 2; i++) pawl_build_thread_await(&builds->threads[i]);
}
