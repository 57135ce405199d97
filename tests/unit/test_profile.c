/* SPDX-License-Identifier: Apache-2.0 */
/* Nsight Compute's counters into findings and explanations. tests/data/ncu: profiles taken on an
 * H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/file.h"
#include "profile/ceilings.h"
#include "profile/code_facts.h"
#include "profile/finding.h"
#include "profile/ncu_csv.h"
#include "profile/quantity.h"
#include "profile/summary.h"

struct fixture {
  struct pawl_arena arena;
  struct pawl_profile saxpy, sdpa;
};

static int set_up(void **state) {
  static struct fixture fixture;
  struct pawl_error err;
  const char *folder = PAWL_SOURCE_ROOT "/tests/data/ncu";
  char path[512];
  fixture = (struct fixture){0};
  snprintf(path, sizeof path, "%s/saxpy_raw.csv", folder);
  if (pawl_ncu_csv_read(path, &fixture.arena, &fixture.saxpy, &err) != PAWL_OK) return -1;
  snprintf(path, sizeof path, "%s/sdpa_3backends_raw.csv", folder);
  if (pawl_ncu_csv_read(path, &fixture.arena, &fixture.sdpa, &err) != PAWL_OK) return -1;
  *state = &fixture;
  return 0;
}

static int tear_down(void **state) {
  pawl_arena_clear(&((struct fixture *)*state)->arena);
  return 0;
}

static bool is_near(double a, double b, double relative) {
  return fabs(a - b) <= relative * fabs(b);
}
#define NEAR(a, b, relative) assert_true(is_near((double)(a), (double)(b), relative))

static void test_units_and_separators(void **state) {
  const struct fixture *f = *state;
  const double *saxpy = f->saxpy.kernels[0].values, *cudnn = f->sdpa.kernels[0].values;
  assert_int_equal(f->saxpy.count, 1);
  assert_int_equal(f->sdpa.count, 3);
  assert_string_equal(f->sdpa.gpu, "NVIDIA H200");
  assert_string_equal(f->sdpa.capability, "9.0");
  NEAR(saxpy[PAWL_COUNTER_DURATION], 938.848e-6, 1e-9);
  NEAR(saxpy[PAWL_COUNTER_DRAM_READ], 2.147503e9, 1e-9);
  NEAR(saxpy[PAWL_COUNTER_GRID], 1048576, 0);
  NEAR(cudnn[PAWL_COUNTER_DRAM_READ], 50.353408e6, 1e-9);
  NEAR(cudnn[PAWL_COUNTER_SM_CLOCK], 1.763451e9, 1e-9);
  NEAR(cudnn[PAWL_COUNTER_SHARED], 135168, 1e-9);
  NEAR(f->sdpa.kernels[1].values[PAWL_COUNTER_SPILLS], 503808, 0);
}

/* The samples of a tile without padding and with it. ncu counted 10875 and 4223. */
static void test_samples_of_each_instruction(void **state) {
  struct pawl_arena *arena = &((struct fixture *)*state)->arena;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text page = {0};
  const size_t launches[] = {1, 1}, two = 2, three[] = {1, 2};
  struct pawl_code_samples samples[2];
  struct pawl_error err;
  double barrier = 0;
  assert_int_equal(pawl_file_read(PAWL_SOURCE_ROOT "/tests/data/ncu/transpose_samples.csv", 1 << 20,
                                  &page, NULL),
                   PAWL_OK);
  assert_int_equal(
      pawl_ncu_samples_parse(page.data, page.length, "page", &two, 1, arena, samples, NULL),
      PAWL_OK);
  NEAR(samples[0].total, 10875 + 4223, 1e-12);
  assert_int_equal(
      pawl_ncu_samples_parse(page.data, page.length, "page", launches, 2, arena, samples, NULL),
      PAWL_OK);
  NEAR(samples[0].total, 10875, 1e-12);
  NEAR(samples[1].total, 4223, 1e-12);
  for (size_t i = 0; i < samples[0].count; i++) {
    const struct pawl_code_sample *sample = &samples[0].items[i];
    assert_non_null(strstr(sample->symbol, "transpose_flawed("));
    if (sample->offset == 0xba0 && !strcmp(sample->wait, "barrier")) barrier = sample->count;
  }
  NEAR(barrier, 1014, 1e-12);
  assert_int_equal(
      pawl_ncu_samples_parse(page.data, page.length, "page", three, 2, arena, samples, &err),
      PAWL_BAD_DATA);
  assert_string_equal(err.message, "page: ncu sampled 2 kernels, and the profile has 3");
  assert_int_equal(
      pawl_ncu_samples_parse("\"Kernel Name\"\n", 14, "page", launches, 1, arena, samples, &err),
      PAWL_BAD_DATA);
  assert_string_equal(err.message, "page: ncu's table has no samples");
}

