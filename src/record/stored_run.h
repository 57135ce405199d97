/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a run's output back, to post it. The files may come from a stranger's pull request, so pawl
 * does not trust them. It limits their size, depth and number. It computes again what follows from
 * other data: totals, changes in percent and the verdict. */
#pragma once

#include "base/json.h"
#include "record/conclusion.h"
#include "record/run_report.h"
#include "record/verdict_fields.h"

#define PAWL_RECORD_LIMIT ((size_t)64 << 20) /* bytes of verdict.json, and of results.json */

struct pawl_stored_run {
  struct pawl_run_report report; /* without measurements */
  struct pawl_results measured;  /* results.json; count 0: ignored, or without times */
  const char *measured_reason;   /* why pawl ignored results.json; NULL: it read the file */
  enum pawl_conclusion conclusion;
  struct pawl_results results; /* the rows as verdict.json gives them */
  struct pawl_ratchet_report ratchet;
};

/* Reads verdict.json and results.json of `folder`. Fails with PAWL_BAD_DATA if a file is too large,
 * too deep or not by the schema (docs/schema/verdict.schema.json), if a verdict or total
 * contradicts the rows, or if a kernel and case has two rows. Release after use. */
pawl_status pawl_stored_run_read(const char *folder, struct pawl_arena *arena,
                                 struct pawl_stored_run *out, struct pawl_error *err);
/* Reads a verdict in memory, without measurements. `name` is for messages. */
pawl_status pawl_stored_run_parse(const json_t *document, const char *name,
                                  struct pawl_arena *arena, struct pawl_stored_run *out,
                                  struct pawl_error *err);
void pawl_stored_run_release(struct pawl_stored_run *run);
