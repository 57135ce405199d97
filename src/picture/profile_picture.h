/* SPDX-License-Identifier: Apache-2.0 */
/* A profile on one page: its limit, the roofline, how busy the units are, what warps wait for, what
   moves through the memory, and what changed since its base. */
#pragma once

#include "base/error.h"
#include "profile/change.h"

/* FOLDER/profile and FOLDER/roofline, each as .png and .svg, light and, with -dark behind the name,
   dark. They show the kernel that takes the most time. A kernel without floating-point work has no
   roofline, and a CPU kernel has no pictures. `change` may be NULL. */
pawl_status pawl_profile_pictures(const struct pawl_profile *profile,
                                  const struct pawl_profile_change *change, const char *folder,
                                  struct pawl_error *err);