static void test_ratio_of_nothing_is_unknown(void **state) {
  const struct fixture *f = *state;
  NEAR(f->saxpy.kernels[0].values[PAWL_COUNTER_COALESCED_LOADS], 100, 1e-9);
  assert_true(
      isnan(f->sdpa.kernels[0].values[PAWL_COUNTER_COALESCED_LOADS])); /* it loads by TMA alone */
  assert_true(isnan(f->sdpa.kernels[0].values[PAWL_COUNTER_COALESCED_STORES]));
}

static void test_stalls_share_the_time(void **state) {
  const struct fixture *f = *state;
  double sum = 0;
  for (int i = 0; i < PAWL_STALLS; i++) sum += f->sdpa.kernels[0].stalls[i];
  NEAR(sum, 1, 1e-9);
  NEAR(f->saxpy.kernels[0].stalls[PAWL_STALL_LONG], 0.88, 0.01);
}

static const char *headline(const struct pawl_profile_kernel *kernel) {
  struct pawl_finding findings[64];
  assert_true(pawl_rule_count <= 64);
  return pawl_findings(kernel, findings) ? findings[0].rule->id : "none";
}

static void test_known_kernels(void **state) {
  const struct fixture *f = *state;
  assert_string_equal(headline(&f->saxpy.kernels[0]), "dram-bound");
  assert_string_equal(headline(&f->sdpa.kernels[0]), "async-overlap"); /* cuDNN: warpgroups */
  assert_string_equal(headline(&f->sdpa.kernels[1]),
                      "low-occupancy"); /* FlashAttention-2: 255 registers */
  assert_string_equal(headline(&f->sdpa.kernels[2]),
                      "issue-bound"); /* memory-efficient: 86 M instructions */
  struct pawl_text text = {0};
  pawl_profile_summary(&f->sdpa, &text);
  assert_non_null(strstr(text.data, "waits for the other warps of its block at a barrier"));
  assert_non_null(
      strstr(text.data, "limited by registers (255 a thread) and shared memory (50.2 kB a block)"));
  assert_non_null(strstr(text.data, "register spills: 504 k spill requests"));
  pawl_text_clear(&text);
}

/* The data sheet of an H200 says 4.8 TB/s, and 4096 FLOP a cycle of an SM by FP16 on its tensor
   cores. */
static void test_ceilings(void **state) {
  const struct fixture *f = *state;
  struct pawl_ceilings c;
  assert_true(pawl_profile_ceilings(&f->sdpa.kernels[0], &c));
  assert_string_equal(c.rows[0].name, "tensor cores, FP16");
  NEAR(c.rows[0].flop_s, 4096 * 132 * 1.763451e9, 2e-4);
  NEAR(c.dram_peak, 4.81e12, 1e-2);
  NEAR(c.l2_peak, 10.23e12, 1e-2);
  NEAR(c.flop_s, 363.24e12, 2e-2); /* 17.2 GFLOP of products in 47.3 us, and the softmax */
  NEAR(c.rows[c.count - 1].flop_s, c.flop_s / 0.39760458, 1e-6);
  assert_true(pawl_profile_ceilings(&f->saxpy.kernels[0], &c));
  NEAR(c.flop_s * f->saxpy.kernels[0].values[PAWL_COUNTER_DURATION], 2 * 268435456.0, 1e-3);
  assert_int_equal(c.count, 1); /* FP32 alone */
}

/* A kernel of which nothing is known but what is set. */
static struct pawl_profile_kernel unknown(const char *name) {
  struct pawl_profile_kernel kernel = {.name = name};
  for (int i = 0; i < PAWL_COUNTERS; i++) kernel.values[i] = NAN;
  for (int i = 0; i < PAWL_STALLS; i++) kernel.stalls[i] = NAN;
  return kernel;
}

static void test_nothing_known_nothing_found(void **state) {
  (void)state;
  const struct pawl_profile_kernel kernel = unknown("k");
  assert_string_equal(headline(&kernel), "none");
}

/* A planted flaw in a kernel that keeps its unit busy: the flaw is the headline, not the busy unit.
 */
