/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/parallel.h"
#include "device/backends.h"
#include "device/cpu/cpu.h"
#include "device/cpu/cpu_peak.h"
#include "device/cpu/topology.h"
#include "device/device.h"

static struct pawl_device the_cpu(struct pawl_arena *arena) {
  struct pawl_device *devices;
  int count = 0;
  const char *reason = "unset";
  const struct pawl_device_backend *backend = pawl_device_backend(PAWL_CPU);
  assert_non_null(backend);
  assert_int_equal(backend->list(NULL, arena, &devices, &count, &reason, NULL), PAWL_OK);
  assert_int_equal(count, 1);
  return devices[0];
}

static void test_cpu_is_described(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_device cpu = the_cpu(&arena);
  assert_int_equal(cpu.units, pawl_cpu_count());
  assert_true(cpu.memory_bytes > 64 << 20);
  assert_true(cpu.last_level_cache_bytes == -1 || cpu.last_level_cache_bytes >= 128 << 10);
  assert_true(strlen(cpu.arch) > 0);
#if defined(__x86_64__)
  assert_true(pawl_starts_with(cpu.arch, "x86-64"));
  assert_int_equal(strstr(cpu.arch, "avx2") != NULL, __builtin_cpu_supports("avx2") != 0);
  assert_int_equal(strstr(cpu.arch, "avx512f") != NULL, __builtin_cpu_supports("avx512f") != 0);
#endif
  struct pawl_text one = {0}, two = {0};
  pawl_device_identity(&cpu, &one);
  const struct pawl_device again = the_cpu(&arena);
  pawl_device_identity(&again, &two);
  assert_string_equal(one.data, two.data);
  pawl_text_clear(&one);
  pawl_text_clear(&two);
  pawl_arena_clear(&arena);
}

static void test_the_size_of_the_cache_can_be_given(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_device *devices = NULL;
  int count = 0;
  const char *reason = NULL;
  setenv("PAWL_CPU_CACHE_BYTES", "1048576", 1);
  assert_int_equal(the_cpu(&arena).last_level_cache_bytes, 1048576);
  const char *const bad[] = {"0", "-1", "1MiB", "much"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct pawl_error error = {0};
    setenv("PAWL_CPU_CACHE_BYTES", bad[i], 1);
    assert_int_equal(
        pawl_device_backend(PAWL_CPU)->list(NULL, &arena, &devices, &count, &reason, &error),
        PAWL_CONFIG);
    assert_non_null(strstr(error.message, bad[i]));
  }
  setenv("PAWL_CPU_CACHE_BYTES", "", 1);
  assert_int_equal(the_cpu(&arena).last_level_cache_bytes,
                   pawl_cpu_last_level_cache("/sys/devices/system/cpu/cpu0/cache"));
  unsetenv("PAWL_CPU_CACHE_BYTES");
  pawl_arena_clear(&arena);
}

static void expect_identity(const struct pawl_device *device, const char *expected) {
  struct pawl_text text = {0};
  pawl_device_identity(device, &text);
  assert_string_equal(text.data, expected);
  pawl_text_clear(&text);
}

static void test_identity_leaves_the_unknown_out(void **state) {
  (void)state;
  struct pawl_device device = pawl_device_unknown(PAWL_CPU);
  expect_identity(&device, "cpu (unknown)");
  device.name = "Some CPU @ 2.80GHz", device.units = 2, device.memory_bytes = (int64_t)23 << 30;
  expect_identity(&device, "cpu Some CPU @ 2.80GHz, 2 CPUs, 23 GiB");
  device.units = 1;
  expect_identity(&device, "cpu Some CPU @ 2.80GHz, 1 CPU, 23 GiB");
  device = pawl_device_unknown(PAWL_CUDA);
  device.name = "NVIDIA H200", device.units = 132, device.memory_bytes = (int64_t)143771 << 20;
  expect_identity(&device, "cuda NVIDIA H200, 132 SMs, 140 GiB");
  device.mig = "1g.18gb", device.power_limit_w = 700;
  expect_identity(&device, "cuda NVIDIA H200, 132 SMs, 140 GiB, MIG 1g.18gb, 700 W");
}

