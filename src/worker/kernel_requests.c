/* SPDX-License-Identifier: Apache-2.0 */
/* The requests to a kernel's worker, and the checks of its answers. */
#include <math.h>
#include <string.h>

#include "base/cache_evict.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "model/dtype.h"
#include "protocol/output_hash.h"
#include "protocol/tensor_json.h"
#include "worker/driver.h"
#include "worker/worker.h"

static const char answer[] = "answer";

/* How long pawl waits after the last call for a late write. */
#define LATE_SECONDS 0.002
#define LARGE_OUTPUTS ((uint64_t)4 << 20)
#define EVICTING_FLUSH_BYTES ((uint64_t)64 << 20)

/* An answer that pawl cannot parse breaks the protocol, so the worker ends. */
static pawl_status check_parsed(struct pawl_worker *worker, const char *method,
                                enum pawl_status_code parsed, const struct pawl_error *reason,
                                struct pawl_error *err) {
  return parsed == PAWL_OK ? PAWL_OK
                           : pawl_worker_protocol_error(worker, method, reason->message, err);
}

static pawl_status read_description(const json_t *result, struct pawl_arena *arena,
                                    struct pawl_kernel_info *out, struct pawl_error *err) {
  const char *name, *operator_name, *device;
  bool deterministic;
  PAWL_TRY(pawl_json_get_string(result, "name", answer, NULL, &name, err));
  PAWL_TRY(pawl_json_get_string(result, "operator", answer, NULL, &operator_name, err));
  PAWL_TRY(pawl_json_get_string(result, "device", answer, NULL, &device, err));
  PAWL_TRY(pawl_json_get_bool(result, "deterministic", answer, false, &deterministic, err));
  if (!name || !operator_name)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no 'name' or no 'operator'", answer);
  const int32_t kind = device ? pawl_device_kind_parse(device) : 0;
  if (!kind)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'device' must be \"cpu\" or \"cuda\"", answer);
  json_t *environment = json_object_get(result, "environment");
  if (environment && !json_is_null(environment) && !json_is_object(environment))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'environment' must be an object", answer);
  *out = (struct pawl_kernel_info){
      .name = pawl_arena_copy(arena, name),
      .operator_name = pawl_arena_copy(arena, operator_name),
      .device = kind,
      .deterministic = deterministic,
      .environment = json_is_object(environment) ? json_incref(environment) : NULL,
  };
  return PAWL_OK;
}

pawl_status pawl_worker_describe_kernel(struct pawl_worker *worker, struct pawl_arena *arena,
                                        struct pawl_kernel_info *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  struct pawl_error unread = {0};
  PAWL_TRY(pawl_worker_call(worker, "describe", NULL, &result, err));
  PAWL_TRY(check_parsed(worker, "describe", read_description(result, arena, out, &unread), &unread,
                        err));
  const enum pawl_determinism said = worker->options.deterministic;
  if (said != PAWL_DETERMINISM_REPORTED) out->deterministic = said == PAWL_DETERMINISM_YES;
  return PAWL_OK;
}

/* Copies the sets, for a later look at the outputs. */
static void keep_sets(struct pawl_worker *worker, const struct pawl_tensor_set *sets, int count) {
  pawl_arena_clear(&worker->set_arena);
  worker->sets = pawl_arena_alloc(&worker->set_arena, (size_t)count + 1, sizeof *worker->sets);
  worker->set_count = count;
  for (int i = 0; i < count; i++) {
    const size_t tensors = (size_t)sets[i].count;
    struct pawl_placed_tensor *copy =
        pawl_arena_alloc(&worker->set_arena, tensors + 1, sizeof *copy);
    memcpy(copy, sets[i].tensors, tensors * sizeof *copy);
    worker->sets[i] = (struct pawl_tensor_set){.tensors = copy, .count = sets[i].count};
  }
}

static pawl_status read_support(const json_t *result, struct pawl_arena *arena, const char **reason,
                                uint64_t *bytes, struct pawl_error *err) {
  const json_t *supported = json_object_get(result, "supported");
  const char *why;
  long long workspace;
  PAWL_TRY(pawl_json_get_string(result, "reason", answer, NULL, &why, err));
  PAWL_TRY(pawl_json_get_int(result, "workspace_bytes", answer, 0, &workspace, err));
  if (!json_is_boolean(supported) || workspace < 0)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: 'supported' must be true or false, 'workspace_bytes' at least 0", answer);
  /* without newlines and escape codes, because pawl prints it */
  PAWL_CLEANUP(pawl_text_clear)
  struct pawl_text clean = {0};
  if (why) pawl_clean_text(why, false, &clean);
  const char *text = pawl_text_string(&clean);
  *reason = json_is_true(supported) ? NULL : pawl_arena_copy(arena, *text ? text : "not supported");
  *bytes = (uint64_t)workspace;
  return PAWL_OK;
}