static void test_planted_flaws(void **state) {
  (void)state;
  struct pawl_profile_kernel kernel = unknown("k");
  double *v = kernel.values;
  v[PAWL_COUNTER_DRAM] = 90, v[PAWL_COUNTER_LOAD_SECTORS] = 8e6,
  v[PAWL_COUNTER_STORE_SECTORS] = 1e6;
  v[PAWL_COUNTER_COALESCED_LOADS] = 12.5, v[PAWL_COUNTER_COALESCED_STORES] = 100;
  assert_string_equal(headline(&kernel), "uncoalesced");
  v[PAWL_COUNTER_COALESCED_LOADS] = 100;
  assert_string_equal(headline(&kernel), "dram-bound");
  v[PAWL_COUNTER_DRAM] = 20, v[PAWL_COUNTER_ISSUE] = 90;
  v[PAWL_COUNTER_CONFLICTS] = 31e6, v[PAWL_COUNTER_WAVEFRONTS] = 32e6,
  v[PAWL_COUNTER_SHARED_PIPE] = 95;
  assert_string_equal(headline(&kernel), "bank-conflicts");
  v[PAWL_COUNTER_CONFLICTS] = 0, v[PAWL_COUNTER_SHARED_PIPE] = 0;
  v[PAWL_COUNTER_LOCAL_LOADS] = 4e6, v[PAWL_COUNTER_INSTRUCTIONS] = 2e7;
  assert_string_equal(headline(&kernel), "spills");
  v[PAWL_COUNTER_LOCAL_LOADS] = 0;
  v[PAWL_COUNTER_LANES] = 9;
  assert_string_equal(headline(&kernel), "divergence");
  v[PAWL_COUNTER_LANES] = 32;
  v[PAWL_COUNTER_CYCLES] = 1000, v[PAWL_COUNTER_CYCLES_ACTIVE] = 520;
  assert_string_equal(headline(&kernel), "tail");
  v[PAWL_COUNTER_CYCLES_ACTIVE] = 1000;
  v[PAWL_COUNTER_ISSUE] = 20, v[PAWL_COUNTER_TENSOR] = 85;
  assert_string_equal(headline(&kernel), "tensor-bound");
  v[PAWL_COUNTER_CYCLES_ACTIVE] = 60, v[PAWL_COUNTER_GRID] = 8, v[PAWL_COUNTER_SM_COUNT] = 132;
  assert_string_equal(headline(&kernel), "small-launch");
}

static void test_low_occupancy(void **state) {
  (void)state;
  struct pawl_profile_kernel kernel = unknown("k");
  kernel.values[PAWL_COUNTER_DRAM] = 20, kernel.values[PAWL_COUNTER_ISSUE] = 15;
  kernel.values[PAWL_COUNTER_OCCUPANCY] = 6;
  kernel.stalls[PAWL_STALL_LONG] = 0.8, kernel.stalls[PAWL_STALL_SELECTED] = 0.2;
  assert_string_equal(headline(&kernel), "low-occupancy");
  kernel.values[PAWL_COUNTER_WGMMA] = 1000; /* asynchronous products need few warps */
  assert_string_equal(headline(&kernel), "async-overlap");
  kernel.values[PAWL_COUNTER_WGMMA] = 0, kernel.values[PAWL_COUNTER_OCCUPANCY] = 90;
  assert_string_equal(headline(&kernel), "latency");
}

/* Few warps are a symptom of a chain, and of a grid that leaves most SMs idle. */
static void test_symptoms_are_no_findings(void **state) {
  (void)state;
  struct pawl_finding findings[64];
  struct pawl_profile_kernel kernel = unknown("k");
  double *v = kernel.values;
  v[PAWL_COUNTER_DRAM] = 20, v[PAWL_COUNTER_ISSUE] = 15, v[PAWL_COUNTER_OCCUPANCY] = 6;
  kernel.stalls[PAWL_STALL_WAIT] = 0.8, kernel.stalls[PAWL_STALL_SELECTED] = 0.2;
  assert_int_equal(pawl_findings(&kernel, findings), 1);
  assert_string_equal(findings[0].rule->id, "dependency-chain");
  NEAR(findings[0].cost, 0.8, 1e-9);
  kernel.stalls[PAWL_STALL_WAIT] = 0, kernel.stalls[PAWL_STALL_LONG] = 0.8;
  v[PAWL_COUNTER_CYCLES] = 1000, v[PAWL_COUNTER_CYCLES_ACTIVE] = 60;
  v[PAWL_COUNTER_GRID] = 8, v[PAWL_COUNTER_SM_COUNT] = 132;
  assert_int_equal(pawl_findings(&kernel, findings), 1);
  assert_string_equal(findings[0].rule->id, "small-launch");
  v[PAWL_COUNTER_CYCLES_ACTIVE] = 900, v[PAWL_COUNTER_GRID] = 130;
  assert_string_equal(headline(&kernel), "low-occupancy");
}

