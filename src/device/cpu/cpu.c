/* SPDX-License-Identifier: Apache-2.0 */
/* Describes this machine's CPU, from /proc, /sys and cpuid. */
#include "device/cpu/cpu.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/count.h"
#include "base/parallel.h"

/* The value of the first line "key : value" of /proc/cpuinfo; NULL when no line has this key. */
static const char *cpuinfo(const char *key, struct pawl_arena *arena) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  char *line = NULL;
  size_t capacity = 0;
  const char *found = NULL;
  while (file && !found && getline(&line, &capacity, file) > 0) {
    const size_t length = strcspn(line, "\t:");
    if (length != strlen(key) || strncmp(line, key, length) != 0) continue;
    const char *value = strchr(line, ':');
    if (!value) continue;
    value += 1 + strspn(value + 1, " \t");
    found = pawl_arena_printf(arena, "%.*s", (int)strcspn(value, "\n"), value);
  }
  free(line);
  if (file) fclose(file);
  return found && *found ? found : NULL;
}

int64_t pawl_cpu_last_level_cache(const char *folder) {
  int64_t largest = -1;
  for (int i = 0; i < 8; i++) {
    char path[512], line[64] = "";
    snprintf(path, sizeof path, "%s/index%d/size", folder, i);
    FILE *file = fopen(path, "re");
    if (!file) continue;
    char unit = '\0';
    long long size = 0;
    if (fgets(line, sizeof line, file) && sscanf(line, "%lld%c", &size, &unit) >= 1 && size > 0) {
      const int64_t bytes = unit == 'K'   ? size << 10
                            : unit == 'M' ? size << 20
                            : unit == 'G' ? size << 30
                                          : size;
      if (bytes > largest) largest = bytes;
    }
    fclose(file);
  }
  return largest;
}

/* A virtual machine may report the whole cache of its host. PAWL_CPU_CACHE_BYTES overrides it. */
static pawl_status read_last_level_cache(int64_t *out, struct pawl_error *err) {
  const char *given = getenv("PAWL_CPU_CACHE_BYTES");
  int64_t bytes = pawl_cpu_last_level_cache("/sys/devices/system/cpu/cpu0/cache");
  if (given && *given && (!pawl_parse_i64(given, &bytes) || bytes < 1))
    return pawl_fail(err, PAWL_CONFIG,
                     "PAWL_CPU_CACHE_BYTES must be a number of bytes above 0, not '%s'", given);
  *out = bytes;
  return PAWL_OK;
}

/* "x86-64 avx512f avx2 fma": the machine, and the features by which kernels choose at run time. */
static const char *describe_arch(struct pawl_arena *arena) {
  struct pawl_text text = {0};
  struct utsname system;
  const char *machine = uname(&system) ? "unknown" : system.machine;
  pawl_text_add(&text, !strcmp(machine, "x86_64") ? "x86-64" : machine);
  static const char *const wanted[] = {"amx_tile", "avx512f", "avx512_fp16", "avx512_bf16", "avx2",
                                       "fma",      "sve2",    "sve",         "asimd"};
  const char *flags = cpuinfo("flags", arena);
  if (!flags) flags = cpuinfo("Features", arena);
  for (size_t i = 0; flags && i < PAWL_COUNT(wanted); i++) {
    const size_t length = strlen(wanted[i]);
    for (const char *p = flags; *p; p += strspn(p, " ")) {
      const size_t word = strcspn(p, " ");
      if (word == length && !strncmp(p, wanted[i], length))
        pawl_text_printf(&text, " %s", wanted[i]);
      p += word;
    }
  }
  const char *copy = pawl_arena_copy(arena, text.data);
  pawl_text_clear(&text);
  return copy;
}

const char *pawl_cpu_name(struct pawl_arena *arena) {
  static const char *const keys[] = {"model name", "Processor", "CPU part"};
  const char *name = NULL;
  for (size_t i = 0; !name && i < PAWL_COUNT(keys); i++) name = cpuinfo(keys[i], arena);
  return name;
}

static pawl_status list(struct pawl_device_search *search, struct pawl_arena *arena,
                        struct pawl_device **devices, int *count, const char **reason,
                        struct pawl_error *err) {
  struct pawl_device *device = pawl_arena_alloc(arena, 1, sizeof *device);
  (void)search;
  *device = pawl_device_unknown(PAWL_CPU);
  device->name = pawl_cpu_name(arena);
  device->units = pawl_cpu_count();
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) device->memory_bytes = (int64_t)pages * page;
  PAWL_TRY(read_last_level_cache(&device->last_level_cache_bytes, err));
  device->arch = describe_arch(arena);
  *devices = device;
  *count = 1;
  *reason = NULL;
  return PAWL_OK;
}

bool pawl_cpu_counts_events(void) {
  struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof cycles,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
  const int fd = (int)syscall(SYS_perf_event_open, &cycles, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

const struct pawl_device_backend pawl_cpu_backend = {.kind = PAWL_CPU,
                                                     .name = "cpu",
                                                     .list = list,
                                                     .state = pawl_cpu_state,
                                                     .limits = pawl_cpu_limits};
