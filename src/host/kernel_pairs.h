/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of samples on the same set: one on its inputs as they are, one on inputs in which a few
   elements have just changed places, so that nobody can have seen them. */
#pragma once

#include "host/time_plan.h"

/* Takes plan->samples / 2 pairs and reports the seen and then the unseen sample of each. Chance
 * decides which of the two comes first. Each follows a call on the usual inputs, so the kernel
 * cannot tell them apart, and a drift affects both alike. The sets take turns as for samples. */
pawl_status host_pairs_take(struct host_kernel *host, struct host_time_plan *plan,
                            struct host_sample_lists *lists, struct pawl_error *err);
