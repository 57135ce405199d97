/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the disturbances of a measurement on the CPU: its clock, its heat, other work. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "device/cpu/cpu.h"

#define BUSY_WINDOW_SECONDS 0.02 /* two ticks of /proc/stat at the usual 100 Hz */

double pawl_cpu_read_number(const char *path) {
  FILE *file = fopen(path, "re");
  char line[64];
  double value = NAN;
  if (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (!pawl_parse_double(line, &value)) value = NAN;
  }
  if (file) fclose(file);
  return value;
}

/* Mean over the CPUs of the current frequency; cpufreq where the kernel has it, else
 * /proc/cpuinfo. */
static double frequency_mhz(void) {
  double sum = 0;
  int known = 0;
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  for (long i = 0; i < cpus; i++) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/cpufreq/scaling_cur_freq", i);
    const double khz = pawl_cpu_read_number(path);
    if (khz > 0) sum += khz * 1e-3, known++;
  }
  FILE *file = known ? NULL : fopen("/proc/cpuinfo", "re");
  char line[4096];
  while (file && fgets(line, sizeof line, file)) {
    double mhz;
    if (sscanf(line, "cpu MHz : %lf", &mhz) == 1 && mhz > 0) sum += mhz, known++;
  }
  if (file) fclose(file);
  return known ? sum / known : NAN;
}

static bool is_cpu_sensor(const char *type) {
  static const char *const names[] = {"x86_pkg_temp", "coretemp",    "k10temp",    "zenpower",
                                      "cpu-thermal",  "cpu_thermal", "soc_thermal"};
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    if (pawl_starts_with(type, names[i])) return true;
  }
  return false;
}

/* The hottest CPU sensor among the folders <parent>/<prefix>*, each named by its file `type`, its
   reading, in thousandths of a degree Celsius, in `value`. */
static double hottest(const char *parent, const char *prefix, const char *type, const char *value) {
  DIR *folder = opendir(parent);
  double best = NAN;
  for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
    if (!pawl_starts_with(entry->d_name, prefix)) continue;
    char path[512], name[64] = "";
    snprintf(path, sizeof path, "%s/%s/%s", parent, entry->d_name, type);
    FILE *file = fopen(path, "re");
    const bool named = file && fgets(name, sizeof name, file);
    if (file) fclose(file);
    snprintf(path, sizeof path, "%s/%s/%s", parent, entry->d_name, value);
    const double milli = named && is_cpu_sensor(name) ? pawl_cpu_read_number(path) : NAN;
    if (milli > 0 && !(milli * 1e-3 <= best)) best = milli * 1e-3;
  }
  if (folder) closedir(folder);
  return best;
}

/* /proc/stat's first line without idle and iowait. */
double pawl_cpu_machine_seconds(void) {
  FILE *file = fopen("/proc/stat", "re");
  double user, nice, system, idle, wait, irq, soft, steal;
  const bool read = file && fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice,
                                   &system, &idle, &wait, &irq, &soft, &steal) == 8;
  if (file) fclose(file);
  const long ticks = sysconf(_SC_CLK_TCK);
  return read && ticks > 0 ? (user + nice + system + irq + soft + steal) / (double)ticks : NAN;
}

static double used_by(int who) {
  struct rusage own;
  getrusage(who, &own);
  return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
         (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) * 1e-6;
}

double pawl_cpu_own_seconds(void) { return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN); }

struct pawl_device_state pawl_cpu_state_at_once(void) {
  struct pawl_device_state state = pawl_device_state_unknown();
  state.frequency_mhz = frequency_mhz();
  state.temperature_c = hottest("/sys/class/thermal", "thermal_zone", "type", "temp");
  if (isnan(state.temperature_c))
    state.temperature_c = hottest("/sys/class/hwmon", "hwmon", "name", "temp1_input");
  if (getloadavg(&state.load_1m, 1) != 1) state.load_1m = NAN;
  return state;
}

pawl_status pawl_cpu_state(const struct pawl_device *device, struct pawl_arena *arena,
                           struct pawl_device_state *out, struct pawl_error *err) {
  (void)device, (void)arena, (void)err;
  const int64_t start = pawl_clock_ns();
  const double machine = pawl_cpu_machine_seconds(), own = pawl_cpu_own_seconds();
  struct pawl_device_state state = pawl_cpu_state_at_once();
  pawl_sleep_seconds(BUSY_WINDOW_SECONDS);
  const double seconds = pawl_seconds_since(start);
  const double other = (pawl_cpu_machine_seconds() - machine) - (pawl_cpu_own_seconds() - own);
  state.other_busy = isnan(other) ? NAN : other > 0 ? other / seconds : 0;
  *out = state;
  return PAWL_OK;
}
