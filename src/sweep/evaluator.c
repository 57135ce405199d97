/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/evaluator.h"

#include "fleet/evaluator.h"
#include "project/bench_kernels.h"
#include "sweep/measure.h"

/* The asking process compares the plan with that of the others. */
static json_t *sweep_about(const struct pawl_sweep_plan *plan,
                           const struct pawl_ready_kernel *kernels) {
  json_t *about = json_object();
  pawl_json_set_string(about, "opener", pawl_sweep_opener(plan, kernels));
  pawl_json_set(about, "plan", pawl_struct_write(&pawl_sweep_plan_fields, plan));
  return about;
}

/* Reads the point of a request, and its earlier blocks in place of those of the last request. */
static pawl_status sweep_read_request(struct pawl_sweep *sweep, json_t *request, const char *name,
                                      struct pawl_arena *arena, size_t *point,
                                      struct pawl_error *err) {
  const json_t *blocks = json_object_get(request, "blocks");
  size_t *counts = pawl_arena_alloc(arena, sweep->plan.point_count + 1, sizeof *counts);
  const struct pawl_json_path path = {NULL, name, -1};
  long long number;
  PAWL_TRY(pawl_json_get_int(request, "visit", name, -1, &number, err));
  if (number < 0 || (size_t)number >= sweep->plan.point_count)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: the plan has no point %lld", name, number);
  sweep->block_count = 0;
  json_array_clear(sweep->documents);
  json_array_append(sweep->documents, request);
  for (size_t i = 0; i < json_array_size(blocks); i++)
    PAWL_TRY(pawl_sweep_read_block(sweep, json_array_get(blocks, i), counts, &path, arena, err));
  *point = (size_t)number;
  return PAWL_OK;
}

static json_t *sweep_new_blocks(const struct pawl_sweep *sweep, size_t before) {
  json_t *result = json_object(), *blocks = json_array();
  for (size_t i = before; i < sweep->block_count; i++)
    json_array_append_new(blocks, pawl_struct_write(&pawl_sweep_block_fields, &sweep->blocks[i]));
  pawl_json_set(result, "blocks", blocks);
  return result;
}

/* Waits for the devices of the point, which another evaluator of this machine may share. */
static pawl_status sweep_take_turn(struct pawl_sweep_visitor *visitor, size_t point,
                                   struct pawl_error *err) {
  const struct pawl_sweep_plan *plan = &visitor->sweep->plan;
  for (size_t i = 0; i < plan->arm_count; i++)
    if (pawl_sweep_takes_part(&plan->arms[i], &plan->points[point]))
      return pawl_bench_take_turns(visitor->project, &visitor->kernels[i], 1, err);
  return PAWL_OK;
}

static pawl_status sweep_answer(struct pawl_sweep_visitor *visitor,
                                struct pawl_evaluator *evaluator, struct pawl_error *err) {
  struct pawl_sweep *sweep = visitor->sweep;
  PAWL_CLEANUP(pawl_json_release) json_t *request = NULL;
  size_t point = 0;
  PAWL_TRY(pawl_evaluator_take(evaluator, 0, &request, err));
  PAWL_TRY(sweep_read_request(sweep, request, evaluator->requests.path, &visitor->project->arena,
                              &point, err));
  const size_t before = sweep->block_count;
  PAWL_TRY(sweep_take_turn(visitor, point, err));
  PAWL_TRY(pawl_sweep_visit(visitor, point, err));
  pawl_devices_end_turn(&visitor->project->devices);
  return pawl_evaluator_answer(evaluator, request, sweep_new_blocks(sweep, before), err);
}

static pawl_status sweep_serve(struct pawl_project *project,
                               const struct pawl_sweep_options *options, struct pawl_sweep *sweep,
                               struct pawl_evaluator *evaluator, struct pawl_error *err) {
  struct pawl_sweep_visitor visitor;
  struct pawl_ready_kernel *kernels;
  PAWL_TRY(pawl_sweep_make_plan(project, options, &sweep->plan, &kernels, err));
  pawl_sweep_visitor_init(&visitor, project, kernels, sweep);
  pawl_devices_lock_clocks(&project->devices, &project->suite.measure, project->options.log);
  enum pawl_status_code status =
      pawl_evaluator_ready(evaluator, sweep_about(&sweep->plan, kernels), err);
  while (status == PAWL_OK) {
    status = pawl_evaluator_wait(evaluator, err);
    if (status != PAWL_OK || evaluator->ended) break;
    status = sweep_answer(&visitor, evaluator, err);
  }
  pawl_sweep_visitor_release(&visitor);
  return status;
}

pawl_status pawl_sweep_evaluate(struct pawl_project *project,
                                const struct pawl_sweep_options *options, const char *folder,
                                struct pawl_error *err) {
  struct pawl_evaluator evaluator;
  struct pawl_sweep sweep = {.documents = json_array()};
  struct pawl_error ignored = {0};
  PAWL_TRY(pawl_evaluator_open(&evaluator, folder, err));
  const enum pawl_status_code status = sweep_serve(project, options, &sweep, &evaluator, err);
  if (status != PAWL_OK && pawl_evaluator_fail(&evaluator, err, &ignored) != PAWL_OK)
    pawl_log_warning(project->options.log, "%s", ignored.message);
  pawl_sweep_release(&sweep);
  pawl_evaluator_close(&evaluator);
  return status;
}
