/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/plan.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/progress.h"
#include "measure/block_plan.h"
#include "model/dtype.h"
#include "pairs/bench.h"
#include "project/bench_kernels.h"
#include "project/bench_row.h"
#include "project/operators.h"
#include "stats/process_interval.h"
#include "suite/read.h"
#include "sweep/claims.h"
#include "tune/expression.h"

struct sweep_planning {
  struct pawl_project *project;
  const struct pawl_sweep_options *options;
  struct pawl_sweep_plan *plan;
  struct pawl_ready_kernel *kernels;
  size_t point_capacity;
};

/* --- arms --- */

/* Returns whether it is the first kernel of its operator and device. */
static bool sweep_is_first(const struct pawl_sweep_plan *plan,
                           const struct pawl_sweep_arm *kernel) {
  for (const struct pawl_sweep_arm *arm = plan->arms; arm < kernel; arm++)
    if (!arm->reference && pawl_sweep_meets(arm, kernel)) return false;
  return !kernel->reference && !kernel->missing;
}

static bool sweep_has_kernel(const struct pawl_kernel_spec *const *specs, size_t count,
                             const struct pawl_kernel_spec *reference) {
  for (size_t i = 0; i < count; i++)
    if (!specs[i]->reference &&
        pawl_text_equal(specs[i]->operator_name, reference->operator_name) &&
        specs[i]->device == reference->device)
      return true;
  return false;
}

static bool sweep_names_reference(const struct pawl_kernel_spec *const *specs, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (specs[i]->reference) return true;
  return false;
}

/* Lists the named kernels with an operator. Without a named reference, those of their operators and
   devices join. */
static pawl_status sweep_choose(struct sweep_planning *planning,
                                const struct pawl_kernel_spec ***out, size_t *out_count,
                                struct pawl_error *err) {
  struct pawl_project *project = planning->project;
  const struct pawl_sweep_options *options = planning->options;
  const struct pawl_kernel_spec **named, **all, **chosen;
  size_t named_count, all_count, count = 0;
  PAWL_TRY(pawl_kernels_named(&project->suite, &project->arena, options->names, options->name_count,
                              &named, &named_count, err));
  PAWL_TRY(pawl_kernels_named(&project->suite, &project->arena, NULL, 0, &all, &all_count, err));
  chosen = pawl_arena_alloc(&project->arena, named_count + all_count, sizeof *chosen);
  for (size_t i = 0; i < named_count; i++)
    if (named[i]->operator_name &&
        (!named[i]->reference || sweep_has_kernel(named, named_count, named[i])))
      chosen[count++] = named[i];
  if (options->name_count && !sweep_names_reference(named, named_count))
    for (size_t i = 0; i < all_count; i++)
      if (all[i]->reference && all[i]->operator_name &&
          sweep_has_kernel(named, named_count, all[i]))
        chosen[count++] = all[i];
  *out = chosen;
  *out_count = count;
  if (count) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE,
                   "no kernel to sweep: a sweep measures kernels that have an operator");
}

static void sweep_describe_arm(const struct pawl_ready_kernel *kernel, struct pawl_sweep_arm *arm) {
  *arm = (struct pawl_sweep_arm){
      .name = kernel->spec->name,
      .operator_name = kernel->spec->operator_name,
      .device = pawl_device_kind_name(kernel->spec->device),
      .reference = kernel->spec->reference,
      .missing = kernel->outcome == PAWL_OUTCOME_OK ? NULL : kernel->reason};
  if (kernel->outcome != PAWL_OUTCOME_OK) return;
  arm->code = kernel->build.code_hash;
  arm->arch = kernel->build.cuda_arch;
  arm->toolchain = kernel->build.toolchain;
}

/* A start that a program may refuse, because a package that it needs is absent. */
struct sweep_start {
  struct pawl_worker *worker;
  enum pawl_status_code status;
  struct pawl_error error;
};

static pawl_status sweep_launch(struct sweep_planning *planning, struct pawl_ready_kernel *kernel,
                                struct sweep_start *start, struct pawl_error *err) {
  struct pawl_oracle *oracle;
  if (kernel->outcome != PAWL_OUTCOME_OK || !kernel->spec->optional) return PAWL_OK;
  PAWL_TRY(pawl_project_oracle(planning->project, kernel->spec->operator_name, &oracle, err));
  struct pawl_worker_options options = kernel->worker;
  options.tensors = &oracle->tensors;
  start->status = pawl_worker_launch(&start->worker, &options, &start->error);
  return PAWL_OK;
}

