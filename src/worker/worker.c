/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/worker.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "worker/driver.h"

/* Runs at rest that end a worker. A run by chance is rare. */
#define MOST_WOKEN 3

static const struct pawl_driver *const drivers[] = {
    &pawl_driver_plugin,
    &pawl_driver_protocol,
    &pawl_driver_command,
};

static const struct pawl_driver *find_driver(enum pawl_worker_driver id) {
  for (size_t i = 0; i < PAWL_COUNT(drivers); i++) {
    if (drivers[i]->id == id) return drivers[i];
  }
  pawl_bug(__FILE__, __LINE__, "unknown worker driver");
}

static const char *const *copy_argv(struct pawl_arena *arena, const char *const *argv) {
  if (!argv) return NULL;
  size_t count = 0;
  while (argv[count]) count++;
  const char **copy = pawl_arena_alloc(arena, count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++) copy[i] = pawl_arena_copy(arena, argv[i]);
  return copy;
}

/* Refuses files that changed since the build, because pawl must measure the files that it built. */
static pawl_status require_files(const struct pawl_worker *worker, struct pawl_error *err) {
  const char *changed = pawl_known_files_changed(worker->options.files);
  if (!changed) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text title = {0};
  pawl_worker_title(worker, &title);
  return pawl_fail(
      err, PAWL_FAILED,
      "%s: something changed '%s' after pawl had built it; run pawl again to build it anew",
      pawl_text_string(&title), changed);
}

/* A wrapper needs rights that a sandbox takes away. */
static pawl_status allow_wrapper(const struct pawl_worker_options *options,
                                 struct pawl_error *err) {
  if (!options->wrapper || options->isolate != PAWL_ISOLATE_REQUIRED) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE,
                   "cannot run '%s' under '%s' with 'isolation: required': that works in no "
                   "sandbox; use it where isolation is not required",
                   options->name, options->wrapper[0]);
}

static pawl_status launch(struct pawl_worker **out, const struct pawl_worker_options *options,
                          struct pawl_error *err) {
  PAWL_TRY(pawl_budget_need(err));
  PAWL_TRY(allow_wrapper(options, err));
  struct pawl_worker *worker = pawl_alloc(1, sizeof *worker);
  worker->driver = find_driver(options->driver);
  worker->options = *options;
  worker->options.name = pawl_arena_copy(&worker->arena, options->name);
  worker->options.plugin = pawl_arena_copy(&worker->arena, options->plugin);
  worker->options.folder = pawl_arena_copy(&worker->arena, options->folder);
  for (int i = 0; i < PAWL_SANDBOX_HIDDEN; i++)
    worker->options.hidden[i] = pawl_arena_copy(&worker->arena, options->hidden[i]);
  worker->options.gpu = pawl_arena_copy(&worker->arena, options->gpu);
  worker->options.argv = copy_argv(&worker->arena, options->argv);
  worker->pid_fd = worker->request_fd = worker->reply_fd = -1;
  pawl_log_tail_init(&worker->log, -1);
  enum pawl_status_code status = require_files(worker, err);
  if (status == PAWL_OK) status = worker->driver->start(worker, err);
  if (status != PAWL_OK) {
    pawl_worker_free(worker);
    return status;
  }
  *out = worker;
  return PAWL_OK;
}

/* Launches the worker in the views that the machine is expected to give. If it refuses them, the
 * next one gets copies. */
pawl_status pawl_worker_launch(struct pawl_worker **out, const struct pawl_worker_options *options,
                               struct pawl_error *err) {
  const bool expected = pawl_sandbox_expects_root();
  const enum pawl_status_code status = launch(out, options, err);
  if (status != PAWL_TRY_AGAIN || !expected || pawl_sandbox_expects_root()) return status;
  if (err) *err = (struct pawl_error){0};
  return launch(out, options, err);
}

pawl_status pawl_worker_greet(struct pawl_worker *worker, struct pawl_error *err) {
  if (worker->driver->greet) PAWL_TRY(worker->driver->greet(worker, err));
  return require_files(worker, err); /* it has loaded them by now */
}

pawl_status pawl_worker_start(struct pawl_worker **out, const struct pawl_worker_options *options,
                              struct pawl_error *err) {
  struct pawl_worker *worker;
  PAWL_TRY(pawl_worker_launch(&worker, options, err));
  const enum pawl_status_code status = pawl_worker_greet(worker, err);
  if (status == PAWL_OK)
    *out = worker;
  else
    pawl_worker_free(worker);
  return status;
}

