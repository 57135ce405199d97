/* SPDX-License-Identifier: Apache-2.0 */
/* Times that cannot be: below a GPU's peak at its highest clock, and, cold, below what reading the
   inputs takes; those beyond a measured peak of a CPU; and those of kernels that remember results.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "device/cuda/cuda_peak.h"
#include "measure/result_builder.h"
#include "measure/roofline.h"

#define SLACK \
  1.05 /* a time may pass a bound by this factor: events resolve 0.5 us, clocks are rounded */
#define MIB 1048576.0

/* A measurement of one sample, `seconds` long, summed up. */
struct trial {
  const struct pawl_device *gpu;
  int32_t dtype;
  enum pawl_cache_mode cache;
  double flop, input_bytes, output_bytes, compulsory_bytes, seconds;
  double *fresh_seconds; /* pairs */
  size_t fresh_pairs;
  const char **bottleneck; /* out; NULL: nobody asks */
  double cpu_gflops;       /* a CPU's measured peak */
  const char *limits_folder;
};

static enum pawl_outcome outcome_of(const struct trial *trial, char reason[256]) {
  struct pawl_arena arena = {0};
  struct pawl_device_limits limits;
  struct pawl_placed_tensor tensors[2] = {
      {.spec = {.role = PAWL_IN}, .bytes = (uint64_t)trial->input_bytes},
      {.spec = {.role = PAWL_OUT}, .bytes = (uint64_t)trial->output_bytes}};
  struct pawl_tensor_set set = {.tensors = tensors, .count = 2};
  const struct pawl_problem problem = {
      .config = {.name = "case", .dtype = trial->dtype},
      .work = {.flop = trial->flop, .bytes = trial->compulsory_bytes},
      .sets = &set,
      .set_count = 1};
  const struct pawl_measure_spec spec = {.cache = trial->cache};
  const struct pawl_worker_options worker = {.name = "kernel"};
  const struct pawl_bench_options options = {.worker = &worker,
                                             .spec = &spec,
                                             .device = trial->gpu,
                                             .limits = &limits,
                                             .threads = 1,
                                             .limits_folder = trial->limits_folder};
  double sample_ms = trial->seconds * 1e3;
  struct pawl_process_samples process = {&sample_ms, 1};
  struct pawl_result_builder builder;
  struct pawl_result result;
  assert_int_equal(pawl_cuda_limits(trial->gpu, trial->dtype, &arena, &limits, NULL), PAWL_OK);
  if (trial->cpu_gflops > 0) limits = (struct pawl_device_limits){trial->cpu_gflops, 1e9, "test"};
  struct pawl_block block = {
      .arms = {{.fresh_seconds = trial->fresh_seconds, .fresh_pairs = trial->fresh_pairs}}};
  pawl_result_builder_init(&builder, &problem, &options, &arena);
  assert_true(pawl_result_builder_add(&builder, &block, 0));
  builder.result.processes = &process;
  builder.result.process_count = 1;
  assert_int_equal(pawl_result_builder_finish(&builder, &result, NULL), PAWL_OK);
  strncpy(reason, result.reason ? result.reason : "", 255);
  reason[255] = '\0';
  if (trial->bottleneck) *trial->bottleneck = result.roofline.bottleneck; /* a constant */
  json_decref(result.environment);
  json_decref(result.gpu_state);
  pawl_arena_clear(&arena);
  return result.outcome;
}

/* Right at 1.001 of the shortest time that can be, wrong at 0.999 of it. */
static void assert_bound(struct trial trial, double shortest, const char *words) {
  char reason[256];
  trial.seconds = shortest * 1.001;
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_OK);
  trial.seconds = shortest * 0.999;
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_WRONG);
  assert_non_null(strstr(reason, words));
  trial.seconds = 0; /* events may come that close */
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_WRONG);
}

static struct pawl_device gpu(const char *arch, int units, double mhz, int bus_bits,
                              double memory_mhz) {
  struct pawl_device out = pawl_device_unknown(PAWL_CUDA);
  out.arch = arch;
  out.units = units;
  out.max_frequency_mhz = mhz;
  out.bus_bits = bus_bits;
  out.max_memory_frequency_mhz = memory_mhz;
  return out;
}

/* Data sheets, dense: H200 at 1980 MHz and A100 at 1410 MHz, in TFLOP/s. F32 may be computed by
   tensor cores, in F16 at the fastest, which these bounds allow for. */
