/* SPDX-License-Identifier: Apache-2.0 */
/* How calls are timed: rotation, batches, cold caches, inouts; and one-shot commands and their
   readers. Arguments: the folder of the test plug-ins, behave.py. */
#include <stdio.h>
#include <stdlib.h>

#include "base/cache_evict.h"
#include "base/text.h"
#include "protocol/output_hash.h"
#include "scale_fixture.h"

static const char *plugins, *script;

static void start(struct fixture *f, enum pawl_worker_driver driver, const char *name) {
  char path[512];
  fixture_init(f);
  snprintf(path, sizeof path, "%s/%s.so", plugins, name);
  const char *argv[] = {"python3", script, name, NULL};
  const struct pawl_worker_options options = {.driver = driver,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = name,
                                              .plugin = path,
                                              .argv = argv,
                                              .tensors = &f->tensors,
                                              .timeout_seconds = 20};
  if (pawl_worker_start(&f->worker, &options, &f->err)) fail_msg("%s", f->err.message);
}

static void prepare(struct fixture *f) {
  const char *reason = "";
  if (fixture_prepare(f, &reason)) fail_msg("%s", f->err.message);
  assert_null(reason);
}

static struct pawl_time_reply take(struct fixture *f, struct pawl_time_request request) {
  struct pawl_time_reply reply = {0};
  if (pawl_worker_time(f->worker, &request, &f->arena, &reply, &f->err))
    fail_msg("%s", f->err.message);
  assert_int_equal(reply.count, request.samples);
  return reply;
}

static void sets_rotate_and_hashes_tell_them_apart(void **state) {
  (void)state;
  struct fixture f;
  start(&f, PAWL_DRIVER_PLUGIN, "hostile/hostile_honest");
  prepare(&f);
  const struct pawl_time_reply reply =
      take(&f, (struct pawl_time_request){
                   .samples = 5, .first_set = 1, .cache = PAWL_CACHE_COLD, .flush_bytes = 4096});
  for (int i = 0; i < 5; i++) {
    char hash[PAWL_HASH_TEXT];
    pawl_hash_format(
        pawl_output_hash(PAWL_OUTPUT_HASH_XXH3, &f.sets[(1 + i) % FIXTURE_SETS], f.tensors.map),
        hash);
    assert_string_equal(reply.hashes[i], hash);
  }
  assert_string_not_equal(reply.hashes[0], reply.hashes[1]);
  fixture_release(&f);
}

static double fastest(const struct pawl_time_reply *reply) {
  double least = reply->seconds[0];
  for (size_t i = 1; i < reply->count; i++)
    least = reply->seconds[i] < least ? reply->seconds[i] : least;
  return least;
}

/* 1000 multiplications take well under a microsecond: only a batch can tell that. */
static void short_calls_are_batched_when_warm(void **state) {
  (void)state;
  struct fixture f;
  start(&f, PAWL_DRIVER_PLUGIN, "hostile/hostile_honest");
  prepare(&f);
  const struct pawl_time_reply warm =
      take(&f, (struct pawl_time_request){.warmup = 10, .samples = 50, .cache = PAWL_CACHE_WARM});
  const double slowest =
      getenv("PAWL_TEST_SANITIZED") ? 50e-6 : 5e-6; /* a sanitizer makes the kernel slow itself */
  assert_true(fastest(&warm) > 10e-9 && fastest(&warm) < slowest);
  assert_true(fixture_is_right(&f, 0) && fixture_is_right(&f, 1));
  for (int cold = 0; cold < 2; cold++) {
    json_t *params =
        json_pack("{s:i, s:i, s:s}", "warmup", 3, "samples", 2, "cache", cold ? "cold" : "warm");
    json_t *result = NULL;
    assert_int_equal(pawl_worker_call(f.worker, "time", params, &result, &f.err), PAWL_OK);
    const long long calls = json_integer_value(json_object_get(result, "calls_per_sample"));
    assert_true(cold ? calls == 1 : calls >= 2 && calls <= 1000);
    json_decref(result);
  }
  fixture_release(&f);
}

