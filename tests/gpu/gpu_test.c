/* SPDX-License-Identifier: Apache-2.0 */
/* A worker on a real GPU, one run of one kernel: started by run.sh, which puts the lines together.
     gpu_test devices                                  what there is; exit 77 with the reason when
   there is no GPU gpu_test time PLUGIN N cold|warm SAMPLES          "ok METHOD median_us min_us
   cv_pct right" or "failed REASON" gpu_test unseen PLUGIN N SAMPLES                  "ok METHOD
   usual_us unseen_us early|-": medians of calls on inputs that are known and that have just changed
     gpu_test run PLUGIN N                             "ok - - - - right" or "failed REASON" */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/backends.h"
#include "device/device.h"
#include "worker/worker.h"

#define SETS 4
#define FLUSH_BYTES ((long long)256 << 20)
#define BAND ((uint64_t)4096)

struct problem {
  struct pawl_shared shared;
  struct pawl_placed_tensor placed[SETS][2];
  struct pawl_tensor_set sets[SETS];
  struct pawl_dim dims[1];
  struct pawl_shape shape;
  struct pawl_worker *worker;
  struct pawl_arena arena;
};

static float *data_of(struct problem *p, int set, int tensor) {
  return (float *)(void *)(p->shared.map + p->placed[set][tensor].offset);
}

static pawl_status set_up(struct problem *p, int64_t n, struct pawl_error *err) {
  const uint64_t bytes = (uint64_t)n * sizeof(float), step = (bytes + BAND + 4095) / 4096 * 4096;
  p->dims[0] = (struct pawl_dim){"n", n};
  p->shape = (struct pawl_shape){p->dims, 1, PAWL_F32};
  PAWL_TRY(pawl_shared_init(&p->shared, "tensors", step * 2 * SETS + BAND, err));
  for (int s = 0; s < SETS; s++) {
    for (int t = 0; t < 2; t++)
      p->placed[s][t] = (struct pawl_placed_tensor){.spec = {.name = t ? "y" : "x",
                                                             .role = t ? PAWL_OUT : PAWL_IN,
                                                             .dtype = PAWL_F32,
                                                             .ndim = 1,
                                                             .size = {n}},
                                                    .fd = 5,
                                                    .offset = step * (uint64_t)(2 * s + t),
                                                    .bytes = bytes};
    p->sets[s] = (struct pawl_tensor_set){p->placed[s], 2};
    for (int64_t i = 0; i < n; i++) data_of(p, s, 0)[i] = (float)((i * 7 + s) % 1001);
  }
  return PAWL_OK;
}

static bool is_right(struct problem *p, int sets) {
  for (int s = 0; s < sets; s++) {
    for (int64_t i = 0; i < p->dims[0].value; i++) {
      if (!(data_of(p, s, 1)[i] == 2 * data_of(p, s, 0)[i])) return false;
    }
  }
  return true;
}

static pawl_status start(struct problem *p, const char *plugin, int64_t n, struct pawl_error *err) {
  PAWL_TRY(set_up(p, n, err));
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_PLUGIN,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "scale_cuda",
                                              .plugin = plugin,
                                              .tensors = &p->shared,
                                              .cuda = true,
                                              .timeout_seconds = 60};
  const char *reason = NULL;
  uint64_t workspace;
  PAWL_TRY(pawl_worker_start(&p->worker, &options, err));
  PAWL_TRY(pawl_worker_prepare(p->worker, &p->shape, p->sets, SETS, 1, &p->arena, &reason,
                               &workspace, err));
  return reason ? pawl_fail(err, PAWL_FAILED, "%s", reason) : PAWL_OK;
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Every `step`th number of an array, from `first` on; sorts them into ns. Returns how many. */
static size_t pick(const json_t *samples, size_t first, size_t step, double *ns) {
  size_t count = 0;
  for (size_t i = first; i < json_array_size(samples); i += step)
    ns[count++] = json_number_value(json_array_get(samples, i));
  qsort(ns, count, sizeof *ns, compare_doubles);
  return count;
}

static double median_of(const double *ns, size_t count) {
  return count % 2 ? ns[count / 2] : 0.5 * (ns[count / 2 - 1] + ns[count / 2]);
}

