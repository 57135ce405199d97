/* SPDX-License-Identifier: Apache-2.0 */
#include "device/device.h"

#include <math.h>

void pawl_device_identity(const struct pawl_device *device, struct pawl_text *out) {
  const bool gpu = device->kind == PAWL_CUDA;
  pawl_text_printf(out, "%s %s", gpu ? "cuda" : "cpu", device->name ? device->name : "(unknown)");
  if (device->units >= 0)
    pawl_text_printf(out, ", %d %s", device->units,
                     gpu                  ? "SMs"
                     : device->units == 1 ? "CPU"
                                          : "CPUs");
  if (device->memory_bytes >= 0)
    pawl_text_printf(out, ", %.0f GiB", round((double)device->memory_bytes / 1073741824.0));
  if (gpu && device->mig) pawl_text_printf(out, ", MIG %s", device->mig);
  if (gpu && isfinite(device->power_limit_w))
    pawl_text_printf(out, ", %.0f W", device->power_limit_w);
}

/* Unknown counts are -1 in the struct and null in JSON. */
static void set_count(json_t *object, const char *key, int64_t value) {
  pawl_json_set(object, key, value < 0 ? NULL : json_integer(value));
}

json_t *pawl_device_to_json(const struct pawl_device *device) {
  json_t *object = json_object();
  struct pawl_text identity = {0};
  pawl_device_identity(device, &identity);
  pawl_json_set_string(object, "identity", identity.data);
  pawl_json_set_string(object, "kind", device->kind == PAWL_CUDA ? "cuda" : "cpu");
  set_count(object, "index", device->index);
  pawl_json_set_string(object, "name", device->name);
  pawl_json_set_string(object, "uuid", device->uuid);
  set_count(object, "units", device->units);
  set_count(object, "memory_bytes", device->memory_bytes);
  set_count(object, "last_level_cache_bytes", device->last_level_cache_bytes);
  pawl_json_set_string(object, "arch", device->arch);
  pawl_json_set_string(object, "driver", device->driver);
  if (device->kind == PAWL_CUDA) {
    pawl_json_set_string(object, "mig", device->mig);
    pawl_json_set_number(object, "power_limit_w", device->power_limit_w);
    pawl_json_set_number(object, "max_frequency_mhz", device->max_frequency_mhz);
    pawl_json_set_number(object, "max_memory_frequency_mhz", device->max_memory_frequency_mhz);
    pawl_json_set(object, "ecc", device->ecc < 0 ? NULL : json_boolean(device->ecc));
  }
  pawl_text_clear(&identity);
  return object;
}

json_t *pawl_device_state_to_json(const struct pawl_device_state *state) {
  json_t *object = json_object();
  pawl_json_set_number(object, "frequency_mhz", state->frequency_mhz);
  pawl_json_set_number(object, "memory_frequency_mhz", state->memory_frequency_mhz);
  pawl_json_set_number(object, "temperature_c", state->temperature_c);
  pawl_json_set_number(object, "power_w", state->power_w);
  pawl_json_set_number(object, "load_1m", state->load_1m);
  pawl_json_set_number(object, "other_busy", state->other_busy);
  pawl_json_set_string(object, "event_reasons", state->event_reasons);
  pawl_json_set_number(object, "power_capped_s", state->power_capped_s);
  pawl_json_set_number(object, "heat_capped_s", state->heat_capped_s);
  return object;
}
