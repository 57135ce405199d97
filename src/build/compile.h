/* SPDX-License-Identifier: Apache-2.0 */
/* A plan carried out, so that its outputs are those of its inputs' contents. */
#pragma once

#include "build/build_options.h"
#include "build/ninja.h"
#include "build/plan.h"

/* Compiles and links everything, unless the record of the last build says that each of its inputs
   is as it was; `outcome` then has built, and no compiles. An input that changes meanwhile is
   compiled again. PAWL_TRY_AGAIN: one changes all the time. A failed build is an outcome. */
pawl_status pawl_compile(const struct pawl_build_plan *plan, const char *what,
                         const struct pawl_build_options *options, struct pawl_arena *arena,
                         struct pawl_ninja_outcome *outcome, struct pawl_error *err);
