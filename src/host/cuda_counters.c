/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_counters.h"

#include <stdio.h>

#include "base/memory.h"
#include "host/cuda_launches.h"
#include "host/cuda_schedule.h"

#define MOST_PASSES 200 /* the metrics of pawl need about thirty */

struct counting {
  const struct pawl_cuda_driver *driver;
  pawl_cu_device device;
  pawl_cu_context context;
  const struct host_cuda_schedule *schedule;
  const struct pawl_cupti *cupti; /* the schedule's */
  struct host_cuda_launches launches;
  void *ranges;
  uint8_t *counters;
  size_t counter_bytes;
};

#define CALL(COUNTING, FUNCTION, ARGUMENT, NAME, ERR) \
  PAWL_TRY(pawl_cupti_check((COUNTING)->cupti, (COUNTING)->cupti->FUNCTION(ARGUMENT), NAME, ERR))

/* Where the counts go. */
static pawl_status make_counters(struct counting *c, struct pawl_error *err) {
  struct pawl_cupti_enable enable = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_enable, ranges),
                                     .context = c->context};
  CALL(c, enable, &enable, "cuptiRangeProfilerEnable", err);
  c->ranges = enable.ranges;
  struct pawl_cupti_counter_size size = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_counter_size, bytes),
      .ranges = c->ranges,
      .names = c->schedule->names,
      .count = c->schedule->count,
      .most_ranges = c->launches.count,
      .most_nodes = (uint32_t)c->launches.count};
  CALL(c, counter_size, &size, "cuptiRangeProfilerGetCounterDataSize", err);
  c->counter_bytes = size.bytes;
  c->counters = pawl_alloc(size.bytes + 1, 1);
  struct pawl_cupti_counter_init init = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_counter_init, counters),
      .ranges = c->ranges,
      .bytes = size.bytes,
      .counters = c->counters};
  CALL(c, counter_initialize, &init, "cuptiRangeProfilerCounterDataImageInitialize", err);
  return PAWL_OK;
}

static pawl_status configure(struct counting *c, struct pawl_error *err) {
  struct pawl_cupti_config config = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_config, target_level),
      .ranges = c->ranges,
      .image_bytes = c->schedule->image_bytes,
      .image = c->schedule->image,
      .counter_bytes = c->counter_bytes,
      .counters = c->counters,
      .range = PAWL_CUPTI_AUTO_RANGE,
      .replay = PAWL_CUPTI_USER_REPLAY,
      .most_ranges = c->launches.count,
      .levels = 1,
      .first_level = 1};
  CALL(c, configure, &config, "cuptiRangeProfilerSetConfig", err);
  return PAWL_OK;
}

/* Makes a call without counting, to find its launches, because the counts of each kernel take
   megabytes. */
static pawl_status find_launches(struct counting *c, const struct host_counted *counted,
                                 struct pawl_error *err) {
  PAWL_TRY(host_cuda_launches_open(&c->launches, c->cupti, err));
  PAWL_TRY(counted->prepare(counted->user, err));
  c->launches.listening = true;
  PAWL_TRY(counted->call(counted->user, err));
  c->launches.listening = false;
  if (c->launches.count > 0 && c->launches.count <= HOST_CUDA_LAUNCHES) return PAWL_OK;
  if (c->launches.count)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "the call launches %zu kernels, and pawl counts at most %d", c->launches.count,
                     HOST_CUDA_LAUNCHES);
  return pawl_fail(err, PAWL_UNAVAILABLE,
                   "it saw no launch in the call: a kernel of the CPU, or of a graph that the call "
                   "launches; install ncu");
}

static pawl_status open_counting(struct counting *c, const struct host_counted *counted,
                                 struct pawl_error *err) {
  PAWL_TRY(find_launches(c, counted, err));
  PAWL_TRY(make_counters(c, err));
  return configure(c, err);
}

static void close_counting(struct counting *c) {
  struct pawl_cupti_ranges end = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_ranges, ranges),
                                  .ranges = c->ranges};
  host_cuda_launches_close(&c->launches);
  if (c->ranges) c->cupti->disable(&end);
  pawl_free(c->counters);
}

/* Makes one call and reads the counters of one pass. */
static pawl_status make_pass(struct counting *c, const struct host_counted *counted, bool *last,
                             struct pawl_error *err) {
  struct pawl_cupti_ranges start = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_ranges, ranges),
                                    .ranges = c->ranges};
  struct pawl_cupti_stop stop = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_stop, all_passes),
                                 .ranges = c->ranges};
  PAWL_TRY(counted->prepare(counted->user, err));
  PAWL_TRY(pawl_cuda_check(c->driver, c->driver->synchronize(), "its work on the GPU failed", err));
  CALL(c, start, &start, "cuptiRangeProfilerStart", err);
  PAWL_TRY(counted->call(counted->user, err));
  CALL(c, stop, &stop, "cuptiRangeProfilerStop", err);
  *last = stop.all_passes;
  return PAWL_OK;
}

static pawl_status make_passes(struct counting *c, const struct host_counted *counted,
                               struct pawl_error *err) {
  bool last = false;
  for (int pass = 0; pass < MOST_PASSES && !last; pass++)
    PAWL_TRY(make_pass(c, counted, &last, err));
  if (!last)
    return pawl_fail(err, PAWL_UNAVAILABLE, "it asked for more than %d passes", MOST_PASSES);
  return PAWL_OK;
}

