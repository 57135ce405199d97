/* SPDX-License-Identifier: Apache-2.0 */
/* A turn on a CPU or a GPU: while one pawl times there, the others of this machine wait. A turn is
 * a lock on a file of a folder that all users share. Nobody trusts the files: pawl follows no link,
 * opens no pipe, and waits for a limited time. A second file is the queue: who waits holds it, so
 * that nobody who comes later overtakes. docs/adr/turns.md has the reasons. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "process/cpus.h"

#define PAWL_TURN_FOLDER "PAWL_LOCK_FOLDER" /* the variable that names another folder */
#define PAWL_TURN_SECONDS 600.0             /* how long pawl waits by default */

struct pawl_timing_turn {
  int fds[PAWL_CPU_LIMIT + 1]; /* the locked files */
  size_t count;
  bool warned;   /* one warning serves all CPUs whose locks do not work */
  double waited; /* seconds for turns of others, in all; pawl_turn_end() keeps it */
};

/* Takes the turn of a place, such as "cpu-3" or "gpu-<UUID>". If another pawl has it, prints which
 * one, waits, and prints how long. Fails with PAWL_TRY_AGAIN `seconds` after `begin_ns` of
 * pawl_clock_ns(), so that several places share one wait, or at the end of the budget, and with
 * PAWL_CONFIG if the folder that the user named does not work. Prints a warning and goes on if a
 * shared folder's file does not work, or without a lock if no folder works. */
pawl_status pawl_turn_take(struct pawl_timing_turn *turn, const char *place, int64_t begin_ns,
                           double seconds, struct pawl_log *log, struct pawl_error *err);
void pawl_turn_end(struct pawl_timing_turn *turn);
