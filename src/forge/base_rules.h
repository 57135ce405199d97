/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the suite and the baseline by which pawl judges a run again. */
#pragma once

#include "forge/forge.h"
#include "gate/acceptance.h"
#include "gate/baseline.h"
#include "model/suite.h"

struct pawl_forge_expected {
  const char *commit;   /* the commit to measure; NULL: unknown */
  bool is_pull_request; /* the commit is a change that others judge */
  /* the repository, and the base: the commit whose rules judge; NULL: unknown */
  const char *root, *base;
  struct pawl_suite suite; /* the base's */
  struct pawl_baseline baseline;
  /* the change's own, where the gate of the base allows them */
  struct pawl_acceptances acceptances;
};

/* Reads pawl.yaml and the baseline of the merge base with the checked-out branch. If the job is
 * about no pull request, it reads those of the commit itself. Outside a repository it reads the
 * folder's. Fails with PAWL_NO_INPUT if the base has no pawl.yaml, and with PAWL_BAD_DATA if the
 * checked-out commit is the pull request's own change. */
pawl_status pawl_forge_expected_read(struct pawl_forge *forge, const char *suite_path,
                                     struct pawl_forge_expected *out, struct pawl_error *err);

/* If the folder is in no repository, asks the code host for the merge base, which a paired row
 * needs. */
pawl_status pawl_forge_expected_anchor(struct pawl_forge *forge, struct pawl_forge_expected *out,
                                       struct pawl_error *err);
