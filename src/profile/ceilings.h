/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline of a profile (Williams et al., Roofline, 2009): the rates of a kernel, and the
   limits of the GPU's units at the clocks of the profile. An unknown value is NAN. */
#pragma once

#include <stdbool.h>

#include "profile/profile.h"

#define PAWL_CEILINGS 9
struct pawl_ceiling {
  const char *name; /* "tensor cores, FP16" */
  double flop_s;
};

struct pawl_ceilings {
  double flop_s;            /* the kernel's rate */
  double dram_s, dram_peak; /* bytes per second */
  /* bytes per second between the L2 and the SMs; the peak is that of reads */
  double l2_s, l2_peak;
  struct pawl_ceiling rows[PAWL_CEILINGS];
  size_t count;
};

/* Returns false if the kernel did no floating-point work or its work is unknown. Special functions
   have a ceiling too: the rate that the kernel, with its own mix of instructions, would have with a
   full XU pipe. */
bool pawl_profile_ceilings(const struct pawl_profile_kernel *kernel, struct pawl_ceilings *out);
