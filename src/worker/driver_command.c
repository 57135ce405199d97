/* SPDX-License-Identifier: Apache-2.0 */
/* A one-shot command: a program that works, or measures itself, and exits. pawl can only time it.
 * One run is one sample, its wall time. A run of a harness is a set of samples for each benchmark
 * that `reader` finds in its output. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "worker/driver.h"
#include "worker/memory_limit.h"
#include "worker/views.h"
#include "worker/worker.h"

/* Bytes of its output that pawl keeps for the reader. */
#define OUTPUT_LIMIT ((size_t)16 << 20)

static pawl_status start(struct pawl_worker *worker, struct pawl_error *err) {
  const char *const *argv = pawl_worker_argv(worker);
  const char *ours =
      pawl_sandbox_unseen(worker->views, worker->view_count, argv[0], &worker->arena);
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_process_find(ours);
  if (!program && strcmp(ours, argv[0]) != 0)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "no program '%s' to run: the copy of the repository that pawl measures has "
                     "what git has; add the program to git, or give its 'build'",
                     argv[0]);
  if (!program)
    return pawl_fail(err, PAWL_UNAVAILABLE, "no program '%s' to run; is it installed?", ours);
  worker->options.argv = argv;
  return PAWL_OK;
}

static void stop(struct pawl_worker *worker) { (void)worker; /* nothing runs between two calls */ }

/* Returns `argument` with every "{out}" replaced. */
static const char *substitute(const char *argument, const char *path, struct pawl_arena *arena) {
  static const char mark[] = "{out}";
  const char *found = strstr(argument, mark);
  if (!found) return argument;
  const char *rest = substitute(found + sizeof mark - 1, path, arena);
  return pawl_arena_printf(arena, "%.*s%s%s", (int)(found - argument), argument, path, rest);
}

/* The result of a run. */
struct run {
  double seconds;                    /* wall time */
  struct pawl_benchmarks benchmarks; /* empty unless it is a harness */
};

static enum pawl_status_code describe_failure(struct pawl_worker *worker,
                                              const struct pawl_exit *ended,
                                              const struct pawl_text *output,
                                              struct pawl_error *err) {
  const size_t kept = output->length < PAWL_LOG_TAIL ? output->length : PAWL_LOG_TAIL;
  if (kept) memcpy(worker->log.data, output->data + output->length - kept, kept);
  worker->log.length = kept;
  if (ended->timed_out)
    return pawl_worker_terminate(worker, PAWL_CAUSE_TIMEOUT, "time", err, "timed out after %.3g s",
                                 worker->options.timeout_seconds);
  if (ended->events.refused) return pawl_processes_exhausted(worker, "time", err);
  if (ended->events.killed) return pawl_memory_exhausted(worker, "time", err);
  struct pawl_text how = {0};
  pawl_exit_describe(ended, &how);
  const enum pawl_worker_cause cause = ended->signal ? PAWL_CAUSE_SIGNAL : PAWL_CAUSE_EXIT;
  pawl_worker_terminate(worker, cause, "time", err, "%s", pawl_text_string(&how));
  pawl_text_clear(&how);
  return PAWL_FAILED;
}

/* Checks that no benchmark took longer than the run. The times of a benchmark that claims it are
   worth nothing. */
static void check_times(const struct run *run, struct pawl_arena *arena) {
  for (size_t i = 0; i < run->benchmarks.count; i++) {
    struct pawl_benchmark *benchmark = &run->benchmarks.items[i];
    double claimed = 0;
    for (size_t j = 0; j < benchmark->count; j++) claimed += benchmark->seconds[j];
    if (claimed <= run->seconds) continue;
    benchmark->outcome = PAWL_OUTCOME_NO_TIMES;
    benchmark->count = 0;
    benchmark->reason = pawl_arena_printf(
        arena, "the command reports impossible times: %.4g s of '%.100s' in a run of %.4g s",
        claimed, benchmark->name ? benchmark->name : "its benchmark", run->seconds);
  }
}

