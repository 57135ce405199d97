/* SPDX-License-Identifier: Apache-2.0 */
/* Counts calls of a CPU kernel in its worker. The counters are the processor's if the system allows
   them, else only the system's, and out->missing gives the reason. A few calls warm up, then it
   counts calls for some tenths of a second. Each figure is the mean of a call. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "profile/profiled_worker.h"
#include "profile/profiler.h"

#define WARM_UP 3
#define MAX_CALLS 1000
#define SECONDS 0.3 /* counting ends when the counted calls took this time */

/* The keys of the worker's counts (host/processor_counters.h). */
static const struct {
  const char *key;
  enum pawl_counter counter;
} counted[] = {
    {"cpu_s", PAWL_COUNTER_CPU_TIME},
    {"system_s", PAWL_COUNTER_CPU_SYSTEM},
    {"page_faults", PAWL_COUNTER_PAGE_FAULTS},
    {"waits", PAWL_COUNTER_CPU_WAITS},
    {"preemptions", PAWL_COUNTER_CPU_PREEMPTIONS},
    {"cycles", PAWL_COUNTER_CPU_CYCLES},
    {"instructions", PAWL_COUNTER_CPU_INSTRUCTIONS},
    {"cache_misses", PAWL_COUNTER_CPU_CACHE_MISSES},
    {"branches", PAWL_COUNTER_CPU_BRANCHES},
    {"branch_misses", PAWL_COUNTER_CPU_BRANCH_MISSES},
    {"tlb_misses", PAWL_COUNTER_CPU_TLB_MISSES},
    {"stalled_cycles", PAWL_COUNTER_CPU_STALLED},
};

/* If a count is no number, the sum becomes unknown. */
static void add_counts(const json_t *counts, double *values) {
  for (size_t i = 0; i < PAWL_COUNT(counted); i++) {
    const json_t *count = json_object_get(counts, counted[i].key);
    values[counted[i].counter] += json_is_number(count) ? json_number_value(count) : (double)NAN;
  }
}

/* Counts calls until the time is up and writes the sums to `values`. */
static pawl_status count_calls(struct pawl_worker *worker, struct pawl_arena *arena,
                               struct pawl_profile_kernel *kernel, const char **missing,
                               struct pawl_error *err) {
  double *values = kernel->values;
  const int64_t begin = pawl_clock_ns();
  int calls = 0;
  for (size_t i = 0; i < PAWL_COUNT(counted); i++) values[counted[i].counter] = 0;
  values[PAWL_COUNTER_DURATION] = 0;
  for (int i = 0; i < WARM_UP + MAX_CALLS; i++) {
    PAWL_CLEANUP(pawl_json_release) json_t *counts = NULL;
    double seconds;
    PAWL_TRY(pawl_worker_run_profiled(worker, 0, &seconds, &counts, err));
    if (i < WARM_UP) continue;
    values[PAWL_COUNTER_DURATION] += seconds;
    add_counts(counts, values);
    calls++;
    const json_t *reason = json_object_get(counts, "reason");
    if (json_is_string(reason)) *missing = pawl_arena_copy(arena, json_string_value(reason));
    if (values[PAWL_COUNTER_DURATION] > SECONDS || pawl_seconds_since(begin) > 10 * SECONDS) break;
  }
  values[PAWL_COUNTER_DURATION] /= calls;
  for (size_t i = 0; i < PAWL_COUNT(counted); i++) values[counted[i].counter] /= calls;
  return PAWL_OK;
}

/* Gives the samples of the plug-in no function, because its line table has addresses alone. Those
   of libraries keep a name, and have no line. */
static void keep_plugin(const char *plugin, struct pawl_code_samples *samples) {
  const char *slash = plugin ? strrchr(plugin, '/') : NULL, *name = slash ? slash + 1 : plugin;
  for (size_t i = 0; name && i < samples->count; i++)
    if (!strcmp(samples->items[i].symbol, name)) samples->items[i].symbol = "";
}

pawl_status pawl_processor_profile(const struct pawl_profiled_call *call, struct pawl_arena *arena,
                                   struct pawl_profile *out, struct pawl_error *err) {
  struct pawl_profile_kernel *kernel = pawl_arena_alloc(arena, 1, sizeof *kernel);
  struct pawl_profile sampled = {0};
  struct pawl_worker *worker;
  const char *missing = NULL;
  for (int i = 0; i < PAWL_COUNTERS; i++) kernel->values[i] = NAN;
  for (int i = 0; i < PAWL_STALLS; i++) kernel->stalls[i] = NAN;
  kernel->name = pawl_arena_copy(arena, call->worker->name);
  PAWL_TRY(pawl_profiled_worker_start(call, *call->worker, arena, &worker, err));
  const enum pawl_status_code status = count_calls(worker, arena, kernel, &missing, err);
  if (status == PAWL_OK && call->worker->driver == PAWL_DRIVER_PLUGIN) {
    pawl_profiled_worker_sample(call, worker, arena, &sampled);
    keep_plugin(call->worker->plugin, &sampled.samples);
  }
  pawl_profiled_worker_end(call, worker, status == PAWL_OK, false);
  if (status != PAWL_OK) return status;
  kernel->values[PAWL_COUNTER_CPU_THREADS] = call->threads;
  *out = (struct pawl_profile){.source = "perf_event_open",
                               .profiler = "perf_event_open",
                               .kernels = kernel,
                               .count = 1,
                               .samples = sampled.samples,
                               .no_samples = sampled.no_samples,
                               .missing = missing};
  return PAWL_OK;
}
