/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA back end and the clock lock on drivers without a GPU. Argument: the folder of the fake
   drivers; the environment names the guard. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "device/backends.h"
#include "device/cuda/clocks.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/nvml.h"

static const char *folder;
static const struct pawl_device_backend *cuda;

static void choose(const char *variable, const char *file) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  setenv(variable, path, 1);
}

static int set_up(void **state) {
  *state = calloc(1, sizeof(struct pawl_arena));
  choose("PAWL_CUDA_LIBRARY", "fake_cuda.so");
  choose("PAWL_NVML_LIBRARY", "fake_nvml.so");
  static const char *const variables[] = {"FAKE_CUDA_FAULT", "FAKE_NVML_FAULT", "FAKE_NVML_REASONS",
                                          "FAKE_NVML_LOG", "CUDA_VISIBLE_DEVICES"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
  return 0;
}

static int tear_down(void **state) {
  pawl_arena_clear(*state);
  free(*state);
  return 0;
}

static void devices_are_described(void **state) {
  struct pawl_device *devices;
  int count;
  const char *reason = "unset";
  assert_int_equal(cuda->list(NULL, *state, &devices, &count, &reason, NULL), PAWL_OK);
  assert_int_equal(count, 2);
  assert_null(reason);
  for (int i = 0; i < 2; i++) {
    char name[32], uuid[64];
    snprintf(name, sizeof name, "Fake GPU %d", i);
    snprintf(uuid, sizeof uuid, "GPU-ab000000-0000-0000-0000-%012d", i);
    assert_string_equal(devices[i].name, name);
    assert_string_equal(devices[i].uuid, uuid);
    assert_string_equal(devices[i].arch, "sm_90a");
    assert_string_equal(devices[i].driver, "580.159.04");
    assert_int_equal(devices[i].units, 132);
    assert_int_equal(devices[i].last_level_cache_bytes, 2 << 20);
    assert_int_equal(devices[i].memory_bytes, (int64_t)143771 << 20);
    assert_int_equal(devices[i].ecc, 1);
    assert_null(devices[i].mig);
    assert_true(devices[i].power_limit_w == 700 && devices[i].max_frequency_mhz == 1980);
  }
  struct pawl_text identity = {0};
  pawl_device_identity(&devices[0], &identity);
  assert_string_equal(identity.data, "cuda Fake GPU 0, 132 SMs, 140 GiB, 700 W");
  pawl_text_clear(&identity);
}

/* CUDA numbers the visible GPUs anew, NVML does not: they meet by UUID. The fakes number them in
 * opposite orders. */
static void visible_devices_keep_their_nvml(void **state) {
  struct pawl_device device;
  struct pawl_device_state now;
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  assert_int_equal(pawl_device_find(PAWL_CUDA, NULL, *state, &device, NULL), PAWL_OK);
  assert_string_equal(device.name, "Fake GPU 1");
  assert_int_equal(device.index, 0);
  assert_int_equal(cuda->state(&device, *state, &now, NULL), PAWL_OK);
  assert_true(now.frequency_mhz == 1981);
  unsetenv("CUDA_VISIBLE_DEVICES");
  assert_int_equal(pawl_device_find(PAWL_CUDA, "0", *state, &device, NULL), PAWL_OK);
  assert_int_equal(cuda->state(&device, *state, &now, NULL), PAWL_OK);
  assert_true(now.frequency_mhz == 1980);
}

static void devices_are_found_by_number_or_uuid(void **state) {
  struct pawl_device device;
  struct pawl_error err = {0};
  assert_int_equal(pawl_device_find(PAWL_CUDA, "1", *state, &device, &err), PAWL_OK);
  assert_string_equal(device.name, "Fake GPU 1");
  assert_int_equal(pawl_device_find(PAWL_CUDA, "GPU-ab000000-0000-0000-0000-000000000001", *state,
                                    &device, &err),
                   PAWL_OK);
  assert_string_equal(device.name, "Fake GPU 1");
  static const char *const bad[] = {"2",      "-1", "",  "GPU-",
                                    "GPU-ff", "x",  "1x"}; /* "GPU-" could be either */
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(pawl_device_find(PAWL_CUDA, bad[i], *state, &device, &err), PAWL_USAGE);
    assert_non_null(strstr(err.message, "from 0 to 1"));
  }
  setenv("FAKE_CUDA_FAULT", "none", 1);
  assert_int_equal(pawl_device_find(PAWL_CUDA, NULL, *state, &device, &err), PAWL_UNAVAILABLE);
  assert_non_null(strstr(err.message, "sees no GPU"));
}

