/* SPDX-License-Identifier: Apache-2.0 */
#include "host/time_plan.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

#define MAX_DELAY_NS 10000000000

pawl_status host_time_plan_read(const struct host_kernel *host, const json_t *params,
                                struct host_time_plan *plan, struct pawl_error *err) {
  static const char name[] = "request";
  const char *cache;
  PAWL_TRY(pawl_json_get_int(params, "warmup", name, 0, &plan->warmup, err));
  PAWL_TRY(pawl_json_get_int(params, "samples", name, 0, &plan->samples, err));
  PAWL_TRY(pawl_json_get_int(params, "first_set", name, 0, &plan->first_set, err));
  PAWL_TRY(pawl_json_get_int(params, "flush_bytes", name, 0, &plan->flush_bytes, err));
  PAWL_TRY(pawl_json_get_int(params, "delay_ns", name, 0, &plan->delay_ns, err));
  PAWL_TRY(pawl_json_get_string(params, "cache", name, "cold", &cache, err));
  PAWL_TRY(pawl_json_get_bool(params, "keep", name, false, &plan->keep, err));
  PAWL_TRY(pawl_json_get_bool(params, "unseen", name, false, &plan->unseen, err));
  PAWL_TRY(pawl_json_get_bool(params, "late", name, false, &plan->late, err));
  PAWL_TRY(pawl_json_get_bool(params, "held", name, false, &plan->held, err));
  PAWL_TRY(pawl_json_get_bool(params, "given", name, false, &plan->given, err));
  PAWL_TRY(pawl_json_get_bool(params, "exchange", name, true, &plan->exchange, err));
  PAWL_TRY(pawl_json_get_int(params, "look", name, -1, &plan->look, err));
  plan->looked_set = -1;
  plan->cold = !strcmp(cache, "cold");
  plan->calls = 1;
  const long long max = 1000000;
  if (plan->warmup < 0 || plan->warmup > max || plan->samples < 1 || plan->samples > max ||
      plan->first_set < 0 || plan->first_set >= host->set_count || plan->flush_bytes < 0 ||
      plan->delay_ns < 0 || plan->delay_ns > MAX_DELAY_NS ||
      (!plan->cold && strcmp(cache, "warm") != 0))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "request: bad warmup, samples, first_set, flush_bytes, delay_ns or cache");
  if (plan->late && (!host->device->in_place || host->mapping.size < PAWL_STAMP_BYTES))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "request: 'late' is for calls on inputs in the shared memory");
  if (plan->held &&
      (!plan->unseen || !host->device->drain || host->mapping.size < PAWL_STAMP_BYTES))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "request: 'held' is for unseen inputs on a device beside the shared memory");
  if (plan->given && !plan->held)
    return pawl_fail(err, PAWL_BAD_DATA, "request: 'given' is for held calls");
  if (plan->delay_ns > 0 && !host->device->delay)
    return pawl_fail(err, PAWL_UNDECIDED, "this device cannot add a delay to timed calls");
  return PAWL_OK;
}

pawl_status host_time_reset(struct host_kernel *host, struct host_set *set,
                            const struct host_time_plan *plan, bool flush, struct pawl_error *err) {
  const struct host_device *device = host->device;
  for (int i = 0; i < set->placed.count; i++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
    void *data = set->tensors[i].data;
    if (placed->spec.role == PAWL_OUT)
      PAWL_TRY(device->fill(host->device_state, data, HOST_POISON, placed->bytes, err));
    else if (placed->spec.role == PAWL_INOUT)
      PAWL_TRY(device->upload(host->device_state, data,
                              device->in_place ? set->original[i] : set->shared[i].data,
                              placed->bytes, err));
  }
  PAWL_TRY(host_kernel_poison_workspace(host, err));
  if (!flush) return PAWL_OK;
  PAWL_TRY(device->flush(host->device_state, (size_t)plan->flush_bytes, err));
  host_kernel_evict(host, set);
  return PAWL_OK;
}

struct host_set *host_time_rotate(struct host_kernel *host, const struct host_time_plan *plan,
                                  long long call) {
  return &host->sets[(plan->first_set + call) % host->set_count];
}

bool host_time_warms_up_cold(const struct host_kernel *host, const struct host_time_plan *plan) {
  return plan->cold && !host->device->in_place;
}

pawl_status host_time_hash(struct host_kernel *host, const struct host_set *set,
                           struct host_time_plan *plan, char out[PAWL_HASH_TEXT],
                           struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct host_span spans[PAWL_MAX_TENSORS];
  int count = 0;
  for (int i = 0; i < set->placed.count; i++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
    if (placed->spec.role != PAWL_IN)
      spans[count++] = (struct host_span){set->tensors[i].data, placed->bytes};
  }
  struct pawl_hash hash;
  PAWL_TRY(host->device->hash(host->device_state, spans, count, &hash, err));
  pawl_hash_format(hash, out);
  plan->hash_ns += pawl_clock_ns() - begin;
  return PAWL_OK;
}

pawl_status host_time_add(struct host_kernel *host, const struct host_set *set,
                          struct host_time_plan *plan, const struct host_timing *timing,
                          struct host_sample_lists *lists, struct pawl_error *err) {
  char hash[PAWL_HASH_TEXT];
  PAWL_TRY(host_time_hash(host, set, plan, hash, err));
  /* a call between two ticks of the clock took no less than half a tick */
  json_array_append_new(lists->ns, json_real(fmax(timing->ns, 0.5) / plan->calls));
  json_array_append_new(lists->hashes, json_string(hash));
  json_array_append_new(lists->waited, json_boolean(timing->waited));
  return PAWL_OK;
}
