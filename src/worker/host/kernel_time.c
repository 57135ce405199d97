/* SPDX-License-Identifier: Apache-2.0 */
/* The method `time`: warm-up calls and samples, everything but the calls themselves outside the timed region. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "worker/host/kernel.h"
#include "worker/host/spots.h"
#include "worker/host/unseen.h"
#include "worker/output_hash.h"

#define SHORTEST_SAMPLE_NS 1e6 /* beside some 5 us: two events and a launch, or a first call on other data */
#define MOST_CALLS 1000
#define MOST_CALLS_OF_A_STREAM 100 /* which are enqueued while a gate is shut */
#define LONGEST_RECORD_NS 2e8
#define CALLS_TO_KNOW 3      /* at least, how long one takes, before any are batched */
#define FIRST_CHECK_WITHIN 4 /* samples */
#define NEXT_CHECK_WITHIN 20
#define CHECKED_BATCHES 4
#define MOST_DELAY_NS 10000000000

struct plan {
  long long warmup, samples, first_set, flush_bytes, delay_ns;
  bool cold, keep, unseen;
  int calls;       /* per sample */
  bool left_out;   /* work, by calls of a batch */
  int64_t hash_ns; /* spent so far */
};

static pawl_status read_plan(const struct host_kernel *host, const json_t *params, struct plan *plan,
                             struct pawl_error *err) {
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
  plan->cold = !strcmp(cache, "cold");
  plan->calls = 1;
  const long long most = 1000000;
  if (plan->warmup < 0 || plan->warmup > most || plan->samples < 1 || plan->samples > most || plan->first_set < 0 ||
      plan->first_set >= host->set_count || plan->flush_bytes < 0 || plan->delay_ns < 0 ||
      plan->delay_ns > MOST_DELAY_NS || (!plan->cold && strcmp(cache, "warm") != 0))
    return pawl_fail(err, PAWL_BAD_DATA, "request: bad warmup, samples, first_set, flush_bytes, delay_ns or cache");
  if (plan->delay_ns > 0 && !host->device->delay)
    return pawl_fail(err, PAWL_UNDECIDED, "no delay can be put into the timed calls of this device");
  return PAWL_OK;
}

static bool has_inout(const struct host_set *set) {
  for (int i = 0; i < set->placed.count; i++) {
    if (set->placed.tensors[i].spec.role == PAWL_INOUT) return true;
  }
  return false;
}

/* Brings the inputs to the device, and notes what the inouts hold now, so that every call starts from the same values.
   Where the last request was to keep them they are there. */
static pawl_status bring_inputs(struct host_kernel *host, const struct plan *plan, struct pawl_error *err) {
  for (int s = 0; s < host->set_count; s++) {
    struct host_set *set = &host->sets[s];
    if (!set->current) PAWL_TRY(host_kernel_upload(host, set, err));
    set->current = plan->keep && !has_inout(set);
    for (int i = 0; i < set->placed.count && host->device->in_place; i++) {
      const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
      if (placed->spec.role != PAWL_INOUT) continue;
      if (!set->original[i]) set->original[i] = pawl_alloc(placed->bytes, 1);
      memcpy(set->original[i], set->shared[i].data, placed->bytes);
    }
  }
  return PAWL_OK;
}

/* Outputs and workspace poisoned, inouts as they were, caches flushed. */
static pawl_status before_call(struct host_kernel *host, struct host_set *set, const struct plan *plan,
                               struct pawl_error *err) {
  const struct host_device *device = host->device;
  for (int i = 0; i < set->placed.count; i++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
    void *data = set->tensors[i].data;
    if (placed->spec.role == PAWL_OUT)
      PAWL_TRY(device->fill(host->device_state, data, HOST_POISON, placed->bytes, err));
    else if (placed->spec.role == PAWL_INOUT)
      PAWL_TRY(device->upload(host->device_state, data, device->in_place ? set->original[i] : set->shared[i].data,
                              placed->bytes, err));
  }
  PAWL_TRY(host_kernel_poison_workspace(host, err));
  return plan->cold ? device->flush(host->device_state, (size_t)plan->flush_bytes, err) : PAWL_OK;
}

