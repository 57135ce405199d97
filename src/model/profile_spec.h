/* SPDX-License-Identifier: Apache-2.0 */
/* The profile section of a suite: the changes that a profiler explains. */
#pragma once

#include <stdbool.h>

struct pawl_profile_spec {
  bool regression;         /* profile each regression; by default true */
  double improvement_over; /* profile each larger improvement; a fraction, by default 0.05 */
  /* the most kernels of a run, the worst first, each on the case that changed most; 0: none; by
   * default 4 */
  int max_kernels;
  double timeout_seconds; /* for one step of the profiler; by default 300 */
};
