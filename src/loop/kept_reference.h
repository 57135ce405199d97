/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a reference, kept in .pawl/references for later runs. docs/adr/kept-references.md
 * argues it. */
#ifndef PAWL_LOOP_KEPT_REFERENCE_H
#define PAWL_LOOP_KEPT_REFERENCE_H

#include "base/hash.h"
#include "base/seal.h"
#include "model/result.h"
#include "project/canary_kernel.h"
#include "project/kernels.h"

#define PAWL_KEPT_SECONDS (7 * 24 * 3600) /* an older result is measured anew */

struct pawl_kept_reference {
  struct pawl_result row;
  struct pawl_canary canary; /* when the row was measured */
  json_t *document;          /* holds what the row borrows */
};

/* The file of the result of a reference with this key on this case; in the project's arena. */
const char *pawl_kept_reference_path(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel, struct pawl_hash key,
                                     const struct pawl_case *config);

/* Whether earlier runs of this repository have kept any. */
bool pawl_kept_references_any(const struct pawl_project *project);

/* PAWL_NO_INPUT: there is no such file, it is older than PAWL_KEPT_SECONDS, or another key has
   sealed it. PAWL_BAD_DATA: it is not as pawl wrote it. Release out->document. */
pawl_status pawl_kept_reference_read(const char *path, const struct pawl_seal_key *key,
                                     struct pawl_arena *arena, struct pawl_kept_reference *out,
                                     struct pawl_error *err);
pawl_status pawl_kept_reference_write(const char *path, const struct pawl_seal_key *key,
                                      const struct pawl_result *row,
                                      const struct pawl_canary *canary, struct pawl_error *err);
/* Multiplies the row's times by how much longer the canary takes now than it took then, so that the
   ratio of the reference to the canary stays what it was. The row's environment says so. */
void pawl_kept_reference_apply(struct pawl_kept_reference *kept, const struct pawl_canary *now);

#endif
