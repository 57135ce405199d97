/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/gpu_conditions.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "device/cuda/nvml.h"

#define MOST_PROCESSES 64
#define NAMED_PROCESSES 4

/* The GPU under judgement. A MIG slice has its own processes; all else belongs to the whole GPU. */
struct judged_gpu {
  const struct pawl_nvml *nvml;
  pawl_nvml_device slice, whole;
  struct pawl_arena *arena;
};

/* Whether the driver has this function and answered. */
#define READ(member, ...) (nvml->member && nvml->member(__VA_ARGS__) == PAWL_NVML_SUCCESS)

static bool persistence(const struct judged_gpu *gpu, struct pawl_condition *out) {
  const struct pawl_nvml *nvml = gpu->nvml;
  int mode = 0;
  if (!READ(persistence, gpu->whole, &mode)) return false;
  *out = (struct pawl_condition){
      "persistence", mode != 0, mode ? "on" : "off: an idle GPU unloads its driver",
      "each start then takes longer and drops locked clocks: nvidia-smi -pm 1"};
  return true;
}

/* The driver says that a setting holds the clock, but not whether it is application clocks or a
 * lock. */
static bool clock_setting(const struct judged_gpu *gpu, struct pawl_condition *out) {
  const struct pawl_nvml *nvml = gpu->nvml;
  unsigned now = 0, most = 0;
  unsigned long long reasons = 0;
  if (!READ(clock, gpu->whole, PAWL_NVML_CLOCK_SM, &now) ||
      !READ(max_clock, gpu->whole, PAWL_NVML_CLOCK_SM, &most) ||
      !READ(event_reasons, gpu->whole, &reasons))
    return false;
  const bool held = reasons & PAWL_NVML_CLOCK_SETTING;
  *out = (struct pawl_condition){"clock", held,
                                 pawl_arena_printf(gpu->arena,
                                                   held ? "a setting holds it: %u of %u MHz"
                                                        : "no setting holds it: %u of %u MHz now",
                                                   now, most),
                                 "the clock follows load and heat: measure: {clocks: lock} holds "
                                 "it while pawl measures, as root"};
  return true;
}

/* Returns the advice for the most serious reason that slows the clock down. */
static const char *remedy_of_reasons(unsigned long long reasons) {
  if (reasons & PAWL_NVML_HW_POWER_BRAKE)
    return "the power supply asks for less: check its cables and load";
  if (reasons & (PAWL_NVML_HW_THERMAL_SLOWDOWN | PAWL_NVML_SW_THERMAL_SLOWDOWN))
    return "the GPU is too hot: check fans and air flow, and let it cool down";
  if (reasons & PAWL_NVML_HW_SLOWDOWN)
    return "heat or the power supply: nvidia-smi -q -d PERFORMANCE tells more";
  if (reasons & PAWL_NVML_SYNC_BOOST)
    return "another GPU of the sync boost group is slower: leave the group";
  return "other work draws power up to the limit: stop it; if there is none, lock a lower clock";
}

static bool slow_down(const struct judged_gpu *gpu, struct pawl_condition *out) {
  const struct pawl_nvml *nvml = gpu->nvml;
  unsigned long long reasons = 0;
  if (!READ(event_reasons, gpu->whole, &reasons)) return false;
  const char *names = pawl_nvml_slow_reasons(reasons, gpu->arena);
  const bool none = !*names;
  *out = (struct pawl_condition){"slow-down", none, none ? "none now" : names,
                                 remedy_of_reasons(reasons)};
  return true;
}

static bool power_limit(const struct judged_gpu *gpu, struct pawl_condition *out) {
  const struct pawl_nvml *nvml = gpu->nvml;
  unsigned now = 0, usual = 0;
  if (!READ(power_limit, gpu->whole, &now) || !READ(default_power_limit, gpu->whole, &usual))
    return false;
  *out = (struct pawl_condition){
      "power limit", now >= usual,
      pawl_arena_printf(gpu->arena, "%.0f W, %.0f W by default", now * 1e-3, usual * 1e-3),
      pawl_arena_printf(gpu->arena,
                        "kernels run slower than on other GPUs of this kind: nvidia-smi -pl %.0f, "
                        "or keep it and record a baseline of its own",
                        usual * 1e-3)};
  return true;
}

static const char *on_off(int on) { return on ? "on" : "off"; }

static bool ecc_mode(const struct judged_gpu *gpu, struct pawl_condition *out) {
  const struct pawl_nvml *nvml = gpu->nvml;
  int now = 0, pending = 0;
  if (!READ(ecc, gpu->whole, &now, &pending)) return false;
  const bool same = !now == !pending;
  *out = (struct pawl_condition){"ECC", same,
                                 same ? on_off(now)
                                      : pawl_arena_printf(gpu->arena, "%s, but %s after a reset",
                                                          on_off(now), on_off(pending)),
                                 "bandwidth and memory change with it: reset the GPU, or undo it "
                                 "(nvidia-smi -e), before you record a baseline"};
  return true;
}

