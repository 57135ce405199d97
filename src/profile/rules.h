/* SPDX-License-Identifier: Apache-2.0 */
/* The functions behind the rows of rules.inc, for this room alone. */
#pragma once

#include "profile/finding.h"

#define RULE(NAME, ...) \
  bool pawl_rule_##NAME(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
#define BOUND(...)
#include "profile/rules.inc"
#undef BOUND
#undef RULE
/* A unit that is busy; the rule names it. */
bool pawl_rule_bound(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