static void test_no_time_is_below_the_compute_peak(void **state) {
  (void)state;
  static const struct {
    const char *arch;
    int units;
    double mhz;
    int32_t dtype;
    double tflops;
  } peaks[] = {
      {"sm_90a", 132, 1980, PAWL_F64, 66.908},     {"sm_90a", 132, 1980, PAWL_F32, 66.908 * 16},
      {"sm_90a", 132, 1980, PAWL_F16, 1070.53},    {"sm_90a", 132, 1980, PAWL_BF16, 1070.53},
      {"sm_90a", 132, 1980, PAWL_E4M3, 2141.06},   {"sm_80", 108, 1410, PAWL_F64, 19.492},
      {"sm_80", 108, 1410, PAWL_F32, 19.492 * 16}, {"sm_80", 108, 1410, PAWL_F16, 311.87},
      {"sm_80", 108, 1410, PAWL_BF16, 311.87}};
  for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
    const struct pawl_device device = gpu(peaks[i].arch, peaks[i].units, peaks[i].mhz, 6144, 3201);
    struct trial trial = {
        .gpu = &device, .dtype = peaks[i].dtype, .flop = 1e12, .compulsory_bytes = 1};
    const double shortest = trial.flop / (peaks[i].tflops * 1e12 * SLACK);
    trial.cache = PAWL_CACHE_WARM;
    assert_bound(trial, shortest, "the device's peak is");
    trial.cache = PAWL_CACHE_COLD;
    assert_bound(trial, shortest, "the device's peak is");
  }
}

/* 6144 bit x 2 x 3201 MHz: 4917 GB/s. */
static void test_no_cold_time_is_below_reading_the_inputs(void **state) {
  (void)state;
  const struct pawl_device h200 = gpu("sm_90a", 132, 1980, 6144, 3201);
  const double rate = 6144 / 8.0 * 2 * 3201e6 * SLACK;
  char reason[256];
  struct trial trial = {.gpu = &h200,
                        .dtype = PAWL_F16,
                        .cache = PAWL_CACHE_COLD,
                        .flop = 1,
                        .input_bytes = 48 * MIB,
                        .output_bytes = 16 * MIB,
                        .compulsory_bytes = 64 * MIB};
  assert_bound(trial, 48 * MIB / rate,
               "to read the inputs from memory"); /* outputs may stay in the cache */
  trial.compulsory_bytes = 8 * MIB;               /* not all of the inputs are needed */
  assert_bound(trial, 8 * MIB / rate, "to read the inputs from memory");
  trial.cache = PAWL_CACHE_WARM; /* then they lie in the cache */
  trial.seconds = 8 * MIB / rate / 10;
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_OK);
}

/* An unknown peak bounds nothing, and a CPU's measured peak bounds nothing either. */
static void test_unknown_peaks_bound_nothing(void **state) {
  (void)state;
  char reason[256];
  const struct pawl_device no_bus = gpu("sm_90a", 132, 1980, -1, NAN);
  struct trial trial = {.gpu = &no_bus,
                        .dtype = PAWL_F16,
                        .cache = PAWL_CACHE_COLD,
                        .flop = 1,
                        .input_bytes = 48 * MIB,
                        .compulsory_bytes = 48 * MIB,
                        .seconds = 1e-9};
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_OK);
  trial.flop = 1e12; /* the compute peak is known all the same */
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_WRONG);
  struct pawl_device cpu = gpu("sm_90a", 132, 1980, 6144, 3201);
  cpu.kind = PAWL_CPU;
  trial.gpu = &cpu;
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_OK);
}

/* One of the pairs may be disturbed, by a slow call on inputs that were seen; no more, or noise
 * would accuse. */
static void test_remembered_results_are_no_times(void **state) {
  (void)state;
  char reason[256];
  const struct pawl_device device = gpu("sm_90a", 132, 1980, 6144, 3201);
  double seconds[2 * PAWL_FRESH_PAIRS];
  struct trial trial = {.gpu = &device, .dtype = PAWL_F32, .seconds = 1, .fresh_seconds = seconds};
  for (int disturbed = 0; disturbed <= 2; disturbed++) {
    for (int i = 0; i < PAWL_FRESH_PAIRS; i++) {
      seconds[2 * i] = i < disturbed ? 0.95 : 0.3;
      seconds[2 * i + 1] = 1.0;
    }
    trial.fresh_pairs = PAWL_FRESH_PAIRS;
    assert_int_equal(outcome_of(&trial, reason),
                     disturbed < 2 ? PAWL_OUTCOME_WRONG : PAWL_OUTCOME_OK);
    if (disturbed < 2)
      assert_non_null(strstr(reason, disturbed
                                         ? "11 of 12 calls on new inputs took at least 3.3 times"
                                         : "12 of 12 calls"));
    trial.fresh_pairs = PAWL_FRESH_PAIRS - 1; /* too few to tell */
    assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_OK);
  }
}

/* A measured peak can be beaten a little. A time far beyond it shows that it is no limit of this
 * kernel. */
