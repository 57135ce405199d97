/* SPDX-License-Identifier: Apache-2.0 */
/* Seals a build folder, to know whether the results of an earlier build are as pawl left them. The
 * seal covers the files that pawl uses (plug-in, objects, copied libraries) and the record of the
 * inputs, which decides that they are up to date. */
#pragma once

#include "base/known_file.h"
#include "build/build_options.h"
#include "build/plan.h"

/* Removes the files that no valid seal covers, so that pawl builds them again. A broken seal is a
   warning. `what`: "kernel 'fa'". */
pawl_status pawl_build_trust(struct pawl_build_plan *plan, const char *what,
                             const struct pawl_build_options *options, struct pawl_arena *arena,
                             struct pawl_error *err);
/* Seals the folder in its present state. */
pawl_status pawl_build_seal(const struct pawl_build_plan *plan,
                            const struct pawl_build_options *options, struct pawl_error *err);

/* Returns the files that a worker loads. */
const struct pawl_known_files *pawl_build_files(const struct pawl_build_plan *plan,
                                                const struct pawl_seal_key *key,
                                                struct pawl_arena *arena);