/* Starts each optional kernel once, side by side. One that refuses to start is absent. */
static pawl_status sweep_start_optional(struct sweep_planning *planning, size_t count,
                                        struct pawl_error *err) {
  struct sweep_start *starts = pawl_arena_alloc(&planning->project->arena, count, sizeof *starts);
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count && status == PAWL_OK; i++)
    status = sweep_launch(planning, &planning->kernels[i], &starts[i], err);
  for (size_t i = 0; i < count; i++) {
    struct sweep_start *start = &starts[i];
    struct pawl_ready_kernel *kernel = &planning->kernels[i];
    if (start->worker && start->status == PAWL_OK && status == PAWL_OK)
      start->status = pawl_worker_greet(start->worker, &start->error);
    pawl_worker_free(start->worker);
    if (status == PAWL_OK && start->status != PAWL_OK &&
        !pawl_kernel_cannot_start(kernel, start->status, &start->error, &planning->project->arena))
      status = pawl_fail(err, start->status, "%s", start->error.message);
  }
  return status;
}

static pawl_status sweep_ready_arms(struct sweep_planning *planning, struct pawl_error *err) {
  struct pawl_project *project = planning->project;
  struct pawl_sweep_plan *plan = planning->plan;
  const struct pawl_kernel_spec **specs;
  size_t count;
  PAWL_TRY(sweep_choose(planning, &specs, &count, err));
  planning->kernels = pawl_arena_alloc(&project->arena, count, sizeof *planning->kernels);
  plan->arms = pawl_arena_alloc(&project->arena, count, sizeof *plan->arms);
  for (size_t i = 0; i < count; i++) {
    struct pawl_ready_kernel *kernel = &planning->kernels[i];
    const struct pawl_progress progress = {"building", (double)i, (double)count, false};
    pawl_progress_show(project->options.log, &progress, "%s", specs[i]->name);
    PAWL_TRY(pawl_project_ready(project, specs[i], kernel, err));
    pawl_progress_end(project->options.log);
    if (kernel->outcome == PAWL_OUTCOME_BUILD)
      return pawl_fail(err, PAWL_FAILED, "'%s' does not build: %s%s%s", specs[i]->name,
                       kernel->reason, kernel->diagnostics ? "\n" : "",
                       kernel->diagnostics ? kernel->diagnostics : "");
  }
  PAWL_TRY(sweep_start_optional(planning, count, err));
  for (size_t i = 0; i < count; i++)
    sweep_describe_arm(&planning->kernels[i], &plan->arms[plan->arm_count++]);
  for (size_t i = 0; i < count; i++)
    if (!plan->arms[i].reference && !plan->arms[i].missing) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE, "no kernel of the sweep can run here: '%s': %s",
                   plan->arms[0].name, plan->arms[0].missing);
}

/* --- points --- */

/* Whether a shape satisfies the `where` of its section. */
static pawl_status sweep_satisfies(const struct pawl_check_spec *spec,
                                   const struct pawl_case *shape, struct pawl_arena *arena,
                                   bool *out, struct pawl_error *err) {
  const size_t count = (size_t)shape->count;
  const char **names = pawl_arena_alloc(arena, count + 1, sizeof *names);
  struct pawl_tune_value *values = pawl_arena_alloc(arena, count + 1, sizeof *values);
  *out = true;
  for (size_t i = 0; i < count; i++) {
    names[i] = shape->dims[i].name;
    values[i] =
        pawl_tune_value_of(pawl_arena_printf(arena, "%lld", (long long)shape->dims[i].value));
  }
  for (size_t i = 0; i < spec->where.count && *out; i++) {
    struct pawl_expression expression;
    enum pawl_status_code status =
        pawl_expression_parse(spec->where.items[i], names, count, arena, &expression, err);
    if (status == PAWL_OK) status = pawl_expression_holds(&expression, values, out, err);
    if (status != PAWL_OK)
      return pawl_prefix(err, "'where' of the sweep of '%s'", spec->operator_name);
  }
  return PAWL_OK;
}

/* Appends the shape if it satisfies the section; its key names it. */
static pawl_status sweep_add_shape(struct sweep_planning *planning,
                                   const struct pawl_check_spec *spec,
                                   const struct pawl_case *given, struct pawl_oracle *oracle,
                                   struct pawl_case *cases, size_t *count, struct pawl_error *err) {
  struct pawl_arena *arena = &planning->project->arena;
  struct pawl_case shape;
  bool wanted;
  PAWL_TRY(pawl_case_resolve(given, &oracle->info, arena, &shape, err));
  PAWL_TRY(sweep_satisfies(spec, &shape, arena, &wanted, err));
  if (!wanted) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  pawl_case_key(&shape, &key);
  shape.name = pawl_arena_copy(arena, pawl_text_string(&key));
  cases[(*count)++] = shape;
  return PAWL_OK;
}