static void test_json_has_null_for_the_unknown(void **state) {
  (void)state;
  const struct pawl_device device = pawl_device_unknown(PAWL_CUDA);
  json_t *json = pawl_device_to_json(&device);
  static const char *const keys[] = {"name", "uuid",          "units", "memory_bytes",
                                     "ecc",  "power_limit_w", "mig"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    assert_true(json_is_null(json_object_get(json, keys[i])));
  json_decref(json);
  const struct pawl_device_state unknown = pawl_device_state_unknown();
  json = pawl_device_state_to_json(&unknown);
  const char *key;
  json_t *value;
  json_object_foreach(json, key, value) assert_true(json_is_null(value));
  assert_int_equal(json_object_size(json), 9);
  json_decref(json);
}

static void test_state(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_device cpu = the_cpu(&arena);
  struct pawl_device_state now;
  assert_int_equal(pawl_device_backend(PAWL_CPU)->state(&cpu, &arena, &now, NULL), PAWL_OK);
  assert_true(isnan(now.frequency_mhz) || (now.frequency_mhz > 100 && now.frequency_mhz < 10000));
  assert_true(isnan(now.temperature_c) || (now.temperature_c > 0 && now.temperature_c < 150));
  assert_true(now.load_1m >= 0);
  assert_true(now.other_busy >= 0 && now.other_busy <= 4096);
  assert_true(isnan(now.power_w) && isnan(now.memory_frequency_mhz));
  assert_null(now.event_reasons);
  pawl_arena_clear(&arena);
}

static void test_numbers_that_cannot_be_read_are_nan(void **state) {
  (void)state;
  assert_true(isnan(pawl_cpu_read_number("/nonexistent")));
  assert_true(isnan(pawl_cpu_read_number("/proc/version")));
  assert_true(isnan(pawl_cpu_read_number("/proc")));
  assert_int_equal(pawl_cpu_last_level_cache("/nonexistent"), -1);
}

/* Peaks by arithmetic that is far from them on purpose: one chain has to be well below twelve. */
static void test_peak_is_plausible(void **state) {
  (void)state;
  const char *unit = NULL;
  double f64 = 0, f32 = 0;
  for (int i = 0; i < 5; i++) { /* the best of several, on a machine that others use too */
    f64 = fmax(f64, pawl_cpu_peak_gflops(true, 1, 0.04, &unit));
    f32 = fmax(f32, pawl_cpu_peak_gflops(false, 1, 0.04, &unit));
  }
  volatile double x = 1;
  const int64_t start = pawl_clock_ns();
  for (int i = 0; i < 1000000; i++) x = x * 0.999 + 0.001;
  const double chain = 2e6 / (double)(pawl_clock_ns() - start);
  assert_non_null(unit);
  assert_true(f64 > 2 * chain && f64 < 1000);
  assert_true(f32 > 1.3 * f64 && f32 < 3 * f64); /* twice the lanes */
}

static void test_bandwidth_is_plausible(void **state) {
  (void)state;
  const double rate = pawl_cpu_bandwidth_gb_s((size_t)32 << 20, 1, 0.05);
  assert_true(rate > 0.5 && rate < 2000);
}

static void test_limits_are_kept_by_identity(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  char folder[] = "/tmp/pawl-test-device.XXXXXX";
  assert_non_null(mkdtemp(folder));
  struct pawl_device cpu = the_cpu(&arena);
  cpu.last_level_cache_bytes = 1 << 20; /* a short triad */
  struct pawl_device_limits first, again;
  const struct pawl_device_backend *backend = pawl_device_backend(PAWL_CPU);
  assert_int_equal(backend->limits(&cpu, PAWL_F32, 2, folder, &arena, &first, NULL), PAWL_OK);
  assert_true(first.gflops > 0.1 && first.bandwidth_gb_s > 0.1);
  assert_non_null(strstr(first.source, "f32"));
  assert_non_null(strstr(first.source, "triad"));
  /* a later measurement only ever raises a figure, and after some of them the figures stand */
  for (int i = 0; i < 9; i++) {
    assert_int_equal(backend->limits(&cpu, PAWL_BF16, 2, folder, &arena, &again, NULL), PAWL_OK);
    assert_true(again.gflops >= first.gflops && again.bandwidth_gb_s >= first.bandwidth_gb_s);
    first = again;
  }
  assert_int_equal(backend->limits(&cpu, PAWL_F32, 2, folder, &arena, &again, NULL), PAWL_OK);
  assert_true(again.gflops == first.gflops && again.bandwidth_gb_s == first.bandwidth_gb_s);
  assert_string_equal(again.source, first.source);
  /* a time beyond them measures them again, but not for ever */
  for (int i = 0; i < 9 + 18; i++) {
    assert_int_equal(pawl_cpu_limits_again(&cpu, PAWL_F32, 2, folder, &arena, &again, NULL),
                     PAWL_OK);
    assert_true(again.gflops >= first.gflops && again.bandwidth_gb_s >= first.bandwidth_gb_s);
    first = i < 9 + 17 ? again : first;
  }
  assert_true(again.gflops == first.gflops && again.bandwidth_gb_s == first.bandwidth_gb_s);
  /* another number of threads, another entry */
  assert_int_equal(backend->limits(&cpu, PAWL_F32, 1, folder, &arena, &again, NULL), PAWL_OK);
  assert_non_null(strstr(again.source, "on 1 thread:"));
  assert_non_null(strstr(first.source, "on 2 threads:"));
  /* another device, another entry */
  cpu.name = "another CPU";
  assert_int_equal(backend->limits(&cpu, PAWL_F32, 2, folder, &arena, &again, NULL), PAWL_OK);
  char *path = pawl_path_join(folder, "limits.json");
  struct pawl_text kept = {0};
  assert_int_equal(pawl_file_read(path, 1 << 20, &kept, NULL), PAWL_OK);
  assert_non_null(strstr(pawl_text_string(&kept), "another CPU"));
  pawl_text_clear(&kept);
  /* a spoiled cache is measured anew, not believed */
  static const char *const spoiled[] = {"", "{", "[]", "{\"schema_version\": 1, \"x\": 2}",
                                        "{\"schema_version\": 99}"};
  for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
    assert_int_equal(pawl_file_write(path, spoiled[i], strlen(spoiled[i]), NULL), PAWL_OK);
    assert_int_equal(backend->limits(&cpu, PAWL_F32, 2, folder, &arena, &again, NULL), PAWL_OK);
    assert_true(again.gflops > 0.1);
  }
  pawl_free(path);
  assert_int_equal(pawl_remove_tree(folder, NULL), PAWL_OK);
  pawl_arena_clear(&arena);
}

