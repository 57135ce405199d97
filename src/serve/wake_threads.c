/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the wake-up service: one for each machine, and one that polls the code host. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "process/process.h"
#include "serve/machine.h"
#include "serve/wake.h"
#include "serve/wake_config.h"

/* --- the commands that start and stop a machine --- */

#define GRACE_SECONDS 20.0 /* for a running command, if the service stops */

/* Makes a command's environment, without pawl's secrets, in the arena. */
static const char *const *make_environment(const struct pawl_wake_config *config,
                                           const struct pawl_wake_machine_spec *machine,
                                           const char *action, struct pawl_arena *arena) {
  const char **list = pawl_arena_alloc(arena, machine->pass.count + 5, sizeof *list);
  size_t count = 0;
  if (config->secret.env) list[count++] = config->secret.env; /* a name alone removes it */
  if (config->token.env) list[count++] = config->token.env;
  list[count++] = pawl_arena_printf(arena, "PAWL_MACHINE=%s", machine->name);
  list[count++] = pawl_arena_printf(arena, "PAWL_ACTION=%s", action);
  for (size_t i = 0; i < machine->pass.count; i++) {
    const char *value = getenv(machine->pass.items[i]);
    if (value) list[count++] = pawl_arena_printf(arena, "%s=%s", machine->pass.items[i], value);
  }
  return list;
}

/* Waits until the child ends, its time is up, or the service stops for too long. Returns true if
 * the child ended. */
static bool wake_command_await(const atomic_bool *stopping, pid_t pid, double seconds) {
  const int64_t start = pawl_clock_ns();
  double stop_at = seconds;
  for (;;) {
    siginfo_t info = {0};
    if (!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid)
      return true;
    const double elapsed = pawl_seconds_since(start);
    if (atomic_load(stopping) && elapsed + GRACE_SECONDS < stop_at)
      stop_at = elapsed + GRACE_SECONDS;
    if (elapsed >= stop_at) return false;
    pawl_sleep_seconds(0.02);
  }
}

/* Runs a machine's command to its end, without a shell and without pawl's secrets. It does nothing
 * if the machine has no such command. The output goes to pawl's standard error. Once *stopping is
 * set the command gets 20 s. PAWL_UNAVAILABLE says how the command failed. */
static pawl_status wake_run_command(const struct pawl_wake_config *config, int machine,
                                    enum pawl_machine_action action, const atomic_bool *stopping,
                                    struct pawl_error *err) {
  const struct pawl_wake_machine_spec *spec = &config->machines[machine];
  const bool start = action == PAWL_ACTION_START;
  const struct pawl_strings *command = start ? &spec->start : &spec->stop;
  const char *word = start ? "start" : "stop";
  if (!command->count) return PAWL_OK;
  struct pawl_arena arena = {0};
  const struct pawl_process_options options = {
      .argv = command->items,
      .environment = make_environment(config, spec, word, &arena),
      .drop_secrets = true,
      .die_with_parent = true,
      .fds = {-1, STDERR_FILENO, STDERR_FILENO},
      .fd_count = 3};
  struct pawl_process process = {0};
  struct pawl_exit exit = {0};
  enum pawl_status_code status = pawl_process_start(&process, &options, err);
  if (status == PAWL_OK) {
    const bool ended = wake_command_await(stopping, process.pid, spec->command_timeout);
    status = pawl_process_wait(&process, ended ? -1 : 0, &exit, err);
  }
  pawl_arena_clear(&arena);
  if (status != PAWL_OK) return pawl_prefix(err, "machine '%s', %s", spec->name, word);
  if (!exit.timed_out && !exit.signal && exit.status == 0) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text how = {0};
  if (exit.timed_out && atomic_load(stopping))
    pawl_text_add(&how, "ended because the service stops");
  else
    pawl_exit_describe(&exit, &how);
  return pawl_fail(err, PAWL_UNAVAILABLE, "machine '%s': the %s command '%s' %s", spec->name, word,
                   command->items[0], how.data);
}

