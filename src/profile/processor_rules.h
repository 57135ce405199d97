/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of this room: the rules of rules.inc about CPU kernels. Each says nothing of a
 * GPU's. */
#pragma once

#include "profile/finding.h"

bool pawl_rule_cpu_system(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_idle(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_branches(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_memory(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_instructions(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_latency(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_preempted(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
