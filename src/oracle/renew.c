/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/renew.h"

#include <string.h>

#include "base/bulk.h"
#include "base/clock.h"
#include "oracle/expected.h"
#include "oracle/fill.h"
#include "oracle/layout.h"

/* A flush of the caches takes about as long, and pawl draws meanwhile. */
#define MOST_DRAW_NS 20000000
#define ALIGNMENT ((uint64_t)256)

/* Returns the bytes of a set, from its first tensor to the end of its last one. */
static uint64_t set_bytes(const struct pawl_tensor_set *set) {
  const struct pawl_placed_tensor *last = &set->tensors[set->count - 1];
  return last->offset + last->bytes - set->tensors[0].offset;
}

static const struct pawl_distribution_info *new_distribution(const struct pawl_problem *problem,
                                                             int set) {
  return pawl_fill_find(&problem->oracle->info, problem->source[set].distribution);
}

static void draw_anew(const struct pawl_problem *problem, int set, int tensor, uint64_t seed,
                      void *data, int threads) {
  pawl_fill_draw(problem, set, tensor, new_distribution(problem, set), seed, data, 0,
                 pawl_placed_elements(&problem->sets[set].tensors[tensor]), threads);
}

/* Returns whether the operator adjusts the inputs. Then they are drawn where its worker sees them.
 */
static bool is_adjusted(const struct pawl_problem *problem, int set) {
  return new_distribution(problem, set)->adjust;
}

pawl_status pawl_problem_reserve_new(struct pawl_problem *problem, struct pawl_error *err) {
  const uint64_t bytes = set_bytes(&problem->sets[0]);
  if (is_adjusted(problem, 0)) {
    problem->oracle->expected_known = false;
    PAWL_TRY(pawl_shared_grow(&problem->oracle->expected, bytes, err));
  }
  if (problem->spare) return PAWL_OK;
  problem->spare = pawl_bulk_alloc(bytes);
  problem->spare_bytes = bytes;
  return problem->spare
             ? PAWL_OK
             : pawl_fail(err, PAWL_NO_MEMORY, "cannot draw new inputs: no memory for %llu bytes",
                         (unsigned long long)bytes);
}

/* Returns the place of a tensor in memory that begins with the first tensor of its set. */
static unsigned char *renew_place(const struct pawl_tensor_set *set, int i, unsigned char *memory) {
  return memory + (set->tensors[i].offset - set->tensors[0].offset);
}

/* Draws where the operator's worker sees the tensors, has it adjust them, and copies them. */
static pawl_status draw_adjusted(struct pawl_problem *problem, int set, uint64_t seed, int threads,
                                 struct pawl_error *err) {
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  const struct pawl_tensor_set *from = &problem->sets[set];
  struct pawl_placed_tensor moved[PAWL_MAX_TENSORS];
  unsigned char *map = problem->oracle->expected.map;
  for (int i = 0; i < from->count; i++) {
    moved[i] = from->tensors[i];
    moved[i].fd = PAWL_EXPECTED_ARENA;
    moved[i].offset -= from->tensors[0].offset;
    if (moved[i].spec.role != PAWL_OUT)
      draw_anew(problem, set, i, seed, renew_place(from, i, map), threads);
  }
  PAWL_TRY(pawl_worker_adjust(problem->oracle->worker, &shape, new_distribution(problem, set)->name,
                              seed, &(struct pawl_tensor_set){moved, from->count}, err));
  for (int i = 0; i < from->count; i++)
    if (moved[i].spec.role != PAWL_OUT)
      memcpy(renew_place(from, i, problem->spare), renew_place(from, i, map), moved[i].bytes);
  return PAWL_OK;
}

pawl_status pawl_problem_draw_new(struct pawl_problem *problem, int set, uint64_t seed, bool note,
                                  int threads, struct pawl_error *err) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  const int64_t begin = pawl_clock_ns();
  if (is_adjusted(problem, set)) {
    PAWL_TRY(draw_adjusted(problem, set, seed, threads, err));
  } else {
    for (int i = 0; i < tensors->count; i++)
      if (tensors->tensors[i].spec.role != PAWL_OUT)
        draw_anew(problem, set, i, seed, renew_place(tensors, i, problem->spare), threads);
  }
  /* the least time, because other programs can delay a draw */
  const int64_t ns = pawl_clock_ns() - begin;
  if (!problem->draw_ns || ns < problem->draw_ns) problem->draw_ns = ns;
  if (!note) return PAWL_OK;
  pawl_fill_note(problem, set, problem->spare);
  pawl_fill_save_inouts(problem, set, problem->spare);
  return PAWL_OK;
}

void pawl_problem_put_new(struct pawl_problem *problem, int set, bool evict) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  for (int i = 0; i < tensors->count; i++)
    if (tensors->tensors[i].spec.role != PAWL_OUT)
      memcpy(problem->oracle->tensors.map + tensors->tensors[i].offset,
             renew_place(tensors, i, problem->spare), tensors->tensors[i].bytes);
  if (evict) pawl_problem_evict(problem, set);
}

unsigned pawl_problem_new_one_of(const struct pawl_problem *problem) {
  return 1 + (unsigned)(problem->draw_ns / MOST_DRAW_NS);
}

void pawl_problem_mark_renewed(struct pawl_problem *problem, int set) {
  problem->source[set].renewed = true;
}

pawl_status pawl_problem_put_usual(struct pawl_problem *problem, int set, struct pawl_error *err) {
  const struct pawl_draw_source usual = problem->source[set];
  if (!usual.renewed) return PAWL_OK;
  return pawl_problem_fill_tail(problem, set, usual.distribution, usual.seed, usual.tail_seed, err);
}
