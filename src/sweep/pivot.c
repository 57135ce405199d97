/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/pivot.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* --- shapes --- */

/* Moves on behind the word of the key "B=32,dtype=f16" that begins at `*at`, and returns its
   length. */
static size_t pivot_skip_word(const char **at) {
  const size_t length = strcspn(*at, ",");
  *at += length + ((*at)[length] == ',');
  return length;
}

static bool pivot_has_word(const char *key, const char *word, size_t length) {
  for (const char *at = key; *at;) {
    const char *own = at;
    if (pivot_skip_word(&at) == length && !memcmp(own, word, length)) return true;
  }
  return false;
}

static const char *pivot_add_word(const char *words, const char *word, size_t length,
                                  struct pawl_arena *arena) {
  return pawl_arena_printf(arena, "%s%s%.*s", words, *words ? "," : "", (int)length, word);
}

const char *pawl_sweep_common_sizes(const struct pawl_sweep_plan *plan, struct pawl_arena *arena) {
  const char *words = "";
  if (plan->point_count < 2) return words;
  for (const char *at = plan->points[0].case_name; *at;) {
    const char *word = at;
    const size_t length = pivot_skip_word(&at);
    size_t point = 1;
    while (point < plan->point_count && pivot_has_word(plan->points[point].case_name, word, length))
      point++;
    if (point == plan->point_count) words = pivot_add_word(words, word, length, arena);
  }
  return words;
}

/* How the rows of a sweep's tables are called. */
struct pivot_names {
  const char *common; /* the sizes that they leave out */
  bool devices;       /* devices of several kinds have rows of their own */
};

static struct pivot_names pivot_names_of(const struct pawl_sweep_plan *plan,
                                         struct pawl_arena *arena) {
  struct pivot_names names = {.common = pawl_sweep_common_sizes(plan, arena)};
  for (size_t i = 1; i < plan->point_count; i++)
    names.devices |= strcmp(plan->points[i].device, plan->points[0].device) != 0;
  return names;
}

/* A name without sizes stays. */
static const char *pivot_row(const struct pivot_names *names, const char *case_name,
                             const char *device, struct pawl_arena *arena) {
  const char *words = "";
  for (const char *at = case_name; *at;) {
    const char *word = at;
    const size_t length = pivot_skip_word(&at);
    if (!pivot_has_word(names->common, word, length))
      words = pivot_add_word(words, word, length, arena);
  }
  if (!*words) words = case_name;
  return names->devices ? pawl_arena_printf(arena, "%s on %s", words, device) : words;
}

/* --- grids --- */

/* Returns the place of the name among the titles, in the first row or the first column. */
static size_t pivot_place(const char **titles, size_t step, size_t *count, const char *name) {
  size_t place = 0;
  while (place < *count && strcmp(titles[place * step], name) != 0) place++;
  if (place == *count) titles[(*count)++ * step] = name;
  return place;
}

static struct pawl_sweep_grid pivot_grid(size_t rows, size_t columns, const char *corner,
                                         struct pawl_arena *arena) {
  struct pawl_sweep_grid grid = {
      .cells = pawl_arena_alloc(arena, (rows + 1) * (columns + 1), sizeof *grid.cells),
      .rows = 1,
      .columns = 1,
      .width = columns + 1};
  grid.cells[0] = corner;
  return grid;
}

static void pivot_set(struct pawl_sweep_grid *grid, const char *row, const char *column,
                      const char *text) {
  const size_t y = pivot_place(grid->cells, grid->width, &grid->rows, row),
               x = pivot_place(grid->cells, 1, &grid->columns, column);
  grid->cells[y * grid->width + x] = text;
}

static bool pivot_is_first(const struct pawl_sweep_claims *claims, size_t claim) {
  for (size_t i = 0; i < claim; i++)
    if (!strcmp(claims->claims[i].kernel, claims->claims[claim].kernel)) return false;
  return true;
}

size_t pawl_sweep_count_kernels(const struct pawl_sweep_claims *claims) {
  size_t count = 0;
  for (size_t i = 0; i < claims->claim_count; i++) count += pivot_is_first(claims, i);
  return count;
}

static const char *pivot_speedup(const struct pawl_sweep_claim *claim, struct pawl_arena *arena) {
  if (claim->verdict == PAWL_SWEEP_FAILED) return "failed";
  if (!(claim->speedup > 0)) return "no time";
  if (!(claim->low > 0)) return pawl_arena_printf(arena, "%.3f", claim->speedup);
  return pawl_arena_printf(arena, "%.3f (%.3f to %.3f)%s", claim->speedup, claim->low, claim->high,
                           claim->verdict == PAWL_SWEEP_UNDECIDED ? ", not decided" : "");
}

static const char *pivot_effect(const struct pawl_sweep_claim *claim, struct pawl_arena *arena) {
  if (isnan(claim->cliffs_delta) || isnan(claim->detectable)) return "";
  return pawl_arena_printf(arena, "%.2g %%, %+.3f", 100 * claim->detectable, claim->cliffs_delta);
}

const char *pawl_sweep_pivot_claims(const struct pawl_sweep_view *view, size_t kernel, bool effects,
                                    struct pawl_arena *arena, struct pawl_sweep_grid *out) {
  const struct pawl_sweep_claims *claims = view->claims;
  const struct pawl_sweep_plan *plan = &view->sweep->plan;
  const struct pivot_names names = pivot_names_of(plan, arena);
  size_t first = 0;
  for (size_t left = kernel; first < claims->claim_count; first++)
    if (pivot_is_first(claims, first) && !left--) break;
  const char *name = claims->claims[first].kernel;
  *out = pivot_grid(plan->point_count, plan->arm_count, "shape", arena);
  for (size_t i = first; i < claims->claim_count; i++) {
    const struct pawl_sweep_claim *claim = &claims->claims[i];
    if (strcmp(claim->kernel, name) != 0) continue;
    pivot_set(out, pivot_row(&names, claim->case_name, claim->device, arena), claim->reference,
              effects ? pivot_effect(claim, arena) : pivot_speedup(claim, arena));
  }
  return name;
}

void pawl_sweep_pivot_times(const struct pawl_sweep_view *view, bool rates,
                            struct pawl_arena *arena, struct pawl_sweep_grid *out) {
  const struct pawl_sweep_claims *claims = view->claims;
  const struct pawl_sweep_plan *plan = &view->sweep->plan;
  const struct pivot_names names = pivot_names_of(plan, arena);
  *out = pivot_grid(plan->point_count, plan->arm_count, "shape", arena);
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_time *time = &claims->times[i];
    const bool known = time->median_ms > 0;
    if (rates && !(time->gflops > 0)) continue;
    const char *text = rates   ? pawl_arena_printf(arena, "%.4g", time->gflops * 1e-3)
                       : known ? pawl_arena_printf(arena, "%.4g", time->median_ms)
                               : pawl_outcome_name(time->outcome);
    pivot_set(out, pivot_row(&names, time->case_name, time->device, arena), time->arm, text);
  }
}