/* Lists the product of the axes and dtypes, the last axis fastest. */
static pawl_status sweep_list_shapes(struct sweep_planning *planning,
                                     const struct pawl_check_spec *spec, struct pawl_oracle *oracle,
                                     struct pawl_case **out, size_t *out_count,
                                     struct pawl_error *err) {
  struct pawl_arena *arena = &planning->project->arena;
  const size_t dtypes = spec->dtype_count ? spec->dtype_count : 1;
  size_t total = dtypes;
  for (size_t i = 0; i < spec->axis_count; i++) total *= spec->axes[i].count;
  *out = pawl_arena_alloc(arena, total + 1, sizeof **out);
  *out_count = 0;
  for (size_t index = 0; index < total; index++) {
    size_t rest = index / dtypes;
    struct pawl_case shape = {
        .operator_name = spec->operator_name,
        .place = spec->place,
        .count = (int)spec->axis_count,
        .dtype = spec->dtype_count ? spec->dtypes[index % dtypes] : PAWL_DTYPE_NONE,
        .dims = pawl_arena_alloc(arena, spec->axis_count + 1, sizeof *shape.dims)};
    for (size_t a = spec->axis_count; a-- > 0;) {
      const struct pawl_axis *axis = &spec->axes[a];
      shape.dims[a] = (struct pawl_dim){axis->name, axis->values[rest % axis->count]};
      rest /= axis->count;
    }
    PAWL_TRY(sweep_add_shape(planning, spec, &shape, oracle, *out, out_count, err));
  }
  if (*out_count) return PAWL_OK;
  return pawl_fail(err, PAWL_CONFIG, "'where' of the sweep of '%s' excludes all %zu shapes",
                   spec->operator_name, total);
}

static pawl_status sweep_cases(struct sweep_planning *planning, struct pawl_oracle *oracle,
                               struct pawl_case **out, size_t *count, struct pawl_error *err) {
  const struct pawl_suite *suite = &planning->project->suite;
  const struct pawl_check_spec *spec = NULL;
  for (size_t i = 0; i < suite->sweep_count; i++)
    if (pawl_text_equal(suite->sweeps[i].operator_name, oracle->info.name))
      spec = &suite->sweeps[i];
  if (spec && !planning->options->case_name)
    return sweep_list_shapes(planning, spec, oracle, out, count, err);
  return pawl_operator_cases(suite, &oracle->info, planning->options->case_name, NULL,
                             &planning->project->arena, out, count, err);
}

/* The kernel stands for all kernels of its operator and device. */
static pawl_status sweep_add_points(struct sweep_planning *planning,
                                    const struct pawl_ready_kernel *kernel,
                                    struct pawl_error *err) {
  struct pawl_project *project = planning->project;
  struct pawl_sweep_plan *plan = planning->plan;
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
  PAWL_TRY(sweep_cases(planning, oracle, &cases, &count, err));
  for (size_t i = 0; i < count; i++) {
    struct pawl_work work;
    struct pawl_bench_row row;
    const struct pawl_shape shape = pawl_case_shape(&cases[i]);
    PAWL_TRY(pawl_worker_tensors(oracle->worker, &shape, &project->arena, &work, err));
    PAWL_TRY(pawl_bench_row_begin(project, kernel, oracle, &cases[i], &project->suite.measure, &row,
                                  err));
    plan->points =
        pawl_grow(plan->points, plan->point_count, &planning->point_capacity, sizeof *plan->points);
    plan->points[plan->point_count++] =
        (struct pawl_sweep_point){.case_name = cases[i].name,
                                  .operator_name = kernel->spec->operator_name,
                                  .device = pawl_device_kind_name(kernel->spec->device),
                                  .shape = cases[i],
                                  .rounds = pawl_paired_bench_rounds(kernel->spec->device),
                                  .flop = work.flop,
                                  .bytes = work.bytes,
                                  .peak_gflops = row.limits.gflops,
                                  .peak_gb_s = row.limits.bandwidth_gb_s,
                                  .computes = oracle->info.summary,
                                  .atol = row.tolerance.atol,
                                  .rtol = row.tolerance.rtol};
  }
  return PAWL_OK;
}

