/* SPDX-License-Identifier: Apache-2.0 */
/* Builds of configurations that the search will time, several at once, beside other work. They can
   be made to stand still: nothing builds while a call is timed. */
#ifndef PAWL_TUNING_BUILDS_H
#define PAWL_TUNING_BUILDS_H

#include "build/build.h"

struct pawl_tune_builds;

/* What became of a build. */
struct pawl_tune_build {
  double seconds;      /* that it took, without those of pauses */
  const char *failure; /* the code does not compile: why, in one line; NULL: it may, and its next
                          build says more */
  const char *diagnostics; /* the compiler's words then */
};

/* At most `threads` build at once. The compiler of a configuration may run for so many seconds;
   that of PAWL_NO_CONFIGURATION, the current parameters, as long as the options say. */
struct pawl_tune_builds *pawl_tune_builds_begin(const struct pawl_build_options *options,
                                                double most_seconds, int threads);
/* Those that are not done end at once. NULL: nothing. */
void pawl_tune_builds_end(struct pawl_tune_builds *builds);

/* Has the configuration built after those that were added before; one that was added already is not
   built again. The spec stays where it is. `log` (may be NULL) gets what this build says; nobody
   else may write to it until it is done.
 */
void pawl_tune_builds_add(struct pawl_tune_builds *builds, size_t index,
                          const struct pawl_kernel_spec *spec, struct pawl_log *log);
/* How the build of a configuration that was added stands, when it is done. Strings live as long as
 * the builds. */
struct pawl_tune_build pawl_tune_builds_await(struct pawl_tune_builds *builds, size_t index);
bool pawl_tune_builds_is_done(struct pawl_tune_builds *builds, size_t index);
/* Waits until the build of one of these configurations, which were added, is done. False: none is
   after so many seconds. */
bool pawl_tune_builds_await_any(struct pawl_tune_builds *builds, const size_t *indices,
                                size_t count, double seconds);
/* The commands of the builds; NULL builds have none. */
struct pawl_jobs *pawl_tune_builds_jobs(struct pawl_tune_builds *builds);

#endif
