/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of rules.inc about CPU kernels, for this room alone. They find nothing on a GPU. */
#pragma once

#include "profile/finding.h"

bool pawl_rule_cpu_system(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_idle(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_branches(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_memory(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_instructions(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_latency(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
bool pawl_rule_cpu_preempted(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
