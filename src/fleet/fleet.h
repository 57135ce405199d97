/* SPDX-License-Identifier: Apache-2.0 */
/* Runs several GPUs of one machine at once. Each has a pawl of its own for a share of the kernels
 * and cases. Both arms of a pair and all processes of a measurement run on one GPU, so only the
 * state of this GPU matters. */
#pragma once

#include "base/log.h"
#include "base/memory.h"
#include "device/device.h"
#include "process/process.h"

#define PAWL_FLEET_GPUS 64
#define PAWL_FLEET_PARTS (PAWL_FLEET_GPUS + 1) /* the last part has the CPU's kernels */

struct pawl_fleet {
  struct pawl_arena *arena;
  struct pawl_log *log;
  const char *names; /* the user's list */
  const char *wait;  /* --wait of the parts; NULL: the default */
  struct pawl_device gpus[PAWL_FLEET_GPUS];
  int gpu_count;
  const char *folder; /* with the parts' outputs; NULL: none */
  char *outputs[PAWL_FLEET_PARTS];
  enum pawl_status_code verdicts[PAWL_FLEET_PARTS]; /* OK, FAILED or UNDECIDED */
  int part_count;
  bool interrupted; /* the parts know of the interrupt */
  struct pawl_process processes[PAWL_FLEET_PARTS];
};

/* The command that each part runs: pawl -f SUITE --device UUID COMMAND --shard i/n -o OUTPUT
 * ARGUMENTS. */
struct pawl_fleet_task {
  const char *suite, *command;
  const char *const *arguments; /* NULL-terminated, without --shard and -o */
  /* the CPU's kernels are a part of their own after the GPUs', so nothing else runs while they are
   * timed */
  bool cpu_apart;
};

/* Finds the GPUs that `names` lists: "all", or indices and UUIDs with commas between. Fails with
 * PAWL_USAGE for an unknown GPU, for a GPU that occurs twice, or if the GPUs differ, because one
 * file cannot hold results of different GPUs. */
pawl_status pawl_fleet_find(struct pawl_fleet *fleet, const char *names, struct pawl_arena *arena,
                            struct pawl_log *log, struct pawl_error *err);
/* Runs the task on all GPUs; outputs[i] is the output of part i. If a GPU fails but another
 * completes its part, the fleet goes on, and the lost part's output says why. If a part fails for
 * another reason, or all GPUs fail, the task fails. After pawl_budget_interrupt() the parts write
 * the output that they have, and the verdict is undecided. */
pawl_status pawl_fleet_run(struct pawl_fleet *fleet, const struct pawl_fleet_task *task,
                           struct pawl_error *err);
/* Returns the worst verdict: 1 before 2 before 0. */
enum pawl_status_code pawl_fleet_verdict(const struct pawl_fleet *fleet);
/* Ends the parts that still run, and removes the outputs. */
void pawl_fleet_release(struct pawl_fleet *fleet);