static void expect_reason(void **state, const char *words) {
  struct pawl_device *devices = NULL;
  int count = 77;
  const char *reason = NULL;
  assert_int_equal(cuda->list(NULL, *state, &devices, &count, &reason, NULL), PAWL_OK);
  assert_int_equal(count, 0);
  assert_non_null(reason);
  if (!strstr(reason, words)) fail_msg("%s", reason);
}

static void every_absence_has_a_reason(void **state) {
  static const char *const rows[][2] = {{"none", "sees no GPU"},
                                        {"init", "does not start: words (CUDA_ERROR_X, 999)"},
                                        {"old", "for CUDA 11.2, which is too old"},
                                        {"no_count", "does not report the number of GPUs"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    setenv("FAKE_CUDA_FAULT", rows[i][0], 1);
    expect_reason(state, rows[i][1]);
  }
  unsetenv("FAKE_CUDA_FAULT");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  expect_reason(state, "CUDA_VISIBLE_DEVICES");
  unsetenv("CUDA_VISIBLE_DEVICES");
  choose("PAWL_CUDA_LIBRARY", "fake_cuda_older.so");
  expect_reason(state, "no function cuGraphUpload");
  choose("PAWL_CUDA_LIBRARY", "absent.so");
  expect_reason(state, "no NVIDIA driver");
}

static void without_nvml_devices_are_still_listed(void **state) {
  struct pawl_device *devices;
  struct pawl_device_state now;
  int count;
  const char *reason = NULL;
  choose("PAWL_NVML_LIBRARY", "absent.so");
  assert_int_equal(cuda->list(NULL, *state, &devices, &count, &reason, NULL), PAWL_OK);
  assert_int_equal(count, 2);
  assert_non_null(strstr(reason, "no NVML"));
  assert_true(isnan(devices[0].power_limit_w));
  assert_null(devices[0].driver);
  assert_true(devices[0].max_frequency_mhz == 1980); /* CUDA knows this one */
  assert_int_equal(cuda->state(&devices[0], *state, &now, NULL), PAWL_OK);
  assert_true(isnan(now.frequency_mhz) && isnan(now.temperature_c));
  choose("PAWL_NVML_LIBRARY", "fake_nvml.so");
  setenv("FAKE_NVML_FAULT", "init", 1);
  assert_int_equal(cuda->list(NULL, *state, &devices, &count, &reason, NULL), PAWL_OK);
  assert_non_null(strstr(reason, "NVML does not start: Driver Not Loaded"));
}

static struct pawl_device_state read_state(void **state) {
  struct pawl_device device;
  struct pawl_device_state now;
  assert_int_equal(pawl_device_find(PAWL_CUDA, "0", *state, &device, NULL), PAWL_OK);
  assert_int_equal(cuda->state(&device, *state, &now, NULL), PAWL_OK);
  return now;
}

static void state_is_read(void **state) {
  struct pawl_device_state now = read_state(state);
  assert_true(now.frequency_mhz == 1980 && now.memory_frequency_mhz == 3201 &&
              now.temperature_c == 41);
  assert_true(fabs(now.power_w - 123.456) < 1e-9);
  assert_true(now.power_capped_s == 2.5 && now.heat_capped_s == 0);
  assert_string_equal(now.event_reasons, "");
  setenv("FAKE_NVML_REASONS", "0x3",
         1); /* idle, and clocks set by the user: nothing that slows work down */
  assert_string_equal(read_state(state).event_reasons, "");
  setenv("FAKE_NVML_REASONS", "0x45", 1);
  assert_string_equal(read_state(state).event_reasons, "sw_power_cap,hw_thermal_slowdown");
}

static void what_cannot_be_read_is_unknown(void **state) {
  static const char *const faults[] = {"unknown", "lost"};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    setenv("FAKE_NVML_FAULT", faults[i], 1);
    const struct pawl_device_state now = read_state(state);
    assert_true(isnan(now.frequency_mhz) && isnan(now.memory_frequency_mhz) &&
                isnan(now.temperature_c));
    assert_true(isnan(now.power_w) && isnan(now.power_capped_s) && isnan(now.heat_capped_s));
    assert_null(now.event_reasons);
  }
}

