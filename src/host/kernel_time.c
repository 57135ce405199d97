/* SPDX-License-Identifier: Apache-2.0 */
/* The method `time` makes warm-up calls and samples. Only the calls themselves run in the timed
   region. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "host/batch.h"
#include "host/kernel_pairs.h"
#include "protocol/output_hash.h"

#define MAX_REPETITIONS 16 /* for one sample; the cover has its greatest length by then */
/* the least number of single calls that show the time of a call before pawl batches calls */
#define CALLS_TO_KNOW 3

static bool kernel_time_has_inout(const struct host_set *set) {
  for (int i = 0; i < set->placed.count; i++) {
    if (set->placed.tensors[i].spec.role == PAWL_INOUT) return true;
  }
  return false;
}

/* Returns whether the plan calls the kernel on this set. A few calls do not reach all sets. */
static bool is_called(const struct host_kernel *host, const struct host_time_plan *plan, int set) {
  const long long larger = plan->warmup > plan->samples ? plan->warmup : plan->samples;
  const long long calls = larger > CALLS_TO_KNOW || plan->cold ? larger : CALLS_TO_KNOW;
  const long long place =
      (set - plan->first_set % host->set_count + host->set_count) % host->set_count;
  return place < calls;
}

/* Uploads the inputs and stores the values of the inouts, so that every call starts from the same
   values. Inputs that the last request kept are still on the device. */
static pawl_status bring_inputs(struct host_kernel *host, const struct host_time_plan *plan,
                                struct pawl_error *err) {
  for (int s = 0; s < host->set_count; s++) {
    struct host_set *set = &host->sets[s];
    const bool called = is_called(host, plan, s);
    if (called && !set->current) PAWL_TRY(host_kernel_upload(host, set, false, err));
    set->current = plan->keep && (called || set->current) && !kernel_time_has_inout(set);
    for (int i = 0; i < set->placed.count && host->device->in_place; i++) {
      const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
      if (placed->spec.role != PAWL_INOUT) continue;
      if (!set->original[i]) set->original[i] = pawl_alloc(placed->bytes, 1);
      memcpy(set->original[i], set->shared[i].data, placed->bytes);
    }
  }
  return PAWL_OK;
}

/* Warms up. In warm mode it also decides how many calls make a sample, by the fastest call of all
   requests, because the first calls of a request find other data in the caches. */
static pawl_status warm_up(struct host_kernel *host, struct host_time_plan *plan,
                           struct pawl_error *err) {
  const bool may_batch =
      !plan->cold && !plan->unseen && !plan->late && !kernel_time_has_inout(&host->sets[0]);
  const long long least = !may_batch ? 0 : isfinite(host->fastest_ns) ? 1 : CALLS_TO_KNOW;
  const long long calls = plan->warmup < least ? least : plan->warmup;
  double record_ns = INFINITY;
  for (long long i = 0; i < calls; i++) {
    struct host_set *set = host_time_rotate(host, plan, i);
    struct host_timing timing;
    const int64_t start = pawl_clock_ns();
    PAWL_TRY(host_kernel_record(host, set, 1, NULL, err));
    record_ns = fmin(record_ns, (double)(pawl_clock_ns() - start));
    PAWL_TRY(host_time_reset(host, set, plan, host_time_warms_up_cold(host, plan), err));
    PAWL_TRY(host_kernel_call(host, set, 1, NULL, &timing, err));
    host->fastest_ns = fmin(host->fastest_ns, fmax(timing.ns - (double)plan->delay_ns, 1.0));
  }
  if (!may_batch) return PAWL_OK;
  host_kernel_note_memory(host); /* no other call of the request is a single one */
  plan->calls =
      host_batch_size(host, host->fastest_ns + (double)plan->delay_ns, fmax(record_ns, 1.0));
  return PAWL_OK;
}

static pawl_status kernel_time_once(struct host_kernel *host, struct host_time_plan *plan,
                                    struct host_set *set, struct host_timing *timing,
                                    struct pawl_error *err) {
  PAWL_TRY(host_kernel_record(host, set, plan->calls, NULL, err));
  PAWL_TRY(host_time_reset(host, set, plan, plan->cold, err));
  return host_kernel_call(host, set, plan->calls, NULL, timing, err);
}

/* Takes a sample again if the device waited for the host, whatever its time. */
static pawl_status time_repeatedly(struct host_kernel *host, struct host_time_plan *plan,
                                   struct host_set *set, struct host_timing *timing,
                                   struct pawl_error *err) {
  PAWL_TRY(kernel_time_once(host, plan, set, timing, err));
  for (int i = 0; i < MAX_REPETITIONS && timing->waited && timing->can_help; i++) {
    plan->repeated++;
    PAWL_TRY(kernel_time_once(host, plan, set, timing, err));
  }
  return PAWL_OK;
}

