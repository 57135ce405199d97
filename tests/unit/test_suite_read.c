/* SPDX-License-Identifier: Apache-2.0 */
/* pawl reads a good pawl.yaml: every key, every default. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "model/gate_rules.h"
#include "suite/read.h"
#include "yaml/yaml.h"

static struct pawl_suite parse(const char *yaml, struct pawl_arena *arena) {
  struct pawl_error err = {0};
  struct pawl_suite suite;
  const enum pawl_status_code status =
      pawl_suite_parse(yaml, strlen(yaml), "pawl.yaml", arena, &suite, &err);
  if (status != PAWL_OK) print_error("%s\n", err.message);
  assert_int_equal(status, PAWL_OK);
  return suite;
}

static void strings_equal(struct pawl_strings strings, size_t count, const char *const *expected) {
  assert_int_equal(strings.count, count);
  for (size_t i = 0; i < count; i++) assert_string_equal(strings.items[i], expected[i]);
  assert_null(strings.items[count]); /* usable as an argv */
}
#define STRINGS(...) \
  sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]) { __VA_ARGS__ }

/* The example of the documentation, all sections. */
static const char whole[] =
    "version: 1\n"
    "references:\n"
    "  torch_sdpa: {operator: attention, device: cuda, protocol: [python3, "
    "references/torch_sdpa.py], optional: true}\n"
    "kernels:\n"
    "  sdpa_cpu: {operator: attention, device: cpu, sources: [kernels/sdpa_cpu.c], params: "
    "{BLOCK_M: 32, T: float},\n"
    "             tune: {BLOCK_M: [16, 32, 64], constraints: [\"BLOCK_M * 2 <= 8192\"], T: [float, "
    "double]}}\n"
    "  fa_s512:  {operator: attention, device: cuda, sources: [kernels/fa.cu, b.cu], include_dirs: "
    "[inc, /usr/x],\n"
    "             flags: [-O3, --use_fast_math], libs: [m], compiler: /opt/nvcc, deterministic: "
    "false}\n"
    "  theirs:   {operator: attention, device: cuda, build: {command: [cmake, --build, build], "
    "output: libtheirs.so}}\n"
    "  harness:  {command: [./build/my_bench, --n, 100, \"{out}\"], parse: nvbench}\n"
    "operators:\n"
    "  relu: {protocol: [python3, operators/relu.py]}\n"
    "  gelu: {sources: [gelu.c], flags: []}\n"
    "cases:\n"
    "  training_512: {operator: attention, B: 32, H: 8, S: 512, D: 64, causal: true, dtype: "
    "float16}\n"
    "  plain: {}\n"
    "check:\n"
    "  attention: {S: [448, 512, 640], B: 16..48 step 16, H: 4, causal: [false, true], D: [64], "
    "dtype: [f16, bf16],\n"
    "              atol: 2.0e-3, rtol: 1.0e-3, oracle: reference torch_sdpa}\n"
    "measure: {warmup: 0, samples: 40, processes: 2, cache: warm, clocks: lock, timeout: 500ms,\n"
    "          memory_limit: 8GiB, cpus: \"0-2,5\", threads: 3, placement: scheduler}\n"
    "gate: {tolerate: 0.5%, detect: 0.02, improve: \"4 %\", false_alarm: 0.1%, miss: 2%, "
    "max_blocks: 90,\n"
    "       busy: count, inconclusive: fail, between_runs: 5%}\n"
    "cost: {usd_per_hour: 0.68}\n"
    "retention: {sample_days: 90}\n"
    "store: sqlite:/srv/history.db\n";

