/* SPDX-License-Identifier: Apache-2.0 */
/* A driver for programs that speak docs/protocol.md themselves. */
#include <stdlib.h>

#include "base/file.h"
#include "worker/driver.h"
#include "worker/fork_server.h"

/* Adds pawl's own folder to PYTHONPATH, so that a script finds pawl_protocol. */
static const char *python_path(struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  const char *given = getenv("PYTHONPATH");
  const bool any = given && *given;
  return pawl_arena_printf(arena, "PYTHONPATH=%s%s%s/share/pawl/python", any ? given : "",
                           any ? ":" : "", home);
}

#define VARIABLES 5 /* at most, with the NULL at the end */

static void add_environment(struct pawl_worker *worker, const char *environment[VARIABLES]) {
  environment[0] = "PAWL_PROTOCOL=1";
  environment[1] = python_path(&worker->arena);
  pawl_worker_add_gpu(worker, environment, 2);
}

static pawl_status start(struct pawl_worker *worker, struct pawl_error *err) {
  const char *environment[VARIABLES] = {0};
  add_environment(worker, environment);
  return pawl_connection_start(worker, pawl_worker_wrap(worker, pawl_worker_argv(worker)),
                               environment, err);
}

void pawl_fork_server_import(const struct pawl_worker_options *options) {
  const char *environment[VARIABLES] = {0};
  struct pawl_worker worker = {.options = *options};
  add_environment(&worker, environment);
  pawl_fork_server_import_for(options->fork_server, &worker, environment);
  pawl_arena_clear(&worker.arena);
}

const struct pawl_driver pawl_driver_protocol = {.id = PAWL_DRIVER_PROTOCOL,
                                                 .start = start,
                                                 .greet = pawl_connection_greet,
                                                 .call = pawl_connection_call,
                                                 .dismiss = pawl_connection_dismiss,
                                                 .stop = pawl_connection_stop};
