/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's two peaks: the best of a few measurements, in a cache for each machine. */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/parallel.h"
#include "device/cpu/cpu.h"
#include "device/cpu/cpu_peak.h"

#define LIMITS_SCHEMA 2
#define PEAK_SECONDS 0.06
#define BANDWIDTH_SECONDS 0.06
#define SMALLEST_TRIAD ((int64_t)96 << 20) /* bytes of the three arrays */
#define LARGEST_TRIAD ((int64_t)3 << 30)
#define ENOUGH 9 /* three quiet measurements, or nine on a machine that is always busy */
#define MOST 27  /* also for times that are beyond the figures */
#define QUIET_WORTH 3
/* With more CPUs in use by other processes, a measurement is not a quiet one. */
#define BUSY_TOO_MUCH 0.25

/* Counts the last-level caches: each of several processors or chiplets has one. */
static int64_t count_caches(void) {
  double seen[256];
  int64_t count = 0;
  for (int cpu = 0; cpu < 4096 && count < 256; cpu++) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index3/id", cpu);
    const double id = pawl_cpu_read_number(path);
    int64_t slot = 0;
    if (isnan(id)) break;
    while (slot < count && !(seen[slot] == id)) slot++;
    if (slot == count) seen[count++] = id;
  }
  return count > 0 ? count : 1;
}

static int64_t triad_bytes(const struct pawl_device *device) {
  const int64_t cache =
      device->last_level_cache_bytes > 0 ? device->last_level_cache_bytes * count_caches() : 0;
  int64_t bytes = 4 * cache > SMALLEST_TRIAD ? 4 * cache : SMALLEST_TRIAD;
  if (bytes > LARGEST_TRIAD) bytes = LARGEST_TRIAD;
  if (device->memory_bytes > 0 && bytes > device->memory_bytes / 8)
    bytes = device->memory_bytes / 8;
  return bytes;
}

static pawl_status measure(const struct pawl_device *device, bool f64, int threads,
                           struct pawl_arena *arena, struct pawl_device_limits *out,
                           struct pawl_error *err) {
  const int64_t bytes = triad_bytes(device);
  const char *unit;
  struct pawl_device_limits limits = {
      .gflops = pawl_cpu_peak_gflops(f64, threads, PEAK_SECONDS, &unit),
      .bandwidth_gb_s = pawl_cpu_bandwidth_gb_s((size_t)bytes / 3, threads, BANDWIDTH_SECONDS)};
  if (!(limits.gflops > 0) || !(limits.bandwidth_gb_s > 0))
    return pawl_fail(err, PAWL_NO_MEMORY,
                     "cannot measure the peaks of this CPU: no memory for %lld MiB of arrays",
                     (long long)(bytes >> 20));
  limits.source = pawl_arena_printf(
      arena, "measured on %d thread%s: %s FMA with %s; STREAM triad over %lld MiB", threads,
      threads == 1 ? "" : "s", f64 ? "f64" : "f32", unit, (long long)(bytes >> 20));
  *out = limits;
  return PAWL_OK;
}

/* The cache entry of this CPU: the best figures of all measurements so far. */
struct cached_limits {
  struct pawl_device_limits limits;
  /* QUIET_WORTH for each quiet measurement, 1 for each other */
  int evidence;
};

/* An entry without figures where the cache has no usable entry. */
static struct cached_limits limits_read_entry(const json_t *cache, const char *key,
                                              struct pawl_arena *arena) {
  const json_t *object = json_object_get(cache, key);
  const char *source = json_string_value(json_object_get(object, "source"));
  const double gflops = json_number_value(json_object_get(object, "gflops"));
  const double bandwidth = json_number_value(json_object_get(object, "bandwidth_gb_s"));
  const json_int_t evidence = json_integer_value(json_object_get(object, "evidence"));
  struct cached_limits entry = {0};
  if (!source || !(gflops > 0) || !(bandwidth > 0) || evidence < 0) return entry;
  entry.limits = (struct pawl_device_limits){gflops, bandwidth, pawl_arena_copy(arena, source)};
  entry.evidence = evidence < MOST ? (int)evidence : MOST;
  return entry;
}