static pawl_status take_benchmarks(struct pawl_worker *worker, const char *path, const char *output,
                                   struct pawl_arena *arena, struct run *run,
                                   struct pawl_error *err) {
  const struct pawl_benchmarks_reader *reader = &worker->options.reader;
  if (reader->read(reader->format, path, output, arena, &run->benchmarks, err) != PAWL_OK) {
    pawl_prefix(err, "command '%s' wrote no readable times", worker->options.name);
    /* the program caused it */
    return err ? err->code = PAWL_FAILED : PAWL_FAILED;
  }
  if (run->benchmarks.count == 0)
    return pawl_fail(err, PAWL_FAILED, "command '%s' reported no times", worker->options.name);
  check_times(run, arena);
  return PAWL_OK;
}

static pawl_status command_read_benchmarks(struct pawl_worker *worker, const char *path,
                                           const char *output, struct pawl_arena *arena,
                                           struct run *run, struct pawl_error *err) {
  const enum pawl_status_code status = take_benchmarks(worker, path, output, arena, run, err);
  if (status == PAWL_FAILED) worker->cause = PAWL_CAUSE_NO_TIMES;
  return status;
}

/* A harness that ends with a status other than 0 reports that a benchmark failed, perhaps without a
 * word in its file. The times of the other benchmarks count. Without a readable file, the status is
 * the only result. */
static pawl_status take_failed_run(struct pawl_worker *worker, const char *path,
                                   const struct pawl_exit *ended, const struct pawl_text *output,
                                   struct pawl_arena *arena, struct run *out,
                                   struct pawl_error *err) {
  struct pawl_error failure = {0}, unreadable = {0};
  struct run run = {.seconds = ended->seconds};
  const enum pawl_status_code status = describe_failure(worker, ended, output, &failure);
  if (ended->timed_out || ended->signal || !worker->options.reader.read ||
      take_benchmarks(worker, path, pawl_text_string(output), arena, &run, &unreadable) != PAWL_OK)
    return pawl_fail(err, status, "%s", failure.message);
  worker->cause = PAWL_CAUSE_NONE;
  run.benchmarks.failure = pawl_arena_copy(arena, failure.message);
  *out = run;
  return PAWL_OK;
}

/* Runs the command once; `path` is its output file. */
static pawl_status run_with(struct pawl_worker *worker, const char *folder, const char *path,
                            struct pawl_arena *arena, struct run *out, struct pawl_error *err) {
  const struct pawl_worker_options *options = &worker->options;
  size_t count = 0;
  while (options->argv[count]) count++;
  const char **argv = pawl_arena_alloc(arena, count + 1, sizeof *argv);
  for (size_t i = 0; i < count; i++) argv[i] = substitute(options->argv[i], path, arena);
  const char *const environment[] = {pawl_worker_visible_gpu(worker), NULL};
  struct pawl_sandbox sandbox;
  const struct pawl_process_options process = {
      .argv = argv,
      .environment = environment,
      .folder = pawl_worker_folder(worker),
      .drop_secrets = true,
      .die_with_parent = true,
      .kill_descendants = true,
      .shield_us = true,
      .sandbox = pawl_worker_sandbox(worker, folder, &sandbox),
      .memory_limit = options->cuda ? 0 : options->memory_limit,
      .cpus = options->cpus.count ? &options->cpus : NULL,
  };
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text output = {0};
  struct pawl_exit ended;
  PAWL_TRY(pawl_budget_need(err));
  PAWL_TRY(pawl_process_run(&process, pawl_budget_limit(options->timeout_seconds), OUTPUT_LIMIT,
                            &output, &output, &ended, err));
  if (ended.timed_out) PAWL_TRY(pawl_budget_need(err));
  worker->isolation = ended.isolation;
  worker->bounds = ended.bounds;
  if (ended.timed_out || ended.signal || ended.status != 0)
    return take_failed_run(worker, path, &ended, &output, arena, out, err);
  struct run run = {.seconds = ended.seconds};
  if (options->reader.read)
    PAWL_TRY(command_read_benchmarks(worker, path, pawl_text_string(&output), arena, &run, err));
  *out = run;
  return PAWL_OK;
}

