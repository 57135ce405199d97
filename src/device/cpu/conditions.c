/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cpu/conditions.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MOST_STEAL_PERCENT 1.0
#define CPU_FOLDER "/sys/devices/system/cpu"

/* The first line of a small file, in the arena; NULL: it cannot be read. */
static const char *first_line(const char *root, const char *path, struct pawl_arena *arena) {
  char line[512];
  FILE *file = fopen(pawl_arena_printf(arena, "%s%s", root, path), "re");
  const bool read = file && fgets(line, sizeof line, file);
  if (file) fclose(file);
  if (!read) return NULL;
  line[strcspn(line, "\n")] = '\0';
  return pawl_arena_copy(arena, line);
}

static bool governor(const char *root, struct pawl_arena *arena, struct pawl_condition *out) {
  const char *name = first_line(root, CPU_FOLDER "/cpu0/cpufreq/scaling_governor", arena);
  if (!name) return false;
  *out =
      (struct pawl_condition){"governor", !strcmp(name, "performance"), name,
                              "the clock follows the load: cpupower frequency-set -g performance"};
  return true;
}

static bool turbo(const char *root, struct pawl_arena *arena, struct pawl_condition *out) {
  const char *off = first_line(root, CPU_FOLDER "/intel_pstate/no_turbo", arena);
  const char *on = off ? NULL : first_line(root, CPU_FOLDER "/cpufreq/boost", arena);
  if (!off && !on) return false;
  const bool fixed = off ? !strcmp(off, "1") : !strcmp(on, "0");
  *out = (struct pawl_condition){
      "turbo", fixed, fixed ? "off" : "on",
      off ? "the clock follows the heat: echo 1 >" CPU_FOLDER "/intel_pstate/no_turbo"
          : "the clock follows the heat: echo 0 >" CPU_FOLDER "/cpufreq/boost"};
  return true;
}

static bool smt(const char *root, struct pawl_arena *arena, struct pawl_condition *out) {
  const char *active = first_line(root, CPU_FOLDER "/smt/active", arena);
  if (!active) return false;
  const bool off = !strcmp(active, "0");
  *out = (struct pawl_condition){"SMT", off, off ? "off" : "on: two threads share a core",
                                 "keep other work away, or echo off >" CPU_FOLDER "/smt/control"};
  return true;
}

/* The smallest limit of the control group and those above it, in CPUs; 0: none. Version 2: "QUOTA
   PERIOD" or "max PERIOD" in cpu.max. *shown: whether there is a control group to ask. */
static double smallest_quota(const char *root, struct pawl_arena *arena, bool *shown) {
  const char *line = first_line(root, "/proc/self/cgroup", arena);
  double smallest = 0;
  *shown = false;
  if (!line || !pawl_starts_with(line, "0::/")) return 0;
  char *group = pawl_arena_copy(arena, line + strlen("0::"));
  for (;;) {
    double quota, period;
    const char *limit =
        first_line(root, pawl_arena_printf(arena, "/sys/fs/cgroup%s/cpu.max", group), arena);
    *shown = *shown || limit;
    if (limit && sscanf(limit, "%lf %lf", &quota, &period) == 2 && period > 0 &&
        (smallest == 0 || quota / period < smallest))
      smallest = quota / period;
    char *end = strrchr(group, '/');
    if (!end) return smallest;
    *end = '\0';
  }
}

static bool quota(const char *root, struct pawl_arena *arena, struct pawl_condition *out) {
  bool shown;
  const double cpus = smallest_quota(root, arena, &shown);
  if (!shown) return false;
  *out = (struct pawl_condition){
      "quota", cpus == 0, cpus == 0 ? "none" : pawl_arena_printf(arena, "%.4g CPUs of time", cpus),
      "the system stops a kernel that has used its share: give the container whole CPUs "
      "(--cpuset-cpus), no --cpus"};
  return true;
}

/* /proc/stat: user nice system idle iowait irq softirq steal, in ticks since the start. */
static bool steal(const char *root, struct pawl_arena *arena, struct pawl_condition *out) {
  const char *line = first_line(root, "/proc/stat", arena);
  double ticks[8], sum = 0;
  if (!line || sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", ticks, ticks + 1, ticks + 2,
                      ticks + 3, ticks + 4, ticks + 5, ticks + 6, ticks + 7) != 8)
    return false;
  for (int i = 0; i < 8; i++) sum += ticks[i];
  const double percent = sum > 0 ? 100 * ticks[7] / sum : 0;
  *out = (struct pawl_condition){
      "steal", percent <= MOST_STEAL_PERCENT,
      pawl_arena_printf(arena, "%.2g %% of the time since the start went to other virtual machines",
                        percent),
      "measure on a machine, or on CPUs, that no other virtual machine shares"};
  return true;
}

size_t pawl_cpu_conditions(const char *root, struct pawl_arena *arena,
                           struct pawl_condition out[PAWL_CPU_CONDITIONS]) {
  static bool (*const judges[PAWL_CPU_CONDITIONS])(
      const char *, struct pawl_arena *, struct pawl_condition *) = {governor, turbo, smt, quota,
                                                                     steal};
  size_t count = 0;
  for (size_t i = 0; i < PAWL_CPU_CONDITIONS; i++)
    count += judges[i](root, arena, &out[count]) ? 1 : 0;
  return count;
}
