/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's CUDA device on a driver without a GPU: how calls are timed, what each misbehaviour
   costs. Argument: the folder of the fake drivers. */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "protocol/output_hash.h"
#include "scale_fixture.h"

static const char *folder;

struct setting {
  const char *behaviour, *fault, *timing; /* NULL: none */
};

static void set_environment(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

static enum pawl_status_code try_start(struct fixture *f, struct setting setting) {
  char driver[512], kernel[512];
  snprintf(driver, sizeof driver, "%s/fake_cuda.so", folder);
  snprintf(kernel, sizeof kernel, "%s/scale_fake.so", folder);
  set_environment("PAWL_CUDA_LIBRARY", driver);
  set_environment("SCALE_FAKE", setting.behaviour);
  set_environment("FAKE_CUDA_FAULT", setting.fault);
  set_environment("PAWL_CUDA_TIMING", setting.timing);
  fixture_init(f);
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_PLUGIN,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "scale_fake",
                                              .plugin = kernel,
                                              .tensors = &f->tensors,
                                              .cuda = true,
                                              .isolate = PAWL_ISOLATE_OFF,
                                              .timeout_seconds = 20};
  return pawl_worker_start(&f->worker, &options, &f->err);
}

static void start(struct fixture *f, struct setting setting) {
  const char *reason = NULL;
  if (try_start(f, setting)) fail_msg("%s", f->err.message);
  if (fixture_prepare(f, &reason)) fail_msg("%s", f->err.message);
  assert_null(reason);
}

static int count_pins(void) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text log = {0};
  int count = 0;
  assert_int_equal(pawl_file_read(getenv("FAKE_CUDA_MEMORY"), 1 << 20, &log, NULL), PAWL_OK);
  for (const char *at = pawl_text_string(&log); (at = strstr(at, "pin\n")); at++) count++;
  return count;
}

/* A GPU writes to the pages that were pinned, whatever pages the memory has now. */
static void pins_the_pages_that_the_memory_has(void **state) {
  (void)state;
  char log[] = "/tmp/pawl-test-pins-XXXXXX";
  struct fixture f;
  const char *reason;
  close(mkstemp(log));
  setenv("FAKE_CUDA_MEMORY", log, 1);
  start(&f, (struct setting){0});
  assert_int_equal(count_pins(), 1);
  const size_t end = f.placed[FIXTURE_SETS - 1][1].offset + FIXTURE_STEP;
  f.tensors.map[end] = 1;
  for (int times = 0; times < 2; times++) { /* the second time there are no pages to take away */
    pawl_shared_empty(&f.tensors, end);
    assert_int_equal(fixture_prepare(&f, &reason), PAWL_OK);
    assert_int_equal(count_pins(), 2);
  }
  assert_int_equal(f.tensors.map[end], 0);
  fixture_release(&f);
  unsetenv("FAKE_CUDA_MEMORY");
  unlink(log);
}

/* One `time` request; its outputs are spoiled first, so that only the timed calls can have written
 * them. */
static enum pawl_status_code take_delayed(struct fixture *f, const char *cache, int samples,
                                          int64_t delay_ns, json_t **result) {
  for (int s = 0; s < FIXTURE_SETS; s++) memset(fixture_tensor(f, s, 1), 0, FIXTURE_BYTES);
  json_t *params =
      json_pack("{s:i,s:i,s:s,s:i,s:i,s:I}", "warmup", 2, "samples", samples, "cache", cache,
                "first_set", 0, "flush_bytes", 1 << 20, "delay_ns", (json_int_t)delay_ns);
  return pawl_worker_call(f->worker, "time", params, result, &f->err);
}

static enum pawl_status_code take(struct fixture *f, const char *cache, int samples,
                                  json_t **result) {
  return take_delayed(f, cache, samples, 0, result);
}

static double shortest_ns(const json_t *result) {
  const json_t *samples = json_object_get(result, "samples_ns");
  double least = json_number_value(json_array_get(samples, 0));
  for (size_t i = 1; i < json_array_size(samples); i++) {
    const double ns = json_number_value(json_array_get(samples, i));
    least = ns < least ? ns : least;
  }
  return least;
}

