/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline of a profile: what a kernel computed and moved, under the limits of the units at the
   clocks that it had (Williams et al., Roofline, 2009). Unknown is NAN. */
#pragma once

#include <stdbool.h>

#include "profile/profile.h"

#define PAWL_CEILINGS 9
struct pawl_ceiling {
  const char *name; /* "tensor cores, FP16" */
  double flop_s;
};

struct pawl_ceilings {
  double flop_s;            /* the kernel's own rate */
  double dram_s, dram_peak; /* bytes a second */
  double l2_s, l2_peak;     /* between the L2 and the SMs; the peak is that of reads */
  struct pawl_ceiling rows[PAWL_CEILINGS];
  size_t count;
};

/* false: the kernel did no floating-point work, or what it did is unknown. Special functions have a
   ceiling too: the rate that the kernel would have at its own mix with the XU pipe full. */
bool pawl_profile_ceilings(const struct pawl_profile_kernel *kernel, struct pawl_ceilings *out);
