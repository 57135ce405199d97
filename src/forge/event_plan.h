/* SPDX-License-Identifier: Apache-2.0 */
/* The plan for an event: whether to measure, on how many machines, and whether the baseline may
 * move. */
#pragma once

#include "forge/forge.h"

#define PAWL_FORGE_SHARDS 99

/* The variables of the repository. Labels of runners are JSON: "ubuntu-24.04", ["self-hosted",
   "gpu"] or
   {"group": "perf", "labels": ["gpu"]}. */
struct pawl_forge_settings {
  const char *runner,
      *report_runner; /* the labels of the machine that measures, and of the one that posts */
  const char *shards; /* "1" to "99" */
  bool only_labeled;  /* measure only pull requests with the label PAWL_FORGE_LABEL */
  bool allow_forks;   /* run the code of forks on machines that GitHub does not host */
};

struct pawl_forge_plan {
  bool measure;
  const char *why_not; /* NULL when it measures */
  bool closes_check; /* nobody else will close the check of this commit, though nothing is measured
                      */
  bool moves_baseline; /* this is the default branch */
  int shards;
};

/* PAWL_RUNNER, PAWL_REPORT_RUNNER, PAWL_SHARDS, PAWL_ONLY_LABELED and
   PAWL_RUN_CODE_OF_FORKS_ON_OUR_MACHINES of the environment, and what stands for those that are not
   set. */
void pawl_forge_settings_read(struct pawl_arena *arena, struct pawl_forge_settings *out);

/* The first machine of a list of runners, as the code host gives it, that is online and takes a job
 *with these labels; name NULL: there is none. *hosted: GitHub has such machines itself. PAWL_USAGE:
 *the labels cannot be. */
pawl_status pawl_forge_find_runner(const struct pawl_forge *forge, const char *labels,
                                   const json_t *runners, bool *hosted, const char **name,
                                   struct pawl_error *err);

/* PAWL_NOT_PERMITTED: the code of a fork would run on the user's own machine, or the machine that
 * measures could take the job that posts, whose token may write. PAWL_USAGE: a setting is not
 * valid. */
pawl_status pawl_forge_plan(const struct pawl_forge *forge,
                            const struct pawl_forge_settings *settings, struct pawl_forge_plan *out,
                            struct pawl_error *err);
