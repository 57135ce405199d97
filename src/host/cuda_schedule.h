/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics that CUPTI counts, and their passes. The host computes them in half a second, once
   for all kernels of a process. */
#pragma once

#include "base/json.h"
#include "device/cuda/cupti.h"

struct host_cuda_schedule {
  struct pawl_cupti cupti;
  json_t *metrics; /* the lists of names that it chose from; NULL: there is no schedule */
  const char *chip;
  uint8_t *availability; /* NULL: all of the chip's */
  /* The counted metrics; the strings belong to `metrics`. */
  const char **names;
  size_t count;
  void *host;
  uint8_t *image;
  size_t image_bytes;
};

/* Makes the schedule of `metrics`, a list of lists of names: of each inner list the first name that
   the chip knows. `careful`: asks which counters the GPU has for this process, which takes half a
   second. Fails with PAWL_UNAVAILABLE if no usable CUPTI is here. Release it after a failure too.
 */
pawl_status host_cuda_schedule_make(struct host_cuda_schedule *schedule, pawl_cu_context context,
                                    const json_t *metrics, bool careful, struct pawl_error *err);
void host_cuda_schedule_release(struct host_cuda_schedule *schedule);
