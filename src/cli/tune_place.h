/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses where `pawl tune` times its candidates: in this process, on several GPUs of this machine,
   or in Slurm tasks. */
#pragma once

#include "cli/gpus.h"
#include "tuning/pool.h"

struct pawl_tune_place {
  const char *executor, *slurm_options; /* the options as given; may be NULL */
  struct pawl_words slurm_words;        /* the words of slurm_options */
  int evaluators;                       /* 0: no such option */
  double patience;                      /* seconds, only for Slurm */
  bool elsewhere;                       /* candidates run in other processes */
  const struct pawl_executor *row;
  struct pawl_fleet fleet; /* set if there are several GPUs */
};

/* Reads the options. cli->device becomes the first of several GPUs. */
pawl_status pawl_cli_find_tune_place(struct pawl_cli *cli, struct pawl_tune_place *place,
                                     struct pawl_error *err);

/* Runs the search if the place is `elsewhere`. */
pawl_status pawl_cli_tune_elsewhere(struct pawl_cli *cli, struct pawl_project *project,
                                    const struct pawl_tune_options *options,
                                    const struct pawl_tune_place *place,
                                    struct pawl_tune_pool_result *out, struct pawl_error *err);
