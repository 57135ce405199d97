/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline of a time: which limit binds, and what to try. */
#pragma once

#include "base/memory.h"
#include "device/device.h"
#include "model/result.h"
#include "oracle/oracle.h"

/* The counters that this machine has for the kernel's device. */
enum pawl_roofline_counters { PAWL_ROOFLINE_GPU, PAWL_ROOFLINE_CPU, PAWL_ROOFLINE_NONE };

/* Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009:
   attainable FLOP/s is the smaller of the compute peak and intensity x bandwidth. efficiency_pct is
   measured against the limit that binds. `cached`: the data are in a cache before each call, so
   that the bandwidth of memory limits nothing. Where no limit is known, both bottleneck and
   efficiency_pct stay unknown, and a recommendation gives the reason. A time far beyond the limit
   has its percentage, and the only recommendation is the error. `counters`: what this machine can
   count, so that no recommendation names what it lacks. */
void pawl_roofline_of(const struct pawl_work *work, double median_ms,
                      enum pawl_roofline_counters counters, const struct pawl_device_limits *limits,
                      bool cached, struct pawl_arena *arena, struct pawl_roofline *out);

/* Returns why the time is an error, because it is far beyond the limit; NULL: it is not. */
const char *pawl_roofline_error(const struct pawl_roofline *roofline);
