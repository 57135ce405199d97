/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes a suite wants explained by a profiler. */
#ifndef PAWL_MODEL_PROFILE_SPEC_H
#define PAWL_MODEL_PROFILE_SPEC_H

#include <stdbool.h>

struct pawl_profile_spec {
  bool regression;         /* of each regression; true */
  double improvement_over; /* of each improvement by more than this fraction; 0.05 */
  int max_kernels; /* in a run, each on the case that changed most, the worst first; 0: none; 4 */
  double timeout_seconds; /* of one step of the profiler; 300 */
};

#endif
