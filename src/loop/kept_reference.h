/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a reference, kept in .pawl/references for later runs. docs/adr/kept-references.md
 * argues it. */
#pragma once

#include "base/hash.h"
#include "base/seal.h"
#include "model/result.h"
#include "project/canary_kernel.h"
#include "project/kernels.h"

#define PAWL_KEPT_SECONDS (7 * 24 * 3600) /* pawl measures an older result again */

struct pawl_kept_reference {
  struct pawl_result row;
  struct pawl_canary canary; /* when the row was measured */
  json_t *document;          /* holds what the row borrows */
};

/* The file for the reference's result on this case and with this key; in the project's arena. */
const char *pawl_kept_reference_path(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel, struct pawl_hash key,
                                     const struct pawl_case *config);

/* Whether earlier runs of this repository kept any result. */
bool pawl_kept_references_any(const struct pawl_project *project);

/* Reads a kept result; the caller releases out->document. PAWL_NO_INPUT: there is no such file, it
   is older than PAWL_KEPT_SECONDS, or another key sealed it. PAWL_BAD_DATA: pawl did not write it
   like this. */
pawl_status pawl_kept_reference_read(const char *path, const struct pawl_seal_key *key,
                                     struct pawl_arena *arena, struct pawl_kept_reference *out,
                                     struct pawl_error *err);
pawl_status pawl_kept_reference_write(const char *path, const struct pawl_seal_key *key,
                                      const struct pawl_result *row,
                                      const struct pawl_canary *canary, struct pawl_error *err);
/* Scales the row's times by the canary's time now over its time then, which keeps the ratio of
   reference to canary. The row's environment says so. */
void pawl_kept_reference_apply(struct pawl_kept_reference *kept, const struct pawl_canary *now);
