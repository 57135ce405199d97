/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a reference's result in .pawl/references. docs/adr/kept-references.md argues it. */
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
  json_t *document;          /* owns what the row borrows */
};

/* Returns the file for the reference's result with this case and key, in the project's arena. */
const char *pawl_kept_reference_path(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel, struct pawl_hash key,
                                     const struct pawl_case *config);

/* Returns whether earlier runs of this repository kept any result. */
bool pawl_kept_references_any(const struct pawl_project *project);

/* Reads a kept result; the caller releases out->document. Fails with PAWL_NO_INPUT if it is
 * missing, older than PAWL_KEPT_SECONDS or of another key, and with PAWL_BAD_DATA if it was
 * changed. */
pawl_status pawl_kept_reference_read(const char *path, const struct pawl_seal_key *key,
                                     struct pawl_arena *arena, struct pawl_kept_reference *out,
                                     struct pawl_error *err);
pawl_status pawl_kept_reference_write(const char *path, const struct pawl_seal_key *key,
                                      const struct pawl_result *row,
                                      const struct pawl_canary *canary, struct pawl_error *err);
/* Scales the row's times by the canary's time now over its time then, which keeps the ratio of
   reference to canary. The row's environment says so. */
void pawl_kept_reference_apply(struct pawl_kept_reference *kept, const struct pawl_canary *now);
