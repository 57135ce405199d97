/* SPDX-License-Identifier: Apache-2.0 */
/* A run's output read back to be posted. The files may come from a stranger's pull request: they are taken as data of
   unknown origin, bounded in size, depth and number, and everything that follows from something else (totals, changes
   in percent, the verdict on all) is computed again. */
#ifndef PAWL_FORGE_VERDICT_H
#define PAWL_FORGE_VERDICT_H

#include "base/json.h"
#include "report/report.h"
#include "report/summary.h"

#define PAWL_FORGE_VERDICT_LIMIT ((size_t)64 << 20) /* bytes of verdict.json */
#define PAWL_FORGE_RESULTS_LIMIT ((size_t)64 << 20) /* bytes of results.json */
#define PAWL_FORGE_DEPTH 32                         /* of nesting */
#define PAWL_FORGE_VALUES 4000000                   /* of all lists and objects */
#define PAWL_FORGE_CONTAINERS 1000000               /* lists and objects: 10 000 rows of 60 blocks are 620 000 */
#define PAWL_FORGE_ROWS 10000                       /* elements of each list; checks of all kernels together */
#define PAWL_FORGE_NAME 256                         /* bytes of a name */

struct pawl_forge_verdict {
  struct pawl_run_report report; /* without measurements */
  struct pawl_results measured;  /* results.json; count 0: left out, or nothing was timed */
  const char *measured_reason;   /* why results.json was left out; NULL: it was read */
  enum pawl_conclusion conclusion;
  json_t *document;            /* keeps the strings alive */
  struct pawl_results results; /* what verdict.json says of the rows */
  struct pawl_ratchet_report ratchet;
};

/* Reads verdict.json and results.json of `folder`. PAWL_BAD_DATA: too large, too deep, not by the schema
   (docs/schema/verdict.schema.json), or a verdict or total that its own rows contradict. Release after use. */
pawl_status pawl_forge_verdict_read(const char *folder, struct pawl_arena *arena, struct pawl_forge_verdict *out,
                                    struct pawl_error *err);
void pawl_forge_verdict_release(struct pawl_forge_verdict *verdict);

/* JSON from outside, a file and no link: at most `limit` bytes, PAWL_FORGE_DEPTH deep and of so many values, checked
   before anything is built of it. */
pawl_status pawl_forge_json_read(const char *path, size_t limit, json_t **out, struct pawl_error *err);
pawl_status pawl_forge_json_parse(const char *text, size_t length, const char *name, json_t **out,
                                  struct pawl_error *err);

#endif