pawl_status pawl_worker_load(struct pawl_worker *worker, const struct pawl_worker_options *options,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *plugin = pawl_path_real(options->plugin);
  json_t *params = json_object();
  pawl_json_set_string(params, "plugin", plugin ? plugin : options->plugin);
  worker->options.name = pawl_arena_copy(&worker->arena, options->name);
  worker->options.plugin = pawl_arena_copy(&worker->arena, options->plugin);
  worker->options.files = options->files;
  worker->options.code_hash = options->code_hash;
  PAWL_TRY(pawl_worker_call(worker, "load", params, &result, err));
  return require_files(worker, err);
}

void pawl_worker_dismiss(struct pawl_worker *worker) {
  if (!worker || !worker->driver->dismiss) return;
  pawl_worker_wake(worker);
  worker->driver->dismiss(worker);
}

void pawl_worker_free(struct pawl_worker *worker) {
  if (!worker) return;
  pawl_freeze_release(&worker->resting);
  worker->driver->stop(worker);
  pawl_log_tail_release(&worker->log);
  if (worker->copies && pawl_remove_tree(worker->copies, NULL) != PAWL_OK) {
    /* a leftover folder does no harm */
  }
  pawl_arena_clear(&worker->set_arena);
  pawl_arena_clear(&worker->arena);
  pawl_free(worker);
}

enum pawl_worker_cause pawl_worker_cause(const struct pawl_worker *worker) { return worker->cause; }

enum pawl_isolation pawl_worker_isolation(const struct pawl_worker *worker) {
  return worker->isolation;
}

unsigned pawl_worker_bounds(const struct pawl_worker *worker) { return worker->bounds; }

bool pawl_worker_stamps(const struct pawl_worker *worker) { return worker->stamps; }

bool pawl_worker_takes_late_inputs(const struct pawl_worker *worker) { return worker->late; }

bool pawl_worker_compiles(const struct pawl_worker *worker) {
  return worker->options.driver == PAWL_DRIVER_PROTOCOL;
}

bool pawl_worker_takes_pairs(const struct pawl_worker *worker) { return worker->unseen; }

bool pawl_worker_takes_given_inputs(const struct pawl_worker *worker) {
  return worker->options.tensors && worker->unseen && worker->given;
}

bool pawl_worker_can_be_frozen(const struct pawl_worker *worker) { return worker->options.tensors; }

bool pawl_worker_rest(struct pawl_worker *worker) {
  if (!worker || worker->process.pid <= 0 || worker->pid_fd < 0) return true;
  if (worker->resting.count && !worker->asked_to_rest) return true;
  const struct pawl_freezable process = pawl_worker_freezable(worker);
  worker->asked_to_rest = false;
  /* if it fails, some processes run on */
  return pawl_freeze_all(&worker->resting, &process, PAWL_FREEZE_SECONDS);
}

void pawl_worker_rest_soon(struct pawl_worker *worker) {
  if (!worker || worker->process.pid <= 0 || worker->pid_fd < 0 || worker->resting.count) return;
  const struct pawl_freezable process = pawl_worker_freezable(worker);
  pawl_freeze_request(&worker->resting, &process);
  worker->asked_to_rest = true;
}

void pawl_worker_wake(struct pawl_worker *worker) {
  if (!worker) return;
  if (!pawl_freeze_end(&worker->resting)) worker->woken++;
  worker->asked_to_rest = false;
}

void pawl_worker_stand(struct pawl_worker *worker, bool stands) {
  const int64_t now = pawl_clock_ns();
  if (stands)
    atomic_store(&worker->stands_since, now);
  else
    atomic_fetch_add(&worker->stood_ns, now - atomic_exchange(&worker->stands_since, 0));
}

bool pawl_worker_signal(const struct pawl_worker *worker, int number) {
  return worker && worker->pid_fd >= 0 &&
         syscall(SYS_pidfd_send_signal, worker->pid_fd, number, NULL, 0) == 0;
}

struct pawl_freezable pawl_worker_freezable(const struct pawl_worker *worker) {
  return (struct pawl_freezable){worker->process.pid, worker->process.first};
}

double pawl_worker_cpu_seconds(const struct pawl_worker *worker) {
  return pawl_process_cpu_seconds(&worker->process);
}

pawl_status pawl_worker_call(struct pawl_worker *worker, const char *method, json_t *params,
                             json_t **result, struct pawl_error *err) {
  if (worker->cause == PAWL_CAUSE_REPORTED) worker->cause = PAWL_CAUSE_NONE;
  worker->error_kind = NULL;
  pawl_worker_wake(worker);
  const enum pawl_status_code status =
      worker->woken < MOST_WOKEN ? worker->driver->call(worker, method, params, result, err)
                                 : pawl_worker_terminate(worker, PAWL_CAUSE_PROTOCOL, method, err,
                                                         "ran though pawl had stopped it, found");
  json_decref(params);
  return status;
}
