/* SPDX-License-Identifier: Apache-2.0 */
/* Decides for an event whether to measure, on how many machines, and whether the baseline may
 * move. */
#pragma once

#include "forge/forge.h"

#define PAWL_FORGE_SHARDS 99

/* Variables of the repository. Labels of runners are JSON: "ubuntu-24.04", ["self-hosted", "gpu"]
 * or an object with the keys "group" and "labels". */
struct pawl_forge_settings {
  /* labels: of the machine that measures, and of the machine that posts the report */
  const char *runner, *report_runner;
  const char *code_runner; /* labels of the machine that proves by machine code; NULL: none */
  const char *shards;      /* "1" to "99" */
  bool only_labeled;       /* measure only pull requests with the label PAWL_FORGE_LABEL */
  bool allow_forks;        /* run the code of forks on machines that GitHub does not host */
};

struct pawl_forge_plan {
  bool measure;
  const char *why_not; /* NULL if it measures */
  /* nothing is measured, but pawl closes the check of this commit, because nobody else will */
  bool closes_check;
  bool moves_baseline; /* this is the default branch */
  int shards;
};

/* Reads PAWL_RUNNER, PAWL_REPORT_RUNNER, PAWL_CODE_RUNNER, PAWL_SHARDS, PAWL_ONLY_LABELED and
 * PAWL_RUN_CODE_OF_FORKS_ON_OUR_MACHINES from the environment. A variable that is not set has a
 * default. */
void pawl_forge_settings_read(struct pawl_arena *arena, struct pawl_forge_settings *out);

/* Finds in the code host's list of runners the first online machine that takes a job with these
 * labels; *name is NULL if there is none. Sets *hosted if GitHub itself has machines with these
 * labels. Fails with PAWL_USAGE if the labels are not valid. */
pawl_status pawl_forge_find_runner(const struct pawl_forge *forge, const char *labels,
                                   const json_t *runners, bool *hosted, const char **name,
                                   struct pawl_error *err);

/* Fails with PAWL_NOT_PERMITTED if the code of a fork would run on the user's own machine, or if
 * a machine with the change's code could take the job that posts, whose token may write. Fails with
 * PAWL_USAGE if a setting is not valid. */
pawl_status pawl_forge_plan(const struct pawl_forge *forge,
                            const struct pawl_forge_settings *settings, struct pawl_forge_plan *out,
                            struct pawl_error *err);
