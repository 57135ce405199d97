/* SPDX-License-Identifier: Apache-2.0 */
/* A run's output judged anew before it is posted: what its rows claim must follow from their blocks
   and samples, by the rules and the baseline of the base. */
#ifndef PAWL_FORGE_RECOMPUTE_H
#define PAWL_FORGE_RECOMPUTE_H

#include "forge/forge.h"
#include "gate/acceptance.h"
#include "gate/baseline.h"
#include "model/suite.h"
#include "record/stored_run.h"

/* What the base says that a run has to measure, and by which rules. */
struct pawl_forge_expected {
  const char *commit;      /* that was to be measured; NULL: unknown */
  bool is_pull_request;    /* the commit is a change that others judge */
  const char *root, *base; /* the repository, and the commit whose rules judge; NULL: unknown */
  struct pawl_suite suite; /* of the base */
  struct pawl_baseline baseline;
  struct pawl_acceptances acceptances; /* of the change, where the base's gate allows them */
};

/* Reads pawl.yaml and the baseline of the merge base with the branch that is checked out here; of
   the commit itself where the job is about no pull request; of the folder where it is in no
   repository. PAWL_NO_INPUT: the base has no pawl.yaml. PAWL_BAD_DATA: the change itself is checked
   out for its pull request. */
pawl_status pawl_forge_expected_read(struct pawl_forge *forge, const char *suite_path,
                                     struct pawl_forge_expected *out, struct pawl_error *err);

/* Asks the code host for the merge base where this folder is in no repository: a row that was
   measured in pairs needs it. */
pawl_status pawl_forge_expected_anchor(struct pawl_forge *forge, struct pawl_forge_expected *out,
                                       struct pawl_error *err);

/* PAWL_BAD_DATA names the first of: another commit; a part of a run; a row that is there twice,
   that has neither blocks nor samples, that contradicts them or was judged by other rules; a row
   that was measured against another commit than the merge base or that of its baseline; a kernel
   and case of the suite or of the baseline that has no row. A run that fails needs no rows of what
   it did not reach. */
pawl_status pawl_forge_recompute(const struct pawl_stored_run *run,
                                 const struct pawl_forge_expected *expected,
                                 struct pawl_arena *arena, struct pawl_error *err);

#endif
