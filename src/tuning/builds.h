/* SPDX-License-Identifier: Apache-2.0 */
/* Builds configurations that the search will time, several at once, beside other work. The builds
 * can pause, so nothing builds during a timed call. */
#pragma once

#include "build/build.h"

struct pawl_tune_builds;

/* The result of a build. */
struct pawl_tune_build {
  double seconds; /* the duration, without pauses */
  /* one line if the code does not compile; NULL: it compiled, or the next build reports more */
  const char *failure;
  const char *diagnostics; /* the output of the compiler in that case */
};

/* Builds at most `threads` configurations at once. `most_seconds` is the time limit for a
 * configuration's compiler. PAWL_NO_CONFIGURATION, the current parameters, has the limit of the
 * options. */
struct pawl_tune_builds *pawl_tune_builds_begin(const struct pawl_build_options *options,
                                                double most_seconds, int threads);
/* Ends unfinished builds at once and frees everything. `builds` may be NULL. */
void pawl_tune_builds_end(struct pawl_tune_builds *builds);

/* Queues the build of a configuration, unless it was queued before. The caller keeps the spec
   until the end. `log` (may be NULL) gets the output of this build; the caller leaves it alone
   until the build is done. */
void pawl_tune_builds_add(struct pawl_tune_builds *builds, size_t index,
                          const struct pawl_kernel_spec *spec, struct pawl_log *log);
/* Waits for a queued build and returns its result. The strings live until pawl_tune_builds_end. */
struct pawl_tune_build pawl_tune_builds_await(struct pawl_tune_builds *builds, size_t index);
bool pawl_tune_builds_is_done(struct pawl_tune_builds *builds, size_t index);
/* Waits until one of these queued builds is done. Returns false after `seconds`. */
bool pawl_tune_builds_await_any(struct pawl_tune_builds *builds, const size_t *indices,
                                size_t count, double seconds);
/* Returns the commands of the builds, to pause them, or NULL if `builds` is NULL. */
struct pawl_jobs *pawl_tune_builds_jobs(struct pawl_tune_builds *builds);