/* The base's table has no facts of the machine code: an older pawl, or ncu alone, wrote it. */
static void test_unknown_code_makes_no_flaw_new(void **state) {
  struct fixture *f = *state;
  struct pawl_profile_kernel kernels[2] = {unknown("k"), unknown("k")};
  struct pawl_profile base = {.kernels = &kernels[0], .count = 1},
                      candidate = {.kernels = &kernels[1], .count = 1};
  struct pawl_profile_change change;
  for (int i = 0; i < 2; i++) {
    double *v = kernels[i].values;
    v[PAWL_COUNTER_DURATION] = i ? 150e-6 : 100e-6, v[PAWL_COUNTER_FP64] = i ? 90 : 60;
    v[PAWL_COUNTER_CODE_FP64] = v[PAWL_COUNTER_CODE_WIDENED] = v[PAWL_COUNTER_CODE_XU] = 30;
  }
  assert_string_equal(headline(&kernels[1]), "fp64");
  kernels[0].values[PAWL_COUNTER_FP64] = 0;
  pawl_profile_compare(&base, &candidate, &f->arena, &change);
  assert_int_equal(change.kernels[0].changes[0].kind, PAWL_CHANGE_FINDING);
  kernels[0].values[PAWL_COUNTER_CODE_WIDENED] = NAN;
  pawl_profile_compare(&base, &candidate, &f->arena, &change);
  assert_int_equal(change.kernels[0].changes[0].kind, PAWL_CHANGE_TIME);
}

/* A loop of four instructions counts ten times, and the division in it is one of them. */
static void test_facts_of_the_code(void **state) {
  struct fixture *f = *state;
  char listing[] =
      "\tcode for sm_90a\n\t\tFunction : _Z4walkPi\n"
      "/*0000*/ F2F.F64.F32 R2, R4 ;\n/*0010*/ DADD R2, R2, R6 ;\n"
      "/*0020*/ I2F.U32.RP R8, R9 ;\n/*0030*/ MUFU.RCP R8, R8 ;\n"
      "/*0040*/ IMAD.HI.U32 R8, R8, R9, RZ ;\n/*0050*/ @P0 BRA 0x20 ;\n"
      "/*0060*/ STG.E desc[UR4][R2.64], R8 ;\n/*0070*/ EXIT ;\n"
      "\t\tFunction : _Z4restPi\n/*0000*/ EXIT ;\n";
  struct pawl_code_facts facts = {.compulsory_bytes = 64};
  struct pawl_profile_kernel kernel = unknown("k");
  const double *v = kernel.values;
  pawl_disassembly_read(listing, true, &f->arena, &facts.code);
  pawl_code_facts_of(&facts, "walk(int *)", kernel.values);
  NEAR(v[PAWL_COUNTER_CODE_DIVISIONS], 1000 / 44.0, 1e-9);
  NEAR(v[PAWL_COUNTER_CODE_HIGH], 1000 / 44.0, 1e-9);
  NEAR(v[PAWL_COUNTER_CODE_XU], 100 * (20 + 1) / 44.0, 1e-9);
  NEAR(v[PAWL_COUNTER_CODE_FP64], 100 / 44.0, 1e-9);
  NEAR(v[PAWL_COUNTER_CODE_WIDENED], 100 / 44.0, 1e-9);
  NEAR(v[PAWL_COUNTER_CODE_PRODUCTS], 0, 0);
  NEAR(v[PAWL_COUNTER_COMPULSORY], 64, 0);
  assert_true(isnan(v[PAWL_COUNTER_CODE_SPILLS])); /* only the plug-in's own tables say that */
  static const char *const others[] = {"run(int *)", "void <unnamed>::walker<walk>(int *)", ""};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct pawl_profile_kernel other = unknown("k");
    pawl_code_facts_of(&facts, others[i], other.values);
    assert_true(isnan(other.values[PAWL_COUNTER_CODE_XU]));
  }
  static const char *const names[] = {"_Z4walkPi", "void <unnamed>::walk<(int)4>(int *)", "walk"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct pawl_profile_kernel other = unknown("k");
    pawl_code_facts_of(&facts, names[i], other.values);
    NEAR(other.values[PAWL_COUNTER_CODE_XU], v[PAWL_COUNTER_CODE_XU], 0);
  }
}

