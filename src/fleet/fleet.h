/* SPDX-License-Identifier: Apache-2.0 */
/* Several GPUs of one machine at once. A pawl of its own works on each, on its share of the kernels
   and cases: both arms of a pair, and all processes of a measurement, are on one GPU, whose state
   alone guards them. */
#pragma once

#include "base/log.h"
#include "base/memory.h"
#include "device/device.h"
#include "process/process.h"

#define PAWL_FLEET_GPUS 64
#define PAWL_FLEET_PARTS (PAWL_FLEET_GPUS + 1) /* the last part has the kernels of the CPU */

struct pawl_fleet {
  struct pawl_arena *arena;
  struct pawl_log *log;
  const char *names; /* as asked for */
  struct pawl_device gpus[PAWL_FLEET_GPUS];
  int gpu_count;
  char *folder; /* the folder of the parts' outputs; NULL: none */
  char *outputs[PAWL_FLEET_PARTS];
  enum pawl_status_code verdicts[PAWL_FLEET_PARTS]; /* OK, FAILED or UNDECIDED */
  int part_count;
  struct pawl_process processes[PAWL_FLEET_PARTS];
};

/* The command that each part runs: pawl -f SUITE --device UUID COMMAND --shard i/n -o OUTPUT
 * ARGUMENTS. */
struct pawl_fleet_task {
  const char *suite, *command;
  const char *const *arguments; /* NULL-terminated, without --shard and -o */
  /* The CPU's kernels are a part of their own, after the GPUs': nothing else is at work while they
   * are timed. */
  bool cpu_apart;
};

/* Finds the GPUs that `names` lists: "all", or indices and UUIDs with commas between. PAWL_USAGE: a
   GPU twice, no such GPU, or GPUs that are not alike, whose results no one file can hold. */
pawl_status pawl_fleet_find(struct pawl_fleet *fleet, const char *names, struct pawl_arena *arena,
                            struct pawl_log *log, struct pawl_error *err);
/* Runs the task on all, each part's output in outputs[i]. A GPU that fails ends nothing: its part
   says that it was lost, and why, as long as another GPU comes to its end. A part that fails
   otherwise, and all parts failing, are errors. */
pawl_status pawl_fleet_run(struct pawl_fleet *fleet, const struct pawl_fleet_task *task,
                           struct pawl_error *err);
/* 1 before 2 before 0. */
enum pawl_status_code pawl_fleet_verdict(const struct pawl_fleet *fleet);
/* Ends what is left of the parts and removes their outputs. */
void pawl_fleet_release(struct pawl_fleet *fleet);
