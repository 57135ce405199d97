/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/result_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "device/cpu/cpu.h"
#include "measure/flush.h"
#include "measure/guard.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure/roofline.h"
#include "model/dtype.h"
#include "process/cgroup.h"
#include "stats/bootstrap.h"
#include "stats/describe.h"
#include "stats/process_interval.h"
#include "stats/sort.h"

/* The limits above which a measurement gets a warning. */
#define MAX_CV 0.12
#define MAX_TEMPERATURE_C 80.0
#define MAX_OTHER_BUSY 0.2 /* CPUs */

/* A time this far beyond a GPU's computed peak is an error of the measurement. */
#define BEYOND 1.05
/* The factor above a CPU's measured peak: the clock may have risen, or the measurement was slow. */
#define CPU_BEYOND 3.0
#define ALONE_RATIO 2.5 /* see warn_of_batches */
/* Seconds for two clock readings and for code outside the first-level cache. */
#define ALONE_COSTS 100e-9
/* Seconds for two events and a launch that nothing overlaps. */
#define ALONE_COSTS_ON_GPU 1e-5
/* Below this many seconds, a nanosecond is more than a ten-thousandth. */
#define FEW_NANOSECONDS 1e-5
/* A call on fresh inputs takes this much longer only if the kernel stores results. */
#define FRESH_RATIO 1.5
/* Tensor cores may compute f32, and their peak is at most this far above the f32 peak. */
#define TENSOR_CORE_F32 16.0

/* Returns the larger of two values. NaN is unknown. */
static double larger_known(double a, double b) { return !(b > a) && !isnan(a) ? a : b; }

void pawl_result_builder_init(struct pawl_result_builder *builder,
                              const struct pawl_problem *problem,
                              const struct pawl_bench_options *options, struct pawl_arena *arena) {
  *builder = (struct pawl_result_builder){.problem = problem,
                                          .options = options,
                                          .limits = {NAN, NAN, NULL},
                                          .arena = arena,
                                          .first = pawl_device_state_unknown(),
                                          .last = pawl_device_state_unknown(),
                                          .isolation = PAWL_ISOLATION_FULL,
                                          .bounds = PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY,
                                          .hottest_c = NAN,
                                          .fresh_ratio = {INFINITY, INFINITY},
                                          .alone_seconds = INFINITY,
                                          .other_busy = NAN};
  if (options->limits) builder->limits = *options->limits;
  pawl_result_init(&builder->result);
}

/* Keeps the worst errors of all processes. */
static void add_errors(struct pawl_correctness *total, const struct pawl_error_stats *errors,
                       bool passed) {
  total->passed = total->known ? total->passed && passed : passed;
  total->known = true;
  total->max_abs_error = larger_known(total->max_abs_error, errors->max_abs_error);
  total->max_rel_error = larger_known(total->max_rel_error, errors->max_rel_error);
  total->mean_abs_error = larger_known(total->mean_abs_error, errors->mean_abs_error);
  total->rel_rms_error = larger_known(total->rel_rms_error, errors->rel_rms_error);
  total->correlation = -larger_known(-total->correlation, -errors->correlation);
  total->oracle = pawl_correctness_oracle(total->oracle, errors->oracle);
}

double pawl_sample_ms(double seconds) {
  const double steps = seconds < FEW_NANOSECONDS ? 1e12 : 1e9; /* per second */
  return round(seconds * steps) / (steps * 1e-3);
}

/* Returns the median of the shortest times that the calls of the arm may have taken. */
static double least_median_ms(const struct pawl_arm_block *arm, struct pawl_arena *arena) {
  double *times = pawl_arena_alloc(arena, arm->count, sizeof *times);
  for (size_t i = 0; i < arm->count; i++)
    times[i] = pawl_sample_ms(arm->seconds[i] - (arm->added ? arm->added[i] : 0));
  pawl_sort_doubles(times, arm->count);
  return pawl_median(times, arm->count);
}