#define TIDY_SECONDS 60.0
#define LONGEST_WAIT_SECONDS 60.0

struct pawl_wake_worker {
  struct pawl_wake *wake;
  int machine;
  pthread_t thread;
};

/* The functions below need the lock, and release it while a command runs. */

static void keep(struct pawl_wake *wake, int machine) {
  struct pawl_error err = {0};
  if (pawl_queue_keep_machine(&wake->queue, machine, &err) != PAWL_OK)
    pawl_wake_note_failure(wake, &err);
}

static pawl_status act(struct pawl_wake *wake, int machine, enum pawl_machine_action action,
                       struct pawl_error *err) {
  struct pawl_machine *state = &wake->queue.machines[machine];
  const char *name = wake->config->machines[machine].name,
             *word = action == PAWL_ACTION_START ? "start" : "stop";
  pawl_machine_begin(state, action);
  keep(wake, machine);
  pawl_log_info(wake->log, "machine '%s': %s", name, word);
  pthread_mutex_unlock(&wake->lock);
  const enum pawl_status_code status =
      wake_run_command(wake->config, machine, action, &wake->stopping, err);
  pthread_mutex_lock(&wake->lock);
  pawl_machine_end(state, action, status == PAWL_OK, pawl_wake_now());
  keep(wake, machine);
  if (status == PAWL_OK) pawl_log_info(wake->log, "machine '%s': %s done", name, word);
  return status;
}

static enum pawl_machine_action wake_threads_decide(struct pawl_wake *wake, int machine,
                                                    double *again) {
  const struct pawl_machine_demand demand = wake->queue.demand[machine];
  struct pawl_machine *state = &wake->queue.machines[machine];
  const double now = pawl_wake_now();
  if (pawl_machine_note(state, &demand, now)) keep(wake, machine);
  return pawl_machine_decide(state, &wake->config->machines[machine].policy, &demand, now, again);
}

/* Waits for a change, or until `when`, but no longer than a minute, because somebody may set the
 * wall clock. */
static void wait_until(struct pawl_wake *wake, double when) {
  const double seconds = fmin(fmax(when - pawl_wake_now(), 0), LONGEST_WAIT_SECONDS);
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  const int64_t nanoseconds = deadline.tv_nsec + (int64_t)(seconds * 1e9);
  deadline.tv_sec += nanoseconds / 1000000000;
  deadline.tv_nsec = nanoseconds % 1000000000;
  pthread_cond_clockwait(&wake->changed, &wake->lock, CLOCK_MONOTONIC, &deadline);
}

static void *machine_thread(void *context) {
  struct pawl_wake_worker *worker = context;
  struct pawl_wake *wake = worker->wake;
  pthread_mutex_lock(&wake->lock);
  while (!atomic_load(&wake->stopping)) {
    double again;
    struct pawl_error err = {0};
    const enum pawl_machine_action action = wake_threads_decide(wake, worker->machine, &again);
    if (action == PAWL_ACTION_NONE) {
      wait_until(wake, again);
    } else if (act(wake, worker->machine, action, &err) != PAWL_OK) {
      pawl_log_warning(wake->log, "%s", err.message);
    }
  }
  pthread_mutex_unlock(&wake->lock);
  return NULL;
}

static void poll_once(struct pawl_wake *wake) {
  struct pawl_error err = {0};
  if (pawl_wake_poll(wake, &err) == PAWL_OK || atomic_load(&wake->stopping)) return;
  pthread_mutex_lock(&wake->lock);
  pawl_log_warning(wake->log, "polling failed: %s", err.message);
  pthread_mutex_unlock(&wake->lock);
}