static void kernels_are_read(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite = parse(whole, &arena);
  assert_int_equal(suite.kernel_count, 5);
  static const char *const order[] = {"sdpa_cpu", "fa_s512", "theirs", "harness", "torch_sdpa"};
  for (size_t i = 0; i < 5; i++)
    assert_string_equal(suite.kernels[i].name, order[i]); /* references last */

  const struct pawl_kernel_spec *cpu = pawl_suite_kernel(&suite, "sdpa_cpu");
  assert_string_equal(cpu->operator_name, "attention");
  assert_int_equal(cpu->device, PAWL_CPU);
  assert_int_equal(cpu->kind, PAWL_FROM_SOURCES);
  assert_int_equal(cpu->line, 5);
  assert_int_equal(cpu->deterministic, PAWL_DETERMINISM_REPORTED);
  assert_false(cpu->reference || cpu->optional || cpu->flags_given);
  strings_equal(cpu->sources, STRINGS("kernels/sdpa_cpu.c"));
  assert_null(cpu->flags.items);
  assert_int_equal(cpu->param_count, 2);
  assert_string_equal(cpu->params[0].name, "BLOCK_M");
  assert_string_equal(cpu->params[0].value, "32");
  assert_string_equal(cpu->params[1].name, "T");
  assert_string_equal(cpu->params[1].value, "float");
  assert_int_equal(cpu->tune_count, 2);
  assert_string_equal(cpu->tune[0].name, "BLOCK_M");
  strings_equal(cpu->tune[0].values, STRINGS("16", "32", "64"));
  assert_string_equal(cpu->tune[1].name, "T");
  strings_equal(cpu->tune[1].values, STRINGS("float", "double"));
  strings_equal(cpu->constraints, STRINGS("BLOCK_M * 2 <= 8192"));

  const struct pawl_kernel_spec *fa = pawl_suite_kernel(&suite, "fa_s512");
  assert_int_equal(fa->device, PAWL_CUDA);
  strings_equal(fa->sources, STRINGS("kernels/fa.cu", "b.cu"));
  strings_equal(fa->include_dirs, STRINGS("inc", "/usr/x"));
  strings_equal(fa->flags, STRINGS("-O3", "--use_fast_math"));
  strings_equal(fa->libs, STRINGS("m"));
  assert_true(fa->flags_given);
  assert_string_equal(fa->compiler, "/opt/nvcc");
  assert_int_equal(fa->deterministic, PAWL_DETERMINISM_NO);

  const struct pawl_kernel_spec *theirs = pawl_suite_kernel(&suite, "theirs");
  assert_int_equal(theirs->kind, PAWL_FROM_BUILD);
  strings_equal(theirs->build_command, STRINGS("cmake", "--build", "build"));
  assert_string_equal(theirs->build_output, "libtheirs.so");

  const struct pawl_kernel_spec *harness = pawl_suite_kernel(&suite, "harness");
  assert_int_equal(harness->kind, PAWL_FROM_COMMAND);
  assert_null(harness->operator_name);
  strings_equal(harness->command, STRINGS("./build/my_bench", "--n", "100", "{out}"));
  assert_string_equal(harness->parse, "nvbench");

  const struct pawl_kernel_spec *torch = pawl_suite_kernel(&suite, "torch_sdpa");
  assert_int_equal(torch->kind, PAWL_FROM_PROTOCOL);
  strings_equal(torch->protocol, STRINGS("python3", "references/torch_sdpa.py"));
  assert_true(torch->reference && torch->optional);
  assert_null(pawl_suite_kernel(&suite, "nobody"));
  pawl_arena_clear(&arena);
}

static void operators_and_cases_are_read(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite = parse(whole, &arena);
  assert_int_equal(suite.operator_count, 2);
  const struct pawl_operator_spec *relu = pawl_suite_operator(&suite, "relu"),
                                  *gelu = pawl_suite_operator(&suite, "gelu");
  assert_int_equal(relu->kind, PAWL_FROM_PROTOCOL);
  strings_equal(relu->protocol, STRINGS("python3", "operators/relu.py"));
  assert_int_equal(gelu->kind, PAWL_FROM_SOURCES);
  assert_true(gelu->flags_given);
  assert_int_equal(gelu->flags.count, 0);
  assert_null(pawl_suite_operator(&suite, "attention"));

  assert_int_equal(suite.case_count, 2);
  const struct pawl_case *config = pawl_suite_case(&suite, "training_512");
  assert_string_equal(config->operator_name, "attention");
  struct pawl_text key = {0};
  pawl_case_key(config, &key);
  assert_string_equal(key.data, "B=32,H=8,S=512,D=64,causal=1,dtype=f16");
  pawl_text_clear(&key);
  const struct pawl_case *plain = pawl_suite_case(&suite, "plain");
  assert_null(plain->operator_name);
  assert_int_equal(plain->count, 0);
  pawl_arena_clear(&arena);
}