static void add_process(struct pawl_result_builder *builder, const struct pawl_arm_block *arm) {
  struct pawl_result *result = &builder->result;
  /* a result has few processes, so the array need not double */
  struct pawl_process_samples *grown =
      pawl_arena_alloc(builder->arena, result->process_count + 1, sizeof *grown);
  double *least = pawl_arena_alloc(builder->arena, result->process_count + 1, sizeof *least);
  if (result->process_count) {
    memcpy(grown, result->processes, result->process_count * sizeof *grown);
    memcpy(least, builder->least_ms, result->process_count * sizeof *least);
  }
  least[result->process_count] = least_median_ms(arm, builder->arena);
  builder->least_ms = least;
  struct pawl_process_samples *process = &grown[result->process_count];
  process->samples_ms = pawl_arena_alloc(builder->arena, arm->count, sizeof *process->samples_ms);
  process->count = arm->count;
  for (size_t i = 0; i < arm->count; i++) process->samples_ms[i] = pawl_sample_ms(arm->seconds[i]);
  result->processes = grown;
  result->process_count++;
}

static void add_fresh_pairs(struct pawl_result_builder *builder, const struct pawl_arm_block *arm) {
  builder->fresh_seconds =
      pawl_fresh_pairs_join(builder->arena, builder->fresh_seconds, (size_t)builder->fresh_pairs,
                            arm->fresh_seconds, arm->fresh_pairs);
  for (size_t i = 0; i < arm->fresh_pairs; i++) {
    const double usual = arm->fresh_seconds[2 * i], fresh = arm->fresh_seconds[2 * i + 1];
    const double ratio = fresh / usual, *least = builder->fresh_ratio;
    builder->fresh_ratio[1] = fmin(least[1], fmax(least[0], ratio));
    builder->fresh_ratio[0] = fmin(least[0], ratio);
    builder->alone_seconds = fmin(builder->alone_seconds, usual);
  }
  builder->fresh_pairs += (int)arm->fresh_pairs;
}

/* Keeps a block that other programs held up, in case too few others come. */
static void keep_held_up(struct pawl_result_builder *builder, const struct pawl_block *block,
                         int number) {
  struct pawl_block *grown =
      pawl_arena_alloc(builder->arena, (size_t)builder->held_up + 1, sizeof *grown);
  if (builder->held_up) memcpy(grown, builder->held, (size_t)builder->held_up * sizeof *grown);
  grown[builder->held_up] = *block;
  grown[builder->held_up].arms[0] = block->arms[number];
  builder->held = grown;
  builder->held_up++;
}

/* Adds the times of a block that counts. */
static void count_block(struct pawl_result_builder *builder, const struct pawl_block *block,
                        const struct pawl_arm_block *arm) {
  struct pawl_result *result = &builder->result;
  builder->charged += arm->charged;
  builder->fresh_times = fmax(builder->fresh_times, arm->fresh_ratio);
  builder->hottest_c = larger_known(builder->hottest_c, block->after.temperature_c);
  builder->other_busy = larger_known(
      builder->other_busy, isnan(block->other_busy) ? block->after.other_busy : block->other_busy);
  builder->own_busy += block->own_busy;
  builder->waited += arm->waited;
  if (arm->count) add_process(builder, arm);
  add_fresh_pairs(builder, arm);
  /* a command has no such facts */
  if (!builder->problem->oracle) return;
  double bytes =
      (double)arm->workspace_bytes + (arm->memory_bytes > 0 ? (double)arm->memory_bytes : 0);
  for (int i = 0; i < builder->problem->work.tensor_count; i++)
    bytes += (double)builder->problem->sets[0].tensors[i].bytes;
  result->performance.peak_memory_mb =
      larger_known(result->performance.peak_memory_mb, bytes / (1024.0 * 1024.0));
}

int pawl_result_builder_take_held_up(struct pawl_result_builder *builder, int most, int *samples) {
  const int count = builder->held_up < most ? builder->held_up : most;
  builder->counts_held_up = true;
  for (int i = 0; i < count; i++) {
    const struct pawl_block *block = &builder->held[i];
    count_block(builder, block, &block->arms[0]);
    *samples += (int)block->arms[0].count;
  }
  builder->held_up -= count;
  builder->held_up_count += count;
  return count;
}