static void test_nothing_to_gain_at_the_limit(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_work work = {.flop = 1e6, .bytes = 8e6};
  const struct pawl_device_limits limits = {.gflops = 300,
                                            .bandwidth_gb_s = 10}; /* 0.8 ms for 8 MB */
  const char *const words[] = {"within 11 % of the memory limit: only less work helps",
                               "at the measured memory limit of this machine: only less work helps",
                               ("133 % of the measured memory bandwidth of this machine: the "
                                "operator counts too many bytes, "
                                "or data stay in a cache")};
  const double times_ms[] = {0.9, 0.78, 0.6};
  for (int i = 0; i < 3; i++) {
    struct pawl_roofline roofline = {0};
    roofline.efficiency_pct = NAN;
    pawl_roofline_of(&work, times_ms[i], PAWL_ROOFLINE_GPU, &limits, false, &arena, &roofline);
    assert_true(fabs(roofline.efficiency_pct - 80 / times_ms[i]) < 1e-9);
    assert_string_equal(roofline.bottleneck, "memory");
    assert_int_equal(roofline.recommendation_count, 1);
    assert_string_equal(roofline.recommendations[0], words[i]);
    assert_ptr_equal(pawl_roofline_error(&roofline), i == 2 ? roofline.recommendations[0] : NULL);
  }
  pawl_arena_clear(&arena);
}

/* Other work lowered the peak of a CPU while pawl measured it: a time beyond it measures it again.
 */
static void test_a_low_peak_is_measured_again(void **state) {
  (void)state;
  char folder[] = "/tmp/pawl-test-peak.XXXXXX", reason[256];
  assert_non_null(mkdtemp(folder));
  struct pawl_device cpu = gpu("sm_90a", 132, 1980, 6144, 3201);
  cpu.kind = PAWL_CPU;
  cpu.last_level_cache_bytes = 1 << 20; /* a short triad */
  struct trial trial = {.gpu = &cpu,
                        .dtype = PAWL_F32,
                        .flop = 1e6,
                        .compulsory_bytes = 1,
                        .seconds = 1e-3,
                        .cpu_gflops = 1e-3};
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_WRONG);
  trial.limits_folder = folder;
  assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_OK);
  assert_int_equal(pawl_remove_tree(folder, NULL), PAWL_OK);
}

/* The bandwidth of memory limits warm data only where they do not fit in the cache. */
static void test_memory_is_no_limit_of_cached_data(void **state) {
  (void)state;
  struct pawl_device device = gpu("sm_90a", 132, 1980, 6144, 3201);
  device.last_level_cache_bytes = 50 << 20;
  const struct {
    enum pawl_cache_mode cache;
    double mib;
    bool memory;
  } rows[] = {
      {PAWL_CACHE_WARM, 20, false}, {PAWL_CACHE_WARM, 30, true}, {PAWL_CACHE_COLD, 20, true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *bottleneck = "";
    char reason[256];
    const struct trial trial = {.gpu = &device,
                                .dtype = PAWL_F32,
                                .cache = rows[i].cache,
                                .flop = 1e6,
                                .input_bytes = rows[i].mib * MIB,
                                .output_bytes = rows[i].mib * MIB,
                                .compulsory_bytes = 2 * rows[i].mib * MIB,
                                .seconds = 1e-3,
                                .bottleneck = &bottleneck};
    assert_int_equal(outcome_of(&trial, reason), PAWL_OUTCOME_OK);
    if (rows[i].memory) {
      assert_string_equal(bottleneck, "memory");
    } else {
      assert_null(bottleneck);
    }
  }
}

/* Arithmetic does not know the units: a kernel of tensor cores far below its limit gets no advice
 * for another unit. */
static void test_arithmetic_advises_no_unit(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_work work = {.flop = 1e9, .bytes = 1e6};
  const struct pawl_device_limits limits = {.gflops = 1000,
                                            .bandwidth_gb_s = 1000}; /* 1 ms to compute */
  struct pawl_roofline roofline = {0};
  pawl_roofline_of(&work, 1 / 0.24, PAWL_ROOFLINE_GPU, &limits, true, &arena,
                   &roofline); /* a cache changes nothing for it */
  assert_string_equal(roofline.bottleneck, "compute");
  assert_non_null(strstr(roofline.recommendations[0], "the kernel reaches 24 % of it"));
  assert_non_null(strstr(roofline.recommendations[1], "pawl profile"));
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_time_is_below_the_compute_peak),
      cmocka_unit_test(test_no_cold_time_is_below_reading_the_inputs),
      cmocka_unit_test(test_unknown_peaks_bound_nothing),
      cmocka_unit_test(test_remembered_results_are_no_times),
      cmocka_unit_test(test_nothing_to_gain_at_the_limit),
      cmocka_unit_test(test_a_low_peak_is_measured_again),
      cmocka_unit_test(test_memory_is_no_limit_of_cached_data),
      cmocka_unit_test(test_arithmetic_advises_no_unit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
