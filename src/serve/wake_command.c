/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/wake_command.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/process.h"

#define GRACE_SECONDS 20.0 /* for a command that runs while the service stops */

/* Makes a command's environment, without pawl's secrets, in the arena. */
static const char *const *make_environment(const struct pawl_wake_config *config,
                                           const struct pawl_wake_machine_spec *machine,
                                           const char *action, struct pawl_arena *arena) {
  const char **list = pawl_arena_alloc(arena, machine->pass.count + 5, sizeof *list);
  size_t count = 0;
  if (config->secret.env) list[count++] = config->secret.env; /* a name alone: removed */
  if (config->token.env) list[count++] = config->token.env;
  list[count++] = pawl_arena_printf(arena, "PAWL_MACHINE=%s", machine->name);
  list[count++] = pawl_arena_printf(arena, "PAWL_ACTION=%s", action);
  for (size_t i = 0; i < machine->pass.count; i++) {
    const char *value = getenv(machine->pass.items[i]);
    if (value) list[count++] = pawl_arena_printf(arena, "%s=%s", machine->pass.items[i], value);
  }
  return list;
}

/* Waits until the child ends, its time is up, or the service stops for too long. True: the child
 * ended. */
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

pawl_status pawl_wake_run_command(const struct pawl_wake_config *config, int machine,
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
