/* SPDX-License-Identifier: Apache-2.0 */
/* Timed calls on inputs that no call has seen: pawl lets many elements of the inputs change places
   before each call (variation.h), and takes that back after the request. What a kernel remembers,
   by contents or by address, from an earlier request or from its warm-up, is of no use then; and
   what these calls give is compared with the oracle, at a place that the operating system draws. Of
   CPU kernels: for a GPU the inputs would have to be copied for each request.
 */
#ifndef PAWL_MEASURE_VARIED_H
#define PAWL_MEASURE_VARIED_H

#include "measure/block_run.h"

/* Whether an arm's timed calls are varied: cold ones, whose inputs have no order. Draws where it is
 * looked at. */
pawl_status pawl_varied_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                             struct pawl_error *err);

/* Makes `warmup` calls on the usual inputs. */
pawl_status pawl_varied_warm_up(struct pawl_block_run *run, struct pawl_arm_run *arm, int warmup,
                                int first_set, struct pawl_error *err);

/* Takes samples, each on inputs of its own; `last`: no calls of the block follow. */
pawl_status pawl_varied_samples(struct pawl_block_run *run, struct pawl_arm_run *arm, int samples,
                                int warmup, int first_set, bool last, struct pawl_error *err);

#endif