/* Times the kernel, which works, and returns its shortest sample. */
static double time_of(struct setting setting, const char *cache, const char *method, bool right) {
  struct fixture f;
  json_t *result = NULL;
  double seconds;
  start(&f, setting);
  if (pawl_worker_run(f.worker, 0, &seconds, &f.err)) fail_msg("%s", f.err.message);
  assert_true(fixture_is_right(&f, 0));
  if (take(&f, cache, 4, &result)) fail_msg("%s", f.err.message);
  assert_string_equal(json_string_value(json_object_get(result, "method")), method);
  assert_int_equal(json_array_size(json_object_get(result, "samples_ns")), 4);
  for (int s = 0; s < FIXTURE_SETS; s++) assert_int_equal(fixture_is_right(&f, s), right);
  for (size_t i = 0; i < 4; i++) {
    char hash[PAWL_HASH_TEXT];
    pawl_hash_format(
        pawl_output_hash(PAWL_OUTPUT_HASH_SUM, &f.sets[i % FIXTURE_SETS], f.tensors.map), hash);
    assert_string_equal(json_string_value(json_array_get(json_object_get(result, "hashes"), i)),
                        hash);
  }
  const double ns = shortest_ns(result);
  json_decref(result);
  fixture_release(&f);
  return ns;
}

static void an_honest_kernel_is_timed_by_a_graph(void **state) {
  (void)state;
  const double cold = time_of((struct setting){"honest", NULL, NULL}, "cold", "graph", true);
  assert_true(cold > 0 && cold < 1e6);
  const double warm = time_of((struct setting){"honest", NULL, NULL}, "warm", "graph", true);
  assert_true(warm > 0 && warm < 1e6);
  time_of((struct setting){"honest", "module", NULL}, "cold", "graph",
          true); /* hashed by the host, to the same */
  time_of((struct setting){"honest", "register", NULL}, "cold", "graph",
          true); /* copied without pinning */
  const double slow = time_of((struct setting){"slow", NULL, NULL}, "cold", "graph", true);
  assert_true(slow > 1.9e6 && slow < 20e6);
}

/* Outputs of calls that others follow stay on the device, with their hashes; then they are shown.
 */
static void kept_outputs_are_shown_with_the_last_calls(void **state) {
  (void)state;
  struct fixture f;
  start(&f, (struct setting){"honest", NULL, NULL});
  struct pawl_time_request request = {
      .samples = 5, .cache = PAWL_CACHE_COLD, .flush_bytes = 1 << 20, .keep = true};
  struct pawl_time_reply reply;
  for (int s = 0; s < FIXTURE_SETS; s++) memset(fixture_tensor(&f, s, 1), 0, FIXTURE_BYTES);
  if (pawl_worker_time(f.worker, &request, &f.arena, &reply, &f.err)) fail_msg("%s", f.err.message);
  assert_false(reply.shown);
  assert_int_equal(reply.hash_kind, PAWL_OUTPUT_HASH_SUM);
  assert_true(reply.hash_seconds > 0 && reply.hash_seconds < reply.wall_seconds);
  for (int s = 0; s < FIXTURE_SETS; s++) assert_true(fixture_tensor(&f, s, 1)[1] == 0);
  fixture_tensor(&f, 0, 0)[1] += 1; /* not read again */
  request.keep = false;
  if (pawl_worker_time(f.worker, &request, &f.arena, &reply, &f.err)) fail_msg("%s", f.err.message);
  assert_true(reply.shown);
  for (int s = 0; s < FIXTURE_SETS; s++) assert_true(fixture_is_right(&f, s));
  fixture_release(&f);
}

static void the_other_methods_time_it_too(void **state) {
  (void)state;
  time_of((struct setting){"honest", NULL, "block"}, "cold", "block", true);
  time_of((struct setting){"honest", NULL, "stream"}, "cold", "stream", true);
  time_of((struct setting){"honest", "capture", NULL}, "cold", "block",
          true); /* a driver that cannot capture */
  const double slow = time_of((struct setting){"slow", NULL, "block"}, "cold", "block", true);
  assert_true(slow > 1.9e6 && slow < 20e6);
}

/* Work outside the replayed graph is not in the outputs either. */
static void work_outside_the_graph_does_not_count(void **state) {
  (void)state;
  time_of((struct setting){"eager", NULL, NULL}, "cold", "graph", false);
  time_of((struct setting){"aside", NULL, NULL}, "cold", "graph", false);
}

/* Without a graph, what the device does after the end of the stream is added: 3 ms. */
static void work_that_nobody_waits_for_is_timed(void **state) {
  (void)state;
  assert_true(time_of((struct setting){"aside", NULL, "block"}, "cold", "block", true) > 2.9e6);
  assert_true(time_of((struct setting){"aside", NULL, "stream"}, "cold", "stream", true) > 2.9e6);
}

