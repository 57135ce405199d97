/* SPDX-License-Identifier: Apache-2.0 */
/* A one-shot command: any program that does its work, or measures itself, and exits. It can only be timed: one run is
   one sample (its wall time), or gives as many as `reader` finds in what it wrote. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "worker/driver.h"

#define OUTPUT_LIMIT ((size_t)16 << 20) /* bytes of its output that are kept for the reader */

static pawl_status start(struct pawl_worker *worker, struct pawl_error *err) {
  const char *const *argv = pawl_worker_argv(worker);
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_process_find(argv[0]);
  if (!program) return pawl_fail(err, PAWL_UNAVAILABLE, "no program '%s' to run; is it installed?", argv[0]);
  worker->options.argv = argv;
  return PAWL_OK;
}

static void stop(struct pawl_worker *worker) {
  (void)worker; /* nothing runs between two calls */
}

/* `argument` with every "{out}" replaced. */
static const char *substitute(const char *argument, const char *path, struct pawl_arena *arena) {
  static const char mark[] = "{out}";
  const char *found = strstr(argument, mark);
  if (!found) return argument;
  const char *rest = substitute(found + sizeof mark - 1, path, arena);
  return pawl_arena_printf(arena, "%.*s%s%s", (int)(found - argument), argument, path, rest);
}

/* The times of a run in seconds. */
struct run {
  double *seconds;
  size_t count;
};

static enum pawl_status_code describe_failure(struct pawl_worker *worker, const struct pawl_exit *ended,
                                              const struct pawl_text *output, struct pawl_error *err) {
  const size_t kept = output->length < PAWL_LOG_TAIL ? output->length : PAWL_LOG_TAIL;
  if (kept) memcpy(worker->log.data, output->data + output->length - kept, kept);
  worker->log.length = kept;
  if (ended->timed_out)
    return pawl_worker_terminate(worker, PAWL_CAUSE_TIMEOUT, "time", err, "timed out after %.3g s",
                                 worker->options.timeout_seconds);
  struct pawl_text how = {0};
  pawl_exit_describe(ended, &how);
  const enum pawl_worker_cause cause = ended->signal ? PAWL_CAUSE_SIGNAL : PAWL_CAUSE_EXIT;
  pawl_worker_terminate(worker, cause, "time", err, "%s", pawl_text_string(&how));
  pawl_text_clear(&how);
  return PAWL_FAILED;
}

/* Runs the command once, `path` being the file that it may write to. */
static pawl_status run_with(struct pawl_worker *worker, const char *path, struct pawl_arena *arena, struct run *out,
                            struct pawl_error *err) {
  const struct pawl_worker_options *options = &worker->options;
  size_t count = 0;
  while (options->argv[count]) count++;
  const char **argv = pawl_arena_alloc(arena, count + 1, sizeof *argv);
  for (size_t i = 0; i < count; i++) argv[i] = substitute(options->argv[i], path, arena);
  const char *const environment[] = {pawl_worker_visible_gpu(worker), NULL};
  const struct pawl_process_options process = {
      .argv = argv,
      .environment = environment,
      .folder = options->folder,
      .drop_secrets = true,
      .die_with_parent = true,
      .kill_descendants = true,
      .memory_limit = options->cuda ? 0 : options->memory_limit,
      .cpus = options->cpus.count ? &options->cpus : NULL,
  };
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text output = {0};
  struct pawl_exit ended;
  PAWL_TRY(pawl_process_run(&process, options->timeout_seconds, OUTPUT_LIMIT, &output, &output, &ended, err));
  if (ended.timed_out || ended.signal || ended.status != 0) return describe_failure(worker, &ended, &output, err);
  if (!options->reader.read) {
    double *seconds = pawl_arena_alloc(arena, 1, sizeof *seconds);
    *seconds = ended.seconds;
    *out = (struct run){seconds, 1};
    return PAWL_OK;
  }
  struct run read = {0};
  PAWL_TRY(options->reader.read(options->reader.format, path, pawl_text_string(&output), arena, &read.seconds,
                                &read.count, err));
  if (read.count == 0) return pawl_fail(err, PAWL_FAILED, "command '%s' reported no times", options->name);
  *out = read;
  return PAWL_OK;
}

static pawl_status run_once(struct pawl_worker *worker, struct pawl_arena *arena, struct run *out,
                            struct pawl_error *err) {
  const char *folder = getenv("TMPDIR");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_printf(&path, "%s/pawl-out-XXXXXX", folder && *folder ? folder : "/tmp");
  const int fd = mkstemp(path.data);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot make the file '%s'", path.data);
  close(fd);
  const enum pawl_status_code status = run_with(worker, path.data, arena, out, err);
  unlink(path.data);
  return status;
}

/* Samples in seconds, appended until there are `wanted`. */
static pawl_status sample(struct pawl_worker *worker, long long wanted, json_t *samples, struct pawl_error *err) {
  struct pawl_arena arena = {0};
  enum pawl_status_code status = PAWL_OK;
  while (status == PAWL_OK && (long long)json_array_size(samples) < wanted) {
    struct run run = {0};
    status = run_once(worker, &arena, &run, err);
    for (size_t i = 0; status == PAWL_OK && i < run.count && (long long)json_array_size(samples) < wanted; i++) {
      if (!isfinite(run.seconds[i]))
        status = pawl_fail(err, PAWL_FAILED, "command '%s' reported a time that is not a number", worker->options.name);
      else
        json_array_append_new(samples, json_real(run.seconds[i] * 1e9));
    }
    pawl_arena_clear(&arena);
  }
  return status;
}

static pawl_status time_command(struct pawl_worker *worker, const json_t *params, json_t **result,
                                struct pawl_error *err) {
  /* A command that measures itself warms up itself. */
  const long long warmup = worker->options.reader.read ? 0 : json_integer_value(json_object_get(params, "warmup"));
  const int64_t start = pawl_clock_ns();
  json_t *ignored = json_array(), *samples = json_array();
  enum pawl_status_code status = sample(worker, warmup, ignored, err);
  json_decref(ignored);
  if (status == PAWL_OK) status = sample(worker, json_integer_value(json_object_get(params, "samples")), samples, err);
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

static pawl_status call(struct pawl_worker *worker, const char *method, const json_t *params, json_t **result,
                        struct pawl_error *err) {
  if (!strcmp(method, "time")) return time_command(worker, params, result, err);
  return pawl_fail(err, PAWL_UNDECIDED, "'%s' is a command: pawl can only time it; it has no method '%s'",
                   worker->options.name, method);
}

const struct pawl_driver pawl_driver_command = {.id = PAWL_DRIVER_COMMAND, .start = start, .call = call, .stop = stop};
