/* SPDX-License-Identifier: Apache-2.0 */
/* `--device 0,1` and `--device all`: several GPUs at once. A pawl of its own works on each, on its share of the kernels
   and cases: both arms of a pair, and all processes of a measurement, are on one GPU, whose state alone guards them. */
#ifndef PAWL_CLI_TEAM_H
#define PAWL_CLI_TEAM_H

#include "base/process.h"
#include "cli/command.h"

#define PAWL_TEAM_GPUS 64
#define PAWL_TEAM_PARTS (PAWL_TEAM_GPUS + 1) /* the last one's are the kernels of the CPU */

struct pawl_team {
  struct pawl_cli *cli;
  struct pawl_device gpus[PAWL_TEAM_GPUS];
  int gpu_count;
  bool cpu_kernels; /* the suite has kernels that run on no GPU */
  char *folder;     /* of the parts' outputs; NULL: none */
  char *outputs[PAWL_TEAM_PARTS];
  enum pawl_status_code verdicts[PAWL_TEAM_PARTS]; /* OK, FAILED or UNDECIDED */
  int part_count;
  struct pawl_process processes[PAWL_TEAM_PARTS];
};

/* What the parts are told. */
struct pawl_team_task {
  const char *command;
  const char *const *words; /* of the command, NULL-terminated, without --shard and -o */
  /* The CPU's kernels are a part of their own, after the GPUs': nothing else is at work while they are timed. */
  bool cpu_apart;
};

/* Finds the GPUs that cli->device names. Of one alone (or where none is named) *several is false: cli->device is it,
   and the command does the work itself. PAWL_USAGE: one twice, none such, or GPUs that are not alike, whose results no
   one file can hold. */
pawl_status pawl_team_gather(struct pawl_team *team, struct pawl_cli *cli, bool *several, struct pawl_error *err);
/* Builds the kernels named (all when none is) before anything is timed. A compiler's words go to the log. PAWL_USAGE:
   the suite has no such kernel, or no case `only_case` (NULL: none is named): told once, not by every part. */
pawl_status pawl_team_build(struct pawl_team *team, const struct pawl_option_list *definitions, const char *only_case,
                            char **names, int count, struct pawl_error *err);
/* Ends the words of a task: the definitions and the kernels' names again. */
void pawl_team_add_words(const char **words, size_t used, const struct pawl_option_list *definitions, char **names,
                         int count);
/* Does the task, each part's output in outputs[i]. A GPU that fails ends nothing: its part is told as lost, with the
   reason, as long as another has come to its end; the statuses of parts that fail otherwise, and of all that fail, are
   errors. */
pawl_status pawl_team_work(struct pawl_team *team, const struct pawl_team_task *task, struct pawl_error *err);
/* 1 before 2 before 0. */
enum pawl_status_code pawl_team_verdict(const struct pawl_team *team);
/* Ends what is left of the parts and removes their outputs. */
void pawl_team_release(struct pawl_team *team);

#endif