static void axis_equals(const struct pawl_check_spec *check, const char *name, size_t count,
                        const int64_t *values) {
  for (size_t i = 0; i < check->axis_count; i++) {
    if (strcmp(check->axes[i].name, name) != 0) continue;
    assert_int_equal(check->axes[i].count, count);
    assert_memory_equal(check->axes[i].values, values, count * sizeof *values);
    return;
  }
  fail_msg("no axis %s", name);
}

static void check_is_read(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite = parse(whole, &arena);
  const struct pawl_check_spec *check = pawl_suite_check(&suite, "attention");
  assert_int_equal(check->axis_count, 5);
  axis_equals(check, "S", 3, (int64_t[]){448, 512, 640});
  axis_equals(check, "B", 3, (int64_t[]){16, 32, 48});
  axis_equals(check, "H", 1, (int64_t[]){4});
  axis_equals(check, "causal", 2, (int64_t[]){0, 1});
  axis_equals(check, "D", 1, (int64_t[]){64});
  assert_int_equal(check->dtype_count, 2);
  assert_int_equal(check->dtypes[0], PAWL_F16);
  assert_int_equal(check->dtypes[1], PAWL_BF16);
  assert_true(check->atol == 2e-3 && check->rtol == 1e-3);
  assert_true(isnan(check->rel_rms)); /* not given is not 0 */
  assert_string_equal(check->oracle, "reference torch_sdpa");
  assert_null(pawl_suite_check(&suite, "relu"));
  pawl_arena_clear(&arena);
}

static void measure_and_gate_are_read(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite = parse(whole, &arena);
  assert_int_equal(suite.measure.warmup, 0);
  assert_int_equal(suite.measure.samples, 40);
  assert_int_equal(suite.measure.processes, 2);
  assert_int_equal(suite.measure.cache, PAWL_CACHE_WARM);
  assert_int_equal(suite.measure.clocks, PAWL_CLOCKS_LOCK);
  assert_true(suite.measure.timeout_seconds == 0.5);
  assert_true(suite.measure.memory_limit == (uint64_t)8 << 30);
  assert_int_equal(suite.measure.cpus.count, 4);
  assert_int_equal(suite.measure.cpus.numbers[3], 5);
  assert_int_equal(suite.measure.threads, 3);
  assert_int_equal(suite.measure.placement, PAWL_PLACEMENT_SCHEDULER);
  assert_true(suite.gate.tolerate == 0.005 && suite.gate.detect == 0.02 &&
              suite.gate.improve == 0.04);
  assert_true(suite.gate.false_alarm == 0.001 && suite.gate.miss == 0.02);
  assert_int_equal(suite.gate.max_blocks, 90);
  assert_true(suite.gate.between_runs == 0.05);
  assert_int_equal(suite.gate.busy, PAWL_BUSY_COUNT);
  assert_int_equal(suite.gate.inconclusive, PAWL_INCONCLUSIVE_FAIL);
  assert_true(suite.usd_per_hour == 0.68);
  assert_string_equal(suite.store, "sqlite:/srv/history.db");
  assert_int_equal(suite.retention_days, 90);
  pawl_arena_clear(&arena);
}

