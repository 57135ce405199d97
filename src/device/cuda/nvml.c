/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/nvml.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/library.h"

const char *pawl_nvml_words(const struct pawl_nvml *nvml, int result) {
  const char *words = nvml->error_string ? nvml->error_string(result) : NULL;
  return words ? words : "NVML does not describe the error";
}

/* Returns a needed function that is absent; NULL: none. */
static const char *find_functions(struct pawl_nvml *nvml) {
#define SYMBOL(NAME, SYMBOL, OLDER, NEEDED, PARAMETERS) {SYMBOL, OLDER, &nvml->NAME},
  const struct pawl_symbol symbols[] = {{"nvmlErrorString", NULL, &nvml->error_string},
                                        PAWL_NVML_FUNCTIONS(SYMBOL)};
#undef SYMBOL
  pawl_library_find(nvml->library, symbols, PAWL_COUNT(symbols));
#define MISSING(NAME, SYMBOL, OLDER, NEEDED, PARAMETERS) \
  if (NEEDED && !nvml->NAME) return SYMBOL;
  PAWL_NVML_FUNCTIONS(MISSING)
#undef MISSING
  return NULL;
}

pawl_status pawl_nvml_open(struct pawl_nvml *out, struct pawl_error *err) {
  struct pawl_nvml nvml = {0};
  PAWL_TRY(pawl_library_open("PAWL_NVML_LIBRARY", "libnvidia-ml.so.1", "NVML", &nvml.library, err));
  const char *missing = find_functions(&nvml);
  if (missing)
    return pawl_fail(err, PAWL_UNAVAILABLE, "NVML has no function %s; install a newer driver",
                     missing);
  const int result = nvml.init();
  if (result != PAWL_NVML_SUCCESS)
    return pawl_fail(err, PAWL_UNAVAILABLE, "NVML does not start: %s",
                     pawl_nvml_words(&nvml, result));
  *out = nvml;
  return PAWL_OK;
}

void pawl_nvml_release(struct pawl_nvml *nvml) {
  if (!nvml || !nvml->library) return;
  nvml->shutdown();
  *nvml = (struct pawl_nvml){0}; /* the library stays mapped, as drivers' libraries must */
}

pawl_status pawl_nvml_find(const struct pawl_nvml *nvml, const char *uuid, const char *pci,
                           pawl_nvml_device *device, pawl_nvml_device *whole,
                           struct pawl_error *err) {
  pawl_nvml_device found = NULL;
  int result = uuid ? nvml->by_uuid(uuid, &found) : PAWL_NVML_NOT_SUPPORTED;
  if (result != PAWL_NVML_SUCCESS && pci) result = nvml->by_pci(pci, &found);
  if (result != PAWL_NVML_SUCCESS)
    return pawl_fail(err, PAWL_UNAVAILABLE, "NVML does not find the GPU '%s': %s",
                     uuid  ? uuid
                     : pci ? pci
                           : "",
                     pawl_nvml_words(nvml, result));
  unsigned mig = 0;
  pawl_nvml_device parent = found;
  if (nvml->is_mig && nvml->mig_parent && nvml->is_mig(found, &mig) == PAWL_NVML_SUCCESS && mig &&
      nvml->mig_parent(found, &parent) != PAWL_NVML_SUCCESS)
    parent = found;
  *device = found;
  *whole = parent;
  return PAWL_OK;
}

/* A reading of type unsigned, scaled; NaN when the function is absent or refuses. */
static double reading(int (*read)(pawl_nvml_device, unsigned *), pawl_nvml_device device,
                      double scale) {
  unsigned value = 0;
  return read && read(device, &value) == PAWL_NVML_SUCCESS ? value * scale : NAN;
}

static double typed_reading(int (*read)(pawl_nvml_device, int, unsigned *), pawl_nvml_device device,
                            int type) {
  unsigned value = 0;
  return read && read(device, type, &value) == PAWL_NVML_SUCCESS ? (double)value : NAN;
}

