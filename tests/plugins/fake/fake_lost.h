/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs that the fake driver and the fake NVML agree on. FAKE_CUDA_COUNT: how many there are, 2 by
   default, 4 at most. FAKE_CUDA_LOST="1:3": GPU 1 is lost once it has had 3 contexts, which the
   file FAKE_CUDA_LOG counts. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline int fake_gpu_count(void) {
  const char *given = getenv("FAKE_CUDA_COUNT");
  return given ? atoi(given) : 2;
}

static inline bool fake_is_lost(int gpu) {
  const char *lost = getenv("FAKE_CUDA_LOST"), *path = getenv("FAKE_CUDA_LOG");
  int which = -1, after = 0, contexts = 0, made;
  if (!lost || sscanf(lost, "%d:%d", &which, &after) != 2 || which != gpu) return false;
  FILE *log = path ? fopen(path, "re") : NULL;
  while (log && fscanf(log, "context %d\n", &made) == 1) contexts += made == gpu;
  if (log) fclose(log);
  return contexts >= after;
}
