/* SPDX-License-Identifier: Apache-2.0 */
/* Where `pawl tune` times its candidates: in this process, on several GPUs of this machine, or in
 * tasks of Slurm. */
#ifndef PAWL_CLI_TUNE_PLACE_H
#define PAWL_CLI_TUNE_PLACE_H

#include "cli/gpus.h"
#include "tuning/pool.h"

struct pawl_tune_place {
  const char *executor, *slurm_options; /* as given; NULL */
  struct pawl_words slurm_words;        /* of slurm_options */
  int evaluators;                       /* 0: not given */
  double patience;                      /* seconds; with Slurm */
  bool elsewhere;                       /* in other processes */
  const struct pawl_executor *row;
  struct pawl_fleet fleet; /* of several GPUs */
};

/* Reads the words. cli->device becomes the first of several GPUs. */
pawl_status pawl_cli_find_tune_place(struct pawl_cli *cli, struct pawl_tune_place *place,
                                     struct pawl_error *err);

/* The search, where it is `elsewhere`. */
pawl_status pawl_cli_tune_elsewhere(struct pawl_cli *cli, struct pawl_project *project,
                                    const struct pawl_tune_options *options,
                                    const struct pawl_tune_place *place,
                                    struct pawl_tune_pool_result *out, struct pawl_error *err);

#endif
