/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/pivot.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* --- shapes --- */

/* Returns the word of the key "B=32,dtype=f16" that begins at `*at`, without its comma, and moves
   on. */
static const char *pivot_next_word(const char **at, struct pawl_arena *arena) {
  const size_t length = strcspn(*at, ",");
  const char *word = pawl_arena_printf(arena, "%.*s", (int)length, *at);
  *at += length + ((*at)[length] == ',');
  return word;
}

static bool pivot_has_word(const char *key, const char *word, struct pawl_arena *arena) {
  for (const char *at = key; *at;)
    if (!strcmp(pivot_next_word(&at, arena), word)) return true;
  return false;
}

static bool pivot_is_common(const struct pawl_sweep_plan *plan, const char *word,
                            struct pawl_arena *arena) {
  for (size_t i = 0; i < plan->point_count; i++)
    if (!pivot_has_word(plan->points[i].case_name, word, arena)) return false;
  return plan->point_count > 1;
}

/* Returns the sizes of the name that are common to all, or the others. A name without sizes stays.
 */
static const char *pivot_words(const struct pawl_sweep_plan *plan, const char *name, bool common,
                               struct pawl_arena *arena) {
  const char *words = "";
  for (const char *at = name; *at;) {
    const char *word = pivot_next_word(&at, arena);
    if (pivot_is_common(plan, word, arena) == common)
      words = pawl_arena_printf(arena, "%s%s%s", words, *words ? "," : "", word);
  }
  return words;
}

const char *pawl_sweep_common_sizes(const struct pawl_sweep_plan *plan, struct pawl_arena *arena) {
  return plan->point_count ? pivot_words(plan, plan->points[0].case_name, true, arena) : "";
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

/* Devices of several kinds have rows of their own. */
static const char *pivot_row(const struct pawl_sweep_plan *plan, const char *case_name,
                             const char *device, struct pawl_arena *arena) {
  const char *words = pivot_words(plan, case_name, false, arena);
  if (!*words) words = case_name;
  for (size_t i = 0; i < plan->point_count; i++)
    if (strcmp(plan->points[i].device, device) != 0)
      return pawl_arena_printf(arena, "%s on %s", words, device);
  return words;
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

const char *pawl_sweep_pivot_speedups(const struct pawl_sweep_view *view, size_t kernel,
                                      struct pawl_arena *arena, struct pawl_sweep_grid *out) {
  const struct pawl_sweep_claims *claims = view->claims;
  size_t first = 0;
  for (size_t left = kernel; first < claims->claim_count; first++)
    if (pivot_is_first(claims, first) && !left--) break;
  const char *name = claims->claims[first].kernel;
  *out = pivot_grid(view->sweep->plan.point_count, view->sweep->plan.arm_count, "shape", arena);
  for (size_t i = first; i < claims->claim_count; i++) {
    const struct pawl_sweep_claim *claim = &claims->claims[i];
    if (strcmp(claim->kernel, name) != 0) continue;
    pivot_set(out, pivot_row(&view->sweep->plan, claim->case_name, claim->device, arena),
              claim->reference, pivot_speedup(claim, arena));
  }
  return name;
}

void pawl_sweep_pivot_times(const struct pawl_sweep_view *view, bool rates,
                            struct pawl_arena *arena, struct pawl_sweep_grid *out) {
  const struct pawl_sweep_claims *claims = view->claims;
  *out = pivot_grid(view->sweep->plan.point_count, view->sweep->plan.arm_count, "shape", arena);
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_time *time = &claims->times[i];
    const bool known = time->median_ms > 0;
    if (rates && !(time->gflops > 0)) continue;
    const char *text = rates   ? pawl_arena_printf(arena, "%.4g", time->gflops * 1e-3)
                       : known ? pawl_arena_printf(arena, "%.4g", time->median_ms)
                               : pawl_outcome_name(time->outcome);
    pivot_set(out, pivot_row(&view->sweep->plan, time->case_name, time->device, arena), time->arm,
              text);
  }
}
