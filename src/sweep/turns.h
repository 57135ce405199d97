/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the shape that a sweep measures next, and estimates the time left. The shapes come in
   random order, a few blocks at a time, so that a slow change of the machine meets all of them. */
#pragma once

#include "base/log.h"
#include "base/philox.h"
#include "sweep/sweep.h"

/* How far a point is. */
struct pawl_sweep_turn {
  size_t left;    /* the blocks that it probably needs; 0: it is done */
  size_t counted; /* the blocks that counted when the round began */
  bool away;      /* another process measures it, or it takes no more turns */
  size_t blocks;  /* that this command measured */
  double seconds; /* that they took */
};

struct pawl_sweep_turns {
  const struct pawl_sweep *sweep;
  struct pawl_log *log;
  struct pawl_random random;
  int64_t begin_ns;
  struct pawl_sweep_turn *points;
  size_t *order, count; /* the points that have a turn in this round */
};

/* Everything lives in the arena. */
pawl_status pawl_sweep_turns_init(struct pawl_sweep_turns *turns, const struct pawl_sweep *sweep,
                                  struct pawl_arena *arena, struct pawl_log *log,
                                  struct pawl_error *err);
/* Begins a new round when the last one is over, in random order among points with as many blocks;
   those with fewer come first. turns->count is then 0 if no point needs a turn. */
void pawl_sweep_turns_deal(struct pawl_sweep_turns *turns);
/* Takes a point out of the round. */
size_t pawl_sweep_turns_take(struct pawl_sweep_turns *turns, size_t place);
/* Notes that a visit of the point added blocks. */
pawl_status pawl_sweep_turns_note(struct pawl_sweep_turns *turns, size_t point, size_t blocks,
                                  double seconds, struct pawl_error *err);
/* Returns the seconds that the blocks left take on one device, by the blocks of this command; NaN:
   there are none yet. */
double pawl_sweep_turns_seconds_left(const struct pawl_sweep_turns *turns);
/* Shows the progress, where `devices` share the work. `point` is at work. */
void pawl_sweep_turns_show(const struct pawl_sweep_turns *turns, int devices, size_t point);
