/* SPDX-License-Identifier: Apache-2.0 */
/* What a build was made of. */
#ifndef PAWL_BUILD_READS_H
#define PAWL_BUILD_READS_H

#include "build/build.h"
#include "build/words.h"

/* The real paths of the files that the compilers read for a plug-in: sources and headers, the
   system's too. None of a build command, which does not say. Strings live in the arena. */
pawl_status pawl_build_reads(const struct pawl_build_result *result,
                             const struct pawl_build_options *options, struct pawl_arena *arena,
                             struct pawl_words *out, struct pawl_error *err);

#endif