static pawl_status hash_outputs(struct host_kernel *host, const struct host_set *set, struct plan *plan,
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

static struct host_set *rotate(struct host_kernel *host, const struct plan *plan, long long call) {
  return &host->sets[(plan->first_set + call) % host->set_count];
}

/* Whether none of the kernel's host code stands between the calls of a batch. */
static bool replays(const struct host_kernel *host) {
  return !host->device->replays || host->device->replays(host->device_state);
}

/* As many calls as take SHORTEST_SAMPLE_NS by themselves: what a sample costs besides its calls is then so little of it
   that a call more or less changes nothing to speak of. */
static int calls_per_sample(const struct host_kernel *host, double call_ns, double record_ns) {
  const double most = replays(host) ? MOST_CALLS : MOST_CALLS_OF_A_STREAM, needed = ceil(SHORTEST_SAMPLE_NS / call_ns);
  return (int)fmax(fmin(fmin(needed, most), LONGEST_RECORD_NS / record_ns), 1);
}

/* Warms up; in warm mode decides how many calls make a sample, by the fastest call of all requests: the first of a
   request find the caches of others. */
static pawl_status warm_up(struct host_kernel *host, struct plan *plan, struct pawl_error *err) {
  const bool may_batch = !plan->cold && !plan->unseen && !has_inout(&host->sets[0]);
  const long long least = !may_batch ? 0 : isfinite(host->fastest_ns) ? 1 : CALLS_TO_KNOW;
  const long long calls = plan->warmup < least ? least : plan->warmup;
  double record_ns = INFINITY;
  for (long long i = 0; i < calls; i++) {
    struct host_set *set = rotate(host, plan, i);
    double ns;
    const int64_t start = pawl_clock_ns();
    PAWL_TRY(host_kernel_record(host, set, 1, NULL, err));
    record_ns = fmin(record_ns, (double)(pawl_clock_ns() - start));
    PAWL_TRY(before_call(host, set, plan, err));
    PAWL_TRY(host_kernel_call(host, set, 1, NULL, &ns, err));
    host->fastest_ns = fmin(host->fastest_ns, fmax(ns - (double)plan->delay_ns, 1.0));
  }
  if (may_batch) plan->calls = calls_per_sample(host, host->fastest_ns + (double)plan->delay_ns, fmax(record_ns, 1.0));
  return PAWL_OK;
}

/* The inputs before a call of a plan for unseen ones: of every other call a few elements have changed places. They are
   exchanged and put back for the calls between, so that all find the caches in the same state. */
static pawl_status exchange(struct host_kernel *host, const struct plan *plan, struct host_set *set, long long call,
                            struct host_exchanges *exchanges, struct pawl_error *err) {
  if (!plan->unseen) return PAWL_OK;
  PAWL_TRY(host_exchanges_draw(set, exchanges, err));
  PAWL_TRY(host_exchanges_make(host, set, exchanges, err));
  return call % 2 == 0 ? host_exchanges_undo(host, set, exchanges, err) : PAWL_OK;
}

/* Before which sample a batch is checked (spots.h) no kernel can foresee: one of the first few of a process, then again
   and again. */
static pawl_status draw_check(struct host_kernel *host, uint32_t most, struct pawl_error *err) {
  uint32_t random;
  PAWL_TRY(pawl_entropy(&random, sizeof random, err));
  host->until_check = (int)(random % most);
  return PAWL_OK;
}

/* Makes calls that are not timed, as the timed ones are made. */
static pawl_status call(struct host_kernel *host, const struct plan *plan, struct host_set *set, int calls,
                        const struct host_spots *spots, struct pawl_error *err) {
  double ns;
  PAWL_TRY(host_kernel_record(host, set, calls, spots, err));
  PAWL_TRY(before_call(host, set, plan, err));
  return host_kernel_call(host, set, calls, spots, &ns, err);
}

static pawl_status check_batches(struct host_kernel *host, struct plan *plan, struct host_set *set,
                                 struct pawl_error *err) {
  if (!replays(host)) return PAWL_OK;
  if (host->until_check < 0) PAWL_TRY(draw_check(host, FIRST_CHECK_WITHIN, err));
  if (host->until_check-- > 0) return PAWL_OK;
  PAWL_TRY(draw_check(host, NEXT_CHECK_WITHIN, err));
  PAWL_TRY(call(host, plan, set, plan->calls, NULL, err));
  for (int i = 0; i < CHECKED_BATCHES; i++) {
    struct host_spots spots;
    int calls;
    PAWL_TRY(host_spots_draw(host, set, plan->calls, &calls, &spots, err));
    PAWL_TRY(call(host, plan, set, calls, &spots, err));
    PAWL_TRY(host_spots_look(host, &spots, &plan->left_out, err));
  }
  return PAWL_OK;
}

static pawl_status take_samples(struct host_kernel *host, struct plan *plan, json_t *samples, json_t *hashes,
                                struct pawl_error *err) {
  for (long long i = 0; i < plan->samples; i++) {
    struct host_set *set = rotate(host, plan, i);
    double ns;
    char hash[PAWL_HASH_TEXT];
    struct host_exchanges exchanges;
    if (plan->calls > 1) PAWL_TRY(check_batches(host, plan, set, err));
    PAWL_TRY(host_kernel_record(host, set, plan->calls, NULL, err));
    PAWL_TRY(exchange(host, plan, set, i, &exchanges, err));
    PAWL_TRY(before_call(host, set, plan, err));
    PAWL_TRY(host_kernel_call(host, set, plan->calls, NULL, &ns, err));
    if (plan->unseen && i % 2 == 1) PAWL_TRY(host_exchanges_undo(host, set, &exchanges, err));
    PAWL_TRY(hash_outputs(host, set, plan, hash, err));
    /* a call between two ticks of the clock took no less than half a tick */
    json_array_append_new(samples, json_real(fmax(ns, 0.5) / plan->calls));
    json_array_append_new(hashes, json_string(hash));
  }
  return PAWL_OK;
}

static pawl_status show_sets(struct host_kernel *host, struct pawl_error *err) {
  for (int i = 0; i < host->set_count; i++) PAWL_TRY(host_kernel_download(host, &host->sets[i], err));
  return PAWL_OK;
}

/* Where more calls follow the outputs stay on the device: their hashes now, after all of the calls, stand for them. */
static pawl_status hash_standing(struct host_kernel *host, struct plan *plan, json_t *result, struct pawl_error *err) {
  json_t *standing = json_array();
  pawl_json_set(result, "standing", standing);
  for (int i = 0; i < host->set_count; i++) {
    char hash[PAWL_HASH_TEXT];
    PAWL_TRY(hash_outputs(host, &host->sets[i], plan, hash, err));
    json_array_append_new(standing, json_string(hash));
  }
  return PAWL_OK;
}

static pawl_status measure(struct host_kernel *host, struct plan *plan, json_t *result, struct pawl_error *err) {
  const int64_t start = pawl_clock_ns();
  json_t *samples = json_array(), *hashes = json_array();
  pawl_json_set(result, "samples_ns", samples);
  pawl_json_set(result, "hashes", hashes);
  pawl_json_set_string(result, "hash", pawl_output_hash_kind_name(host->device->hash_kind));
  if (host->device->delay) PAWL_TRY(host->device->delay(host->device_state, plan->delay_ns, err));
  PAWL_TRY(bring_inputs(host, plan, err));
  PAWL_TRY(warm_up(host, plan, err));
  PAWL_TRY(take_samples(host, plan, samples, hashes, err));
  if (plan->keep && !host->device->in_place)
    PAWL_TRY(hash_standing(host, plan, result, err));
  else
    PAWL_TRY(show_sets(host, err));
  pawl_json_set_int(result, "calls_per_sample", plan->calls);
  if (plan->left_out) pawl_json_set_bool(result, "left_out", true);
  if (host->device->method) pawl_json_set_string(result, "method", host->device->method(host->device_state));
  if (host->memory_bytes >= 0) pawl_json_set_int(result, "memory_bytes", host->memory_bytes);
  pawl_json_set_int(result, "hash_ns", plan->hash_ns);
  pawl_json_set_int(result, "wall_ns", pawl_clock_ns() - start);
  return PAWL_OK;
}

pawl_status host_kernel_time(void *state, const json_t *params, json_t **result, struct pawl_error *err) {
  struct host_kernel *host = state;
  if (!host->ready) return pawl_fail(err, PAWL_BAD_DATA, "asked to time before it was prepared");
  struct plan plan = {0};
  PAWL_TRY(read_plan(host, params, &plan, err));
  json_t *object = json_object();
  const enum pawl_status_code status = measure(host, &plan, object, err);
  if (status == PAWL_OK)
    *result = object;
  else
    json_decref(object);
  /* a later `run` is the kernel alone */
  if (host->device->delay && host->device->delay(host->device_state, 0, NULL) != PAWL_OK)
    pawl_bug(__FILE__, __LINE__, "a delay cannot be taken away");
  return status;
}