static void *poll_thread(void *context) {
  struct pawl_wake *wake = context;
  const bool polls = wake->token.length > 0 && wake->config->poll > 0;
  double next = 0, tidy = pawl_wake_now() + TIDY_SECONDS;
  pthread_mutex_lock(&wake->lock);
  while (!atomic_load(&wake->stopping)) {
    const double now = pawl_wake_now();
    struct pawl_error err = {0};
    if (polls && now >= next) {
      pthread_mutex_unlock(&wake->lock);
      poll_once(wake);
      pthread_mutex_lock(&wake->lock);
      next = pawl_wake_now() + wake->config->poll;
    }
    if (now >= tidy) {
      if (pawl_queue_tidy(&wake->queue, now, &err) != PAWL_OK) pawl_wake_note_failure(wake, &err);
      tidy = now + TIDY_SECONDS;
      pthread_cond_broadcast(&wake->changed);
    }
    if (!atomic_load(&wake->stopping)) wait_until(wake, polls ? fmin(next, tidy) : tidy);
  }
  pthread_mutex_unlock(&wake->lock);
  return NULL;
}

pawl_status pawl_wake_start(struct pawl_wake *wake, struct pawl_error *err) {
  const size_t count = wake->config->machine_count;
  wake->workers = pawl_alloc(count, sizeof *wake->workers);
  for (size_t i = 0; i < count; i++) {
    struct pawl_wake_worker *worker = &wake->workers[i];
    *worker = (struct pawl_wake_worker){.wake = wake, .machine = (int)i};
    const int number = pthread_create(&worker->thread, NULL, machine_thread, worker);
    if (number) return pawl_fail_errno(err, number, "cannot start a thread");
    wake->worker_count++;
  }
  const int number = pthread_create(&wake->poller, NULL, poll_thread, wake);
  if (number) return pawl_fail_errno(err, number, "cannot start a thread");
  wake->polling = true;
  return PAWL_OK;
}

void pawl_wake_stop(struct pawl_wake *wake) {
  pthread_mutex_lock(&wake->lock);
  atomic_store(&wake->stopping, true);
  pthread_cond_broadcast(&wake->changed);
  pthread_mutex_unlock(&wake->lock);
  for (size_t i = 0; i < wake->worker_count; i++) pthread_join(wake->workers[i].thread, NULL);
  if (wake->polling) pthread_join(wake->poller, NULL);
  pawl_free(wake->workers);
  wake->workers = NULL;
  wake->worker_count = 0;
  wake->polling = false;
}

pawl_status pawl_wake_act(struct pawl_wake *wake, int machine, enum pawl_machine_action action,
                          struct pawl_error *err) {
  pthread_mutex_lock(&wake->lock);
  const enum pawl_status_code status = act(wake, machine, action, err);
  pthread_mutex_unlock(&wake->lock);
  return status;
}

pawl_status pawl_wake_step(struct pawl_wake *wake, struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  pthread_mutex_lock(&wake->lock);
  for (int i = 0; i < (int)wake->config->machine_count; i++) {
    double again;
    struct pawl_error failure = {0};
    const enum pawl_machine_action action = wake_threads_decide(wake, i, &again);
    if (action == PAWL_ACTION_NONE || act(wake, i, action, &failure) == PAWL_OK) continue;
    if (status != PAWL_OK) pawl_log_warning(wake->log, "%s", failure.message);
    if (status == PAWL_OK) status = pawl_fail(err, failure.code, "%s", failure.message);
  }
  if (status == PAWL_OK && atomic_load(&wake->failed))
    status =
        pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write the queue in '%s'", wake->config->state);
  pthread_mutex_unlock(&wake->lock);
  return status;
}

void pawl_wake_close(struct pawl_wake *wake) {
  if (!wake || !wake->config) return;
  pawl_wake_stop(wake);
  pawl_queue_close(&wake->queue);
  pawl_secret_clear(&wake->secret);
  pawl_secret_clear(&wake->token);
  pthread_mutex_destroy(&wake->lock);
  pthread_cond_destroy(&wake->changed);
  *wake = (struct pawl_wake){.queue = {.lock = {.fd = -1}, .journal = {.fd = -1}}};
}
