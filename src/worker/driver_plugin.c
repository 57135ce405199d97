/* SPDX-License-Identifier: Apache-2.0 */
/* A driver for plug-ins (.so), which run in pawl-worker. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "worker/driver.h"
#include "worker/views.h"

/* Returns $PAWL_WORKER, else libexec/pawl/pawl-worker of pawl's own folder; in the arena. */
static const char *worker_program(struct pawl_arena *arena) {
  const char *given = getenv("PAWL_WORKER");
  if (given && *given) return pawl_arena_copy(arena, given);
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  return pawl_arena_printf(arena, "%s/libexec/pawl/pawl-worker", home);
}

static pawl_status start(struct pawl_worker *worker, struct pawl_error *err) {
  const char *program = worker_program(&worker->arena);
  if (access(program, X_OK) != 0)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "no program '%s': the installation of pawl is incomplete; set PAWL_HOME",
                     program);
  PAWL_CLEANUP(pawl_free_pointer) char *plugin = pawl_path_real(worker->options.plugin);
  if (!plugin) return pawl_fail(err, PAWL_NO_INPUT, "no plug-in '%s'", worker->options.plugin);
  const char *const argv[] = {program, pawl_worker_role_name(worker->options.role),
                              pawl_worker_seen(worker, plugin), NULL};
  const char *environment[6] = {"PAWL_PROTOCOL=1"};
  size_t variables = 1;
  if (worker->options.placement)
    environment[variables++] =
        pawl_arena_printf(&worker->arena, "PAWL_THREAD_CPUS=%s", worker->options.placement);
  if (worker->options.wrapper) environment[variables++] = "PAWL_GUARD_BANDS=0";
  pawl_worker_add_gpu(worker, environment, variables);
  return pawl_connection_start(worker, pawl_worker_wrap(worker, argv), environment, err);
}

const struct pawl_driver pawl_driver_plugin = {.id = PAWL_DRIVER_PLUGIN,
                                               .start = start,
                                               .greet = pawl_connection_greet,
                                               .call = pawl_connection_call,
                                               .dismiss = pawl_connection_dismiss,
                                               .stop = pawl_connection_stop};