pawl_status pawl_worker_prepare(struct pawl_worker *worker, const struct pawl_shape *shape,
                                const struct pawl_tensor_set *sets, int set_count, int threads,
                                struct pawl_arena *arena, const char **reason,
                                uint64_t *workspace_bytes, struct pawl_error *err) {
  json_t *params = json_object(), *array = json_array();
  pawl_shape_to_params(params, shape);
  pawl_json_set_int(params, "threads", threads);
  for (int i = 0; i < set_count; i++)
    json_array_append_new(array, pawl_tensor_set_to_json(&sets[i]));
  pawl_json_set(params, "sets", array);
  if (worker->options.tensors && worker->options.tensors->emptied)
    pawl_json_set_int(params, "emptied", worker->options.tensors->emptied);
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  struct pawl_error unread = {0};
  pawl_log_tail_forget(&worker->log);
  PAWL_TRY(pawl_worker_call(worker, "prepare", params, &result, err));
  keep_sets(worker, sets, set_count);
  return check_parsed(worker, "prepare",
                      read_support(result, arena, reason, workspace_bytes, &unread), &unread, err);
}

/* Returns whether the worker claims more time than passed by pawl's clock. */
static enum pawl_status_code kernel_requests_impossible(struct pawl_worker *worker,
                                                        const char *method, double claimed,
                                                        double wall, struct pawl_error *err) {
  return pawl_worker_terminate(worker, PAWL_CAUSE_PROTOCOL, method, err,
                               "reports impossible times: %.6g s of samples within %.6g s", claimed,
                               wall);
}

static json_t *run_params(int set) {
  json_t *params = json_object();
  pawl_json_set_int(params, "set", set);
  return params;
}

static pawl_status run(struct pawl_worker *worker, json_t *params, double *seconds,
                       json_t **counters, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  const int64_t start = pawl_clock_ns();
  PAWL_TRY(pawl_worker_call(worker, "run", params, &result, err));
  const double wall = pawl_seconds_since(start);
  const json_t *ns = json_object_get(result, "ns");
  const double claimed = json_is_number(ns) ? json_number_value(ns) * 1e-9 : -1;
  if (!(claimed >= 0))
    return pawl_worker_protocol_error(worker, "run", "'ns' must be a number that is not negative",
                                      err);
  if (!(claimed <= wall)) return kernel_requests_impossible(worker, "run", claimed, wall, err);
  *seconds = claimed;
  if (counters) *counters = json_incref(json_object_get(result, "counters"));
  return PAWL_OK;
}

pawl_status pawl_worker_run(struct pawl_worker *worker, int set, double *seconds,
                            struct pawl_error *err) {
  return run(worker, run_params(set), seconds, NULL, err);
}

pawl_status pawl_worker_run_profiled(struct pawl_worker *worker, int set, double *seconds,
                                     json_t **counters, struct pawl_error *err) {
  json_t *params = run_params(set);
  pawl_json_set_bool(params, "profile", true);
  return run(worker, params, seconds, counters, err);
}

pawl_status pawl_worker_run_counted(struct pawl_worker *worker, int set, json_t *metrics, bool cold,
                                    json_t **counters, struct pawl_error *err) {
  json_t *params = run_params(set);
  double last_call;
  pawl_json_set(params, "metrics", metrics);
  pawl_json_set_bool(params, "cold", cold);
  return run(worker, params, &last_call, counters, err);
}

/* Counts the samples in which the device may have waited for the host. */
static pawl_status read_waited(const json_t *result, size_t count, struct pawl_time_reply *out,
                               struct pawl_error *err) {
  const json_t *waited = json_object_get(result, "waited");
  PAWL_TRY(pawl_json_get_int(result, "repeated", answer, 0, &out->repeated, err));
  if (waited && json_array_size(waited) != count)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'waited' does not have one value for each sample",
                     answer);
  for (size_t i = 0; waited && i < count; i++) {
    const json_t *value = json_array_get(waited, i);
    if (!json_is_boolean(value))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: value %zu of 'waited' is not true or false", answer,
                       i);
    out->waited += json_is_true(value);
  }
  return PAWL_OK;
}