bool pawl_result_builder_add(struct pawl_result_builder *builder, struct pawl_block *block,
                             int number) {
  struct pawl_arm_block *arm = &block->arms[number];
  struct pawl_result *result = &builder->result;
  result->outcome = arm->outcome;
  result->reason = arm->reason;
  if (builder->problem->oracle &&
      (arm->outcome == PAWL_OUTCOME_OK || arm->outcome == PAWL_OUTCOME_WRONG))
    add_errors(&result->correctness, &arm->errors, arm->outcome == PAWL_OUTCOME_OK);
  if (arm->outcome == PAWL_OUTCOME_OK && arm->isolation < builder->isolation)
    builder->isolation = arm->isolation;
  if (arm->outcome == PAWL_OUTCOME_OK) builder->bounds &= arm->bounds;
  builder->unfrozen = builder->unfrozen || arm->unfrozen;
  builder->early = builder->early || arm->early;
  builder->ahead = builder->ahead || arm->ahead;
  if (arm->environment) {
    json_decref(result->environment);
    result->environment = arm->environment;
    arm->environment = NULL;
  }
  const char *throttled =
      arm->outcome == PAWL_OUTCOME_OK ? pawl_block_throttled(block, builder->arena) : NULL;
  if (!result->process_count) builder->first = block->before;
  if (!throttled || !result->process_count) builder->last = block->after;
  if (throttled) {
    builder->throttled++;
    builder->throttle_reason = throttled;
    return false;
  }
  if (arm->outcome == PAWL_OUTCOME_OK && pawl_block_held_up(block, arm, builder->arena)) {
    if (!builder->options->busy_counts && !builder->counts_held_up) {
      keep_held_up(builder, block, number);
      return false;
    }
    builder->held_up_count++;
  }
  count_block(builder, block, arm);
  return true;
}

/* Writes the statistics of samples in milliseconds. out->samples_ms borrows the array. */
static pawl_status describe_performance(double *samples_ms, size_t count,
                                        const struct pawl_work *work, struct pawl_performance *out,
                                        struct pawl_error *err) {
  struct pawl_summary summary;
  PAWL_TRY(pawl_summarize(samples_ms, count, &summary, err));
  double low, high;
  PAWL_TRY(pawl_bootstrap_median_ci(samples_ms, count, PAWL_BOOTSTRAP_CONFIDENCE,
                                    PAWL_BOOTSTRAP_RESAMPLES, PAWL_BOOTSTRAP_SEED, &low, &high,
                                    err));
  out->median_ms = summary.median;
  out->mean_time_ms = summary.mean;
  out->std_dev_ms = summary.std;
  out->min_ms = summary.min;
  out->max_ms = summary.max;
  out->p50_ms = summary.p50;
  out->p95_ms = summary.p95;
  out->p99_ms = summary.p99;
  out->cv = summary.cv;
  out->ci_95_low = low;
  out->ci_95_high = high;
  out->samples_ms = samples_ms;
  out->sample_count = count;
  if (work && work->flop > 0) out->throughput_gflops = work->flop / (summary.median * 1e-3) * 1e-9;
  if (work && work->bytes > 0) out->bandwidth_gb_s = work->bytes / (summary.median * 1e-3) * 1e-9;
  return PAWL_OK;
}

static void add_warning(struct pawl_result_builder *builder, const char *text) {
  struct pawl_result *result = &builder->result;
  const char **grown = pawl_arena_alloc(builder->arena, result->warning_count + 1, sizeof *grown);
  if (result->warning_count) memcpy(grown, result->warnings, result->warning_count * sizeof *grown);
  grown[result->warning_count++] = text;
  result->warnings = grown;
}

/* Every call of a warm batch writes its outputs (src/host/poison.h), but it could copy the results
 * of an earlier call. A single call cannot. Honest single calls take longer too: by a launch, and
 * by inputs that come from memory. */
static void warn_of_batches(struct pawl_result_builder *builder) {
  const struct pawl_device *device = builder->options->device;
  const double each = builder->result.performance.median_ms * 1e-3, alone = builder->alone_seconds;
  double costs = device && device->kind == PAWL_CUDA ? ALONE_COSTS_ON_GPU : ALONE_COSTS;
  if (builder->limits.bandwidth_gb_s > 0)
    costs += 2e-9 * builder->problem->work.bytes / builder->limits.bandwidth_gb_s;
  if (builder->options->spec->cache != PAWL_CACHE_WARM || !isfinite(alone) ||
      !(alone > costs + ALONE_RATIO * each))
    return;
  add_warning(builder,
              pawl_arena_printf(builder->arena,
                                "a single call took at least %.1f times as long as a call in a "
                                "batch: does the kernel reuse results of an earlier call?",
                                alone / each));
}

