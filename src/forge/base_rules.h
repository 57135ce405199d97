/* SPDX-License-Identifier: Apache-2.0 */
/* The suite and the baseline by which pawl judges a run again. */
#pragma once

#include "forge/forge.h"
#include "gate/acceptance.h"
#include "gate/baseline.h"
#include "model/suite.h"

/* The measurements that the base requires, and its rules. */
struct pawl_forge_expected {
  const char *commit;      /* the commit to measure; NULL: unknown */
  bool is_pull_request;    /* the commit is a change that others judge */
  const char *root, *base; /* the repository, and the commit whose rules judge; NULL: unknown */
  struct pawl_suite suite; /* the base's */
  struct pawl_baseline baseline;
  /* The change's own, where the base's gate allows them. */
  struct pawl_acceptances acceptances;
};

/* Reads pawl.yaml and the baseline. They come from the merge base with the checked-out branch. If
 * the job is about no pull request, they come from the commit itself; outside a repository, from
 * the folder. PAWL_NO_INPUT: the base has no pawl.yaml. PAWL_BAD_DATA: the checked-out commit is
 * the pull request's own change. */
pawl_status pawl_forge_expected_read(struct pawl_forge *forge, const char *suite_path,
                                     struct pawl_forge_expected *out, struct pawl_error *err);

/* Asks the code host for the merge base if this folder is in no repository. A paired row needs
 * it. */
pawl_status pawl_forge_expected_anchor(struct pawl_forge *forge, struct pawl_forge_expected *out,
                                       struct pawl_error *err);
