/* SPDX-License-Identifier: Apache-2.0 */
/* A run's output read back to be posted. The files may come from a stranger's pull request: they
   are taken as data of unknown origin, bounded in size, depth and number, and everything that
   follows from something else (totals, changes in percent, the verdict on all) is computed again.
 */
#ifndef PAWL_RECORD_STORED_RUN_H
#define PAWL_RECORD_STORED_RUN_H

#include "base/json.h"
#include "record/conclusion.h"
#include "record/run_report.h"
#include "record/verdict_fields.h"

#define PAWL_RECORD_LIMIT ((size_t)64 << 20) /* bytes of verdict.json, and of results.json */

struct pawl_stored_run {
  struct pawl_run_report report; /* without measurements */
  struct pawl_results measured;  /* results.json; count 0: left out, or nothing was timed */
  const char *measured_reason;   /* why results.json was left out; NULL: it was read */
  enum pawl_conclusion conclusion;
  struct pawl_results results; /* what verdict.json says of the rows */
  struct pawl_ratchet_report ratchet;
};

/* Reads verdict.json and results.json of `folder`. PAWL_BAD_DATA: too large, too deep, not by the
   schema (docs/schema/verdict.schema.json), a verdict or total that its own rows contradict, or a
   kernel and case with two rows. Release after use. */
pawl_status pawl_stored_run_read(const char *folder, struct pawl_arena *arena,
                                 struct pawl_stored_run *out, struct pawl_error *err);
/* The same of a verdict alone, in memory; `name` is for messages. */
pawl_status pawl_stored_run_parse(const json_t *document, const char *name,
                                  struct pawl_arena *arena, struct pawl_stored_run *out,
                                  struct pawl_error *err);
void pawl_stored_run_release(struct pawl_stored_run *run);

#endif
