/* SPDX-License-Identifier: Apache-2.0 */
/* The role `kernel` runs code under test. */
#include <malloc.h>

#include "base/memory.h"
#include "host/counted_call.h"
#include "host/kernel.h"
#include "host/plugin.h"
#include "host/role.h"
#include "model/dtype.h"

static pawl_status kernel_role_describe(void *state, const json_t *params, json_t **result,
                                        struct pawl_error *err) {
  (void)params, (void)err;
  const struct pawl_kernel *kernel = ((struct host_kernel *)state)->kernel;
  *result = json_object();
  pawl_json_set_string(*result, "name", kernel->name);
  pawl_json_set_string(*result, "operator", kernel->operator_name);
  pawl_json_set_string(*result, "device", pawl_device_kind_name(kernel->device));
  pawl_json_set_bool(*result, "deterministic", kernel->flags & PAWL_KERNEL_DETERMINISTIC);
  return PAWL_OK;
}

static pawl_status kernel_role_prepare(void *state, const json_t *params, json_t **result,
                                       struct pawl_error *err) {
  struct host_kernel *host = state;
  const char *reason = NULL;
  PAWL_TRY(host_kernel_prepare(host, params, &reason, err));
  *result = json_object();
  pawl_json_set_bool(*result, "supported", !reason);
  if (reason)
    pawl_json_set_string(*result, "reason", reason);
  else
    pawl_json_set_int(*result, "workspace_bytes", (long long)host->workspace_bytes);
  return PAWL_OK;
}

/* Takes another plug-in in the place of the kernel, in the same context of the device. pawl asks so
   for profiles alone: a context and the counters of a first call take longer than the calls. */
static pawl_status kernel_role_load(void *state, const json_t *params, json_t **result,
                                    struct pawl_error *err) {
  struct host_kernel *host = state;
  const char *plugin;
  const struct pawl_kernel *kernel = NULL;
  PAWL_TRY(pawl_json_get_string(params, "plugin", "request", NULL, &plugin, err));
  if (!plugin) return pawl_fail(err, PAWL_BAD_DATA, "request: 'load' needs a 'plugin'");
  host_kernel_unprepare(host);
  PAWL_TRY(host_load_another_kernel(plugin, &kernel, err));
  if (kernel->device != host->kernel->device)
    return pawl_fail(err, PAWL_UNDECIDED, "'%s' is for another device", plugin);
  host->kernel = kernel;
  *result = json_object();
  return PAWL_OK;
}

/* glibc fills new memory of malloc with the complement of this byte. 0xfe in each byte is -1.7e38
   as f32 and bf16 and NaN as f16, so it exposes a kernel that reads memory that it never wrote.
   This is off while calls are timed. */
#define PERTURB 0x01

/* Makes one call. With `profile`, a profiler records this call alone. */
static pawl_status kernel_role_call_once(struct host_kernel *host, struct host_set *set,
                                         bool profile, struct host_timing *timing,
                                         struct pawl_error *err) {
  const struct host_device *device = host->device;
  if (!profile || !device->profile) return host_kernel_call(host, set, 1, NULL, timing, err);
  PAWL_TRY(device->profile(host->device_state, true, err));
  PAWL_TRY(host_kernel_call(host, set, 1, NULL, timing, err));
  return device->profile(host->device_state, false, err);
}

static pawl_status run(void *state, const json_t *params, json_t **result, struct pawl_error *err) {
  struct host_kernel *host = state;
  long long index;
  bool profile, cold;
  if (!host->ready) return pawl_fail(err, PAWL_BAD_DATA, "got 'run' before 'prepare'");
  PAWL_TRY(pawl_json_get_int(params, "set", "request", -1, &index, err));
  PAWL_TRY(pawl_json_get_bool(params, "profile", "request", false, &profile, err));
  PAWL_TRY(pawl_json_get_bool(params, "cold", "request", false, &cold, err));
  if (index < 0 || index >= host->set_count)
    return pawl_fail(err, PAWL_BAD_DATA, "request: no such set");
  struct host_set *set = &host->sets[index];
  struct host_timing timing;
  set->current = false;
  host_kernel_begin_request(host);
  const json_t *metrics = json_object_get(params, "metrics");
  if (metrics) return host_count_call(host, set, metrics, cold, result, err);
  PAWL_TRY(host_kernel_upload(host, set, true, err));
  PAWL_TRY(host_kernel_repoison_workspace(host, err));
  mallopt(M_PERTURB, PERTURB);
  const enum pawl_status_code status = kernel_role_call_once(host, set, profile, &timing, err);
  mallopt(M_PERTURB, 0);
  if (status != PAWL_OK) return status;
  host_kernel_note_memory(host);
  PAWL_TRY(host_kernel_download(host, set, err));
  *result = json_object();
  pawl_json_set_number(*result, "ns", timing.ns);
  if (profile && host->device->counters)
    pawl_json_set(*result, "counters", host->device->counters(host->device_state));
  return PAWL_OK;
}

static void close_kernel(void *state) {
  struct host_kernel *host = state;
  host_kernel_unprepare(host);
  host_kernel_unpin(host);
  host_mapping_release(&host->mapping);
  if (host->device) host->device->close(host->device_state);
  pawl_free(host);
}

static pawl_status open_device(struct host_kernel *host, struct pawl_error *err) {
  const struct host_device *device = host_device_find(host->kernel->device);
  if (!device)
    return pawl_fail(err, PAWL_UNDECIDED,
                     "this pawl-worker cannot run a kernel for the device '%s'",
                     pawl_device_kind_name(host->kernel->device));
  PAWL_TRY(device->open(&host->device_state, err));
  host->device = device;
  return PAWL_OK;
}

static pawl_status open_kernel(const char *plugin, const struct host_channel *channel, void **state,
                               struct pawl_error *err) {
  const struct pawl_kernel *kernel = NULL;
  PAWL_TRY(host_load_kernel(plugin, &kernel, err));
  struct host_kernel *host = pawl_alloc(1, sizeof *host);
  host->kernel = kernel;
  host->channel = channel;
  const enum pawl_status_code status = open_device(host, err);
  if (status == PAWL_OK)
    *state = host;
  else
    close_kernel(host);
  return status;
}

static const char *const capabilities[] = {"run",  "time",   "delay", "stamps",
                                           "late", "unseen", "given", NULL};
static const struct host_method_row methods[] = {
    {"describe", kernel_role_describe}, {"load", kernel_role_load},
    {"prepare", kernel_role_prepare},   {"run", run},
    {"time", host_kernel_time},         {NULL, NULL}};

const struct host_role host_kernel_role = {.name = "kernel",
                                           .capabilities = capabilities,
                                           .methods = methods,
                                           .open = open_kernel,
                                           .close = close_kernel};
