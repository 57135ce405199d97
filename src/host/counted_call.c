/* SPDX-License-Identifier: Apache-2.0 */
#include "host/counted_call.h"

struct counted_call {
  struct host_kernel *host;
  struct host_set *set;
  bool cold; /* false: the caches stay as the last call left them */
  bool uploaded;
  struct host_timing timing;
};

/* Uploads all tensors once, and before later calls only those that the kernel changes: a copy of
   the inputs for each pass would take longer than the counting. */
static pawl_status counted_call_upload(struct counted_call *call, struct pawl_error *err) {
  struct host_kernel *host = call->host;
  const struct host_set *set = call->set;
  if (!call->uploaded) PAWL_TRY(host_kernel_upload(host, call->set, true, err));
  for (int i = 0; call->uploaded && i < set->placed.count && !host->device->in_place; i++)
    if (set->shared[i].role == PAWL_INOUT)
      PAWL_TRY(host->device->upload(host->device_state, set->tensors[i].data, set->shared[i].data,
                                    set->placed.tensors[i].bytes, err));
  call->uploaded = true;
  return PAWL_OK;
}

static pawl_status counted_call_prepare(void *user, struct pawl_error *err) {
  struct counted_call *call = user;
  struct host_kernel *host = call->host;
  PAWL_TRY(counted_call_upload(call, err));
  return call->cold ? host->device->empty_caches(host->device_state, err) : PAWL_OK;
}

static pawl_status make(void *user, struct pawl_error *err) {
  struct counted_call *call = user;
  return host_kernel_call(call->host, call->set, 1, NULL, &call->timing, err);
}

/* Why nothing was counted. */
static json_t *counted_call_reason_of(enum pawl_status_code status, const struct pawl_error *err) {
  json_t *counters = json_object();
  pawl_json_set_string(counters, "reason", err->message);
  pawl_json_set_bool(counters, "permitted", status != PAWL_NOT_PERMITTED);
  return counters;
}

pawl_status host_count_call(struct host_kernel *host, struct host_set *set, const json_t *metrics,
                            bool cold, json_t **result, struct pawl_error *err) {
  const struct host_device *device = host->device;
  struct counted_call call = {.host = host, .set = set, .cold = cold && device->empty_caches};
  const struct host_counted counted = {
      .prepare = counted_call_prepare, .call = make, .user = &call};
  struct pawl_error failed = {0};
  json_t *counters = NULL;
  if (!device->count)
    return pawl_fail(err, PAWL_BAD_DATA, "request: no 'metrics' of this device can be counted");
  PAWL_TRY(host_kernel_poison_workspace(host, err));
  const enum pawl_status_code status =
      device->count(host->device_state, metrics, &counted, &counters, &failed);
  if (status == PAWL_UNAVAILABLE || status == PAWL_NOT_PERMITTED)
    counters = counted_call_reason_of(status, &failed);
  else if (status != PAWL_OK)
    return pawl_fail(err, status, "%s", failed.message);
  PAWL_TRY(host_kernel_download(host, set, err));
  *result = json_object();
  pawl_json_set_number(*result, "ns", call.timing.ns);
  pawl_json_set(*result, "counters", counters);
  return PAWL_OK;
}