static void the_last_rule_that_sets_a_limit_decides(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite = parse(
      "version: 1\n"
      "kernels: {soft: {operator: o, sources: [a.c]}, gemm: {operator: o, sources: [a.c]},\n"
      "          h: {command: [a], parse: nvbench}}\n"
      "cases: {tiny: {operator: o}, big: {operator: o}}\n"
      "gate:\n"
      "  limits:\n"
      "    \"*/tiny\": {tolerate: 2%, inconclusive: fail}\n"
      "    soft: {detect: 6%}\n"
      "    \"soft/t*\": {detect: 8%, static: fail}\n"
      "    \"h/a/*\": {improve: 9%}\n"
      "  detect: 4%\n",
      &arena);
  const struct pawl_gate_spec tiny = pawl_gate_of_row(&suite.gate, "soft", "tiny");
  assert_true(tiny.tolerate == 0.02 && tiny.detect == 0.08 && tiny.improve == 0.05);
  assert_int_equal(tiny.inconclusive, PAWL_INCONCLUSIVE_FAIL);
  assert_int_equal(tiny.static_code, PAWL_STATIC_FAIL);
  static const int lines[PAWL_LIMITS] = {7, 9, 0, 7, 9};
  assert_memory_equal(tiny.lines, lines, sizeof lines);
  assert_non_null(tiny.rules);
  assert_true(pawl_gate_of_row(&suite.gate, "soft", "big").detect == 0.06);
  assert_true(pawl_gate_of_row(&suite.gate, "soft", NULL).detect == 0.06);
  assert_true(pawl_gate_of_row(&suite.gate, "gemm", "tiny").tolerate == 0.02);
  const struct pawl_gate_spec big = pawl_gate_of_row(&suite.gate, "gemm", "big");
  assert_true(big.detect == 0.04 && big.lines[PAWL_LIMIT_DETECT] == 11 && !big.rules);
  assert_true(pawl_gate_of_row(&suite.gate, "h", "a/b/c").improve == 0.09);
  assert_true(pawl_gate_of_row(&suite.gate, "h", "b/a").improve == 0.05);
  assert_int_equal(suite.gate.max_blocks, 80);
  pawl_arena_clear(&arena);
}

static void keys_override_their_preset(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_gate_spec plain = parse("version: 1\n", &arena).gate;
  const struct pawl_gate_spec strict =
      parse("version: 1\ngate:\n  detect: 2.5%\n  busy: count\n  preset: strict\n", &arena).gate;
  assert_true(strict.detect == 0.025 && strict.tolerate == 0.005 && strict.miss == 0.001);
  assert_int_equal(strict.inconclusive, PAWL_INCONCLUSIVE_FAIL);
  assert_int_equal(strict.busy, PAWL_BUSY_COUNT);
  assert_int_equal(strict.lines[PAWL_LIMIT_DETECT], 3);
  assert_int_equal(strict.lines[PAWL_LIMIT_TOLERATE], 5);
  const struct pawl_gate_spec fast = parse("version: 1\ngate: {preset: fast}\n", &arena).gate;
  assert_true(fast.detect > plain.detect && fast.max_blocks < plain.max_blocks);
  assert_int_equal(fast.busy, plain.busy);
  assert_int_equal(fast.accept, plain.accept);
  pawl_arena_clear(&arena);
}

static void defaults_are_filled_in(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite =
      parse("version: 1\ncheck: {attention: {}}\nkernels: {h: {command: [a]}}\n", &arena);
  assert_int_equal(suite.measure.warmup, 20);
  assert_int_equal(suite.measure.samples, 100);
  assert_int_equal(suite.measure.processes, 6);
  assert_true(suite.gate.between_runs == 0); /* not known */
  assert_int_equal(suite.measure.cache, PAWL_CACHE_COLD);
  assert_int_equal(suite.measure.clocks, PAWL_CLOCKS_FREE);
  assert_true(suite.measure.timeout_seconds == 60 && suite.measure.memory_limit == 0);
  assert_int_equal(suite.measure.cpus.count, 0);
  assert_int_equal(suite.measure.threads, 0);
  assert_int_equal(suite.measure.placement, PAWL_PLACEMENT_APART);
  assert_true(suite.gate.tolerate == 0.01 && suite.gate.detect == 0.03 &&
              suite.gate.improve == 0.05);
  assert_true(suite.gate.false_alarm == 0.001 && suite.gate.miss == 0.01);
  assert_int_equal(suite.gate.max_blocks, 80);
  assert_int_equal(suite.gate.inconclusive, PAWL_INCONCLUSIVE_WARN);
  assert_true(isnan(suite.usd_per_hour));
  assert_string_equal(suite.store, "sqlite:.pawl/history.db");
  assert_int_equal(suite.retention_days, 0);
  assert_int_equal(suite.operator_count + suite.case_count, 0);
  assert_string_equal(suite.checks[0].oracle, "builtin");
  assert_int_equal(suite.checks[0].axis_count + suite.checks[0].dtype_count, 0);
  assert_int_equal(suite.kernels[0].device, PAWL_CPU);
  assert_string_equal(suite.kernels[0].parse, "wall");
  pawl_arena_clear(&arena);
}

