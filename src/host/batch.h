/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of warm calls. Chooses how many calls make a sample, and checks that each call of a batch
   does its work. */
#pragma once

#include "host/time_plan.h"

/* Returns the number of calls that take 1 ms, where one call takes `call_ns`. Returns fewer if
   recording them would take more than 0.2 s; recording one call takes `record_ns`. Returns at least
   1, and at most the number that the device allows. */
int host_batch_size(const struct host_kernel *host, double call_ns, double record_ns);

/* Makes untimed batches with poisons between their calls (poison.h). No kernel can foresee before
   which samples this happens. Sets plan->left_out if a call left its work out. */
pawl_status host_batch_check(struct host_kernel *host, struct host_time_plan *plan,
                             struct host_set *set, struct pawl_error *err);