static void a_launch_that_waits_does_not_hang(void **state) {
  (void)state;
  time_of((struct setting){"waits", NULL, NULL}, "cold", "stream", true);
  time_of((struct setting){"waits", NULL, "block"}, "warm", "stream", true);
}

/* Whatever the method, a delay is in the time of its request, and of no other. */
static void a_delay_is_inside_the_timed_region(void **state) {
  (void)state;
  static const char *const methods[] = {"graph", "block", "stream"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    struct fixture f;
    json_t *result = NULL;
    double seconds;
    start(&f, (struct setting){"honest", NULL, methods[i]});
    if (take_delayed(&f, "cold", 4, 3000000, &result)) fail_msg("%s", f.err.message);
    assert_string_equal(json_string_value(json_object_get(result, "method")), methods[i]);
    assert_true(shortest_ns(result) >= 3e6 && shortest_ns(result) < 30e6);
    json_decref(result);
    for (int s = 0; s < FIXTURE_SETS; s++) assert_true(fixture_is_right(&f, s));
    if (take_delayed(&f, "warm", 4, 1000000, &result)) fail_msg("%s", f.err.message);
    assert_true(shortest_ns(result) >= 1e6 && shortest_ns(result) < 3e6);
    json_decref(result);
    if (take(&f, "cold", 4, &result)) fail_msg("%s", f.err.message);
    assert_true(shortest_ns(result) < 1e6);
    json_decref(result);
    if (pawl_worker_run(f.worker, 0, &seconds, &f.err)) fail_msg("%s", f.err.message);
    fixture_release(&f);
  }
}

/* Samples as long as the fake GPU makes those that waited for the host. */
static size_t gaps(const struct pawl_time_reply *reply) {
  size_t found = 0;
  for (size_t i = 0; i < reply->count; i++) found += reply->seconds[i] > 0.9e-3;
  return found;
}

static struct pawl_time_reply take_reply(struct fixture *f, enum pawl_cache_mode cache) {
  const struct pawl_time_request request = {
      .warmup = 2, .samples = 20, .cache = cache, .flush_bytes = 64};
  struct pawl_time_reply reply = {0};
  if (pawl_worker_time(f->worker, &request, &f->arena, &reply, &f->err))
    fail_msg("%s", f->err.message);
  return reply;
}

/* A host that now and then is 3 ms late leaves its mark in no sample: those are taken again. */
static void samples_that_waited_for_the_host_are_repeated(void **state) {
  (void)state;
  static const char *const methods[] = {"graph", "block"};
  for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; i++) {
    struct fixture f;
    start(&f, (struct setting){"honest", "slow_host", methods[i / 2]});
    const struct pawl_time_reply reply = take_reply(&f, i % 2 ? PAWL_CACHE_WARM : PAWL_CACHE_COLD);
    assert_int_equal(reply.waited, 0);
    assert_true(reply.repeated > 0);
    assert_true(gaps(&reply) <= 2); /* this machine makes some gaps itself */
    fixture_release(&f);
  }
}

/* Where nothing but the flush can keep the GPU busy, and it is too short, no sample is silent about
 * it. */
static void samples_that_cannot_be_covered_say_so(void **state) {
  (void)state;
  struct fixture f;
  start(&f, (struct setting){"honest", "module", NULL});
  const struct pawl_time_reply reply = take_reply(&f, PAWL_CACHE_COLD);
  assert_int_equal(reply.waited, 20);
  assert_int_equal(reply.repeated, 0);
  assert_true(gaps(&reply) == 20);
  fixture_release(&f);
  start(&f, (struct setting){"waits", NULL, NULL});
  assert_int_equal(take_reply(&f, PAWL_CACHE_COLD).waited, 20);
  fixture_release(&f);
}

static void a_delay_that_cannot_be_loaded_is_said_so(void **state) {
  (void)state;
  struct fixture f;
  json_t *result = NULL;
  start(&f, (struct setting){"honest", "module", NULL});
  assert_int_equal(take_delayed(&f, "cold", 2, 1000, &result), PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "cannot load the code of a delay"));
  if (take(&f, "cold", 2, &result)) fail_msg("%s", f.err.message);
  json_decref(result);
  fixture_release(&f);
}