static void anchors_are_followed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite = parse(
      "version: 1\n"
      "kernels:\n"
      "  a: {operator: attention, sources: &files [x.c, y.c], params: &p {M: 1}}\n"
      "  b: {operator: attention, sources: *files, params: *p}\n",
      &arena);
  strings_equal(suite.kernels[1].sources, STRINGS("x.c", "y.c"));
  assert_string_equal(suite.kernels[1].params[0].name, "M");
  pawl_arena_clear(&arena);
}

static void windows_and_bom_are_read(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_suite suite =
      parse("\xef\xbb\xbfversion: 1\r\nmeasure:\r\n  samples: 7\r\n", &arena);
  assert_int_equal(suite.measure.samples, 7);
  pawl_arena_clear(&arena);
}

static void units_are_exact(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } table[] = {{"60", 60},      {"60s", 60},      {"1.5m", 90}, {"2h", 7200},
               {"250ms", 0.25}, {"\"30 s\"", 30}, {"1e2", 100}, {"0.5d", 43200}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_arena arena = {0};
    struct pawl_text yaml = {0};
    pawl_text_printf(&yaml, "version: 1\nmeasure: {timeout: %s}\n", table[i].text);
    assert_true(parse(yaml.data, &arena).measure.timeout_seconds == table[i].seconds);
    pawl_text_clear(&yaml);
    pawl_arena_clear(&arena);
  }
}

/* --- files --- */

