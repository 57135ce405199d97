/* SPDX-License-Identifier: Apache-2.0 */
#include "project/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/text.h"
#include "device/backends.h"

/* --device N or UUID chooses a GPU; the CPU is always the only one. */
static const struct pawl_device *choose(const struct pawl_device *devices, int count, int32_t kind,
                                        const char *wanted) {
  int64_t index;
  if (!wanted || kind == PAWL_CPU) return &devices[0];
  for (int i = 0; i < count; i++) {
    if (devices[i].uuid && !strcmp(devices[i].uuid, wanted)) return &devices[i];
    if (pawl_parse_i64(wanted, &index) && devices[i].index == index) return &devices[i];
  }
  return NULL;
}

static void probe(struct pawl_devices *devices, int32_t kind) {
  const struct pawl_device_backend *backend = pawl_device_backend(kind);
  struct pawl_error err = {0};
  struct pawl_device *list = NULL;
  struct pawl_device_search *search = &devices->searches[kind];
  int count = 0;
  const char *reason = NULL;
  devices->probed[kind] = true;
  if (!backend) {
    devices->reasons[kind] = "this pawl does not support such devices";
  } else if (backend->list(search->begun ? search : NULL, devices->arena, &list, &count, &reason,
                           &err) != PAWL_OK) {
    devices->reasons[kind] = pawl_arena_copy(devices->arena, err.message);
    devices->misconfigured[kind] = err.code == PAWL_CONFIG;
  } else if (count == 0) {
    devices->reasons[kind] = reason ? reason : "pawl found none";
  } else {
    const struct pawl_device *device = choose(list, count, kind, devices->wanted);
    if (device)
      devices->found[kind] = *device;
    else
      devices->reasons[kind] = pawl_arena_printf(
          devices->arena, "no device '%s' among %d devices: pawl doctor lists them",
          devices->wanted, count);
  }
}

static void take_from(struct pawl_devices *owner, int32_t kind, struct pawl_devices *out) {
  (void)pawl_devices_find(owner, kind, NULL);
  out->found[kind] = owner->found[kind];
  out->reasons[kind] = owner->reasons[kind];
  out->misconfigured[kind] = owner->misconfigured[kind];
  out->probed[kind] = true;
}

void pawl_devices_begin(struct pawl_devices *devices, int32_t kind) {
  const struct pawl_device_backend *backend = pawl_device_backend(kind);
  struct pawl_device_search *search = &devices->searches[kind];
  if (!devices->owner && !devices->probed[kind] && !search->begun && backend && backend->begin)
    backend->begin(search);
}

void pawl_devices_dismiss(struct pawl_devices *devices) {
  for (int32_t kind = 0; kind < PAWL_DEVICE_KINDS; kind++)
    if (devices->searches[kind].begun) pawl_device_backend(kind)->dismiss(&devices->searches[kind]);
}

void pawl_devices_release(struct pawl_devices *devices) {
  pawl_turn_end(&devices->turn);
  for (int32_t kind = 0; kind < PAWL_DEVICE_KINDS; kind++)
    if (devices->searches[kind].begun) pawl_device_backend(kind)->release(&devices->searches[kind]);
}

const struct pawl_device *pawl_devices_find(struct pawl_devices *devices, int32_t kind,
                                            const char **reason) {
  PAWL_ASSERT(kind == PAWL_CPU || kind == PAWL_CUDA);
  if (!devices->probed[kind] && devices->owner)
    take_from(devices->owner, kind, devices);
  else if (!devices->probed[kind])
    probe(devices, kind);
  if (reason) *reason = devices->reasons[kind];
  return devices->found[kind].kind ? &devices->found[kind] : NULL;
}

void pawl_devices_hide_gpu(struct pawl_devices *devices, const char *reason) {
  devices->found[PAWL_CUDA] = (struct pawl_device){0};
  devices->probed[PAWL_CUDA] = true;
  devices->reasons[PAWL_CUDA] = reason;
}

bool pawl_devices_lost(struct pawl_devices *devices, int32_t kind) {
  if (kind != PAWL_CUDA) return false;
  const struct pawl_device *gpu = pawl_devices_find(devices, PAWL_CUDA, NULL);
  const char *why =
      !devices->gpu_lost && gpu ? pawl_device_backend(PAWL_CUDA)->lost(gpu, devices->arena) : NULL;
  if (why)
    devices->gpu_lost = pawl_arena_printf(devices->arena, "GPU %d (%s) was lost: %s", gpu->index,
                                          gpu->uuid ? gpu->uuid : "no UUID", why);
  return devices->gpu_lost != NULL;
}

