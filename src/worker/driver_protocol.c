/* SPDX-License-Identifier: Apache-2.0 */
/* A driver for programs that speak docs/protocol.md themselves. */
#include <stdlib.h>

#include "base/file.h"
#include "worker/driver.h"

/* Adds pawl's own folder to PYTHONPATH, so that a script finds pawl_protocol. */
static const char *python_path(struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  const char *given = getenv("PYTHONPATH");
  const bool any = given && *given;
  return pawl_arena_printf(arena, "PYTHONPATH=%s%s%s/share/pawl/python", any ? given : "",
                           any ? ":" : "", home);
}

#define VARIABLES 5 /* at most, with the NULL at the end */

static pawl_status start(struct pawl_worker *worker, struct pawl_error *err) {
  const char *environment[VARIABLES] = {"PAWL_PROTOCOL=1", python_path(&worker->arena)};
  pawl_worker_add_gpu(worker, environment, 2);
  return pawl_connection_start(worker, pawl_worker_wrap(worker, pawl_worker_argv(worker)),
                               environment, err);
}

const struct pawl_driver pawl_driver_protocol = {.id = PAWL_DRIVER_PROTOCOL,
                                                 .start = start,
                                                 .greet = pawl_connection_greet,
                                                 .call = pawl_connection_call,
                                                 .dismiss = pawl_connection_dismiss,
                                                 .stop = pawl_connection_stop};
