/* SPDX-License-Identifier: Apache-2.0 */
/* The method `time`: warm-up calls and samples, everything but the calls themselves outside the timed region. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "host/batch.h"
#include "host/perturb.h"
#include "protocol/output_hash.h"

#define MAX_REPETITIONS 16 /* of a sample; the cover is then as long as it can be */
#define CALLS_TO_KNOW 3    /* at least, how long one takes, before any are batched */

static bool has_inout(const struct host_set *set) {
  for (int i = 0; i < set->placed.count; i++) {
    if (set->placed.tensors[i].spec.role == PAWL_INOUT) return true;
  }
  return false;
}

/* Whether the plan calls the kernel on this set: few calls leave sets out. */
static bool is_called(const struct host_kernel *host, const struct host_time_plan *plan, int set) {
  const long long larger = plan->warmup > plan->samples ? plan->warmup : plan->samples;
  const long long calls = larger > CALLS_TO_KNOW || plan->cold ? larger : CALLS_TO_KNOW;
  const long long place = (set - plan->first_set % host->set_count + host->set_count) % host->set_count;
  return place < calls;
}

/* Brings the inputs to the device, and notes what the inouts hold now, so that every call starts from the same values.
   Where the last request was to keep them they are there. */
static pawl_status bring_inputs(struct host_kernel *host, const struct host_time_plan *plan, struct pawl_error *err) {
  for (int s = 0; s < host->set_count; s++) {
    struct host_set *set = &host->sets[s];
    const bool called = is_called(host, plan, s);
    if (called && !set->current) PAWL_TRY(host_kernel_upload(host, set, err));
    set->current = plan->keep && (called || set->current) && !has_inout(set);
    for (int i = 0; i < set->placed.count && host->device->in_place; i++) {
      const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
      if (placed->spec.role != PAWL_INOUT) continue;
      if (!set->original[i]) set->original[i] = pawl_alloc(placed->bytes, 1);
      memcpy(set->original[i], set->shared[i].data, placed->bytes);
    }
  }
  return PAWL_OK;
}

static pawl_status hash_outputs(struct host_kernel *host, const struct host_set *set, struct host_time_plan *plan,
                                char out[PAWL_HASH_TEXT], struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct host_span spans[PAWL_MAX_TENSORS];
  int count = 0;
  for (int i = 0; i < set->placed.count; i++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
    if (placed->spec.role != PAWL_IN) spans[count++] = (struct host_span){set->tensors[i].data, placed->bytes};
  }
  struct pawl_hash hash;
  PAWL_TRY(host->device->hash(host->device_state, spans, count, &hash, err));
  pawl_hash_format(hash, out);
  plan->hash_ns += pawl_clock_ns() - begin;
  return PAWL_OK;
}

static struct host_set *rotate(struct host_kernel *host, const struct host_time_plan *plan, long long call) {
  return &host->sets[(plan->first_set + call) % host->set_count];
}

/* A call that is no sample needs no cold caches. On a GPU it has them all the same: the clocks are to be those of the
   samples. On a CPU it takes far longer to write more than the caches hold than to make the call. */
static bool warms_up_cold(const struct host_kernel *host, const struct host_time_plan *plan) {
  return plan->cold && !host->device->in_place;
}

/* Warms up; in warm mode decides how many calls make a sample, by the fastest call of all requests: the first of a
   request find the caches of others. */
static pawl_status warm_up(struct host_kernel *host, struct host_time_plan *plan, struct pawl_error *err) {
  const bool may_batch = !plan->cold && !plan->unseen && !has_inout(&host->sets[0]);
  const long long least = !may_batch ? 0 : isfinite(host->fastest_ns) ? 1 : CALLS_TO_KNOW;
  const long long calls = plan->warmup < least ? least : plan->warmup;
  double record_ns = INFINITY;
  for (long long i = 0; i < calls; i++) {
    struct host_set *set = rotate(host, plan, i);
    struct host_timing timing;
    const int64_t start = pawl_clock_ns();
    PAWL_TRY(host_kernel_record(host, set, 1, NULL, err));
    record_ns = fmin(record_ns, (double)(pawl_clock_ns() - start));
    PAWL_TRY(host_time_reset(host, set, plan, warms_up_cold(host, plan), err));
    PAWL_TRY(host_kernel_call(host, set, 1, NULL, &timing, err));
    host->fastest_ns = fmin(host->fastest_ns, fmax(timing.ns - (double)plan->delay_ns, 1.0));
  }
  if (may_batch) plan->calls = host_batch_size(host, host->fastest_ns + (double)plan->delay_ns, fmax(record_ns, 1.0));
  return PAWL_OK;
}

/* Before a call of a plan for unseen inputs: of every other call a few elements change places. In the calls between
   they are rewritten, or swapped and put back, so that all find the caches in the same state. A device that can changes
   them itself when the caches are flushed; else they change now, and what runs beside the stream has time to read them.
 */
static pawl_status perturb(struct host_kernel *host, struct host_time_plan *plan, struct host_set *set, long long call,
                           struct host_swaps *swaps, struct pawl_error *err) {
  plan->early = false;
  if (!plan->unseen) return PAWL_OK;
  if (host_swaps_leave(host, set, call % 2 == 1)) return PAWL_OK;
  plan->early = true;
  PAWL_TRY(host_swaps_draw(set, swaps, err));
  PAWL_TRY(host_swaps_apply(host, set, swaps, err));
  return call % 2 == 0 ? host_swaps_revert(host, set, swaps, err) : PAWL_OK;
}