static void warn_of_waits(struct pawl_result_builder *builder) {
  size_t samples = 0;
  for (size_t i = 0; i < builder->result.process_count; i++)
    samples += builder->result.processes[i].count;
  if (!builder->waited) return;
  add_warning(
      builder,
      pawl_arena_printf(
          builder->arena,
          "the device waited for the host in %zu of %zu samples: these times are too long%s",
          builder->waited, samples,
          builder->waited == samples ? ", or the launch itself waits" : ""));
}

static void result_builder_warn(struct pawl_result_builder *builder) {
  const struct pawl_oracle *oracle = builder->problem->oracle;
  const double cv = builder->result.performance.cv, hottest = builder->hottest_c;
  const char *error = pawl_roofline_error(&builder->result.roofline);
  if (error) add_warning(builder, error);
  if (cv > MAX_CV)
    add_warning(builder, pawl_arena_printf(builder->arena,
                                           "CV %.1f %% is above %.0f %%: the timing is noisy",
                                           cv * 100, MAX_CV * 100));
  if (hottest > MAX_TEMPERATURE_C)
    add_warning(builder,
                pawl_arena_printf(builder->arena, "the device reached %.0f C, above %.0f C",
                                  hottest, MAX_TEMPERATURE_C));
  if (builder->other_busy > MAX_OTHER_BUSY)
    add_warning(builder, pawl_arena_printf(builder->arena,
                                           "other processes used %.1f CPUs during the timing",
                                           builder->other_busy));
  if (builder->throttled)
    add_warning(builder, pawl_arena_printf(builder->arena, "left out %d throttled %s: %s",
                                           builder->throttled,
                                           builder->throttled == 1 ? "process" : "processes",
                                           builder->throttle_reason));
  if (builder->late)
    add_warning(builder, pawl_arena_printf(
                             builder->arena, "%s after %zu of %d processes",
                             pawl_budget_is_over() ? pawl_budget_cause()
                                                   : "the row's share of the budget ended",
                             builder->result.process_count, builder->options->spec->processes));
  if (builder->held_up)
    add_warning(builder, pawl_arena_printf(
                             builder->arena, "left out %d %s whose calls other programs held up",
                             builder->held_up, builder->held_up == 1 ? "process" : "processes"));
  if (builder->held_up_count)
    add_warning(builder,
                pawl_arena_printf(builder->arena,
                                  "other programs held up most calls of %d of %zu processes: the "
                                  "times are upper bounds; measure again when the machine is quiet",
                                  builder->held_up_count, builder->result.process_count));
  if (builder->unfrozen)
    add_warning(builder,
                "pawl could not hold all threads of the kernel while it changed the inputs: ptrace "
                "is forbidden, the kernel's calls wait for them, or the machine is busy");
  if (builder->fresh_times > 1)
    add_warning(builder, pawl_arena_printf(builder->arena,
                                           "calls on inputs that the kernel had not seen took %.2f "
                                           "times as long: its times count so much longer",
                                           builder->fresh_times));
  if (builder->early)
    add_warning(builder,
                "the GPU's driver cannot compile pawl's code, so a kernel can compute ahead while "
                "pawl flushes the caches");
  if (builder->ahead)
    add_warning(builder,
                "its worker takes no late inputs, so a kernel can compute ahead of the "
                "timed calls; let them read their inputs where pawl puts them");
  if (builder->charged && !builder->held_up_count)
    add_warning(builder,
                pawl_arena_printf(builder->arena,
                                  "pawl lost its CPU as %zu of the timed calls began: their times "
                                  "count from when their inputs changed; stop other programs",
                                  builder->charged));
  warn_of_waits(builder);
  warn_of_batches(builder);
  if (oracle && oracle->gpu.given_up)
    add_warning(builder, pawl_arena_printf(builder->arena, "%s; pawl uses the CPU oracle",
                                           oracle->gpu.given_up));
}

/* Computes the interval over the medians of the processes, which are the replicates. */
static pawl_status set_process_interval(struct pawl_result_builder *builder,
                                        struct pawl_error *err) {
  struct pawl_result *result = &builder->result;
  double *medians = pawl_arena_alloc(builder->arena, result->process_count, sizeof *medians);
  for (size_t i = 0; i < result->process_count; i++) {
    struct pawl_summary summary;
    PAWL_TRY(
        pawl_summarize(result->processes[i].samples_ms, result->processes[i].count, &summary, err));
    medians[i] = summary.median;
  }
  pawl_process_interval(medians, result->process_count, &result->performance.process_ci_95_low,
                        &result->performance.process_ci_95_high);
  if (!builder->held_up_count) return PAWL_OK;
  /* The true times are between the shortest possible ones and those that count. */
  double ignored;
  pawl_process_interval(builder->least_ms, result->process_count,
                        &result->performance.process_ci_95_low, &ignored);
  return PAWL_OK;
}