static void write_core(const char *root, int cpu, int package, int core) {
  char path[512], text[16];
  snprintf(path, sizeof path, "%s/cpu%d/topology", root, cpu);
  assert_int_equal(pawl_make_folders(path, NULL), PAWL_OK);
  snprintf(path, sizeof path, "%s/cpu%d/topology/physical_package_id", root, cpu);
  snprintf(text, sizeof text, "%d\n", package);
  assert_int_equal(pawl_file_write(path, text, strlen(text), NULL), PAWL_OK);
  snprintf(path, sizeof path, "%s/cpu%d/topology/core_id", root, cpu);
  snprintf(text, sizeof text, "%d\n", core);
  assert_int_equal(pawl_file_write(path, text, strlen(text), NULL), PAWL_OK);
}

/* Two packages of two cores of two threads, numbered as Linux may: the siblings beside each other.
 */
static void test_cpus_of_one_core_come_late(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  char root[] = "/tmp/pawl-test-topology.XXXXXX";
  assert_non_null(mkdtemp(root));
  for (int cpu = 0; cpu < 8; cpu++) write_core(root, cpu, cpu / 4, cpu / 2 % 2);
  static const struct {
    const char *cpus, *ordered;
  } rows[] = {
      {"0-7", "0,2,4,6,1,3,5,7"}, {"7,6,1,0", "7,1,6,0"}, {"3", "3"}, {"8,0,1,9", "8,0,9,1"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pawl_cpus cpus;
    assert_true(pawl_cpus_parse(rows[i].cpus, &arena, &cpus));
    const struct pawl_cpus ordered = pawl_cpu_order_by_core(&cpus, root, &arena);
    assert_string_equal(pawl_cpus_text(&ordered, &arena), rows[i].ordered);
  }
  assert_int_equal(pawl_remove_tree(root, NULL), PAWL_OK);
  pawl_arena_clear(&arena);
}

static void test_other_backends(void **state) {
  (void)state;
  assert_null(pawl_device_backend(0));
  assert_null(pawl_device_backend(77));
  const struct pawl_device_backend *cuda = pawl_device_backend(PAWL_CUDA);
  assert_non_null(cuda);
  struct pawl_arena arena = {0};
  struct pawl_device *devices = NULL;
  int count = -1;
  const char *reason = NULL;
  assert_int_equal(cuda->list(NULL, &arena, &devices, &count, &reason, NULL), PAWL_OK);
  assert_true(count > 0 || (count == 0 && reason && *reason));
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu_is_described),
      cmocka_unit_test(test_the_size_of_the_cache_can_be_given),
      cmocka_unit_test(test_cpus_of_one_core_come_late),
      cmocka_unit_test(test_identity_leaves_the_unknown_out),
      cmocka_unit_test(test_json_has_null_for_the_unknown),
      cmocka_unit_test(test_state),
      cmocka_unit_test(test_numbers_that_cannot_be_read_are_nan),
      cmocka_unit_test(test_peak_is_plausible),
      cmocka_unit_test(test_bandwidth_is_plausible),
      cmocka_unit_test(test_limits_are_kept_by_identity),
      cmocka_unit_test(test_other_backends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