static void test_low_clock(void **state) {
  (void)state;
  struct pawl_profile_kernel kernel = unknown("k");
  kernel.values[PAWL_COUNTER_SM_CLOCK] = 1.2e9, kernel.values[PAWL_COUNTER_MOST_CLOCK] = 1.98e6;
  assert_string_equal(headline(&kernel), "low-clock");
  kernel.values[PAWL_COUNTER_SM_CLOCK] = 1.755e9; /* an H200 at work */
  assert_string_equal(headline(&kernel), "none");
}

static void test_cpu_kernels(void **state) {
  (void)state;
  struct pawl_profile_kernel kernel = unknown("k");
  double *v = kernel.values;
  v[PAWL_COUNTER_DURATION] = 1e-3, v[PAWL_COUNTER_CPU_TIME] = 4e-3, v[PAWL_COUNTER_CPU_THREADS] = 4;
  v[PAWL_COUNTER_CPU_SYSTEM] = 0, v[PAWL_COUNTER_PAGE_FAULTS] = 0, v[PAWL_COUNTER_CPU_WAITS] = 0;
  v[PAWL_COUNTER_CPU_PREEMPTIONS] = 0;
  assert_string_equal(headline(&kernel), "none"); /* the system's counts alone tell no limit */
  v[PAWL_COUNTER_CPU_CYCLES] = 12e6, v[PAWL_COUNTER_CPU_INSTRUCTIONS] = 36e6,
  v[PAWL_COUNTER_CPU_CACHE_MISSES] = 1e3;
  assert_string_equal(headline(&kernel), "cpu-instruction-bound");
  v[PAWL_COUNTER_CPU_INSTRUCTIONS] = 6e6;
  assert_string_equal(headline(&kernel), "cpu-latency");
  v[PAWL_COUNTER_CPU_CACHE_MISSES] = 60e3;
  assert_string_equal(headline(&kernel), "cpu-memory-bound");
  v[PAWL_COUNTER_CPU_BRANCHES] = 1e6, v[PAWL_COUNTER_CPU_BRANCH_MISSES] = 400e3;
  assert_string_equal(headline(&kernel), "cpu-branches");
  v[PAWL_COUNTER_CPU_BRANCH_MISSES] = 1e3, v[PAWL_COUNTER_CPU_TIME] = 2e-3;
  assert_string_equal(headline(&kernel), "cpu-idle-threads");
  struct pawl_finding findings[64];
  pawl_findings(&kernel, findings);
  assert_non_null(strstr(findings[0].remedy, "balance the work"));
  v[PAWL_COUNTER_CPU_TIME] = 1e-3;
  pawl_findings(&kernel, findings);
  assert_non_null(strstr(findings[0].remedy, "the kernel uses one of them"));
  v[PAWL_COUNTER_CPU_PREEMPTIONS] = 3; /* somebody else has the CPUs */
  assert_string_equal(headline(&kernel), "cpu-memory-bound");
  v[PAWL_COUNTER_CPU_SYSTEM] = 0.5e-3, v[PAWL_COUNTER_PAGE_FAULTS] = 512;
  assert_string_equal(headline(&kernel), "cpu-system-time");
  v[PAWL_COUNTER_PAGE_FAULTS] = 0; /* ticks of the clock that hit the system by chance */
  assert_string_equal(headline(&kernel), "cpu-memory-bound");
}

/* One thread before and after, and eleven times the work: of the short call a second thread seems
 * to work. */