static uint64_t flush_bytes(const struct pawl_bench_options *options) {
  const uint64_t bytes = pawl_measure_flush_bytes(options->device);
  return options->worker ? pawl_worker_flush_bytes(options->worker, bytes) : bytes;
}

static void describe_environment(struct pawl_result_builder *builder) {
  struct pawl_result *result = &builder->result;
  const struct pawl_bench_options *options = builder->options;
  if (!result->environment) result->environment = json_object();
  json_t *environment = result->environment;
  if (options->device) pawl_json_set(environment, "device", pawl_device_to_json(options->device));
  /* it launches the kernels */
  if (pawl_measure_flushes_clean(options->device, options->spec))
    pawl_json_set_bool(environment, PAWL_CLEAN_FLUSH, true);
  if (options->device && options->device->kind == PAWL_CUDA)
    pawl_json_set_string(environment, "cpu", pawl_cpu_name(builder->arena));
  if (result->process_count) {
    pawl_json_set_string(environment, "isolation", pawl_isolation_name(builder->isolation));
    pawl_json_set_string(environment, "limits", pawl_bounds_name(builder->bounds));
  }
  if (builder->held_up_count) pawl_json_set_int(environment, PAWL_HELD_UP, builder->held_up_count);
  result->gpu_state = json_object();
  pawl_json_set(result->gpu_state, "before", pawl_device_state_to_json(&builder->first));
  pawl_json_set(result->gpu_state, "after", pawl_device_state_to_json(&builder->last));
  if (!builder->problem->oracle) return;
  const double cpus_used =
      result->process_count ? builder->own_busy / (double)result->process_count : NAN;
  if (isfinite(cpus_used)) pawl_json_set_number(environment, PAWL_CPUS_USED, cpus_used);
  pawl_json_set_int(environment, "threads", options->threads);
  if (options->worker && options->worker->connections > 0) {
    const char *given = getenv(PAWL_CUDA_CONNECTIONS);
    pawl_json_set_int(environment, "connections",
                      given ? atoi(given) : options->worker->connections);
  }
  pawl_json_set_string(environment, "cache",
                       options->spec->cache == PAWL_CACHE_COLD ? "cold" : "warm");
  pawl_json_set_int(environment, "warmup", options->spec->warmup);
  pawl_json_set_int(environment, "buffer_sets", builder->problem->set_count);
  if (options->spec->cache == PAWL_CACHE_COLD)
    pawl_json_set_int(environment, "flush_bytes", (long long)flush_bytes(options));
  pawl_json_set_number(environment, "flop", builder->problem->work.flop);
  pawl_json_set_number(environment, "compulsory_bytes", builder->problem->work.bytes);
  if (options->limits) {
    pawl_json_set_number(environment, "peak_gflops", builder->limits.gflops);
    pawl_json_set_number(environment, "peak_bandwidth_gb_s", builder->limits.bandwidth_gb_s);
    pawl_json_set_string(environment, "peak_source", builder->limits.source);
  }
}

/* Returns how far above the peak a time is impossible; INFINITY: unknown. A GPU's peaks are
 * computed. A CPU's peak is measured, in FP32 or FP64, perhaps beside other work. Narrower types
 * have units of their own. */
static double beyond_peak(const struct pawl_result_builder *builder) {
  const int32_t dtype = builder->problem->config.dtype, kind = builder->options->device->kind;
  if (kind == PAWL_CUDA) return dtype == PAWL_F32 ? TENSOR_CORE_F32 * BEYOND : BEYOND;
  /* the peak is of the threads that the suite grants; a kernel may start more */
  const int threads = builder->options->threads > 0 ? builder->options->threads : 1;
  const double more = fmax(1, (double)pawl_cpu_count() / threads);
  return dtype == PAWL_F32 || dtype == PAWL_F64 ? CPU_BEYOND * more : INFINITY;
}

