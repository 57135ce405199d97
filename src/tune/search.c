/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/search.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

pawl_status pawl_search_init(struct pawl_search *search, const struct pawl_space *space,
                             const char *strategy, uint64_t seed, struct pawl_error *err) {
  const struct pawl_strategy *found = NULL;
  PAWL_TRY(pawl_strategy_find(strategy, &found, err));
  *search = (struct pawl_search){.space = space,
                                 .strategy = found,
                                 .random = pawl_random_init(seed, 0),
                                 .best = PAWL_NO_CONFIGURATION};
  search->values = pawl_alloc(space->count, sizeof *search->values);
  search->tried = pawl_alloc(space->count, sizeof *search->tried);
  for (size_t i = 0; i < space->count; i++) search->values[i] = NAN;
  if (found->start) search->state = found->start(search);
  return PAWL_OK;
}

void pawl_search_release(struct pawl_search *search) {
  if (!search) return;
  if (search->strategy && search->strategy->end) search->strategy->end(search->state);
  pawl_free(search->values);
  pawl_free(search->tried);
  pawl_free(search->held);
  pawl_free(search->suggested);
  pawl_free(search->known);
  pawl_free(search->shuffled);
  *search = (struct pawl_search){0};
}

bool pawl_search_is_tried(const struct pawl_search *search, size_t index) {
  return !isnan(search->values[index]);
}

bool pawl_search_has_failed(const struct pawl_search *search, size_t index) {
  return isinf(search->values[index]);
}

static bool is_held(const struct pawl_search *search, size_t index) {
  for (size_t i = 0; i < search->held_count; i++)
    if (search->held[i] == index) return true;
  return false;
}

bool pawl_search_is_open(const struct pawl_search *search, size_t index) {
  return !pawl_search_is_tried(search, index) && !is_held(search, index);
}

size_t pawl_search_next(struct pawl_search *search) {
  if (search->tried_count + search->held_count == search->space->count)
    return PAWL_NO_CONFIGURATION;
  while (search->suggested_next < search->suggested_count) {
    const size_t index = search->suggested[search->suggested_next++];
    if (pawl_search_is_open(search, index)) return index;
  }
  const size_t index = search->strategy->next(search, search->state);
  PAWL_ASSERT(index < search->space->count && pawl_search_is_open(search, index));
  return index;
}

size_t pawl_search_first(const struct pawl_search *search) {
  const struct pawl_strategy *strategy = search->strategy;
  if (strategy->first == SIZE_MAX) return SIZE_MAX;
  if (search->known_count && strategy->transfers)
    return 1; /* its answer says whether the prior is right */
  const size_t first = strategy->first + search->suggested_count;
  return first > search->tried_count ? first - search->tried_count : 1;
}

void pawl_search_suggest(struct pawl_search *search, const size_t *indices, size_t count) {
  pawl_free(search->suggested);
  search->suggested = pawl_alloc(count + 1, sizeof *search->suggested);
  memcpy(search->suggested, indices, count * sizeof *indices);
  search->suggested_count = count;
  search->suggested_next = 0;
}

void pawl_search_learn_known(struct pawl_search *search, const struct pawl_search_known *known,
                             size_t count) {
  pawl_free(search->known);
  search->known = pawl_alloc(count + 1, sizeof *search->known);
  memcpy(search->known, known, count * sizeof *known);
  search->known_count = count;
}

void pawl_search_hold(struct pawl_search *search, size_t index) {
  PAWL_ASSERT(pawl_search_is_open(search, index));
  search->held =
      pawl_grow(search->held, search->held_count, &search->held_room, sizeof *search->held);
  search->held[search->held_count++] = index;
}

void pawl_search_order(struct pawl_search *search, size_t *held, size_t count) {
  const struct pawl_strategy *strategy = search->strategy;
  double *expected = pawl_alloc(count + 1, sizeof *expected);
  const bool known = count > 1 && strategy->expect &&
                     strategy->expect(search, search->state, held, count, expected);
  for (size_t i = 1; i < count && known; i++) {
    const size_t index = held[i];
    const double value = expected[i];
    size_t place = i;
    for (; place > 0 && value < expected[place - 1]; place--) {
      held[place] = held[place - 1];
      expected[place] = expected[place - 1];
    }
    held[place] = index;
    expected[place] = value;
  }
  pawl_free(expected);
}

static void release_held(struct pawl_search *search, size_t index) {
  size_t kept = 0;
  for (size_t i = 0; i < search->held_count; i++)
    if (search->held[i] != index) search->held[kept++] = search->held[i];
  search->held_count = kept;
}

void pawl_search_tell(struct pawl_search *search, size_t index, double value) {
  const bool works = value > 0 && isfinite(value);
  PAWL_ASSERT(index < search->space->count);
  release_held(search, index);
  if (!pawl_search_is_tried(search, index)) search->tried[search->tried_count++] = index;
  search->values[index] = works ? value : INFINITY;
  if (works && (search->best == PAWL_NO_CONFIGURATION || value < search->values[search->best]))
    search->best = index;
}

size_t pawl_search_fastest(const struct pawl_search *search, size_t limit, size_t *out) {
  size_t count = 0;
  for (size_t i = 0; i < search->tried_count; i++) {
    const size_t index = search->tried[i];
    if (!isfinite(search->values[index])) continue;
    size_t place = count < limit ? count++ : limit;
    for (; place > 0 && search->values[out[place - 1]] > search->values[index]; place--)
      if (place < limit) out[place] = out[place - 1];
    if (place < limit) out[place] = index;
  }
  return count;
}

size_t pawl_search_draw(struct pawl_search *search) {
  const size_t count = search->space->count;
  if (!search->shuffled) {
    search->shuffled = pawl_alloc(count, sizeof *search->shuffled);
    for (size_t i = 0; i < count; i++) search->shuffled[i] = (uint32_t)i;
  }
  /* Fisher-Yates shuffle, one draw at a time; the search may have tried a drawn configuration */
  for (;;) {
    const size_t next = search->shuffled_next++;
    const size_t other = next + pawl_random_below(&search->random, (uint32_t)(count - next));
    const uint32_t drawn = search->shuffled[other];
    search->shuffled[other] = search->shuffled[next];
    search->shuffled[next] = drawn;
    if (pawl_search_is_open(search, drawn)) return drawn;
  }
}