static int compare_numbers(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Every pawl takes the CPUs in the same order, so that no two wait for each other. */
static pawl_status take_cpus(struct pawl_devices *devices, const struct pawl_measure_spec *spec,
                             int64_t begin, struct pawl_log *log, struct pawl_error *err) {
  const struct pawl_cpus ours = pawl_cpus_of_process(devices->arena);
  const struct pawl_cpus *used = spec->cpus.count ? &spec->cpus : &ours;
  int *numbers = pawl_arena_alloc(devices->arena, used->count, sizeof *numbers);
  memcpy(numbers, used->numbers, used->count * sizeof *numbers);
  qsort(numbers, used->count, sizeof *numbers, compare_numbers);
  for (size_t i = 0; i < used->count; i++) {
    char place[32];
    snprintf(place, sizeof place, "cpu-%d", numbers[i]);
    PAWL_TRY(pawl_turn_take(&devices->turn, place, begin, devices->wait_seconds, log, err));
  }
  return PAWL_OK;
}

/* Every pawl takes the GPU first. A pawl that has CPUs gives them back before it waits for a GPU,
   so that no two pawls wait for each other. */
pawl_status pawl_devices_take_turn(struct pawl_devices *devices, int32_t kind,
                                   const struct pawl_measure_spec *spec, struct pawl_log *log,
                                   struct pawl_error *err) {
  if (devices->owner) devices = devices->owner;
  if (devices->has_turn[kind] || pawl_budget_is_over()) return PAWL_OK; /* nothing more is timed */
  const int64_t begin = pawl_clock_ns();
  const bool cpus = kind == PAWL_CPU || devices->has_turn[PAWL_CPU];
  if (kind == PAWL_CUDA) {
    const struct pawl_device *gpu = pawl_devices_find(devices, kind, NULL);
    if (!gpu || !gpu->uuid) return PAWL_OK;
    const char *place = pawl_arena_printf(devices->arena, "gpu-%s", gpu->uuid);
    pawl_turn_end(&devices->turn);
    devices->has_turn[PAWL_CPU] = false;
    PAWL_TRY(pawl_turn_take(&devices->turn, place, begin, devices->wait_seconds, log, err));
    devices->has_turn[PAWL_CUDA] = true;
  }
  if (cpus) PAWL_TRY(take_cpus(devices, spec, begin, log, err));
  devices->has_turn[PAWL_CPU] = cpus;
  return PAWL_OK;
}

double pawl_devices_waited(const struct pawl_devices *devices) {
  return devices->owner ? devices->owner->turn.waited : devices->turn.waited;
}

void pawl_devices_end_turn(struct pawl_devices *devices) {
  if (devices->owner) devices = devices->owner;
  pawl_turn_end(&devices->turn);
  for (int32_t kind = 0; kind < PAWL_DEVICE_KINDS; kind++) devices->has_turn[kind] = false;
}

void pawl_devices_lock_clocks(struct pawl_devices *devices, const struct pawl_measure_spec *spec,
                              struct pawl_log *log) {
  if (spec->clocks != PAWL_CLOCKS_LOCK) return;
  struct pawl_error why = {0};
  const struct pawl_device *gpu =
      devices->clocks ? NULL : pawl_devices_find(devices, PAWL_CUDA, NULL);
  if (!gpu) return; /* the clock is locked already, or belongs to a CPU, which pawl does not lock */
  if (pawl_clock_lock(gpu, &devices->clock_lock, &why) == PAWL_OK)
    devices->clocks = "locked";
  else
    devices->clocks = pawl_arena_printf(devices->arena, "not locked: %s", why.message);
  pawl_log_info(log, "clocks of the GPU: %s", devices->clocks);
}

void pawl_devices_unlock_clocks(struct pawl_devices *devices, struct pawl_log *log) {
  struct pawl_error why = {0};
  if (pawl_clock_unlock(&devices->clock_lock, &why) != PAWL_OK)
    pawl_log_info(log, "%s", why.message);
}