static pawl_status kernel_requests_read_samples(const json_t *result, struct pawl_arena *arena,
                                                struct pawl_time_reply *out, long long *calls,
                                                struct pawl_error *err) {
  long long hash_ns, looked;
  const json_t *samples = json_object_get(result, "samples_ns"),
               *hashes = json_object_get(result, "hashes");
  PAWL_TRY(pawl_json_get_int(result, "calls_per_sample", answer, 1, calls, err));
  PAWL_TRY(pawl_json_get_int(result, "memory_bytes", answer, -1, &out->memory_bytes, err));
  PAWL_TRY(pawl_json_get_int(result, "hash_ns", answer, 0, &hash_ns, err));
  PAWL_TRY(pawl_json_get_bool(result, "left_out", answer, false, &out->left_out, err));
  PAWL_TRY(pawl_json_get_bool(result, "early", answer, false, &out->early, err));
  PAWL_TRY(pawl_json_get_int(result, "looked", answer, -1, &looked, err));
  out->looked_set = looked >= 0 && looked < 1 << 20 ? (int)looked : -1;
  if (!json_is_array(samples) || *calls < 1)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no 'samples_ns', or a bad 'calls_per_sample'",
                     answer);
  const size_t count = json_array_size(samples);
  if (hashes && json_array_size(hashes) != count)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: the number of hashes differs from the number of samples", answer);
  PAWL_TRY(read_waited(result, count, out, err));
  out->seconds = pawl_arena_alloc(arena, count + 1, sizeof *out->seconds);
  out->hashes = hashes ? pawl_arena_alloc(arena, count + 1, sizeof *out->hashes) : NULL;
  out->hash_kind = pawl_output_hash_kind_parse(json_string_value(json_object_get(result, "hash")));
  out->hash_seconds = fmin(fmax((double)hash_ns * 1e-9, 0), out->wall_seconds);
  out->count = count;
  for (size_t i = 0; i < count; i++) {
    const json_t *sample = json_array_get(samples, i);
    const double ns = json_is_number(sample) ? json_number_value(sample) : -1;
    if (!(ns > 0) || !isfinite(ns))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: sample %zu is not a positive number", answer, i);
    out->seconds[i] = ns * 1e-9;
    if (!hashes) continue;
    const char *hash = json_string_value(json_array_get(hashes, i));
    if (!hash) return pawl_fail(err, PAWL_BAD_DATA, "%s: hash %zu is not a string", answer, i);
    out->hashes[i] = pawl_arena_copy(arena, hash);
  }
  return PAWL_OK;
}

/* The hashes of the outputs of a request's last calls, as they are now. */
struct late_look {
  const struct pawl_worker *worker;
  enum pawl_output_hash_kind kind;
  size_t last_set; /* the last call has it, and earlier calls have the sets before it */
  struct pawl_hash *hashes;
};

static size_t late_set(const struct late_look *look, size_t back) {
  const size_t sets = (size_t)look->worker->set_count;
  return (look->last_set + sets - back) % sets;
}

static void hash_late_set(void *context, int64_t back) {
  const struct late_look *look = context;
  const struct pawl_worker *worker = look->worker;
  look->hashes[back] = pawl_output_hash(look->kind, &worker->sets[late_set(look, (size_t)back)],
                                        worker->options.tensors->map);
}

/* pawl-worker hashes the outputs in the GPU's memory, and copies them later. So a late write there
 * changes the copy, and one after the copy does not reach it. */
static bool copies_outputs(const struct pawl_worker *worker) {
  return worker->options.driver == PAWL_DRIVER_PLUGIN && worker->options.cuda;
}

/* Returns whether a hash takes longer than the start of a thread. */
static bool has_large_outputs(const struct pawl_worker *worker) {
  uint64_t bytes = 0;
  for (int i = 0; i < worker->sets[0].count; i++)
    if (worker->sets[0].tensors[i].spec.role != PAWL_IN) bytes += worker->sets[0].tensors[i].bytes;
  return bytes >= LARGE_OUTPUTS;
}

/* Compares the outputs with the hashes right after the last call of each set. A difference shows a
 * kernel that writes after its return. pawl waits for such a write once, after the last of several
 * requests. */