static void expect_failure(struct setting setting, const char *words) {
  struct fixture f;
  double seconds;
  start(&f, setting);
  assert_int_equal(pawl_worker_run(f.worker, 0, &seconds, &f.err), PAWL_FAILED);
  if (!strstr(f.err.message, words)) fail_msg("%s", f.err.message);
  fixture_release(&f);
}

static void faults_of_the_kernel_are_named(void **state) {
  (void)state;
  expect_failure((struct setting){"error", NULL, NULL}, "launch returned error 7");
  expect_failure((struct setting){"outside", NULL, NULL},
                 "wrote outside a tensor: 1 bytes after its end");
  expect_failure((struct setting){"honest", "launch", NULL},
                 "an illegal memory access was encountered");
}

static void faults_while_timing_are_named(void **state) {
  (void)state;
  static const struct {
    struct setting setting;
    const char *words;
  } rows[] = {{{"error", NULL, NULL}, "launch returned error 7"},
              {{"outside", NULL, NULL}, "wrote outside a tensor"},
              {{"honest", "launch", NULL}, "an illegal memory access was encountered"},
              {{"honest", "elapsed", NULL}, "the events report"},
              {{"honest", "elapsed", "block"}, "the events report"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fixture f;
    json_t *result = NULL;
    start(&f, rows[i].setting);
    assert_int_equal(take(&f, "cold", 2, &result), PAWL_FAILED);
    if (!strstr(f.err.message, rows[i].words)) fail_msg("%s", f.err.message);
    fixture_release(&f);
  }
}

/* Counts the lines of this word that the fake driver has written. */
static int lines_of(const char *path, const char *word) {
  char line[64];
  int count = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) count += !strncmp(line, word, strlen(word));
  if (file) fclose(file);
  return count;
}

static void prepare_half(struct fixture *f) {
  const char *reason = NULL;
  f->dims[0].value = FIXTURE_N / 2;
  for (int s = 0; s < FIXTURE_SETS; s++)
    for (int t = 0; t < 2; t++) {
      f->placed[s][t].spec.size[0] = FIXTURE_N / 2;
      f->placed[s][t].bytes = FIXTURE_BYTES / 2;
    }
  if (fixture_prepare(f, &reason)) fail_msg("%s", f->err.message);
}

/* The second case has its memory from the first one, with its own guard bands. */
static void the_next_case_takes_over_the_memory(void **state) {
  (void)state;
  struct fixture f;
  json_t *result = NULL;
  char path[] = "/tmp/pawl-memory-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  set_environment("FAKE_CUDA_MEMORY", path);
  start(&f, (struct setting){"honest", NULL, NULL});
  if (take(&f, "cold", 4, &result)) fail_msg("%s", f.err.message);
  json_decref(result);
  const int allocated = lines_of(path, "allocate"), counted = lines_of(path, "count");
  assert_true(allocated >= 2 * FIXTURE_SETS);
  assert_int_equal(lines_of(path, "upload"), FIXTURE_SETS); /* the inputs, without the outputs */
  prepare_half(&f);
  assert_int_equal(lines_of(path, "allocate"), allocated);
  assert_int_equal(lines_of(path, "pin"), 1);
  if (take(&f, "cold", 4, &result)) fail_msg("%s", f.err.message);
  json_decref(result);
  for (int s = 0; s < FIXTURE_SETS; s++)
    for (int i = 0; i < FIXTURE_N / 2; i++)
      assert_true(fixture_tensor(&f, s, 1)[i] == 2 * fixture_tensor(&f, s, 0)[i]);
  /* at the beginning and at the end of the request, not at each call */
  assert_int_equal(lines_of(path, "count"), counted + 2);
  fixture_release(&f);
  set_environment("FAKE_CUDA_MEMORY", NULL);
  unlink(path);
  double seconds;
  start(&f, (struct setting){"outside", NULL, NULL});
  prepare_half(&f);
  assert_int_equal(pawl_worker_run(f.worker, 0, &seconds, &f.err), PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "wrote outside a tensor: 1 bytes after its end"));
  fixture_release(&f);
}

static void a_machine_without_a_gpu_cannot_serve(void **state) {
  (void)state;
  static const char *const faults[] = {"none", "init", "old"};
  static const char *const words[] = {"sees no GPU", "does not start", "too old"};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct fixture f;
    assert_int_equal(try_start(&f, (struct setting){"honest", faults[i], NULL}), PAWL_UNAVAILABLE);
    if (!strstr(f.err.message, words[i])) fail_msg("%s", f.err.message);
    fixture_release(&f);
  }
}