static void write_entry(json_t *cache, const char *folder, const char *path, const char *key,
                        const struct cached_limits *entry) {
  json_t *object = json_object();
  pawl_json_set_number(object, "gflops", entry->limits.gflops);
  pawl_json_set_number(object, "bandwidth_gb_s", entry->limits.bandwidth_gb_s);
  pawl_json_set_string(object, "source", entry->limits.source);
  pawl_json_set_int(object, "evidence", entry->evidence);
  pawl_json_set(cache, key, object);
  /* a cache that cannot be written costs the next command 0.2 s and nothing else */
  if (pawl_make_folders(folder, NULL) != PAWL_OK ||
      pawl_json_write(path, cache, false, NULL) != PAWL_OK)
    return;
}

/* Measures once more and keeps the better figures: other work, a low clock or a busy neighbour only
 * ever lower one. */
static pawl_status improve(const struct pawl_device *device, bool f64, int threads,
                           struct pawl_arena *arena, struct cached_limits *entry,
                           struct pawl_error *err) {
  struct pawl_device_state state;
  struct pawl_device_limits now;
  PAWL_TRY(pawl_cpu_state(device, arena, &state, err));
  PAWL_TRY(measure(device, f64, threads, arena, &now, err));
  now.gflops = fmax(now.gflops, entry->limits.gflops);
  now.bandwidth_gb_s = fmax(now.bandwidth_gb_s, entry->limits.bandwidth_gb_s);
  entry->limits = now;
  entry->evidence += state.other_busy > BUSY_TOO_MUCH ? 1 : QUIET_WORTH;
  return PAWL_OK;
}

/* Measures unless the cache has `enough` evidence. */
static pawl_status limits_improve_to(int enough, const struct pawl_device *device, int32_t dtype,
                                     int threads, const char *cache_folder,
                                     struct pawl_arena *arena, struct pawl_device_limits *out,
                                     struct pawl_error *err) {
  const bool f64 = dtype == PAWL_F64; /* narrower types are computed in f32 on CPUs */
  if (!cache_folder) return measure(device, f64, threads, arena, out, err);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(cache_folder, "limits.json");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *cache = NULL;
  pawl_device_identity(device, &key);
  pawl_text_printf(&key, ", %s, %d threads", f64 ? "f64" : "f32", threads);
  const bool read = pawl_file_exists(path) && pawl_json_read(path, &cache, NULL) == PAWL_OK &&
                    json_integer_value(json_object_get(cache, "schema_version")) == LIMITS_SCHEMA;
  struct cached_limits entry =
      read ? limits_read_entry(cache, key.data, arena) : (struct cached_limits){0};
  if (entry.evidence < enough) {
    if (!read) {
      pawl_json_release(&cache);
      cache = json_object();
      pawl_json_set_int(cache, "schema_version", LIMITS_SCHEMA);
    }
    PAWL_TRY(improve(device, f64, threads, arena, &entry, err));
    write_entry(cache, cache_folder, path, key.data, &entry);
  }
  *out = entry.limits;
  return PAWL_OK;
}

pawl_status pawl_cpu_limits(const struct pawl_device *device, int32_t dtype, int threads,
                            const char *cache_folder, struct pawl_arena *arena,
                            struct pawl_device_limits *out, struct pawl_error *err) {
  return limits_improve_to(ENOUGH, device, dtype, threads, cache_folder, arena, out, err);
}

pawl_status pawl_cpu_limits_again(const struct pawl_device *device, int32_t dtype, int threads,
                                  const char *cache_folder, struct pawl_arena *arena,
                                  struct pawl_device_limits *out, struct pawl_error *err) {
  return limits_improve_to(MOST, device, dtype, threads, cache_folder, arena, out, err);
}
