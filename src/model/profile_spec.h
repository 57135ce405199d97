/* SPDX-License-Identifier: Apache-2.0 */
/* The changes that a suite wants explained by a profiler. */
#pragma once

#include <stdbool.h>

struct pawl_profile_spec {
  bool regression;         /* profile each regression; true */
  double improvement_over; /* profile each improvement by more than this fraction; 0.05 */
  int max_kernels; /* in a run, each on the case that changed most, the worst first; 0: none; 4 */
  double timeout_seconds; /* limit of one step of the profiler; 300 */
};
