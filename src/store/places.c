/* SPDX-License-Identifier: Apache-2.0 */
#include "store/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/describe.h"

static int places_compare_values(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static bool counts(const struct pawl_figure *figure, bool dirty) {
  return figure->line && figure->value > 0 && figure->dirty == dirty;
}

/* Adds the figures from `i` on that share a place. Returns the index after them. */
static size_t join(const struct pawl_figure *figures, size_t count, size_t i, bool dirty,
                   double *values, struct pawl_places *out) {
  struct pawl_place_runs place = {.place = figures[i].place};
  for (; i < count && figures[i].place == place.place; i++) {
    if (!counts(&figures[i], dirty)) continue;
    if (!place.runs) place.first = figures[i].id;
    place.last = figures[i].id;
    values[place.runs++] = figures[i].value;
  }
  if (!place.runs) return i;
  if (place.runs > 1) qsort(values, (size_t)place.runs, sizeof *values, places_compare_values);
  place.value = pawl_median(values, (size_t)place.runs);
  out->items[out->count++] = place;
  return i;
}

void pawl_places_of(const struct pawl_figure *figures, size_t count, struct pawl_arena *arena,
                    struct pawl_places *out) {
  double *values = pawl_arena_alloc(arena, count, sizeof *values);
  *out = (struct pawl_places){.items = pawl_arena_alloc(arena, count, sizeof *out->items)};
  for (int dirty = 0; dirty <= 1 && !out->count; dirty++) {
    for (size_t i = 0; i < count;) i = join(figures, count, i, dirty, values, out);
    out->uncommitted = dirty && out->count;
  }
}

const struct pawl_place_runs *pawl_places_find(const struct pawl_places *places, int64_t place) {
  size_t low = 0, high = places->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (places->items[middle].place < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low < places->count && places->items[low].place == place ? &places->items[low] : NULL;
}
