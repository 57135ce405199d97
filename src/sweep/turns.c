/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/turns.h"

#include <math.h>

#include "base/clock.h"
#include "base/progress.h"
#include "sweep/claims.h"

#define STREAM_POINTS 0x706f696e7473u /* a stream of the sweep's seed */

pawl_status pawl_sweep_turns_init(struct pawl_sweep_turns *turns, const struct pawl_sweep *sweep,
                                  struct pawl_arena *arena, struct pawl_log *log,
                                  struct pawl_error *err) {
  const size_t count = sweep->plan.point_count + 1;
  *turns = (struct pawl_sweep_turns){
      .sweep = sweep,
      .log = log,
      /* earlier runs used up the numbers of other streams */
      .random = pawl_random_init(sweep->plan.seed + sweep->block_count, STREAM_POINTS),
      .begin_ns = pawl_clock_ns(),
      .points = pawl_arena_alloc(arena, count, sizeof *turns->points),
      .order = pawl_arena_alloc(arena, count, sizeof *turns->order)};
  for (size_t i = 0; i < sweep->plan.point_count; i++)
    PAWL_TRY(pawl_sweep_point_left(sweep, i, &turns->points[i].left, err));
  return PAWL_OK;
}

/* Crews of processes serve shapes with as many blocks (sweep/crew.h), so these follow each other. A
   sweep that goes on has shapes with different numbers. */
static void turns_sort(struct pawl_sweep_turns *turns) {
  for (size_t i = 0; i < turns->count; i++) {
    const size_t point = turns->order[i];
    size_t place = i;
    while (place > 0 &&
           turns->points[turns->order[place - 1]].counted > turns->points[point].counted) {
      turns->order[place] = turns->order[place - 1];
      place--;
    }
    turns->order[place] = point;
  }
}

/* Fisher and Yates' shuffle. */
void pawl_sweep_turns_deal(struct pawl_sweep_turns *turns) {
  if (turns->count) return;
  for (size_t i = 0; i < turns->sweep->plan.point_count; i++) {
    if (!turns->points[i].left || turns->points[i].away) continue;
    turns->points[i].counted = pawl_sweep_count_counted(turns->sweep, i);
    turns->order[turns->count++] = i;
  }
  for (size_t i = turns->count; i > 1; i--) {
    const size_t other = pawl_random_below(&turns->random, (uint32_t)i), last = turns->order[i - 1];
    turns->order[i - 1] = turns->order[other];
    turns->order[other] = last;
  }
  turns_sort(turns);
}

size_t pawl_sweep_turns_take(struct pawl_sweep_turns *turns, size_t place) {
  const size_t point = turns->order[place];
  for (turns->count--; place < turns->count; place++) turns->order[place] = turns->order[place + 1];
  return point;
}

pawl_status pawl_sweep_turns_note(struct pawl_sweep_turns *turns, size_t point, size_t blocks,
                                  double seconds, struct pawl_error *err) {
  turns->points[point].blocks += blocks;
  turns->points[point].seconds += seconds;
  return pawl_sweep_point_left(turns->sweep, point, &turns->points[point].left, err);
}

double pawl_sweep_turns_seconds_left(const struct pawl_sweep_turns *turns) {
  double sum = 0, known = 0, left = 0;
  for (size_t i = 0; i < turns->sweep->plan.point_count; i++) {
    const struct pawl_sweep_turn *point = &turns->points[i];
    if (!point->blocks) continue;
    sum += point->seconds / (double)point->blocks;
    known++;
  }
  for (size_t i = 0; i < turns->sweep->plan.point_count; i++) {
    const struct pawl_sweep_turn *point = &turns->points[i];
    /* a shape without a block takes as long as the mean of the others */
    left += (double)point->left *
            (point->blocks ? point->seconds / (double)point->blocks : sum / known);
  }
  return known > 0 ? left : NAN;
}

void pawl_sweep_turns_show(const struct pawl_sweep_turns *turns, int devices, size_t point) {
  const struct pawl_sweep_plan *plan = &turns->sweep->plan;
  const double left = pawl_sweep_turns_seconds_left(turns) / devices;
  struct pawl_progress progress = {.task = "measuring"};
  size_t done = 0;
  for (size_t i = 0; i < plan->point_count; i++) done += !turns->points[i].left;
  if (left >= 0) {
    progress.in_seconds = true;
    progress.done = pawl_seconds_since(turns->begin_ns);
    progress.total = progress.done + left;
  }
  pawl_progress_show(turns->log, &progress, "%zu of %zu shapes done; now %s", done,
                     plan->point_count, plan->points[point].case_name);
}