static pawl_status time_sample(struct host_kernel *host, struct host_time_plan *plan,
                               struct host_set *set, struct host_timing *timing,
                               struct pawl_error *err) {
  const bool stamps = host->device->stamp && host->mapping.size >= PAWL_STAMP_BYTES;
  if (stamps)
    host->device->stamp(host->device_state, (pawl_stamp *)(void *)host->mapping.data,
                        !plan->late  ? HOST_NOT_LATE
                        : plan->cold ? HOST_LATE_COLD
                                     : HOST_LATE_WARM);
  const enum pawl_status_code status = time_repeatedly(host, plan, set, timing, err);
  if (stamps) host->device->stamp(host->device_state, NULL, HOST_NOT_LATE);
  return status;
}

static pawl_status take_samples(struct host_kernel *host, struct host_time_plan *plan,
                                struct host_sample_lists *lists, struct pawl_error *err) {
  for (long long i = 0; i < plan->samples; i++) {
    struct host_set *set = host_time_rotate(host, plan, i);
    struct host_timing timing;
    if (plan->calls > 1) PAWL_TRY(host_batch_check(host, plan, set, err));
    PAWL_TRY(time_sample(host, plan, set, &timing, err));
    PAWL_TRY(host_time_add(host, set, plan, &timing, lists, err));
  }
  return PAWL_OK;
}

static pawl_status show_sets(struct host_kernel *host, const struct host_time_plan *plan,
                             struct pawl_error *err) {
  for (int i = 0; i < host->set_count; i++)
    if (is_called(host, plan, i) && i != plan->looked_set)
      PAWL_TRY(host_kernel_download(host, &host->sets[i], err));
  return PAWL_OK;
}

/* If more calls follow, the outputs stay on the device, and their hashes after the last call stand
   for them. */
static pawl_status hash_standing(struct host_kernel *host, struct host_time_plan *plan,
                                 json_t *result, struct pawl_error *err) {
  json_t *standing = json_array();
  pawl_json_set(result, "standing", standing);
  for (int i = 0; i < host->set_count; i++) {
    char hash[PAWL_HASH_TEXT];
    PAWL_TRY(host_time_hash(host, &host->sets[i], plan, hash, err));
    json_array_append_new(standing, json_string(hash));
  }
  return PAWL_OK;
}

static pawl_status measure(struct host_kernel *host, struct host_time_plan *plan, json_t *result,
                           struct pawl_error *err) {
  const int64_t start = pawl_clock_ns();
  struct host_sample_lists lists = {json_array(), json_array(), json_array()};
  pawl_json_set(result, "samples_ns", lists.ns);
  pawl_json_set(result, "hashes", lists.hashes);
  pawl_json_set(result, "waited", lists.waited);
  pawl_json_set_string(result, "hash", pawl_output_hash_kind_name(host->device->hash_kind));
  if (host->device->delay) PAWL_TRY(host->device->delay(host->device_state, plan->delay_ns, err));
  host_kernel_begin_request(host);
  PAWL_TRY(bring_inputs(host, plan, err));
  PAWL_TRY(warm_up(host, plan, err));
  PAWL_TRY((plan->unseen ? host_pairs_take : take_samples)(host, plan, &lists, err));
  if (plan->calls == 1) host_kernel_note_memory(host);
  if (plan->keep && !host->device->in_place)
    PAWL_TRY(hash_standing(host, plan, result, err));
  else
    PAWL_TRY(show_sets(host, plan, err));
  pawl_json_set_int(result, "calls_per_sample", plan->calls);
  pawl_json_set_int(result, "repeated", plan->repeated);
  if (plan->left_out) pawl_json_set_bool(result, "left_out", true);
  if (plan->early && host->device->exchange) pawl_json_set_bool(result, "early", true);
  if (plan->looked_set >= 0) pawl_json_set_int(result, "looked", plan->looked_set);
  if (host->device->method)
    pawl_json_set_string(result, "method", host->device->method(host->device_state));
  if (host->memory_bytes >= 0) pawl_json_set_int(result, "memory_bytes", host->memory_bytes);
  pawl_json_set_int(result, "hash_ns", plan->hash_ns);
  pawl_json_set_int(result, "wall_ns", pawl_clock_ns() - start);
  return PAWL_OK;
}

pawl_status host_kernel_time(void *state, const json_t *params, json_t **result,
                             struct pawl_error *err) {
  struct host_kernel *host = state;
  if (!host->ready) return pawl_fail(err, PAWL_BAD_DATA, "got 'time' before 'prepare'");
  struct host_time_plan plan = {0};
  PAWL_TRY(host_time_plan_read(host, params, &plan, err));
  json_t *object = json_object();
  const enum pawl_status_code status = measure(host, &plan, object, err);
  if (status == PAWL_OK)
    *result = object;
  else
    json_decref(object);
  /* a later `run` has no delay */
  if (host->device->delay && host->device->delay(host->device_state, 0, NULL) != PAWL_OK)
    pawl_bug(__FILE__, __LINE__, "a delay cannot be negative");
  return status;
}