const char *pawl_nvml_slow_reasons(unsigned long long mask, struct pawl_arena *arena) {
  static const struct {
    unsigned long long bit;
    const char *name;
  } reasons[] = {{PAWL_NVML_SW_POWER_CAP, "sw_power_cap"},
                 {PAWL_NVML_HW_SLOWDOWN, "hw_slowdown"},
                 {PAWL_NVML_SYNC_BOOST, "sync_boost"},
                 {PAWL_NVML_SW_THERMAL_SLOWDOWN, "sw_thermal_slowdown"},
                 {PAWL_NVML_HW_THERMAL_SLOWDOWN, "hw_thermal_slowdown"},
                 {PAWL_NVML_HW_POWER_BRAKE, "hw_power_brake"}};
  struct pawl_text text = {0};
  for (size_t i = 0; i < PAWL_COUNT(reasons); i++) {
    if (mask & reasons[i].bit)
      pawl_text_printf(&text, "%s%s", text.length ? "," : "", reasons[i].name);
  }
  const char *copy = pawl_arena_copy(arena, pawl_text_string(&text));
  pawl_text_clear(&text);
  return copy;
}

static double violation_seconds(const struct pawl_nvml *nvml, pawl_nvml_device device, int policy) {
  struct pawl_nvml_violation violation = {0};
  const bool read =
      nvml->violation && nvml->violation(device, policy, &violation) == PAWL_NVML_SUCCESS;
  return read ? (double)violation.violation_ns * 1e-9 : NAN;
}

void pawl_nvml_read_state(const struct pawl_nvml *nvml, pawl_nvml_device device,
                          struct pawl_arena *arena, struct pawl_device_state *out) {
  struct pawl_device_state state = pawl_device_state_unknown();
  state.frequency_mhz = typed_reading(nvml->clock, device, PAWL_NVML_CLOCK_SM);
  state.memory_frequency_mhz = typed_reading(nvml->clock, device, PAWL_NVML_CLOCK_MEMORY);
  state.temperature_c = typed_reading(nvml->temperature, device, PAWL_NVML_TEMPERATURE_GPU);
  state.power_w = reading(nvml->power, device, 1e-3);
  state.power_capped_s = violation_seconds(nvml, device, PAWL_NVML_POLICY_POWER);
  state.heat_capped_s = violation_seconds(nvml, device, PAWL_NVML_POLICY_THERMAL);
  unsigned long long mask = 0;
  if (nvml->event_reasons && nvml->event_reasons(device, &mask) == PAWL_NVML_SUCCESS)
    state.event_reasons = pawl_nvml_slow_reasons(mask, arena);
  *out = state;
}

const char *pawl_nvml_lost(const struct pawl_nvml *nvml, const char *uuid,
                           struct pawl_arena *arena) {
  pawl_nvml_device device, whole;
  struct pawl_error why = {0};
  unsigned celsius = 0;
  if (pawl_nvml_find(nvml, uuid, NULL, &device, &whole, &why) != PAWL_OK)
    return pawl_arena_copy(arena, why.message);
  const int result = nvml->temperature
                         ? nvml->temperature(whole, PAWL_NVML_TEMPERATURE_GPU, &celsius)
                         : PAWL_NVML_SUCCESS;
  return result == PAWL_NVML_GPU_IS_LOST
             ? pawl_arena_printf(arena, "NVML: %s", pawl_nvml_words(nvml, result))
             : NULL;
}

void pawl_nvml_describe(const struct pawl_nvml *nvml, pawl_nvml_device device,
                        pawl_nvml_device whole, struct pawl_arena *arena, struct pawl_device *out) {
  char text[96] = "";
  int current = 0, pending = 0;
  if (nvml->driver_version && nvml->driver_version(text, sizeof text) == PAWL_NVML_SUCCESS)
    out->driver = pawl_arena_copy(arena, text);
  if (nvml->ecc && nvml->ecc(whole, &current, &pending) == PAWL_NVML_SUCCESS)
    out->ecc = current != 0;
  if (device != whole) { /* its name ends in the profile: "NVIDIA H200 MIG 1g.18gb" */
    const char *mark = nvml->name && nvml->name(device, text, sizeof text) == PAWL_NVML_SUCCESS
                           ? strstr(text, "MIG ")
                           : NULL;
    out->mig = mark ? pawl_arena_copy(arena, mark + strlen("MIG ")) : "unknown";
  }
  const double limit = reading(nvml->power_limit, whole, 1e-3);
  const double clock = typed_reading(nvml->max_clock, whole, PAWL_NVML_CLOCK_SM);
  const double memory = typed_reading(nvml->max_clock, whole, PAWL_NVML_CLOCK_MEMORY);
  if (isfinite(limit)) out->power_limit_w = limit;
  if (isfinite(clock)) out->max_frequency_mhz = clock;
  if (isfinite(memory)) out->max_memory_frequency_mhz = memory;
}