static pawl_status check_late_writes(struct pawl_worker *worker,
                                     const struct pawl_time_request *request,
                                     const struct pawl_time_reply *reply, const json_t *standing,
                                     struct pawl_error *err) {
  /* other calls followed the samples */
  if (request->unseen) return PAWL_OK;
  if (!reply->hash_kind || !reply->hashes || !worker->options.tensors || !worker->set_count)
    return PAWL_OK;
  const size_t sets = (size_t)worker->set_count, calls = reply->count < sets ? reply->count : sets;
  struct late_look look = {worker, reply->hash_kind,
                           ((size_t)request->first_set + reply->count - 1) % sets, NULL};
  if (!request->keep && !copies_outputs(worker)) pawl_sleep_seconds(LATE_SECONDS);
  PAWL_CLEANUP(pawl_free_pointer)
  struct pawl_hash *shown = look.hashes = pawl_alloc(calls + 1, sizeof *shown);
  /* one hash of 64 MiB takes 7 ms, and there are up to four after each request */
  if (reply->shown)
    pawl_parallel_for(has_large_outputs(worker) ? 0 : 1, (int64_t)calls, hash_late_set, &look);
  for (size_t back = 0; back < calls; back++) {
    const size_t sample = reply->count - 1 - back;
    char text[PAWL_HASH_TEXT];
    pawl_hash_format(shown[back], text);
    /* other outputs are only on the device */
    const char *now =
        reply->shown ? text : json_string_value(json_array_get(standing, late_set(&look, back)));
    if (!now)
      return pawl_worker_protocol_error(worker, "time",
                                        "no hash of the outputs of every set in 'standing'", err);
    if (strcmp(now, reply->hashes[sample]) != 0)
      return pawl_worker_terminate(worker, PAWL_CAUSE_PROTOCOL, "time", err,
                                   "wrote its outputs after the call returned");
  }
  return PAWL_OK;
}

/* A server's cache of 300 MB takes 60 ms to flush, for a call of 1 ms. */
uint64_t pawl_worker_flush_bytes(const struct pawl_worker_options *options, uint64_t bytes) {
  const bool evicts =
      PAWL_CACHE_CAN_EVICT && options->driver == PAWL_DRIVER_PLUGIN && !options->cuda;
  return evicts && bytes > EVICTING_FLUSH_BYTES ? EVICTING_FLUSH_BYTES : bytes;
}

static json_t *time_params(const struct pawl_time_request *request, uint64_t flush_bytes) {
  json_t *params = json_object();
  pawl_json_set_int(params, "warmup", request->warmup);
  pawl_json_set_int(params, "samples", request->samples);
  pawl_json_set_int(params, "first_set", request->first_set);
  pawl_json_set_string(params, "cache", request->cache == PAWL_CACHE_WARM ? "warm" : "cold");
  pawl_json_set_int(params, "flush_bytes", (long long)flush_bytes);
  if (request->keep) pawl_json_set_bool(params, "keep", true);
  if (request->late) pawl_json_set_bool(params, "late", true);
  if (request->unseen) pawl_json_set_bool(params, "unseen", true);
  if (request->held) pawl_json_set_bool(params, "held", true);
  if (request->given) pawl_json_set_bool(params, "given", true);
  if (request->ordered) pawl_json_set_bool(params, "exchange", false);
  if (request->look > 0) pawl_json_set_int(params, "look", request->look - 1);
  if (request->delay_ns > 0) pawl_json_set_int(params, "delay_ns", request->delay_ns);
  return params;
}

pawl_status pawl_worker_time(struct pawl_worker *worker, const struct pawl_time_request *request,
                             struct pawl_arena *arena, struct pawl_time_reply *out,
                             struct pawl_error *err) {
  if (request->delay_ns > 0 && !worker->can_delay)
    return pawl_fail(err, PAWL_UNDECIDED,
                     "'%s' cannot add a delay to its timed calls: its hello does not have the "
                     "capability \"delay\"",
                     worker->options.name);
  const uint64_t flush_bytes = pawl_worker_flush_bytes(&worker->options, request->flush_bytes);
  if (worker->extra_bytes < flush_bytes) worker->extra_bytes = flush_bytes;
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  const int64_t start = pawl_clock_ns();
  worker->pause_seconds = request->pause_seconds;
  const enum pawl_status_code status =
      pawl_worker_call(worker, "time", time_params(request, flush_bytes), &result, err);
  worker->pause_seconds = 0;
  if (status != PAWL_OK) return status;
  struct pawl_time_reply reply = {.wall_seconds = pawl_seconds_since(start)};
  struct pawl_error unread = {0};
  long long calls = 1;
  PAWL_TRY(check_parsed(worker, "time",
                        kernel_requests_read_samples(result, arena, &reply, &calls, &unread),
                        &unread, err));
  if (reply.count != (size_t)request->samples)
    return pawl_worker_protocol_error(worker, "time", "the wrong number of samples", err);
  reply.calls = calls;
  double claimed = 0;
  for (size_t i = 0; i < reply.count; i++) claimed += reply.seconds[i] * (double)calls;
  if (!(claimed <= reply.wall_seconds))
    return kernel_requests_impossible(worker, "time", claimed, reply.wall_seconds, err);
  const json_t *standing = json_object_get(result, "standing");
  reply.shown = !request->keep || !standing;
  PAWL_TRY(check_late_writes(worker, request, &reply, standing, err));
  *out = reply;
  return PAWL_OK;
}