/* Warm calls take the sets in turn, so a call finds its data in the cache if all sets fit. */
static bool stays_in_cache(const struct pawl_result_builder *builder) {
  const struct pawl_problem *problem = builder->problem;
  const struct pawl_device *device = builder->options->device;
  if (builder->options->spec->cache != PAWL_CACHE_WARM || !device || problem->set_count < 1)
    return false;
  double bytes = 0;
  for (int i = 0; i < problem->sets[0].count; i++)
    bytes += (double)problem->sets[0].tensors[i].bytes;
  return bytes * problem->set_count <= (double)device->last_level_cache_bytes;
}

/* Returns why the fastest sample is impossible, so that the kernel does less work than the operator
 * asks for. NULL: it is possible. */
static const char *result_builder_impossible(const struct pawl_result_builder *builder) {
  const struct pawl_bench_options *options = builder->options;
  const struct pawl_problem *problem = builder->problem;
  if (!options->device) return NULL;
  const double seconds = builder->result.performance.min_ms * 1e-3, peak = builder->limits.gflops;
  const double gflops = problem->work.flop / seconds * 1e-9;
  if (gflops > peak * beyond_peak(builder))
    return pawl_arena_printf(
        builder->arena,
        "impossible: %.4g us means %.4g GFLOP/s; the device's peak is %.4g GFLOP/s; "
        "the kernel does less work, or the operator counts too many FLOP",
        seconds * 1e6, gflops, peak * beyond_peak(builder) / BEYOND);
  /* a CPU's caches may be larger than the system says */
  if (options->device->kind != PAWL_CUDA) return NULL;
  if (options->spec->cache != PAWL_CACHE_COLD || problem->set_count < 1) return NULL;
  double bytes = 0;
  for (int i = 0; i < problem->sets[0].count; i++) {
    const struct pawl_placed_tensor *tensor = &problem->sets[0].tensors[i];
    if (tensor->spec.role != PAWL_OUT) bytes += (double)tensor->bytes;
  }
  /* the kernel need not read all inputs */
  if (problem->work.bytes < bytes) bytes = problem->work.bytes;
  const double rate = bytes / seconds * 1e-9;
  if (!(rate > builder->limits.bandwidth_gb_s * BEYOND)) return NULL;
  return pawl_arena_printf(
      builder->arena,
      "impossible: to read the inputs from memory in %.4g us needs %.4g GB/s; "
      "the device has %.4g GB/s; the kernel reads less, or the operator counts "
      "too many bytes",
      seconds * 1e6, rate, builder->limits.bandwidth_gb_s);
}

/* Returns why a GPU kernel stores results by the contents of its inputs: calls on usual inputs are
 * faster than calls on fresh ones. Noise would have to delay the fresh call of every pair, or of
 * all but one, because something can disturb a stored result too. NULL: it does not. */
static const char *remembered(const struct pawl_result_builder *builder) {
  const struct pawl_device *device = builder->options->device;
  if (!device || device->kind != PAWL_CUDA) return NULL;
  const double *ratio = builder->fresh_ratio;
  const int pairs = builder->fresh_pairs, disturbed = ratio[0] > FRESH_RATIO ? 0 : 1;
  if (pairs < PAWL_FRESH_PAIRS || !(ratio[disturbed] > FRESH_RATIO)) return NULL;
  return pawl_arena_printf(builder->arena,
                           "it stores results: %d of %d calls on new inputs took at least %.1f "
                           "times as long as calls on the timed inputs",
                           pairs - disturbed, pairs, ratio[disturbed]);
}

/* A CPU kernel whose calls on new inputs certainly take longer has times of what it has seen. Its
 * times count that much longer. It need not be a cheat: a branch predictor learns inputs too. */
static pawl_status charge_for_seen(struct pawl_result_builder *builder, double *samples_ms,
                                   size_t count, struct pawl_error *err) {
  const struct pawl_device *device = builder->options->device;
  struct pawl_summary summary;
  if (device && device->kind == PAWL_CUDA) return PAWL_OK;
  PAWL_TRY(pawl_summarize(samples_ms, count, &summary, err));
  const struct pawl_fresh_calls fresh = {builder->fresh_seconds, (size_t)builder->fresh_pairs,
                                         summary.median * 1e-3};
  const double times = pawl_fresh_pairs_times(&fresh);
  if (!(times > 1)) return PAWL_OK;
  builder->fresh_times = times;
  for (size_t i = 0; i < count; i++) samples_ms[i] = pawl_sample_ms(samples_ms[i] * 1e-3 * times);
  for (size_t i = 0, offset = 0; i < builder->result.process_count; i++) {
    struct pawl_process_samples *process = &builder->result.processes[i];
    memcpy(process->samples_ms, samples_ms + offset, process->count * sizeof *samples_ms);
    offset += process->count;
  }
  return PAWL_OK;
}