static void test_more_work_is_not_idleness(void **state) {
  struct fixture *f = *state;
  struct pawl_profile_kernel kernels[2] = {unknown("k"), unknown("k")};
  struct pawl_profile base = {.kernels = &kernels[0], .count = 1},
                      candidate = {.kernels = &kernels[1], .count = 1};
  struct pawl_profile_change change;
  struct pawl_text text = {0};
  for (int i = 0; i < 2; i++) {
    double *v = kernels[i].values;
    v[PAWL_COUNTER_DURATION] = i ? 396e-6 : 26.2e-6,
    v[PAWL_COUNTER_CPU_TIME] = i ? 402e-6 : 36.7e-6;
    v[PAWL_COUNTER_CPU_THREADS] = 2;
  }
  pawl_profile_compare(&base, &candidate, &f->arena, &change);
  pawl_profile_change_summary(&change, &text);
  assert_non_null(
      strstr(text.data, "26.2 us -> 396 us (+1411.5 %): CPU time 36.7 us -> 402 us (11 times)"));
  pawl_text_clear(&text);
  kernels[1].values[PAWL_COUNTER_DURATION] = 52e-6,
  kernels[1].values[PAWL_COUNTER_CPU_TIME] = 40e-6;
  pawl_profile_compare(&base, &candidate, &f->arena, &change); /* the same work on fewer threads */
  pawl_profile_change_summary(&change, &text);
  assert_non_null(
      strstr(text.data, "(+98.5 %): threads without work (grew from 30 % to 62 % of the time)"));
  pawl_text_clear(&text);
}

static void test_cpu_change(void **state) {
  struct fixture *f = *state;
  struct pawl_profile_kernel kernels[2] = {unknown("k"), unknown("k")};
  struct pawl_profile base = {.kernels = &kernels[0], .count = 1},
                      candidate = {.kernels = &kernels[1], .count = 1};
  struct pawl_profile_change change;
  struct pawl_text text = {0};
  for (int i = 0; i < 2; i++) {
    double *v = kernels[i].values;
    v[PAWL_COUNTER_DURATION] = i ? 1.5e-3 : 1e-3, v[PAWL_COUNTER_CPU_TIME] = 1e-3,
    v[PAWL_COUNTER_CPU_CYCLES] = 3e6;
    v[PAWL_COUNTER_CPU_INSTRUCTIONS] = i ? 9e6 : 6e6;
  }
  pawl_profile_compare(&base, &candidate, &f->arena, &change);
  pawl_profile_change_summary(&change, &text);
  assert_non_null(
      strstr(text.data, "1 ms -> 1.50 ms (+50.0 %): instructions 6 M -> 9 M (+50 %): up to 100 %"));
  pawl_text_clear(&text);
  change.paired = (struct pawl_slowdown){0.45, 0.42, 0.47};
  pawl_profile_change_summary(&change, &text);
  assert_non_null(strstr(
      text.data, "+45.0 % in pairs; in the profile 1 ms -> 1.50 ms (+50.0 %): instructions"));
  assert_non_null(strstr(text.data, "up to 100 % of the change"));
  pawl_text_clear(&text);
  kernels[1].values[PAWL_COUNTER_CPU_INSTRUCTIONS] = 3e6; /* the other way: no reason */
  pawl_profile_compare(&base, &candidate, &f->arena, &change);
  pawl_profile_change_summary(&change, &text);
  assert_non_null(strstr(text.data, "(+50.0 %)\n  instructions 6 M -> 3 M (-50 %)\n"));
  pawl_text_clear(&text);
}

/* A profile that differs by more than a third, and lies outside the interval, shows something else.
 */