static pawl_status time_once(struct host_kernel *host, struct host_time_plan *plan, struct host_set *set,
                             long long call, struct host_timing *timing, struct pawl_error *err) {
  struct host_swaps swaps;
  PAWL_TRY(host_kernel_record(host, set, plan->calls, NULL, err));
  PAWL_TRY(perturb(host, plan, set, call, &swaps, err));
  PAWL_TRY(host_time_reset(host, set, plan, plan->cold, err));
  PAWL_TRY(host_kernel_call(host, set, plan->calls, NULL, timing, err));
  if (!plan->unseen || call % 2 == 0) return PAWL_OK;
  return plan->early ? host_swaps_revert(host, set, &swaps, err) : host->device->take_back(host->device_state, err);
}

/* A sample in which the device waited for the host is taken again, whatever its time. */
static pawl_status time_repeatedly(struct host_kernel *host, struct host_time_plan *plan, struct host_set *set,
                                   long long call, struct host_timing *timing, struct pawl_error *err) {
  PAWL_TRY(time_once(host, plan, set, call, timing, err));
  for (int i = 0; i < MAX_REPETITIONS && timing->waited && timing->can_help; i++) {
    plan->repeated++;
    PAWL_TRY(time_once(host, plan, set, call, timing, err));
  }
  return PAWL_OK;
}

static pawl_status time_sample(struct host_kernel *host, struct host_time_plan *plan, struct host_set *set,
                               long long call, struct host_timing *timing, struct pawl_error *err) {
  const bool stamps = host->device->stamp && host->mapping.size >= PAWL_STAMP_BYTES;
  if (stamps) host->device->stamp(host->device_state, (pawl_stamp *)(void *)host->mapping.data, plan->late);
  const enum pawl_status_code status = time_repeatedly(host, plan, set, call, timing, err);
  if (stamps) host->device->stamp(host->device_state, NULL, false);
  return status;
}

/* A member of the reply for each sample. */
struct sample_lists {
  json_t *ns, *hashes, *waited;
};

static pawl_status take_samples(struct host_kernel *host, struct host_time_plan *plan, struct sample_lists *lists,
                                struct pawl_error *err) {
  for (long long i = 0; i < plan->samples; i++) {
    struct host_set *set = rotate(host, plan, i);
    struct host_timing timing;
    char hash[PAWL_HASH_TEXT];
    if (plan->calls > 1) PAWL_TRY(host_batch_check(host, plan, set, err));
    PAWL_TRY(time_sample(host, plan, set, i, &timing, err));
    PAWL_TRY(hash_outputs(host, set, plan, hash, err));
    /* a call between two ticks of the clock took no less than half a tick */
    json_array_append_new(lists->ns, json_real(fmax(timing.ns, 0.5) / plan->calls));
    json_array_append_new(lists->hashes, json_string(hash));
    json_array_append_new(lists->waited, json_boolean(timing.waited));
  }
  return PAWL_OK;
}

static pawl_status show_sets(struct host_kernel *host, const struct host_time_plan *plan, struct pawl_error *err) {
  for (int i = 0; i < host->set_count; i++)
    if (is_called(host, plan, i)) PAWL_TRY(host_kernel_download(host, &host->sets[i], err));
  return PAWL_OK;
}

/* Where more calls follow the outputs stay on the device: their hashes now, after all of the calls, stand for them. */
static pawl_status hash_standing(struct host_kernel *host, struct host_time_plan *plan, json_t *result,
                                 struct pawl_error *err) {
  json_t *standing = json_array();
  pawl_json_set(result, "standing", standing);
  for (int i = 0; i < host->set_count; i++) {
    char hash[PAWL_HASH_TEXT];
    PAWL_TRY(hash_outputs(host, &host->sets[i], plan, hash, err));
    json_array_append_new(standing, json_string(hash));
  }
  return PAWL_OK;
}

static pawl_status measure(struct host_kernel *host, struct host_time_plan *plan, json_t *result,
                           struct pawl_error *err) {
  const int64_t start = pawl_clock_ns();
  struct sample_lists lists = {json_array(), json_array(), json_array()};
  pawl_json_set(result, "samples_ns", lists.ns);
  pawl_json_set(result, "hashes", lists.hashes);
  pawl_json_set(result, "waited", lists.waited);
  pawl_json_set_string(result, "hash", pawl_output_hash_kind_name(host->device->hash_kind));
  if (host->device->delay) PAWL_TRY(host->device->delay(host->device_state, plan->delay_ns, err));
  host_kernel_begin_request(host);
  PAWL_TRY(bring_inputs(host, plan, err));
  PAWL_TRY(warm_up(host, plan, err));
  PAWL_TRY(take_samples(host, plan, &lists, err));
  if (plan->keep && !host->device->in_place)
    PAWL_TRY(hash_standing(host, plan, result, err));
  else
    PAWL_TRY(show_sets(host, plan, err));
  pawl_json_set_int(result, "calls_per_sample", plan->calls);
  pawl_json_set_int(result, "repeated", plan->repeated);
  if (plan->left_out) pawl_json_set_bool(result, "left_out", true);
  if (plan->early && host->device->exchange) pawl_json_set_bool(result, "early", true);
  if (host->device->method) pawl_json_set_string(result, "method", host->device->method(host->device_state));
  if (host->memory_bytes >= 0) pawl_json_set_int(result, "memory_bytes", host->memory_bytes);
  pawl_json_set_int(result, "hash_ns", plan->hash_ns);
  pawl_json_set_int(result, "wall_ns", pawl_clock_ns() - start);
  return PAWL_OK;
}

pawl_status host_kernel_time(void *state, const json_t *params, json_t **result, struct pawl_error *err) {
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
  /* a later `run` is the kernel alone */
  if (host->device->delay && host->device->delay(host->device_state, 0, NULL) != PAWL_OK)
    pawl_bug(__FILE__, __LINE__, "a delay cannot be negative");
  return status;
}
