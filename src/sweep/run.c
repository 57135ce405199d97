/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/run.h"

#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "project/bench_kernels.h"
#include "project/operators.h"
#include "sweep/folder.h"
#include "sweep/measure.h"
#include "sweep/open.h"
#include "sweep/share.h"
#include "sweep/turns.h"

#define LOCK ".lock"

static pawl_status sweep_write_claims(const struct pawl_sweep *sweep, const char *folder,
                                      const struct pawl_sweep_writing *writing,
                                      struct pawl_arena *arena, struct pawl_sweep_claims *out,
                                      struct pawl_error *err) {
  PAWL_TRY(pawl_sweep_claim(sweep, arena, out, err));
  if (!sweep->block_count)
    return pawl_fail(err, PAWL_TRY_AGAIN,
                     "'%s' has no block yet; the same command without a budget goes on", folder);
  const struct pawl_sweep_view view = {sweep, out};
  return pawl_sweep_write_folder(&view, folder, writing, err);
}

pawl_status pawl_sweep_rewrite(const char *folder, const struct pawl_sweep_writing *writing,
                               struct pawl_arena *arena, struct pawl_sweep *sweep,
                               struct pawl_sweep_claims *out, struct pawl_error *err) {
  struct pawl_lock lock = {.fd = -1};
  PAWL_CLEANUP(pawl_free_pointer) char *lock_path = pawl_path_join(folder, LOCK);
  if (pawl_is_folder(folder)) PAWL_TRY(pawl_lock_acquire(&lock, lock_path, 0, err));
  enum pawl_status_code status = pawl_sweep_read(folder, arena, sweep, err);
  if (status == PAWL_OK) {
    status = sweep_write_claims(sweep, folder, writing, arena, out, err);
    if (status != PAWL_OK) pawl_sweep_release(sweep);
  }
  pawl_lock_release(&lock);
  return status;
}

/* --- in this process --- */

static pawl_status sweep_visit_all(struct pawl_sweep_visitor *visitor,
                                   struct pawl_sweep_turns *turns, struct pawl_error *err) {
  for (;;) {
    pawl_sweep_turns_deal(turns);
    if (!turns->count || pawl_budget_is_over()) return PAWL_OK;
    const size_t point = pawl_sweep_turns_take(turns, 0), before = visitor->sweep->block_count;
    const int64_t begin = pawl_clock_ns();
    pawl_sweep_turns_show(turns, 1, point);
    const enum pawl_status_code status = pawl_sweep_visit(visitor, point, err);
    if (pawl_budget_ended(status)) return PAWL_OK;
    if (status != PAWL_OK) return status;
    PAWL_TRY(pawl_sweep_turns_note(turns, point, visitor->sweep->block_count - before,
                                   pawl_seconds_since(begin), err));
  }
}

/* Tells what the time went to. */
static void sweep_tell(const struct pawl_project *project, size_t blocks, double seconds) {
  const struct pawl_time_spent spent = pawl_operators_spent(&project->operators);
  pawl_log_detail(project->options.log,
                  "%zu blocks in %.1f s; within it %.1f s starts, %.1f s inputs, %.1f s expected "
                  "values, %.1f s calls and copies, %.1f s hashes, %.1f s comparisons",
                  blocks, seconds, spent.start, spent.inputs, spent.expected, spent.calls,
                  spent.hashing, spent.compare);
}

static pawl_status sweep_measure(struct pawl_project *project,
                                 const struct pawl_ready_kernel *kernels, const char *folder,
                                 struct pawl_sweep *sweep, struct pawl_error *err) {
  struct pawl_sweep_turns turns;
  struct pawl_sweep_visitor visitor;
  PAWL_TRY(pawl_sweep_turns_init(&turns, sweep, &project->arena, project->options.log, err));
  pawl_sweep_visitor_init(&visitor, project, kernels, sweep);
  visitor.journal = pawl_arena_printf(&project->arena, "%s/" PAWL_SWEEP_JOURNAL, folder);
  pawl_sweep_turns_deal(&turns);
  if (!turns.count) return PAWL_OK;
  const size_t before = sweep->block_count;
  const int64_t begin = pawl_clock_ns();
  PAWL_TRY(pawl_bench_take_turns(project, kernels, sweep->plan.arm_count, err));
  pawl_devices_lock_clocks(&project->devices, &project->suite.measure, project->options.log);
  const enum pawl_status_code status = sweep_visit_all(&visitor, &turns, err);
  pawl_sweep_visitor_release(&visitor);
  sweep_tell(project, sweep->block_count - before, pawl_seconds_since(begin));
  pawl_progress_end(project->options.log);
  return status;
}

static pawl_status sweep_run_here(struct pawl_project *project, const struct pawl_sweep_plan *plan,
                                  const struct pawl_ready_kernel *kernels, const char *folder,
                                  struct pawl_sweep *sweep, struct pawl_error *err) {
  PAWL_TRY(pawl_sweep_stays_apart(project, pawl_sweep_opener(plan, kernels), folder, err));
  PAWL_TRY(pawl_sweep_open(folder, plan, &project->arena, sweep, err));
  return sweep_measure(project, kernels, folder, sweep, err);
}

pawl_status pawl_sweep_run(struct pawl_project *project, const struct pawl_sweep_options *options,
                           const struct pawl_pool_plan *pool,
                           const struct pawl_sweep_writing *writing, struct pawl_sweep *sweep,
                           struct pawl_sweep_claims *out, struct pawl_error *err) {
  struct pawl_sweep_plan plan;
  struct pawl_ready_kernel *kernels = NULL;
  struct pawl_lock lock = {.fd = -1};
  PAWL_CLEANUP(pawl_free_pointer) char *lock_path = pawl_path_join(options->folder, LOCK);
  *sweep = (struct pawl_sweep){0};
  if (!pool) PAWL_TRY(pawl_sweep_make_plan(project, options, &plan, &kernels, err));
  PAWL_TRY(pawl_make_folders(options->folder, err));
  PAWL_TRY(pawl_lock_acquire(&lock, lock_path, 0, err));
  enum pawl_status_code status =
      pool ? pawl_sweep_share(project, options, pool, sweep, err)
           : sweep_run_here(project, &plan, kernels, options->folder, sweep, err);
  if (status == PAWL_OK)
    status = sweep_write_claims(sweep, options->folder, writing, &project->arena, out, err);
  if (status != PAWL_OK) pawl_sweep_release(sweep);
  pawl_lock_release(&lock);
  return status;
}