static char *scratch_file(const char *contents, size_t length) {
  char *folder = strdup("/tmp/pawl-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  char *path = pawl_path_join(folder, "pawl.yaml");
  assert_int_equal(pawl_file_write(path, contents, length, NULL), PAWL_OK);
  free(folder);
  return path;
}

static void drop(char *path) {
  unlink(path);
  *strrchr(path, '/') = '\0';
  rmdir(path);
  pawl_free(path);
}

static void a_file_knows_its_folder(void **state) {
  (void)state;
  char *path = scratch_file(whole, strlen(whole));
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_suite suite;
  assert_int_equal(pawl_suite_read(path, &arena, &suite, &err), PAWL_OK);
  assert_string_equal(suite.path, path);
  assert_memory_equal(suite.folder, path, strlen(suite.folder));
  assert_string_equal(path + strlen(suite.folder), "/pawl.yaml");
  pawl_arena_clear(&arena);
  drop(path);
}

static void absent_and_huge_files_are_told(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_suite suite;
  assert_int_equal(pawl_suite_read("/nowhere/pawl.yaml", &arena, &suite, &err), PAWL_NO_INPUT);
  assert_non_null(strstr(err.message, "'/nowhere/pawl.yaml'"));
  assert_int_equal(pawl_suite_read("/tmp", &arena, &suite, &err), PAWL_CONFIG);
  assert_int_equal(err.code, PAWL_CONFIG);

  char *path = scratch_file("version: 1\n", 11);
  assert_int_equal(truncate(path, (off_t)1 << 30), 0); /* sparse: 1 GiB on paper */
  assert_int_equal(pawl_suite_read(path, &arena, &suite, &err), PAWL_CONFIG);
  assert_int_equal(err.code, PAWL_CONFIG);
  assert_non_null(strstr(err.message, "larger than the limit of 1 MiB"));
  drop(path);
  pawl_arena_clear(&arena);
}

/* --- the manual --- */

/* Each table of keys, by a mistake whose message lists them. */
static const char *const key_lists[] = {
    "zzzzzzzzzzzzzzzz: 1\n",
    "kernels: {fa: {zzzzzzzzzzzzzzzz: 1}}\n",
    "operators: {relu: {zzzzzzzzzzzzzzzz: 1}}\n",
    "operators: {relu: {gpu_oracle: {zzzzzzzzzzzzzzzz: 1}}}\n",
    "kernels: {fa: {build: {zzzzzzzzzzzzzzzz: 1}}}\n",
    "cases: {c: {\"1\": 1}}\n",
    "check: {c: {\"1\": 1}}\n",
    "measure: {zzzzzzzzzzzzzzzz: 1}\n",
    "gate: {zzzzzzzzzzzzzzzz: 1}\n",
    "cost: {zzzzzzzzzzzzzzzz: 1}\n",
    "retention: {zzzzzzzzzzzzzzzz: 1}\n",
    "notify: {zzzzzzzzzzzzzzzz: 1}\n",
    "notify: {email: {zzzzzzzzzzzzzzzz: 1}}\n",
    "notify: {webhooks: {a: {zzzzzzzzzzzzzzzz: 1}}}\n",
};

/* Fails when the page does not hold `key` between two of the marks. */
static void page_names(const char *page, const char *page_name, const char *key, const char *before,
                       const char *after) {
  const size_t length = strlen(key);
  for (const char *at = page; (at = strstr(at, key)); at++) {
    if (at > page && strchr(before, at[-1]) && at[length] && strchr(after, at[length])) return;
  }
  fail_msg("%s does not tell of '%s'", page_name, key);
}

static void every_key_is_in_the_manual(void **state) {
  (void)state;
  struct pawl_text markdown = {0}, manual = {0};
  assert_int_equal(pawl_file_read(PAWL_SOURCE_ROOT "/docs/pawl-yaml.md", 1 << 20, &markdown, NULL),
                   PAWL_OK);
  assert_int_equal(pawl_file_read(PAWL_SOURCE_ROOT "/docs/man/pawl.yaml.5", 1 << 20, &manual, NULL),
                   PAWL_OK);
  size_t keys = 0;
  for (size_t i = 0; i < sizeof key_lists / sizeof *key_lists; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_suite suite;
    struct pawl_text yaml = {0};
    pawl_text_printf(&yaml, "version: 1\n%s", key_lists[i]);
    assert_int_equal(pawl_suite_parse(yaml.data, yaml.length, "pawl.yaml", &arena, &suite, &err),
                     PAWL_CONFIG);
    char *list = strstr(err.message, "the keys are ");
    assert_non_null(list);
    list += strlen("the keys are ");
    for (char *key; (key = strsep(&list, ", "));) {
      if (!*key) continue;
      page_names(markdown.data, "docs/pawl-yaml.md", key, "`", "`");
      page_names(manual.data, "docs/man/pawl.yaml.5", key, " ", " \n");
      keys++;
    }
    pawl_text_clear(&yaml);
    pawl_arena_clear(&arena);
  }
  assert_true(keys > 50);
  pawl_text_clear(&markdown);
  pawl_text_clear(&manual);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_are_read),
      cmocka_unit_test(operators_and_cases_are_read),
      cmocka_unit_test(check_is_read),
      cmocka_unit_test(measure_and_gate_are_read),
      cmocka_unit_test(the_last_rule_that_sets_a_limit_decides),
      cmocka_unit_test(keys_override_their_preset),
      cmocka_unit_test(defaults_are_filled_in),
      cmocka_unit_test(anchors_are_followed),
      cmocka_unit_test(windows_and_bom_are_read),
      cmocka_unit_test(units_are_exact),
      cmocka_unit_test(a_file_knows_its_folder),
      cmocka_unit_test(absent_and_huge_files_are_told),
      cmocka_unit_test(every_key_is_in_the_manual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
