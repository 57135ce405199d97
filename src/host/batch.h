/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of warm calls: how many calls make a sample, and the check that each call of a batch does
 * its work. */
#pragma once

#include "host/time_plan.h"

/* As many calls of `call_ns` as take 1 ms. Recording one call takes `record_ns`; a batch is
 * recorded within 0.2 s. */
int host_batch_size(const struct host_kernel *host, double call_ns, double record_ns);

/* Before samples that no kernel can foresee, makes batches that are not timed, with poisons
   between their calls (poison.h). Sets plan->left_out when a call left its work out. */
pawl_status host_batch_check(struct host_kernel *host, struct host_time_plan *plan,
                             struct host_set *set, struct pawl_error *err);