/* Moves the list, which has grown on the heap, to the arena. */
static void sweep_keep_points(struct sweep_planning *planning) {
  struct pawl_sweep_plan *plan = planning->plan;
  struct pawl_sweep_point *kept =
      pawl_arena_alloc(&planning->project->arena, plan->point_count + 1, sizeof *kept);
  if (plan->point_count) memcpy(kept, plan->points, plan->point_count * sizeof *kept);
  pawl_free(plan->points);
  plan->points = kept;
}

static pawl_status sweep_find_points(struct sweep_planning *planning, struct pawl_error *err) {
  struct pawl_sweep_plan *plan = planning->plan;
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < plan->arm_count && status == PAWL_OK; i++)
    if (sweep_is_first(plan, &plan->arms[i]))
      status = sweep_add_points(planning, &planning->kernels[i], err);
  sweep_keep_points(planning);
  if (status != PAWL_OK || plan->point_count) return status;
  return pawl_fail(err, PAWL_USAGE, "no shape to sweep: the suite has no case of '%s'",
                   plan->arms[0].operator_name);
}

/* More arms do not fit into one block. */
static pawl_status sweep_count_arms(const struct pawl_sweep_plan *plan, struct pawl_error *err) {
  for (size_t i = 0; i < plan->point_count; i++) {
    size_t count = 0;
    for (size_t j = 0; j < plan->arm_count; j++)
      count += pawl_sweep_takes_part(&plan->arms[j], &plan->points[i]);
    if (count < 2)
      return pawl_fail(err, PAWL_USAGE,
                       "'%s' on %s has one kernel and no reference: there is nothing to compare",
                       plan->points[i].operator_name, plan->points[i].device);
    if (count > PAWL_MAX_ARMS)
      return pawl_fail(
          err, PAWL_USAGE,
          "'%s' on %s has %zu kernels and references, and a sweep compares at most %d: "
          "name some of them",
          plan->points[i].operator_name, plan->points[i].device, count, PAWL_MAX_ARMS);
  }
  return PAWL_OK;
}

/* Fewer blocks give no interval, and so no answer. A visit takes the last of them along. */
static void raise_least_blocks(struct pawl_sweep_plan *plan) {
  const size_t least = pawl_sweep_least_blocks(plan);
  if ((size_t)plan->least_blocks < least) plan->least_blocks = (int)least;
}

static pawl_status sweep_count_blocks(struct pawl_sweep_plan *plan, struct pawl_error *err) {
  raise_least_blocks(plan);
  if (plan->most_blocks >= plan->least_blocks) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE,
                   "the %zu claims and means of this sweep need %d blocks of a shape to hold "
                   "together with %.0f %%: use '--max-blocks %d' or more",
                   pawl_sweep_count_intervals(plan), plan->least_blocks,
                   100 * PAWL_PROCESS_CONFIDENCE, plan->least_blocks);
}

static void sweep_describe_machine(struct sweep_planning *planning) {
  struct pawl_project *project = planning->project;
  struct pawl_sweep_plan *plan = planning->plan;
  struct pawl_results machine;
  char started[20];
  pawl_results_begin(&project->git, &project->devices, &machine);
  plan->hardware = pawl_arena_copy(&project->arena, machine.hardware);
  struct utsname system;
  if (!uname(&system))
    plan->system = pawl_arena_printf(&project->arena, "%s %s %s", system.sysname, system.release,
                                     system.machine);
  plan->commit = project->git.commit;
  plan->dirty = project->git.dirty;
  pawl_results_release(&machine);
  const struct pawl_device *gpu = pawl_devices_find(&project->devices, PAWL_CUDA, NULL);
  plan->driver = gpu ? gpu->driver : NULL;
  pawl_format_time(pawl_wall_clock(), started);
  plan->started = pawl_arena_copy(&project->arena, started);
}

pawl_status pawl_sweep_make_plan(struct pawl_project *project,
                                 const struct pawl_sweep_options *options,
                                 struct pawl_sweep_plan *plan, struct pawl_ready_kernel **kernels,
                                 struct pawl_error *err) {
  const struct pawl_measure_spec *measure = &project->suite.measure;
  *plan = (struct pawl_sweep_plan){.pawl = PAWL_VERSION,
                                   .cache = measure->cache == PAWL_CACHE_WARM ? "warm" : "cold",
                                   .seed = options->seed,
                                   .precision = options->precision,
                                   .least_blocks = options->least_blocks,
                                   .most_blocks = options->most_blocks,
                                   .samples = pawl_paired_bench_samples(measure),
                                   .warmup = measure->warmup};
  struct sweep_planning planning = {project, options, plan, NULL, 0};
  if (options->matrix)
    PAWL_TRY(pawl_suite_read_sweep(options->matrix, &project->arena, &project->suite, err));
  PAWL_TRY(sweep_ready_arms(&planning, err));
  PAWL_TRY(sweep_find_points(&planning, err));
  PAWL_TRY(sweep_count_arms(plan, err));
  PAWL_TRY(sweep_count_blocks(plan, err));
  sweep_describe_machine(&planning);
  *kernels = planning.kernels;
  return PAWL_OK;
}