static void limits_are_those_of_the_chip(void **state) {
  struct pawl_device device;
  struct pawl_device_limits limits;
  struct pawl_error err = {0};
  assert_int_equal(pawl_device_find(PAWL_CUDA, "0", *state, &device, NULL), PAWL_OK);
  assert_int_equal(cuda->limits(&device, PAWL_F16, 1, NULL, *state, &limits, &err), PAWL_OK);
  assert_true(fabs(limits.gflops - 132 * 4096 * 1.98) < 1); /* 1070 TFLOP/s */
  assert_true(fabs(limits.bandwidth_gb_s - 4916.7) < 1);    /* 4.9 TB/s */
  assert_int_equal(cuda->limits(&device, PAWL_F32, 1, NULL, *state, &limits, &err), PAWL_OK);
  assert_true(fabs(limits.gflops - 132 * 256 * 1.98) < 1);
  assert_int_equal(cuda->limits(&device, PAWL_I32, 1, NULL, *state, &limits, &err),
                   PAWL_UNAVAILABLE);
  device.arch = "sm_61";
  assert_int_equal(cuda->limits(&device, PAWL_F32, 1, NULL, *state, &limits, &err),
                   PAWL_UNAVAILABLE);
  device.arch = NULL;
  assert_int_equal(cuda->limits(&device, PAWL_F32, 1, NULL, *state, &limits, &err),
                   PAWL_UNAVAILABLE);
}

/* The log of the calls that set the clock, such as "lock unlock". */
static const char *clock_log(void **state) {
  struct pawl_text text = {0}, words = {0};
  const char *path = getenv("FAKE_NVML_LOG");
  if (pawl_file_exists(path)) assert_int_equal(pawl_file_read(path, 65536, &text, NULL), PAWL_OK);
  for (const char *line = pawl_text_string(&text); *line; line += strcspn(line, "\n") + 1) {
    assert_non_null(strstr(line, "GPU-ab000000-0000-0000-0000-000000000001"));
    pawl_text_printf(&words, "%s%.*s", words.length ? " " : "", (int)strcspn(line, " "), line);
  }
  const char *copy = pawl_arena_copy(*state, pawl_text_string(&words));
  pawl_text_clear(&text);
  pawl_text_clear(&words);
  return copy;
}

static void expect_log(void **state, const char *expected) {
  for (int i = 0; i < 300 && strcmp(clock_log(state), expected) != 0; i++) usleep(10000);
  assert_string_equal(clock_log(state), expected);
}

static struct pawl_device second_gpu(void **state, char path[static 64]) {
  struct pawl_device device;
  snprintf(path, 64, "/tmp/pawl-test-clocks.%d", (int)getpid());
  unlink(path);
  setenv("FAKE_NVML_LOG", path, 1);
  assert_int_equal(pawl_device_find(PAWL_CUDA, "1", *state, &device, NULL), PAWL_OK);
  return device;
}

static void clocks_are_locked_and_freed(void **state) {
  char path[64];
  const struct pawl_device device = second_gpu(state, path);
  struct pawl_clock_lock lock = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_clock_unlock(&lock, &err), PAWL_OK); /* nothing is locked */
  if (pawl_clock_lock(&device, &lock, &err)) fail_msg("%s", err.message);
  assert_string_equal(clock_log(state), "lock");
  assert_int_equal(pawl_clock_unlock(&lock, &err), PAWL_OK);
  assert_string_equal(clock_log(state), "lock unlock");
  assert_int_equal(pawl_clock_unlock(&lock, &err), PAWL_OK);
  assert_string_equal(clock_log(state), "lock unlock");
  unlink(path);
}

