/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of blocks on a GPU. A crew has one process for each arm, and measures one block of
 * each shape: docs/adr/sweep.md. */
#pragma once

#include "measure/ahead.h"
#include "sweep/sweep.h"

#define PAWL_SWEEP_VISIT_BLOCKS 6 /* blocks of a shape, before another shape has its turn */
#define PAWL_SWEEP_MOST_CREWS (PAWL_SWEEP_VISIT_BLOCKS + 1) /* a last block joins a visit */

struct pawl_sweep_crew {
  struct pawl_block_processes processes;
  int starts[PAWL_MAX_ARMS]; /* the order in which they start */
};

struct pawl_sweep_crews {
  struct pawl_sweep_crew items[PAWL_SWEEP_MOST_CREWS];
  size_t count; /* 0: each block starts its own processes, as on a CPU */
  /* the point of which they measured the first blocks, and its blocks that counted before; the
   * orders of starts follow from that number */
  size_t first, counted;
  bool *served;                   /* for each point: they have measured blocks of it */
  struct pawl_starting *starting; /* gets them ready for the point of the visit; NULL: no visit */
  uint64_t own_bytes; /* the device's memory that a crew's kernels allocated by themselves */
};

/* A visit that needs crews. */
struct pawl_sweep_call {
  const struct pawl_sweep_plan *plan;
  size_t point, counted; /* the point, and its blocks that count */
  struct pawl_problem *problem;
  const struct pawl_device *device;
  const struct pawl_worker_options *const *workers; /* NULL: this arm has failed */
  int arm_count, threads;
  struct pawl_shutdown *shutdown; /* gets the processes that are not needed any more */
};

/* Draws the order in which the arms of a block after `counted` others of its point start. */
void pawl_sweep_draw_starts(const struct pawl_sweep_plan *plan, size_t counted, int arm_count,
                            int starts[PAWL_MAX_ARMS]);
/* Begins to make up to `wanted` crews ready for the point, side by side: those that have not
 * measured it and have the orders of starts of its next blocks, or new ones. They get ready while
 * pawl times nothing. Returns their number; 0: each block starts its own processes. The problem
 * must stay until pawl_sweep_crews_settle(). */
size_t pawl_sweep_crews_call(struct pawl_sweep_crews *crews, const struct pawl_sweep_call *call,
                             size_t wanted);
/* Returns the crew of the visit's n-th block when it is ready; NULL: the block has none. */
struct pawl_sweep_crew *pawl_sweep_crews_await(struct pawl_sweep_crews *crews, size_t n);
/* Ends a visit: waits for the crews that get ready. With `now` it kills their processes. */
void pawl_sweep_crews_settle(struct pawl_sweep_crews *crews, bool now);
/* Ends the process of an arm that has failed on this point. The next point starts it again. */
void pawl_sweep_crew_leave_out(struct pawl_sweep_crew *crew, int arm,
                               struct pawl_shutdown *shutdown);
void pawl_sweep_crews_dismiss(struct pawl_sweep_crews *crews, struct pawl_shutdown *shutdown);