static void test_a_profile_of_another_change_explains_no_share(void **state) {
  struct fixture *f = *state;
  struct pawl_profile base = {.kernels = &f->sdpa.kernels[0], .count = 1};
  struct pawl_profile candidate = {.kernels = &f->sdpa.kernels[1], .count = 1};
  struct pawl_profile_change change;
  struct pawl_text text = {0};
  pawl_profile_compare(&base, &candidate, &f->arena, &change); /* +48.6 % */
  change.paired = (struct pawl_slowdown){0.3, 0.28, 0.32};
  pawl_profile_change_summary(&change, &text);
  assert_non_null(strstr(
      text.data,
      "+30.0 % in pairs, but the profile shows another change: 47.3 us -> 70.3 us (+48.6 %)"));
  assert_non_null(strstr(text.data, "instructions 18.9 M -> 29.6 M (+57 %)"));
  assert_null(strstr(text.data, "of the change"));
  pawl_text_clear(&text);
  const struct {
    struct pawl_slowdown paired;
    bool reproduced;
  } rows[] = {{{0.37, 0.36, 0.38}, true},
              {{0.36, 0.35, 0.37}, false},
              {{0.3, 0.1, 0.5}, true},
              {{-0.3, -0.4, -0.2}, false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    change.paired = rows[i].paired;
    assert_int_equal(pawl_profile_reproduces(&change), rows[i].reproduced);
  }
}

static void test_change(void **state) {
  struct fixture *f = *state;
  struct pawl_profile base = {.kernels = &f->sdpa.kernels[0], .count = 1};
  struct pawl_profile candidate = {.kernels = &f->sdpa.kernels[1], .count = 1};
  struct pawl_profile_change change;
  struct pawl_text text = {0};
  pawl_profile_compare(&base, &candidate, &f->arena, &change);
  assert_int_equal(change.count, 1); /* by order: their names differ */
  NEAR(change.candidate_seconds, 70.304e-6, 1e-9);
  assert_int_equal(change.kernels[0].changes[0].kind, PAWL_CHANGE_FINDING);
  pawl_profile_change_summary(&change, &text);
  assert_non_null(strstr(text.data, "47.3 us -> 70.3 us (+48.6 %): low occupancy"));
  assert_non_null(strstr(text.data, "instructions 18.9 M -> 29.6 M (+57 %)"));
  assert_non_null(strstr(text.data, "registers a thread 168 -> 255 (+52 %)"));
  assert_non_null(strstr(text.data, "now spills: 504 k requests"));
  pawl_text_clear(&text);
}

/* As few warps before as after are no reason, however much time the kernel idles. */
static void test_a_flaw_that_stays_does_not_lead(void **state) {
  struct fixture *f = *state;
  struct pawl_profile_kernel kernels[2] = {unknown("k"), unknown("k")};
  struct pawl_profile base = {.kernels = &kernels[0], .count = 1},
                      candidate = {.kernels = &kernels[1], .count = 1};
  struct pawl_profile_change change;
  struct pawl_text text = {0};
  for (int i = 0; i < 2; i++) {
    double *v = kernels[i].values;
    v[PAWL_COUNTER_DURATION] = i ? 120e-6 : 100e-6, v[PAWL_COUNTER_SM_CLOCK] = 1.7e9,
    v[PAWL_COUNTER_SM_COUNT] = 132;
    v[PAWL_COUNTER_OCCUPANCY] = 12, v[PAWL_COUNTER_ISSUE] = 30,
    v[PAWL_COUNTER_TENSOR] = i ? 30 : 42;
    v[PAWL_COUNTER_INSTRUCTIONS] = i ? 30e6 : 20e6;
    kernels[i].stalls[PAWL_STALL_LONG] = i ? 0.5 / 1.2 : 0.5;
  }
  assert_string_equal(headline(&kernels[0]), "low-occupancy");
  pawl_profile_compare(&base, &candidate, &f->arena, &change);
  pawl_profile_change_summary(&change, &text);
  assert_non_null(strstr(text.data, "(+20.0 %): instructions 20 M -> 30 M (+50 %)"));
  assert_null(strstr(text.data, "occupancy"));
  pawl_text_clear(&text);
}

static void test_same_profile_has_no_change(void **state) {
  struct fixture *f = *state;
  struct pawl_profile_change change;
  pawl_profile_compare(&f->sdpa, &f->sdpa, &f->arena, &change);
  assert_int_equal(change.count, 3);
  for (size_t i = 0; i < 3; i++) assert_int_equal(change.kernels[i].count, 0);
}

static void test_more_kernels(void **state) {
  struct fixture *f = *state;
  struct pawl_profile base = {.kernels = &f->sdpa.kernels[1], .count = 1};
  struct pawl_profile_change change;
  pawl_profile_compare(&base, &f->sdpa, &f->arena, &change);
  assert_int_equal(change.count, 3);
  assert_null(change.kernels[0].base); /* the largest change of time: 150 us more */
  assert_int_equal(change.kernels[2].count, 0);
}

static void refused(const char *text, enum pawl_status_code status, const char *words) {
  struct pawl_arena arena = {0};
  struct pawl_profile profile = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_ncu_csv_parse(text, strlen(text), "f.csv", &arena, &profile, &err), status);
  if (!strstr(err.message, words)) fail_msg("'%s' is not in '%s'", words, err.message);
  assert_int_equal(profile.count, 0);
  pawl_arena_clear(&arena);
}