/* A process that locks and then dies of `number`; "-1": exits without freeing. */
static void die_holding_the_lock(const struct pawl_device *device, int number) {
  const pid_t child = fork();
  if (child == 0) {
    struct pawl_clock_lock lock = {0};
    if (pawl_clock_lock(device, &lock, NULL) != PAWL_OK) _exit(3);
    if (number >= 0) raise(number);
    _exit(0);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(number >= 0 ? WIFSIGNALED(how) : WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static void clocks_are_freed_however_the_holder_ends(void **state) {
  static const int ends[] = {SIGKILL, SIGABRT, SIGINT, -1};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char path[64];
    const struct pawl_device device = second_gpu(state, path);
    die_holding_the_lock(&device, ends[i]);
    expect_log(state, "lock unlock");
    unlink(path);
  }
}

static void a_guard_that_is_asked_to_end_frees_first(void **state) {
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    char path[64];
    const struct pawl_device device = second_gpu(state, path);
    struct pawl_clock_lock lock = {0};
    assert_int_equal(pawl_clock_lock(&device, &lock, NULL), PAWL_OK);
    kill(lock.guard.pid, signals[i]);
    expect_log(state, "lock unlock");
    assert_int_equal(pawl_clock_unlock(&lock, NULL), PAWL_OK);
    unlink(path);
  }
}

static void a_guard_that_was_killed_is_stood_in_for(void **state) {
  char path[64];
  const struct pawl_device device = second_gpu(state, path);
  struct pawl_clock_lock lock = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_clock_lock(&device, &lock, &err), PAWL_OK);
  kill(lock.guard.pid, SIGKILL);
  assert_int_equal(pawl_clock_unlock(&lock, &err), PAWL_OK);
  assert_string_equal(clock_log(state), "lock unlock");
  unlink(path);
}

static void clocks_that_cannot_be_locked_or_freed(void **state) {
  char path[64];
  struct pawl_device device = second_gpu(state, path);
  struct pawl_clock_lock lock = {0};
  struct pawl_error err = {0};
  setenv("FAKE_NVML_FAULT", "no_permission", 1);
  assert_int_equal(pawl_clock_lock(&device, &lock, &err), PAWL_NOT_PERMITTED);
  assert_non_null(strstr(err.message, "Insufficient Permissions"));
  setenv("FAKE_NVML_FAULT", "init", 1);
  assert_int_equal(pawl_clock_lock(&device, &lock, &err), PAWL_UNAVAILABLE);
  setenv("FAKE_NVML_FAULT", "unlock", 1);
  assert_int_equal(pawl_clock_lock(&device, &lock, &err), PAWL_OK);
  assert_int_equal(pawl_clock_unlock(&lock, &err), PAWL_IO);
  assert_non_null(strstr(
      err.message, "nvidia-smi -i GPU-ab000000-0000-0000-0000-000000000001 --reset-gpu-clocks"));
  unsetenv("FAKE_NVML_FAULT");
  device.uuid = "GPU-unknown";
  assert_int_equal(pawl_clock_lock(&device, &lock, &err), PAWL_UNAVAILABLE);
  device.uuid = NULL;
  assert_int_equal(pawl_clock_lock(&device, &lock, &err), PAWL_UNAVAILABLE);
  unlink(path);
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  folder = argv[1];
  cuda = pawl_device_backend(PAWL_CUDA);
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(devices_are_described),
      TEST(visible_devices_keep_their_nvml),
      TEST(devices_are_found_by_number_or_uuid),
      TEST(every_absence_has_a_reason),
      TEST(without_nvml_devices_are_still_listed),
      TEST(state_is_read),
      TEST(what_cannot_be_read_is_unknown),
      TEST(limits_are_those_of_the_chip),
      TEST(clocks_are_locked_and_freed),
      TEST(clocks_are_freed_however_the_holder_ends),
      TEST(a_guard_that_is_asked_to_end_frees_first),
      TEST(a_guard_that_was_killed_is_stood_in_for),
      TEST(clocks_that_cannot_be_locked_or_freed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
