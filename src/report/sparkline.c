/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sparkline.h"

#include <math.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define HEIGHTS 8

/* Returns the median of the known values, or NaN if there are none. */
static double sparkline_median_of(const double *values, size_t count, double *room) {
  size_t known = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i])) room[known++] = values[i];
  pawl_sort_doubles(room, known);
  return pawl_median(room, known);
}

void pawl_sparkline(const double *values, size_t count, size_t width, struct pawl_text *out) {
  static const char *const blocks[HEIGHTS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t shown = count < width ? count : width;
  if (!shown) return;
  PAWL_CLEANUP(pawl_free_pointer) double *heights = pawl_alloc(shown, sizeof *heights);
  PAWL_CLEANUP(pawl_free_pointer) double *room = pawl_alloc(count, sizeof *room);
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < shown; i++) {
    const size_t begin = i * count / shown, end = (i + 1) * count / shown;
    heights[i] = sparkline_median_of(values + begin, end - begin, room);
    if (isnan(heights[i])) continue;
    low = fmin(low, heights[i]);
    high = fmax(high, heights[i]);
  }
  for (size_t i = 0; i < shown; i++) {
    if (isnan(heights[i])) {
      pawl_text_add(out, " ");
      continue;
    }
    const double share = high > low ? (heights[i] - low) / (high - low) : 0.4;
    pawl_text_add(out, blocks[(int)fmin(HEIGHTS - 1, floor(share * HEIGHTS))]);
  }
}