static enum pawl_roofline_counters counters_of(const struct pawl_result_builder *builder) {
  const struct pawl_device *device = builder->options->device;
  if (device && device->kind == PAWL_CUDA) return PAWL_ROOFLINE_GPU;
  return pawl_cpu_counts_events() ? PAWL_ROOFLINE_CPU : PAWL_ROOFLINE_NONE;
}

/* If the fastest sample is beyond a peak that pawl measured, other work may have lowered the peak.
 */
static pawl_status measure_peaks_again(struct pawl_result_builder *builder,
                                       struct pawl_error *err) {
  const struct pawl_bench_options *options = builder->options;
  const struct pawl_device_limits *limits = &builder->limits;
  const struct pawl_work *work = &builder->problem->work;
  const double ns = builder->result.performance.min_ms * 1e6;
  const bool beyond = work->flop / ns > limits->gflops ||
                      (!stays_in_cache(builder) && work->bytes / ns > limits->bandwidth_gb_s);
  if (!beyond || !options->limits_folder || !options->device || options->device->kind != PAWL_CPU)
    return PAWL_OK;
  return pawl_cpu_limits_again(options->device, builder->problem->config.dtype, options->threads,
                               options->limits_folder, builder->arena, &builder->limits, err);
}

/* No block counts. */
static void give_no_time(struct pawl_result_builder *builder) {
  struct pawl_result *result = &builder->result;
  if (!builder->throttled && !builder->late) return;
  result->outcome = PAWL_OUTCOME_INCONCLUSIVE;
  if (builder->late) {
    result->reason = pawl_budget_words();
    return;
  }
  result->reason =
      pawl_arena_printf(builder->arena, "the device was throttled each of %d times: %s",
                        builder->throttled, builder->throttle_reason);
}

pawl_status pawl_result_builder_finish(struct pawl_result_builder *builder, struct pawl_result *out,
                                       struct pawl_error *err) {
  struct pawl_result *result = &builder->result;
  size_t count = 0;
  int taken = 0;
  if (result->outcome == PAWL_OUTCOME_OK && !result->process_count)
    pawl_result_builder_take_held_up(builder, builder->held_up, &taken);
  for (size_t i = 0; i < result->process_count; i++) count += result->processes[i].count;
  if (result->outcome == PAWL_OUTCOME_OK && !count) give_no_time(builder);
  if (result->outcome == PAWL_OUTCOME_OK && count) {
    double *samples = pawl_arena_alloc(builder->arena, count, sizeof *samples);
    for (size_t i = 0, offset = 0; i < result->process_count;
         offset += result->processes[i++].count)
      memcpy(samples + offset, result->processes[i].samples_ms,
             result->processes[i].count * sizeof *samples);
    PAWL_TRY(charge_for_seen(builder, samples, count, err));
    PAWL_TRY(
        describe_performance(samples, count, &builder->problem->work, &result->performance, err));
    PAWL_TRY(set_process_interval(builder, err));
    PAWL_TRY(measure_peaks_again(builder, err));
    pawl_roofline_of(&builder->problem->work, result->performance.median_ms, counters_of(builder),
                     &builder->limits, stays_in_cache(builder), builder->arena, &result->roofline);
    result_builder_warn(builder);
    const char *reason = remembered(builder);
    if (!reason) reason = result_builder_impossible(builder);
    if (reason) {
      result->outcome = PAWL_OUTCOME_WRONG;
      result->reason = reason;
    }
  }
  char now[20];
  pawl_format_time(pawl_wall_clock(), now);
  result->timestamp = pawl_arena_copy(builder->arena, now);
  result->config = builder->problem->config;
  result->kernel_name = builder->options->worker->name;
  if (builder->options->device)
    result->device = pawl_device_kind_name(builder->options->device->kind);
  describe_environment(builder);
  *out = *result;
  *result = (struct pawl_result){0};
  return PAWL_OK;
}

void pawl_result_builder_release(struct pawl_result_builder *builder) {
  json_decref(builder->result.environment);
  builder->result.environment = NULL;
}
