/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses where `pawl tune` and `pawl sweep` measure: in this process, on several GPUs of this
   machine, or in Slurm tasks. */
#pragma once

#include "cli/gpus.h"
#include "fleet/pool.h"

struct pawl_place {
  const char *executor, *slurm_options; /* the options as given; may be NULL */
  struct pawl_words slurm_words;        /* the words of slurm_options */
  int evaluators;                       /* 0: no such option */
  double patience;                      /* seconds, only for Slurm */
  bool elsewhere;                       /* other processes measure */
  const struct pawl_executor *row;
  struct pawl_fleet fleet; /* set if there are several GPUs */
};

/* The options that a command with a place has. */
#define PAWL_PLACE_OPTIONS(place)                                                              \
  {PAWL_OPTION_STRING, "--executor", &(place).executor, "NAME",                                \
   "who measures: local (this machine, with each GPU that --device names) or slurm; local by " \
   "default"},                                                                                 \
      {PAWL_OPTION_INT,                                                                        \
       "--evaluators",                                                                         \
       &(place).evaluators,                                                                    \
       "N",                                                                                    \
       "the number of tasks of --executor slurm that measure at once",                         \
       1,                                                                                      \
       PAWL_EVALUATORS_MOST},                                                                  \
  {                                                                                            \
    PAWL_OPTION_STRING, "--slurm-options", &(place).slurm_options, "WORDS",                    \
        "options of sbatch for each task: \"--gres=gpu:1 --exclusive\""                        \
  }

/* Reads the options. cli->device becomes the first of several GPUs. */
pawl_status pawl_cli_find_place(struct pawl_cli *cli, struct pawl_place *place,
                                struct pawl_error *err);

/* Begins the command of an evaluator: this pawl, the suite, and `command`, such as "tune". */
pawl_status pawl_cli_begin_words(struct pawl_cli *cli, const char *command,
                                 struct pawl_words *words, struct pawl_error *err);
/* Returns the plan of a pool whose evaluators run `words`, if the place is `elsewhere`. `goes_on`
 * tells the user how to continue after a failure. */
struct pawl_pool_plan pawl_cli_place_plan(struct pawl_cli *cli, const struct pawl_place *place,
                                          const struct pawl_words *words, const char *goes_on);
