/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of samples on the same set. One sample uses the inputs as they are. For the other, a few
   elements have just changed places, so no kernel can have seen these inputs. */
#pragma once

#include "host/time_plan.h"

/* Takes plan->samples / 2 pairs. Reports the sample on seen inputs first, then the sample on unseen
   inputs. Chance decides which of the two pawl takes first. Each follows a call on the usual
   inputs, so the kernel cannot tell them apart, and a drift affects both alike. The sets take turns
   as for other samples. */
pawl_status host_pairs_take(struct host_kernel *host, struct host_time_plan *plan,
                            struct host_sample_lists *lists, struct pawl_error *err);