/* The values of a kernel, by the names of its metrics. */
static pawl_status cuda_counters_read_kernel(const struct counting *c, size_t range, double *values,
                                             json_t *out, struct pawl_error *err) {
  struct pawl_cupti_values request = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_values, values),
                                      .host = c->schedule->host,
                                      .counters = c->counters,
                                      .counter_bytes = c->counter_bytes,
                                      .range = range,
                                      .names = c->schedule->names,
                                      .count = c->schedule->count,
                                      .values = values};
  CALL(c, evaluate, &request, "cuptiProfilerHostEvaluateToGpuValues", err);
  for (size_t i = 0; i < c->schedule->count; i++)
    pawl_json_set_number(out, c->schedule->names[i], values[i]);
  return PAWL_OK;
}

/* The kernels in the order of their launches. */
static pawl_status read_kernels(const struct counting *c, size_t ranges, double *values,
                                json_t *kernels, struct pawl_error *err) {
  for (size_t i = 0; i < ranges; i++) {
    json_t *kernel = json_object(), *counted = json_object();
    json_array_append_new(kernels, kernel);
    pawl_json_set(kernel, "values", counted);
    pawl_json_set_string(kernel, "name", c->launches.list[i].name);
    PAWL_TRY(cuda_counters_read_kernel(c, i, values, counted, err));
    host_cuda_launch_describe(&c->launches.list[i], c->driver, c->device, counted);
  }
  return PAWL_OK;
}

/* All that was counted: each launch, and nothing else. */
static pawl_status read_counts(const struct counting *c, json_t *kernels, struct pawl_error *err) {
  struct pawl_cupti_decode decode = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_decode, dropped),
                                     .ranges = c->ranges};
  CALL(c, decode, &decode, "cuptiRangeProfilerDecodeData", err);
  struct pawl_cupti_info info = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_info, count),
                                 .counters = c->counters,
                                 .counter_bytes = c->counter_bytes};
  CALL(c, info, &info, "cuptiRangeProfilerGetCounterDataInfo", err);
  if (decode.dropped || info.count != c->launches.count)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "the call launches %zu kernel%s, and CUPTI counted %zu; install ncu",
                     c->launches.count, c->launches.count == 1 ? "" : "s", info.count);
  double *values = pawl_alloc(c->schedule->count + 1, sizeof *values);
  const enum pawl_status_code status = read_kernels(c, info.count, values, kernels, err);
  pawl_free(values);
  return status;
}

static void describe_gpu(const struct counting *c, json_t *out) {
  char name[256] = "", capability[32];
  int major = 0, minor = 0;
  pawl_json_set_int(out, "cupti", c->cupti->api_version);
  if (c->driver->device_name(name, sizeof name, c->device) == PAWL_CU_SUCCESS)
    pawl_json_set_string(out, "gpu", name);
  if (c->driver->device_attribute(&major, PAWL_CU_CAPABILITY_MAJOR, c->device) ||
      c->driver->device_attribute(&minor, PAWL_CU_CAPABILITY_MINOR, c->device))
    return;
  snprintf(capability, sizeof capability, "%d.%d", major, minor);
  pawl_json_set_string(out, "capability", capability);
}

static pawl_status count_once(struct counting *c, const struct host_counted *counted, json_t *found,
                              struct pawl_error *err) {
  json_t *kernels = json_array();
  pawl_json_set(found, "kernels", kernels);
  PAWL_TRY(open_counting(c, counted, err));
  PAWL_TRY(make_passes(c, counted, err));
  PAWL_TRY(read_counts(c, kernels, err));
  describe_gpu(c, found);
  return PAWL_OK;
}

/* Returns the schedule of the process, which it makes for other metrics, or if `careful`. */
static pawl_status find_schedule(pawl_cu_context context, const json_t *metrics, bool careful,
                                 const struct host_cuda_schedule **out, struct pawl_error *err) {
  static struct host_cuda_schedule kept;
  *out = &kept;
  if (!careful && kept.metrics && json_equal(kept.metrics, metrics)) return PAWL_OK;
  host_cuda_schedule_release(&kept);
  const enum pawl_status_code status =
      host_cuda_schedule_make(&kept, context, metrics, careful, err);
  if (status != PAWL_OK) host_cuda_schedule_release(&kept);
  return status;
}

/* Only a second try asks which counters the GPU has for this process. */
pawl_status host_cuda_count(const struct pawl_cuda_driver *driver, pawl_cu_device device,
                            pawl_cu_context context, const json_t *metrics,
                            const struct host_counted *counted, json_t **out,
                            struct pawl_error *err) {
  json_t *found = NULL;
  enum pawl_status_code status = PAWL_UNAVAILABLE;
  for (int careful = 0; careful < 2 && status == PAWL_UNAVAILABLE; careful++) {
    struct counting *c = pawl_alloc(1, sizeof *c);
    *c = (struct counting){.driver = driver, .device = device, .context = context};
    json_decref(found);
    found = json_object();
    status = find_schedule(context, metrics, careful, &c->schedule, err);
    c->cupti = &c->schedule->cupti;
    if (status == PAWL_OK) status = count_once(c, counted, found, err);
    close_counting(c);
    pawl_free(c);
  }
  if (status == PAWL_OK)
    *out = found;
  else
    json_decref(found);
  return status;
}