static long long calls_per_sample(struct fixture *f, int warmup, int delay_ns) {
  json_t *params = json_pack("{s:i, s:i, s:s, s:i}", "warmup", warmup, "samples", 2, "cache",
                             "warm", "delay_ns", delay_ns),
         *result = NULL;
  if (pawl_worker_call(f->worker, "time", params, &result, &f->err)) fail_msg("%s", f->err.message);
  const long long calls = json_integer_value(json_object_get(result, "calls_per_sample"));
  json_decref(result);
  return calls;
}

static int compare_seconds(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(struct pawl_time_reply *reply) {
  qsort(reply->seconds, reply->count, sizeof *reply->seconds, compare_seconds);
  return reply->seconds[reply->count / 2];
}

/* Whatever the flush does: here it does nothing. From a cache a line comes in a few ns, from memory
   in 80 or more. The kernel waits for each line of an input. */
static void tensors_of_cold_calls_are_in_no_cache(void **state) {
  (void)state;
  struct fixture f;
  start(&f, PAWL_DRIVER_PLUGIN, "test_reads_lines");
  prepare(&f);
  struct pawl_time_reply warm =
      take(&f, (struct pawl_time_request){.warmup = 10, .samples = 40, .cache = PAWL_CACHE_WARM});
  struct pawl_time_reply cold =
      take(&f, (struct pawl_time_request){.samples = 40, .cache = PAWL_CACHE_COLD});
  print_message("warm %.0f ns, cold %.0f ns\n", 1e9 * median(&warm), 1e9 * median(&cold));
  if (PAWL_CACHE_CAN_EVICT) assert_true(median(&cold) - median(&warm) > 20e-9 * FIXTURE_BYTES / 64);
  fixture_release(&f);
}

static void the_flush_is_small_where_tensors_are_removed(void **state) {
  (void)state;
  const uint64_t server = (uint64_t)375 << 20, desktop = (uint64_t)40 << 20;
  struct pawl_worker_options options = {.driver = PAWL_DRIVER_PLUGIN};
  assert_int_equal(pawl_worker_flush_bytes(&options, desktop), desktop);
  assert_int_equal(pawl_worker_flush_bytes(&options, server),
                   PAWL_CACHE_CAN_EVICT ? (uint64_t)64 << 20 : server);
  options.cuda = true; /* the L2 of a GPU */
  assert_int_equal(pawl_worker_flush_bytes(&options, server), server);
  options = (struct pawl_worker_options){.driver = PAWL_DRIVER_PROTOCOL};
  assert_int_equal(pawl_worker_flush_bytes(&options, server), server);
}

/* However long a call takes a sample takes about 1 ms, so that no length of call is measured
 * otherwise than the next.
 */
static void longer_calls_are_batched_too(void **state) {
  (void)state;
  struct fixture f;
  start(&f, PAWL_DRIVER_PLUGIN, "hostile/hostile_honest");
  prepare(&f);
  assert_in_range(calls_per_sample(&f, 3, 15000), 30, 67);
  assert_in_range(calls_per_sample(&f, 3, 200000), 3, 5);
  assert_int_equal(calls_per_sample(&f, 3, 1000000), 1);
  fixture_release(&f);
}

/* The calls of one process make batches of one size, however slow the first of a request are. */
static void batches_do_not_shrink(void **state) {
  struct fixture f;
  const bool plugin = !*state;
  start(&f, plugin ? PAWL_DRIVER_PLUGIN : PAWL_DRIVER_PROTOCOL, plugin ? "test_rested" : "rested");
  prepare(&f);
  assert_true(calls_per_sample(&f, 30, 0) >= 2);
  pawl_sleep_seconds(0.02);
  assert_true(calls_per_sample(&f, 0, 0) >= 2);
  fixture_release(&f);
}

/* Every call starts from the same values, warm-up calls too, and is not batched. */
static void inouts_are_restored(void **state) {
  struct fixture f;
  const bool plugin = !*state;
  start(&f, plugin ? PAWL_DRIVER_PLUGIN : PAWL_DRIVER_PROTOCOL,
        plugin ? "test_accumulate" : "accumulates");
  for (int s = 0; s < FIXTURE_SETS; s++) {
    f.placed[s][1].spec.role = PAWL_INOUT;
    for (int i = 0; i < FIXTURE_N; i++) fixture_tensor(&f, s, 1)[i] = 0.5f;
  }
  prepare(&f);
  take(&f, (struct pawl_time_request){.warmup = 4, .samples = 6, .cache = PAWL_CACHE_WARM});
  for (int s = 0; s < FIXTURE_SETS; s++) {
    for (int i = 0; i < FIXTURE_N; i++)
      assert_true(fixture_tensor(&f, s, 1)[i] == fixture_tensor(&f, s, 0)[i] + 0.5f);
  }
  fixture_release(&f);
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  struct fixture f;
  start(&f, PAWL_DRIVER_PLUGIN, "hostile/hostile_honest");
  struct pawl_time_reply reply;
  const struct pawl_time_request good = {.samples = 1, .cache = PAWL_CACHE_COLD};
  assert_int_equal(pawl_worker_time(f.worker, &good, &f.arena, &reply, &f.err), PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "before 'prepare'"));
  prepare(&f);
  const struct pawl_time_request bad[] = {
      {.samples = 0}, {.samples = 1, .first_set = 2}, {.samples = 1, .warmup = -1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(pawl_worker_time(f.worker, &bad[i], &f.arena, &reply, &f.err), PAWL_FAILED);
    assert_int_equal(pawl_worker_cause(f.worker), PAWL_CAUSE_REPORTED);
  }
  take(&f, good);
  fixture_release(&f);
}

static double fastest_with_delay(struct fixture *f, int64_t delay_ns, enum pawl_cache_mode cache) {
  const struct pawl_time_reply reply = take(
      f,
      (struct pawl_time_request){.warmup = 2, .samples = 20, .cache = cache, .delay_ns = delay_ns});
  return fastest(&reply);
}

/* Whether each call takes as much longer as was asked for. No call may take less; on a busy machine
 * one may take more.
 */
static bool takes_the_delay(struct fixture *f, enum pawl_cache_mode cache) {
  const double none = fastest_with_delay(f, 0, cache), some = fastest_with_delay(f, 200000, cache),
               more = fastest_with_delay(f, 210000, cache), again = fastest_with_delay(f, 0, cache);
  assert_true(some >= 200e-6 && more >= 210e-6);
  return some < 200e-6 + none + 20e-6 && more - some > 8e-6 && more - some < 30e-6 &&
         again < 100e-6;
}

/* Inside the timed region, for every call of a batch, and not for longer than one request. */
static void a_delay_is_timed(void **state) {
  (void)state;
  struct fixture f;
  start(&f, PAWL_DRIVER_PLUGIN, "hostile/hostile_honest");
  prepare(&f);
  for (int mode = 0; mode < 2; mode++) {
    int attempts = 20;
    while (!takes_the_delay(&f, mode ? PAWL_CACHE_WARM : PAWL_CACHE_COLD))
      assert_true(--attempts > 0);
  }
  assert_true(fixture_is_right(&f, 0));
  fixture_release(&f);
}

static void a_delay_is_refused_with_words(void **state) {
  (void)state;
  struct fixture f;
  start(&f, PAWL_DRIVER_PROTOCOL, "cannot_delay"); /* its hello has no "delay" */
  prepare(&f);
  struct pawl_time_reply reply;
  const struct pawl_time_request request = {
      .samples = 1, .cache = PAWL_CACHE_COLD, .delay_ns = 1000};
  assert_int_equal(pawl_worker_time(f.worker, &request, &f.arena, &reply, &f.err), PAWL_UNDECIDED);
  assert_non_null(strstr(f.err.message, "cannot add a delay to its timed calls"));
  fixture_release(&f);
}

/* Reads one time in milliseconds a line from the file; counts its calls in a file beside it. */
static pawl_status read_lines(const char *format, const char *path, const char *output,
                              struct pawl_arena *arena, struct pawl_benchmarks *out,
                              struct pawl_error *err) {
  assert_string_equal(format, "lines");
  FILE *file = fopen(path, "r");
  double *times = pawl_arena_alloc(arena, 16, sizeof *times), value;
  size_t found = 0;
  while (file && found < 16 && fscanf(file, "%lf", &value) == 1) times[found++] = value * 1e-3;
  if (file) fclose(file);
  if (strstr(output, "broken")) return pawl_fail(err, PAWL_BAD_DATA, "'%s': broken", path);
  struct pawl_benchmark *one = pawl_arena_alloc(arena, 1, sizeof *one);
  *one = (struct pawl_benchmark){.name = "one", .seconds = times, .count = found};
  *out = (struct pawl_benchmarks){one, found > 0};
  return PAWL_OK;
}

static const struct pawl_benchmarks_reader wall = {0}, lines = {"lines", false, read_lines};

static pawl_status start_shell(struct fixture *f, const char *shell,
                               struct pawl_benchmarks_reader reader) {
  const char *argv[] = {"sh", "-c", shell, NULL};
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_COMMAND,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "harness",
                                              .argv = argv,
                                              .reader = reader,
                                              .timeout_seconds = 10};
  pawl_worker_free(f->worker);
  f->worker = NULL;
  return pawl_worker_start(&f->worker, &options, &f->err);
}

