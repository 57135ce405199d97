/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/narrow.h"

#include <string.h>

#include "base/parallel.h"

#define TILE 1024
/* With fewer elements, starting threads takes as long as the work. */
#define WORTH_THREADS ((int64_t)1 << 20)

struct narrowing {
  unsigned char *data;
  int64_t first, end; /* elements */
};

/* Reads before it writes, because the FP32 values may overlap the FP64 values. */
static void narrow_tile(void *context, int64_t tile) {
  const struct narrowing *job = context;
  const int64_t first = job->first + tile * TILE, left = job->end - first,
                n = left < TILE ? left : TILE;
  double wide[TILE];
  float slim[TILE];
  memcpy(wide, job->data + first * (int64_t)sizeof *wide, (size_t)n * sizeof *wide);
  for (int64_t i = 0; i < n; i++) slim[i] = (float)wide[i];
  memcpy(job->data + first * (int64_t)sizeof *slim, slim, (size_t)n * sizeof *slim);
}

/* The FP32 values of elements n to 2n overlap the FP64 values of n/2 to n, which are done. So each
 * step can convert as many elements in parallel as are done. */
void pawl_narrow(unsigned char *data, int64_t count) {
  struct narrowing job = {data, 0, TILE < count ? TILE : count};
  while (job.first < count) {
    const int64_t tiles = (job.end - job.first + TILE - 1) / TILE;
    pawl_parallel_for(job.end - job.first < WORTH_THREADS ? 1 : 0, tiles, narrow_tile, &job);
    job.first = job.end;
    job.end = 2 * job.first < count ? 2 * job.first : count;
  }
}