#define NAMES "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n"
static void test_files_that_say_nothing(void **state) {
  (void)state;
  refused("", PAWL_BAD_DATA, "ncu profiled no kernel");
  refused("==PROF== Connected to process 1\n==PROF== Disconnected\n", PAWL_BAD_DATA,
          "ncu profiled no kernel");
  refused("==ERROR== ERR_NVGPUCTRPERM - no permission\n", PAWL_NOT_PERMITTED,
          "NVreg_RestrictProfilingToAdminUsers=0");
  refused(NAMES "\"\",\"\",\"us\"\n", PAWL_BAD_DATA, "the table is empty");
  refused(NAMES "\"\",\"\",\"us\"\n\"0\",\"k\"", PAWL_BAD_DATA,
          "kernel 1 has 2 of 3 columns: the file is cut off");
  refused(NAMES "\"\",\"\",\"us\"\n\"0\",\"k\",\"47.", PAWL_BAD_DATA, "cut off");
  refused("\"ID\",\"Kernel Na", PAWL_BAD_DATA, "--page raw");
  refused(NAMES, PAWL_BAD_DATA, "cut off in its first two rows");
  refused("\"ID\",\"Metric Name\",\"Metric Value\"\n", PAWL_BAD_DATA, "page of details");
  refused(NAMES "\"\",\"\",\"us\"\n\"0\",\"k\",\"47,296000\"\n", PAWL_BAD_DATA,
          "another locale; run ncu with LC_ALL=C");
}

static void test_other_units_and_words(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_profile profile;
  static const char text[] =
      "noise\n\"Kernel "
      "Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"sm__throughput.avg.pct_of_peak_"
      "sustained_elapsed\",\"smsp__inst_executed.sum\"\r\n\"\",\"msecond\",\"furlong\",\"%\","
      "\"inst\"\r\n"
      "\"a \"\"b\"\", c\",\"1,234.5\",\"7\",\"n/a\",\"1,000\"\r\n==PROF== done\n";
  assert_int_equal(pawl_ncu_csv_parse(text, strlen(text), "f", &arena, &profile, NULL), PAWL_OK);
  assert_int_equal(profile.count, 1);
  assert_string_equal(profile.kernels[0].name, "a \"b\", c");
  NEAR(profile.kernels[0].values[PAWL_COUNTER_DURATION], 1.2345, 1e-12);
  assert_true(isnan(profile.kernels[0].values[PAWL_COUNTER_DRAM_READ])); /* no unit that we know */
  assert_true(isnan(profile.kernels[0].values[PAWL_COUNTER_SM]));
  NEAR(profile.kernels[0].values[PAWL_COUNTER_INSTRUCTIONS], 1000, 0);
  pawl_arena_clear(&arena);
}

static void test_numbers_for_people(void **state) {
  (void)state;
  char text[PAWL_QUANTITY];
  assert_string_equal(pawl_quantity_text(50.353408e6, PAWL_UNIT_BYTES, text), "50.4 MB");
  assert_string_equal(pawl_quantity_text(47.296e-6, PAWL_UNIT_SECONDS, text), "47.3 us");
  assert_string_equal(pawl_quantity_text(503808, PAWL_UNIT_COUNT, text), "504 k");
  assert_string_equal(pawl_quantity_text(1024, PAWL_UNIT_COUNT, text), "1024");
  assert_string_equal(pawl_quantity_text(NAN, PAWL_UNIT_COUNT, text), "unknown");
  assert_string_equal(pawl_quantity_text(8.3, PAWL_UNIT_PERCENT, text), "8.3 %");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units_and_separators),
      cmocka_unit_test(test_ratio_of_nothing_is_unknown),
      cmocka_unit_test(test_samples_of_each_instruction),
      cmocka_unit_test(test_stalls_share_the_time),
      cmocka_unit_test(test_ceilings),
      cmocka_unit_test(test_known_kernels),
      cmocka_unit_test(test_planted_flaws),
      cmocka_unit_test(test_nothing_known_nothing_found),
      cmocka_unit_test(test_low_occupancy),
      cmocka_unit_test(test_symptoms_are_no_findings),
      cmocka_unit_test(test_unknown_code_makes_no_flaw_new),
      cmocka_unit_test(test_facts_of_the_code),
      cmocka_unit_test(test_low_clock),
      cmocka_unit_test(test_cpu_kernels),
      cmocka_unit_test(test_more_work_is_not_idleness),
      cmocka_unit_test(test_cpu_change),
      cmocka_unit_test(test_change),
      cmocka_unit_test(test_a_profile_of_another_change_explains_no_share),
      cmocka_unit_test(test_a_flaw_that_stays_does_not_lead),
      cmocka_unit_test(test_same_profile_has_no_change),
      cmocka_unit_test(test_more_kernels),
      cmocka_unit_test(test_files_that_say_nothing),
      cmocka_unit_test(test_other_units_and_words),
      cmocka_unit_test(test_numbers_for_people),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
