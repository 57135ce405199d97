/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_schedule.h"

#include "base/memory.h"

#define CALL(SCHEDULE, FUNCTION, ARGUMENT, NAME, ERR) \
  PAWL_TRY(pawl_cupti_check(&(SCHEDULE)->cupti, (SCHEDULE)->cupti.FUNCTION(ARGUMENT), NAME, ERR))

static pawl_status find_chip(struct host_cuda_schedule *s, pawl_cu_context context, bool careful,
                             struct pawl_error *err) {
  struct pawl_cupti_empty start = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_empty, reserved)};
  struct pawl_cupti_chip chip = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_chip, name)};
  struct pawl_cupti_availability availability = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_availability, image), .context = context};
  CALL(s, initialize, &start, "cuptiProfilerInitialize", err);
  CALL(s, chip, &chip, "cuptiDeviceGetChipName", err);
  s->chip = chip.name;
  if (!careful) return PAWL_OK;
  CALL(s, availability, &availability, "cuptiProfilerGetCounterAvailability", err);
  s->availability = availability.image = pawl_alloc(availability.bytes + 1, 1);
  CALL(s, availability, &availability, "cuptiProfilerGetCounterAvailability", err);
  return PAWL_OK;
}

static pawl_status open_host(const struct host_cuda_schedule *s, void **host,
                             struct pawl_error *err) {
  struct pawl_cupti_host_init init = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_host_init, host),
                                      .type = PAWL_CUPTI_RANGE_PROFILER,
                                      .chip = s->chip,
                                      .availability = s->availability};
  CALL(s, host_initialize, &init, "cuptiProfilerHostInitialize", err);
  *host = init.host;
  return PAWL_OK;
}

static void close_host(const struct host_cuda_schedule *s, void *host) {
  struct pawl_cupti_host end = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_host, host),
                                .host = host};
  if (host) s->cupti.host_deinitialize(&end);
}

static pawl_cupti_result add_metrics(const struct host_cuda_schedule *s, void *host,
                                     const char **names, size_t count) {
  struct pawl_cupti_host_metrics metrics = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_host_metrics, count),
      .host = host,
      .names = names,
      .count = count};
  return s->cupti.host_add(&metrics);
}

/* Returns whether the chip has the metric. A host object accepts no more names after an unknown
   one, so each question gets its own object. */
static pawl_status cuda_schedule_is_known(const struct host_cuda_schedule *s, const char *name,
                                          bool *known, struct pawl_error *err) {
  void *host;
  PAWL_TRY(open_host(s, &host, err));
  *known = add_metrics(s, host, &name, 1) == PAWL_CUPTI_SUCCESS;
  close_host(s, host);
  return PAWL_OK;
}

/* Takes the first name of each list that the chip knows. */
static pawl_status ask_for_each(struct host_cuda_schedule *s, const json_t *metrics,
                                struct pawl_error *err) {
  size_t i, j;
  const json_t *list, *item;
  s->count = 0;
  json_array_foreach(metrics, i, list) {
    bool known = false;
    json_array_foreach(list, j, item) {
      const char *name = json_string_value(item);
      if (known || !name) continue;
      PAWL_TRY(cuda_schedule_is_known(s, name, &known, err));
      if (known) s->names[s->count++] = name;
    }
  }
  return PAWL_OK;
}

/* Chooses the metrics. A chip mostly knows the first name of each list, so the first question is
   about all of these at once. */
static pawl_status choose_metrics(struct host_cuda_schedule *s, const json_t *metrics,
                                  struct pawl_error *err) {
  size_t i;
  const json_t *list;
  s->names = pawl_alloc(json_array_size(metrics) + 1, sizeof *s->names);
  json_array_foreach(metrics, i, list) {
    const char *first = json_string_value(json_array_get(list, 0));
    if (first) s->names[s->count++] = first;
  }
  PAWL_TRY(open_host(s, &s->host, err));
  if (add_metrics(s, s->host, s->names, s->count) != PAWL_CUPTI_SUCCESS) {
    close_host(s, s->host);
    s->host = NULL;
    PAWL_TRY(ask_for_each(s, metrics, err));
  }
  if (s->count) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE,
                   "this CUPTI knows no metric of the chip %s; install a newer CUDA toolkit",
                   s->chip);
}

/* The passes that count the metrics. */
static pawl_status make_image(struct host_cuda_schedule *s, struct pawl_error *err) {
  if (!s->host) {
    PAWL_TRY(open_host(s, &s->host, err));
    PAWL_TRY(pawl_cupti_check(&s->cupti, add_metrics(s, s->host, s->names, s->count),
                              "cuptiProfilerHostConfigAddMetrics", err));
  }
  struct pawl_cupti_image_size size = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_image_size, bytes),
                                       .host = s->host};
  CALL(s, image_size, &size, "cuptiProfilerHostGetConfigImageSize", err);
  s->image_bytes = size.bytes;
  s->image = pawl_alloc(size.bytes + 1, 1);
  struct pawl_cupti_image image = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_image, image),
                                   .host = s->host,
                                   .bytes = size.bytes,
                                   .image = s->image};
  CALL(s, image, &image, "cuptiProfilerHostGetConfigImage", err);
  return PAWL_OK;
}

pawl_status host_cuda_schedule_make(struct host_cuda_schedule *schedule, pawl_cu_context context,
                                    const json_t *metrics, bool careful, struct pawl_error *err) {
  *schedule = (struct host_cuda_schedule){.metrics = json_deep_copy(metrics)};
  PAWL_TRY(pawl_cupti_open(&schedule->cupti, err));
  PAWL_TRY(find_chip(schedule, context, careful, err));
  PAWL_TRY(choose_metrics(schedule, schedule->metrics, err));
  return make_image(schedule, err);
}

void host_cuda_schedule_release(struct host_cuda_schedule *schedule) {
  close_host(schedule, schedule->host);
  json_decref(schedule->metrics);
  pawl_free(schedule->availability);
  pawl_free(schedule->image);
  pawl_free(schedule->names);
  *schedule = (struct host_cuda_schedule){0};
}
