/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out a plan, so that its outputs belong to its inputs' contents. */
#pragma once

#include "build/build_options.h"
#include "build/ninja.h"
#include "build/plan.h"

/* Compiles and links everything. If the record of the last build shows that no input has changed,
 * `outcome` has `built` and no compiles. If an input changes meanwhile, it compiles again. Fails
 * with PAWL_TRY_AGAIN if an input changes all the time. A failed build is an outcome. */
pawl_status pawl_compile(const struct pawl_build_plan *plan, const char *what,
                         const struct pawl_build_options *options, struct pawl_arena *arena,
                         struct pawl_ninja_outcome *outcome, struct pawl_error *err);
