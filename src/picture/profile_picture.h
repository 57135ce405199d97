/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a profile on one page: its limit, the roofline, the use of the units, the stalls of warps,
   the traffic in the memory, and the changes since its base. */
#pragma once

#include "base/error.h"
#include "profile/change.h"

/* Writes FOLDER/profile and FOLDER/roofline, each as .png and .svg. Names with "-dark" have the
   dark theme. The pictures show the kernel that takes the most time. A kernel without
   floating-point work has no roofline, and a CPU kernel has no pictures. `change` may be NULL. */
pawl_status pawl_profile_pictures(const struct pawl_profile *profile,
                                  const struct pawl_profile_change *change, const char *folder,
                                  struct pawl_error *err);
