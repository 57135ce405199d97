/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of samples on the same set: one on its inputs as they are, one on inputs in which a few
   elements have just changed places, so that nobody can have seen them. */
#ifndef PAWL_HOST_KERNEL_PAIRS_H
#define PAWL_HOST_KERNEL_PAIRS_H

#include "host/time_plan.h"

/* plan->samples / 2 pairs, first the seen and then the unseen sample of each. Of both, chance says
   which comes first, and each comes behind a call on the usual inputs: what a kernel does not know,
   it cannot do otherwise, and what changes with time or with the number of the call changes both
   alike. The sets take turns as they do for samples. */
pawl_status host_pairs_take(struct host_kernel *host, struct host_time_plan *plan,
                            struct host_sample_lists *lists, struct pawl_error *err);

#endif