static void print_samples(struct problem *p, const json_t *result) {
  const json_t *samples = json_object_get(result, "samples_ns");
  double *ns = pawl_alloc(json_array_size(samples) + 1, sizeof *ns), sum = 0, squares = 0;
  const size_t count = pick(samples, 0, 1, ns);
  for (size_t i = 0; i < count; i++) sum += ns[i];
  const double mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += (ns[i] - mean) * (ns[i] - mean);
  printf("ok %s %.3f %.3f %.2f %s\n", json_string_value(json_object_get(result, "method")),
         median_of(ns, count) * 1e-3, ns[0] * 1e-3,
         100 * sqrt(squares / (double)(count - 1)) / mean, is_right(p, SETS) ? "right" : "wrong");
  pawl_free(ns);
}

static void print_unseen(struct problem *p, const json_t *result) {
  (void)p;
  const json_t *samples = json_object_get(result, "samples_ns");
  double *ns = pawl_alloc(json_array_size(samples) + 1, sizeof *ns), median[2];
  for (size_t i = 0; i < 2; i++) median[i] = median_of(ns, pick(samples, i, 2, ns));
  printf("ok %s %.3f %.3f %s\n", json_string_value(json_object_get(result, "method")),
         median[0] * 1e-3, median[1] * 1e-3,
         json_is_true(json_object_get(result, "early")) ? "early" : "-");
  pawl_free(ns);
}

static pawl_status time_it(struct problem *p, const char *cache, int samples, bool unseen,
                           struct pawl_error *err) {
  json_t *params = json_pack("{s:i,s:i,s:s,s:i,s:I,s:b}", "warmup", 20, "samples", samples, "cache",
                             cache, "first_set", 0, "flush_bytes", FLUSH_BYTES, "unseen", unseen);
  json_t *result = NULL;
  PAWL_TRY(pawl_worker_call(p->worker, "time", params, &result, err));
  (unseen ? print_unseen : print_samples)(p, result);
  json_decref(result);
  return PAWL_OK;
}

static pawl_status run_it(struct problem *p, struct pawl_error *err) {
  double seconds;
  PAWL_TRY(pawl_worker_run(p->worker, 0, &seconds, err));
  printf("ok - - - - %s\n", is_right(p, 1) ? "right" : "wrong");
  return PAWL_OK;
}

static int list_devices(void) {
  struct pawl_arena arena = {0};
  struct pawl_device *devices;
  int count;
  const char *reason;
  const struct pawl_device_backend *cuda = pawl_device_backend(PAWL_CUDA);
  if (cuda->list(NULL, &arena, &devices, &count, &reason, NULL) != PAWL_OK || count == 0) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  if (reason) printf("note: %s\n", reason);
  for (int i = 0; i < count; i++) {
    struct pawl_device_state state;
    struct pawl_device_limits limits = {NAN, NAN, ""};
    json_t *device = pawl_device_to_json(&devices[i]);
    if (cuda->state(&devices[i], &arena, &state, NULL) != PAWL_OK)
      state = pawl_device_state_unknown();
    if (cuda->limits(&devices[i], PAWL_F16, 1, NULL, &arena, &limits, NULL) == PAWL_OK)
      printf("f16 limits: %.0f GFLOP/s, %.0f GB/s (%s)\n", limits.gflops, limits.bandwidth_gb_s,
             limits.source);
    pawl_json_set(device, "state", pawl_device_state_to_json(&state));
    json_dumpf(device, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(device);
  }
  pawl_arena_clear(&arena);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "devices")) return list_devices();
  const bool timing = argc == 6 && !strcmp(argv[1], "time"),
             unseen = argc == 5 && !strcmp(argv[1], "unseen");
  if (!timing && !unseen && !(argc == 4 && !strcmp(argv[1], "run"))) return PAWL_USAGE;
  struct problem problem = {0};
  struct pawl_error err = {0};
  enum pawl_status_code status = start(&problem, argv[2], atoll(argv[3]), &err);
  if (status == PAWL_OK)
    status = timing   ? time_it(&problem, argv[4], atoi(argv[5]), false, &err)
             : unseen ? time_it(&problem, "cold", atoi(argv[4]), true, &err)
                      : run_it(&problem, &err);
  if (status != PAWL_OK) printf("failed %s\n", err.message);
  pawl_worker_free(problem.worker);
  pawl_shared_release(&problem.shared);
  pawl_arena_clear(&problem.arena);
  return 0;
}