static void a_full_gpu_is_said_so(void **state) {
  (void)state;
  struct fixture f;
  const char *reason = NULL;
  if (try_start(&f, (struct setting){"honest", "oom", NULL})) fail_msg("%s", f.err.message);
  assert_int_equal(fixture_prepare(&f, &reason), PAWL_FAILED);
  assert_non_null(strstr(f.err.message, "out of memory"));
  fixture_release(&f);
}

static double sample_ns(const json_t *result, size_t i) {
  return json_number_value(json_array_get(json_object_get(result, "samples_ns"), i));
}

/* The inputs of every other call change. The worker keeps the earlier inputs for the next
   request, which does not send them again. */
static json_t *take_unseen(struct fixture *f, struct setting setting) {
  json_t *result = NULL;
  start(f, setting);
  json_t *params =
      json_pack("{s:i,s:i,s:s,s:i,s:i,s:b,s:b}", "warmup", 2, "samples", 4, "cache", "cold",
                "first_set", 0, "flush_bytes", 1 << 20, "unseen", 1, "keep", 1);
  if (pawl_worker_call(f->worker, "time", params, &result, &f->err)) fail_msg("%s", f->err.message);
  return result;
}

static void nobody_computes_unseen_inputs_ahead(void **state) {
  (void)state;
  static const char *const methods[] = {"graph", "block", "stream"};
  for (size_t m = 0; m < 3; m++) {
    struct fixture f;
    json_t *result = take_unseen(&f, (struct setting){"ahead", NULL, methods[m]});
    assert_false(json_object_get(result, "early"));
    for (size_t i = 0; i < 4; i += 2) {
      assert_true(sample_ns(result, i) < 150e6);      /* it knows the usual ones */
      assert_true(sample_ns(result, i + 1) >= 200e6); /* and not those that have just changed */
    }
    const json_t *hashes = json_object_get(result, "hashes");
    assert_string_not_equal(json_string_value(json_array_get(hashes, 1)), /* set 1 */
                            json_string_value(json_array_get(hashes, 3)));
    json_decref(result);
    fixture_release(&f);
  }
}

static void changed_inputs_are_as_before_afterwards(void **state) {
  (void)state;
  struct fixture f;
  json_t *result = take_unseen(&f, (struct setting){"honest", NULL, NULL});
  json_decref(result);
  result = NULL;
  if (take(&f, "cold", 4, &result)) fail_msg("%s", f.err.message);
  for (int s = 0; s < FIXTURE_SETS; s++) assert_true(fixture_is_right(&f, s));
  json_decref(result);
  fixture_release(&f);
}

/* Without code for the GPU no elements change behind the flush, and the worker says so. */
static void a_gpu_that_exchanges_nothing_says_so(void **state) {
  (void)state;
  struct fixture f;
  json_t *result = take_unseen(&f, (struct setting){"ahead", "module", NULL});
  assert_true(json_is_true(json_object_get(result, "early")));
  for (size_t i = 0; i < 4; i++) assert_true(sample_ns(result, i) < 150e6);
  json_decref(result);
  fixture_release(&f);
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_honest_kernel_is_timed_by_a_graph),
      cmocka_unit_test(kept_outputs_are_shown_with_the_last_calls),
      cmocka_unit_test(the_other_methods_time_it_too),
      cmocka_unit_test(work_outside_the_graph_does_not_count),
      cmocka_unit_test(work_that_nobody_waits_for_is_timed),
      cmocka_unit_test(a_launch_that_waits_does_not_hang),
      cmocka_unit_test(samples_that_waited_for_the_host_are_repeated),
      cmocka_unit_test(samples_that_cannot_be_covered_say_so),
      cmocka_unit_test(a_delay_is_inside_the_timed_region),
      cmocka_unit_test(a_delay_that_cannot_be_loaded_is_said_so),
      cmocka_unit_test(faults_of_the_kernel_are_named),
      cmocka_unit_test(faults_while_timing_are_named),
      cmocka_unit_test(nobody_computes_unseen_inputs_ahead),
      cmocka_unit_test(changed_inputs_are_as_before_afterwards),
      cmocka_unit_test(a_gpu_that_exchanges_nothing_says_so),
      cmocka_unit_test(the_next_case_takes_over_the_memory),
      cmocka_unit_test(pins_the_pages_that_the_memory_has),
      cmocka_unit_test(a_machine_without_a_gpu_cannot_serve),
      cmocka_unit_test(a_full_gpu_is_said_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