static pawl_status run_shell(struct fixture *f, const char *shell, struct pawl_benchmarks *out) {
  PAWL_TRY(start_shell(f, shell, lines));
  return pawl_worker_run_harness(f->worker, &f->arena, out, &f->err);
}

static void commands_are_timed(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  const struct pawl_time_request request = {.warmup = 1, .samples = 2, .cache = PAWL_CACHE_COLD};
  struct pawl_time_reply reply;
  if (start_shell(&f, "sleep 0.05", wall) ||
      pawl_worker_time(f.worker, &request, &f.arena, &reply, &f.err))
    fail_msg("%s", f.err.message);
  assert_true(reply.seconds[0] >= 0.05 && reply.seconds[1] >= 0.05 && reply.seconds[1] < 5);
  assert_null(reply.hashes);
  fixture_release(&f);
}

/* All that one run wrote, or one line that says what is wrong with it. */
static void harnesses_are_read(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  struct pawl_benchmarks all;
  if (run_shell(&f, "printf '1\\n2\\n' >{out}; sleep 0.02", &all)) fail_msg("%s", f.err.message);
  assert_true(all.count == 1 && all.items[0].count == 2);
  assert_true(all.items[0].seconds[0] == 1e-3 && all.items[0].seconds[1] == 2e-3);
  static const char *const impossible[] = {"echo 5000 >{out}", "printf '2000\\n3000\\n' >{out}",
                                           "echo nan >{out}"};
  for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
    if (run_shell(&f, impossible[i], &all)) fail_msg("%s", f.err.message);
    assert_true(all.items[0].count == 0 && all.items[0].outcome == PAWL_OUTCOME_NO_TIMES);
    assert_non_null(strstr(all.items[0].reason, "reports impossible times: "));
    assert_non_null(strstr(all.items[0].reason, " s of 'one' in a run of "));
  }
  assert_int_equal(run_shell(&f, "true {out}", &all), PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "reported no times"));
  assert_int_equal(run_shell(&f, "echo broken", &all), PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "wrote no readable times"));
  assert_int_equal(pawl_worker_cause(f.worker), PAWL_CAUSE_NO_TIMES);
  assert_int_equal(run_shell(&f, "echo one; echo two >&2; exit 4", &all), PAWL_FAILED);
  assert_string_equal(
      f.err.message,
      "kernel 'harness' exited with status 4 while pawl timed it; it printed last: one | two");
  fixture_release(&f);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  plugins = argv[1];
  script = argv[2];
  int protocol = 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_rotate_and_hashes_tell_them_apart),
      cmocka_unit_test(short_calls_are_batched_when_warm),
      cmocka_unit_test(tensors_of_cold_calls_are_in_no_cache),
      cmocka_unit_test(the_flush_is_small_where_tensors_are_removed),
      cmocka_unit_test(longer_calls_are_batched_too),
      cmocka_unit_test(batches_do_not_shrink),
      cmocka_unit_test_prestate(batches_do_not_shrink, &protocol),
      cmocka_unit_test(inouts_are_restored),
      cmocka_unit_test_prestate(inouts_are_restored, &protocol),
      cmocka_unit_test(bad_requests_are_refused),
      cmocka_unit_test(a_delay_is_timed),
      cmocka_unit_test(a_delay_is_refused_with_words),
      cmocka_unit_test(commands_are_timed),
      cmocka_unit_test(harnesses_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
