/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a plan as a build.ninja, and runs it. The outputs are absent before, so Ninja makes them
 * all. The plug-in gets its name by rename(2) as the last step. */
#pragma once

#include "build/build_options.h"
#include "build/plan.h"
#include "process/jobs.h"

struct pawl_ninja_outcome {
  bool built;
  int compiles;            /* translation units that were out of date */
  int cache_hits;          /* compiles whose objects pawl had kept */
  const char *diagnostics; /* the compilers' words, without Ninja's; "" if there are none */
};

/* Makes the compilers write unit->deps and, except for nvcc's units, unit->text. A unit that does
 * not compile lacks them. `out` has not built if the time is up. */
pawl_status pawl_ninja_list(const struct pawl_build_plan *plan,
                            const struct pawl_build_options *options, struct pawl_arena *arena,
                            struct pawl_ninja_outcome *out, struct pawl_error *err);

/* Runs Ninja in plan->folder, which exists, for at most `seconds`, as one of the jobs (NULL: of
 * none). A build that fails or takes too long is an outcome. An error says why Ninja could not
 * run. */
pawl_status pawl_ninja_run(const struct pawl_build_plan *plan,
                           const struct pawl_build_options *options, struct pawl_arena *arena,
                           struct pawl_ninja_outcome *out, struct pawl_error *err);

#define PAWL_DIAGNOSTICS_LIMIT ((size_t)32 << 10) /* the most bytes of a compiler's words */