/* Returns the file or folder for "{out}". */
static pawl_status make_target(const char *path, bool folder, struct pawl_error *err) {
  if (folder)
    return mkdir(path, 0700) ? pawl_fail_errno(err, errno, "cannot make the folder '%s'", path)
                             : PAWL_OK;
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return fd < 0 ? pawl_fail_errno(err, errno, "cannot make the file '%s'", path) : PAWL_OK;
}

static pawl_status driver_command_run_once(struct pawl_worker *worker, struct pawl_arena *arena,
                                           struct run *out, struct pawl_error *err) {
  const char *own;
  if (!pawl_make_temporary("out", arena, &own))
    return pawl_fail_errno(err, errno, "cannot make the folder '%s'", own);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(own, "out");
  enum pawl_status_code status = make_target(path, worker->options.reader.folder, err);
  if (status == PAWL_OK) status = run_with(worker, own, path, arena, out, err);
  struct pawl_error left = {0};
  if (pawl_remove_tree(own, &left) != PAWL_OK && status == PAWL_OK)
    return pawl_fail(err, left.code, "%s", left.message);
  return status;
}

/* Times runs by the wall clock. */
static pawl_status sample(struct pawl_worker *worker, long long wanted, json_t *samples,
                          struct pawl_error *err) {
  struct pawl_arena arena = {0};
  enum pawl_status_code status = PAWL_OK;
  for (long long i = 0; status == PAWL_OK && i < wanted; i++) {
    struct run run = {0};
    status = driver_command_run_once(worker, &arena, &run, err);
    if (status == PAWL_OK) json_array_append_new(samples, json_real(run.seconds * 1e9));
    pawl_arena_clear(&arena);
  }
  return status;
}

static pawl_status time_command(struct pawl_worker *worker, const json_t *params, json_t **result,
                                struct pawl_error *err) {
  const long long warmup = json_integer_value(json_object_get(params, "warmup"));
  const int64_t start = pawl_clock_ns();
  json_t *ignored = json_array(), *samples = json_array();
  enum pawl_status_code status = sample(worker, warmup, ignored, err);
  json_decref(ignored);
  if (status == PAWL_OK)
    status = sample(worker, json_integer_value(json_object_get(params, "samples")), samples, err);
  if (status != PAWL_OK) {
    json_decref(samples);
    return status;
  }
  *result = json_object();
  pawl_json_set(*result, "samples_ns", samples);
  pawl_json_set_int(*result, "calls_per_sample", 1);
  pawl_json_set_number(*result, "wall_ns", (double)(pawl_clock_ns() - start));
  return PAWL_OK;
}

pawl_status pawl_worker_run_harness(struct pawl_worker *worker, struct pawl_arena *arena,
                                    struct pawl_benchmarks *out, struct pawl_error *err) {
  struct run run = {0};
  PAWL_ASSERT(worker->driver == &pawl_driver_command && worker->options.reader.read);
  PAWL_TRY(driver_command_run_once(worker, arena, &run, err));
  *out = run.benchmarks;
  return PAWL_OK;
}

static pawl_status call(struct pawl_worker *worker, const char *method, const json_t *params,
                        json_t **result, struct pawl_error *err) {
  if (!strcmp(method, "time")) return time_command(worker, params, result, err);
  return pawl_fail(err, PAWL_UNDECIDED,
                   "'%s' is a command: pawl can only time it; it has no method '%s'",
                   worker->options.name, method);
}

const struct pawl_driver pawl_driver_command = {
    .id = PAWL_DRIVER_COMMAND, .start = start, .call = call, .stop = stop};