static bool memory_errors(const struct judged_gpu *gpu, struct pawl_condition *out) {
  const struct pawl_nvml *nvml = gpu->nvml;
  unsigned long long errors = 0;
  if (!READ(ecc_errors, gpu->whole, PAWL_NVML_UNCORRECTED, PAWL_NVML_SINCE_START, &errors))
    return false;
  *out = (struct pawl_condition){
      "memory errors", errors == 0,
      errors ? pawl_arena_printf(gpu->arena, "%llu uncorrected since the driver started", errors)
             : "none uncorrected since the driver started",
      "do not trust results of this GPU: nvidia-smi -q -d ECC,ROW_REMAPPER; reset it, and replace "
      "it if they return"};
  return true;
}

static bool mig_mode(const struct judged_gpu *gpu, struct pawl_condition *out) {
  const struct pawl_nvml *nvml = gpu->nvml;
  unsigned now = 0, pending = 0;
  if (!READ(mig_mode, gpu->whole, &now, &pending)) return false;
  const bool same = !now == !pending;
  *out = (struct pawl_condition){
      "MIG", same && !now,
      same ? (now ? "on: slices share the clock and the power limit" : "off")
           : pawl_arena_printf(gpu->arena, "%s, but %s after a reset", on_off(now != 0),
                               on_off(pending != 0)),
      same ? "keep the other slices idle, or measure on a whole GPU"
           : "reset the GPU, or undo it (nvidia-smi -mig), before you record a baseline"};
  return true;
}

/* "python3 (pid 123)"; a container may hide the name. */
static void add_process(unsigned pid, struct pawl_text *out) {
  char path[64], name[64] = "";
  snprintf(path, sizeof path, "/proc/%u/comm", pid);
  FILE *file = fopen(path, "re");
  if (file && !fgets(name, sizeof name, file)) name[0] = '\0';
  if (file) fclose(file);
  name[strcspn(name, "\n")] = '\0';
  pawl_text_printf(out, *name ? "%s (pid %u)" : "%spid %u", name, pid);
}

/* Lists the processes with a context and names the first; 0: none. doctor itself has no context. */
static unsigned list_processes(const struct pawl_nvml_process *list, unsigned count,
                               struct pawl_text *out) {
  unsigned others = 0;
  for (unsigned i = 0; i < count; i++) {
    if (list[i].pid == (unsigned)getpid()) continue;
    if (others && others < NAMED_PROCESSES) pawl_text_add(out, ", ");
    if (others < NAMED_PROCESSES) add_process(list[i].pid, out);
    others++;
  }
  if (others > NAMED_PROCESSES) pawl_text_printf(out, " and %u more", others - NAMED_PROCESSES);
  return others;
}

static bool processes(const struct judged_gpu *gpu, struct pawl_condition *out) {
  struct pawl_nvml_process list[MOST_PROCESSES];
  unsigned count = MOST_PROCESSES;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!gpu->nvml->processes) return false;
  const int result = gpu->nvml->processes(gpu->slice, &count, list);
  if (result == PAWL_NVML_INSUFFICIENT_SIZE)
    pawl_text_printf(&text, "more than %d", MOST_PROCESSES);
  else if (result != PAWL_NVML_SUCCESS)
    return false;
  const unsigned others = text.length ? count : list_processes(list, count, &text);
  *out = (struct pawl_condition){
      "other processes", others == 0,
      others ? pawl_arena_copy(gpu->arena, pawl_text_string(&text)) : "none",
      "stop them, or measure later: they take memory, bandwidth and power"};
  return true;
}

pawl_status pawl_gpu_conditions(const struct pawl_device *device, struct pawl_arena *arena,
                                struct pawl_condition out[PAWL_GPU_CONDITIONS], size_t *count,
                                struct pawl_error *err) {
  static bool (*const judges[PAWL_GPU_CONDITIONS])(const struct judged_gpu *,
                                                   struct pawl_condition *) = {
      persistence, clock_setting, slow_down, power_limit,
      ecc_mode,    memory_errors, mig_mode,  processes};
  PAWL_CLEANUP(pawl_nvml_release) struct pawl_nvml nvml = {0};
  struct judged_gpu gpu = {.nvml = &nvml, .arena = arena};
  PAWL_TRY(pawl_nvml_open(&nvml, err));
  PAWL_TRY(pawl_nvml_find(&nvml, device->uuid, NULL, &gpu.slice, &gpu.whole, err));
  size_t known = 0;
  for (size_t i = 0; i < PAWL_GPU_CONDITIONS; i++) known += judges[i](&gpu, &out[known]) ? 1 : 0;
  *count = known;
  return PAWL_OK;
}