const char *pawl_sweep_opener(const struct pawl_sweep_plan *plan,
                              const struct pawl_ready_kernel *kernels) {
  for (size_t i = 0; i < plan->arm_count; i++)
    if (kernels[i].build.opens_files) return kernels[i].spec->name;
  return NULL;
}

/* --- the same plan again --- */

/* These change while a sweep stays the same one: the tree beside the kernels' machine code, and
   peaks that a machine measures. */
static bool sweep_may_change(const char *key) {
  static const char *const keys[] = {"commit",      "dirty",     "started",
                                     "peak_gflops", "peak_gb_s", "computes"};
  for (size_t i = 0; i < PAWL_COUNT(keys); i++)
    if (!strcmp(keys[i], key)) return true;
  return false;
}

static void sweep_add_value(const json_t *value, struct pawl_text *out) {
  if (json_is_string(value))
    pawl_text_add(out, json_string_value(value));
  else if (json_is_number(value))
    pawl_text_printf(out, "%.6g", json_number_value(value));
  else
    pawl_text_add(out, value ? "set" : "unknown");
}

/* Appends "seed (42, and now 3)", or "code of 'a' (...)" for a member of the kernel or shape
   `owner`. */
static void sweep_tell_difference(const json_t *stored, const json_t *now, const char *key,
                                  const char *owner, struct pawl_text *out) {
  pawl_text_printf(out, owner ? "%s of '%s' (" : "%s (", key, owner);
  sweep_add_value(stored, out);
  pawl_text_add(out, ", and now ");
  sweep_add_value(now, out);
  pawl_text_add(out, ")");
}

/* Appends the first difference of two plans or of two parts of them, if there is one. */
static void sweep_differ(const json_t *stored, const json_t *now, const char *key,
                         const char *owner, struct pawl_text *out) {
  const char *name;
  json_t *value;
  if (json_is_array(stored) && json_array_size(stored) == json_array_size(now)) {
    for (size_t i = 0; i < json_array_size(stored) && !out->length; i++)
      sweep_differ(json_array_get(stored, i), json_array_get(now, i), key, owner, out);
  } else if (json_is_array(stored)) {
    pawl_text_printf(out, "number of %s (%zu, and now %zu)", key, json_array_size(stored),
                     json_array_size(now));
  } else if (json_is_object(stored) && json_is_object(now)) {
    const json_t *own = json_object_get(stored, "case");
    if (!own) own = json_object_get(stored, "name");
    if (json_is_string(own)) owner = json_string_value(own);
    json_object_foreach((json_t *)(uintptr_t)stored, name, value) {
      if (!out->length && !sweep_may_change(name))
        sweep_differ(value, json_object_get(now, name), name, owner, out);
    }
    json_object_foreach((json_t *)(uintptr_t)now, name, value) {
      if (!out->length && !sweep_may_change(name) && !json_object_get(stored, name))
        sweep_tell_difference(NULL, value, name, owner, out);
    }
  } else if (!json_equal(stored, now)) {
    sweep_tell_difference(stored, now, key, owner, out);
  }
}

pawl_status pawl_sweep_same_plan(const struct pawl_sweep_plan *stored,
                                 const struct pawl_sweep_plan *now, const char *folder,
                                 struct pawl_error *err) {
  struct pawl_sweep_plan begun = *stored;
  raise_least_blocks(&begun); /* an older pawl did not */
  PAWL_CLEANUP(pawl_json_release)
  json_t *before = pawl_struct_write(&pawl_sweep_plan_fields, &begun);
  PAWL_CLEANUP(pawl_json_release) json_t *after = pawl_struct_write(&pawl_sweep_plan_fields, now);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  sweep_differ(before, after, "plan", NULL, &words);
  if (!words.length) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "'%s' holds a sweep with another %s: finish it as it was, or take another "
                   "folder with -o",
                   folder, pawl_text_string(&words));
}
