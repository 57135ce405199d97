/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a tool beside the times of a benchmark. */
#include <math.h>

#include "import/feed.h"

#define ROUNDING 1e-6 /* relative: tools round and add up differently */

void pawl_feed_add_figure(struct pawl_feed_point *point, const char *key, double seconds) {
  if (!isfinite(seconds)) return;
  PAWL_ASSERT(point->figures < PAWL_FEED_FIGURES);
  point->ascending[point->figures++] = (struct pawl_feed_figure){key, seconds};
}

static bool exceeds(double a, double b) { return a - b > ROUNDING * fmax(fabs(a), fabs(b)); }

/* Returns why the figure is none of a range; NULL: it is one, or unknown. */
static const char *leaves_range(const struct pawl_feed_figure *figure, double least, double most,
                                const char *range, struct pawl_arena *arena) {
  if (!figure->key || !isfinite(figure->seconds) ||
      (!exceeds(least, figure->seconds) && !exceeds(figure->seconds, most)))
    return NULL;
  return pawl_arena_printf(arena, "its '%s' is %.6g s, outside of %s, %.6g to %.6g s", figure->key,
                           figure->seconds, range, least, most);
}

const char *pawl_feed_contradiction(const struct pawl_feed_point *point, struct pawl_arena *arena) {
  const struct pawl_feed_figure *figures = point->ascending;
  const struct pawl_times *times = &point->times;
  double least = INFINITY, most = -INFINITY;
  const char *why = NULL;
  for (size_t i = 0; i < times->count; i++) {
    least = fmin(least, times->seconds[i]);
    most = fmax(most, times->seconds[i]);
  }
  if (times->count) why = leaves_range(&point->mean, least, most, "its times", arena);
  for (size_t i = 0; i < point->figures && times->count && !why; i++)
    why = leaves_range(&figures[i], least, most, "its times", arena);
  for (size_t i = 1; i < point->figures && !why; i++)
    if (exceeds(figures[i - 1].seconds, figures[i].seconds))
      why = pawl_arena_printf(arena, "its '%s' is %.6g s, more than its '%s', %.6g s",
                              figures[i - 1].key, figures[i - 1].seconds, figures[i].key,
                              figures[i].seconds);
  if (why || point->figures < 2) return why;
  return leaves_range(&point->mean, figures[0].seconds, figures[point->figures - 1].seconds,
                      "its other figures", arena);
}
