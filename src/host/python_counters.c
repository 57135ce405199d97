/* SPDX-License-Identifier: Apache-2.0 */
/* A library for pawl_protocol.py, with which a kernel in Python counts its work on a GPU by CUPTI
 * as pawl-worker does. */
#include "host/cuda_counters.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char *pawl_python_counters(const char *metrics, int (*prepare)(void),
                                        int (*call)(void));

/* The functions of Python return false if they failed. */
struct python_call {
  int (*prepare)(void), (*call)(void);
};

static pawl_status python_prepare(void *user, struct pawl_error *err) {
  const struct python_call *calls = user;
  return calls->prepare() ? PAWL_OK : pawl_fail(err, PAWL_FAILED, "the inputs cannot be restored");
}

static pawl_status python_call(void *user, struct pawl_error *err) {
  const struct python_call *calls = user;
  return calls->call() ? PAWL_OK : pawl_fail(err, PAWL_FAILED, "the call failed");
}

/* The process sees one GPU, and the libraries of Python use its primary context. */
static pawl_status count(json_t *metrics, struct python_call *calls, json_t **out,
                         struct pawl_error *err) {
  static struct pawl_cuda_driver driver;
  pawl_cu_device device;
  pawl_cu_context context;
  const struct host_counted counted = {
      .prepare = python_prepare, .call = python_call, .user = calls};
  PAWL_TRY(pawl_cuda_driver_open(NULL, &driver, err));
  PAWL_TRY(pawl_cuda_check(&driver, driver.device_get(&device, 0), "no GPU", err));
  PAWL_TRY(pawl_cuda_check(&driver, driver.primary_retain(&context, device), "no context", err));
  return host_cuda_count(&driver, device, context, metrics, &counted, out, err);
}

/* `metrics` is the JSON of docs/protocol.md. Returns the JSON of "counters", which lives until the
   next call, or NULL if a call failed. */
const char *pawl_python_counters(const char *metrics, int (*prepare)(void), int (*call)(void)) {
  static struct pawl_text text;
  struct python_call calls = {prepare, call};
  struct pawl_error err = {0};
  json_t *wanted = json_loads(metrics, JSON_DECODE_ANY, NULL), *found = NULL;
  const enum pawl_status_code status = count(wanted, &calls, &found, &err);
  json_decref(wanted);
  pawl_text_clear(&text);
  if (status == PAWL_FAILED) return NULL;
  if (status != PAWL_OK) {
    found = json_object();
    pawl_json_set_string(found, "reason", err.message);
    pawl_json_set_bool(found, "permitted", status != PAWL_NOT_PERMITTED);
  }
  pawl_json_write_text(found, false, &text);
  json_decref(found);
  return pawl_text_string(&text);
}
