/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/renew.h"

#include <string.h>

#include "base/bulk.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/parallel.h"
#include "oracle/expected.h"
#include "oracle/fill.h"
#include "oracle/layout.h"

/* A flush of the caches takes about as long, and pawl draws meanwhile. */
#define MOST_DRAW_NS 20000000
/* Larger inputs are drawn again for each call that needs them. */
#define MOST_KEPT_BYTES ((uint64_t)256 << 20)
#define MOST_GIVEN_BYTES ((uint64_t)1 << 30)
#define SMALL_BYTES ((uint64_t)4 << 20) /* one CPU draws them as soon as all of them do */
#define KEPT_OF_SET 2                   /* the usual inputs of a set, and new ones */

uint64_t pawl_problem_set_bytes(const struct pawl_problem *problem) {
  const struct pawl_tensor_set *set = &problem->sets[0];
  const struct pawl_placed_tensor *last = &set->tensors[set->count - 1];
  return last->offset + last->bytes - set->tensors[0].offset;
}

static const struct pawl_distribution_info *new_distribution(const struct pawl_problem *problem,
                                                             int set) {
  return pawl_fill_find(&problem->oracle->info, problem->source[set].distribution);
}

static void draw_anew(const struct pawl_problem *problem, int set, int tensor, uint64_t seed,
                      void *data, int threads) {
  pawl_fill_draw_new(problem, set, tensor, new_distribution(problem, set), seed, data, threads);
}

/* Returns whether the operator adjusts the inputs. Then they are drawn where its worker sees them.
 */
static bool is_adjusted(const struct pawl_problem *problem, int set) {
  return new_distribution(problem, set)->adjust;
}

bool pawl_problem_keeps_drawn(const struct pawl_problem *problem) {
  const uint64_t kept = KEPT_OF_SET * (uint64_t)problem->set_count;
  return kept * pawl_problem_set_bytes(problem) <= MOST_KEPT_BYTES;
}

pawl_status pawl_problem_reserve_new(struct pawl_problem *problem, struct pawl_error *err) {
  const uint64_t bytes = pawl_problem_set_bytes(problem);
  if (is_adjusted(problem, 0)) {
    problem->oracle->expected_known = false;
    PAWL_TRY(pawl_shared_grow(&problem->oracle->expected, bytes, err));
  }
  if (problem->spare) return PAWL_OK;
  const uint64_t kept = KEPT_OF_SET * (uint64_t)problem->set_count;
  const bool keeps = pawl_problem_keeps_drawn(problem);
  problem->spare_bytes = keeps ? (1 + kept) * bytes : bytes;
  problem->spare = problem->drawn = pawl_bulk_alloc(problem->spare_bytes);
  if (keeps) problem->kept = pawl_arena_alloc(&problem->arena, kept, sizeof *problem->kept);
  return problem->spare
             ? PAWL_OK
             : pawl_fail(err, PAWL_NO_MEMORY, "cannot draw new inputs: no memory for %llu bytes",
                         (unsigned long long)bytes);
}

/* Returns the place of a tensor in memory that begins with the first tensor of its set. */
static unsigned char *renew_place(const struct pawl_tensor_set *set, int i, unsigned char *memory) {
  return memory + (set->tensors[i].offset - set->tensors[0].offset);
}

/* Copies a set's inputs and inouts from one such memory to another. One CPU copies them where a
 * kernel of the CPU gets them: the caches of others shall not have them. */
static void copy_drawn(const struct pawl_tensor_set *set, unsigned char *to, unsigned char *from,
                       bool all_cpus) {
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_OUT) continue;
    unsigned char *place = renew_place(set, i, to), *drawn = renew_place(set, i, from);
    if (all_cpus)
      pawl_bulk_copy(place, drawn, set->tensors[i].bytes);
    else
      memcpy(place, drawn, set->tensors[i].bytes);
  }
}

/* Draws where the operator's worker sees the tensors, has it adjust them, and copies them. */
static pawl_status draw_adjusted(struct pawl_problem *problem, int set, uint64_t seed, int threads,
                                 unsigned char *to, struct pawl_error *err) {
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
  copy_drawn(from, to, map, false);
  return PAWL_OK;
}

/* Draws into private memory. */
static pawl_status draw_whole(struct pawl_problem *problem, int set, uint64_t seed, int threads,
                              unsigned char *to, struct pawl_error *err) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  const int64_t begin = pawl_clock_ns();
  if (is_adjusted(problem, set)) {
    PAWL_TRY(draw_adjusted(problem, set, seed, threads, to, err));
  } else {
    for (int i = 0; i < tensors->count; i++)
      if (tensors->tensors[i].spec.role != PAWL_OUT)
        draw_anew(problem, set, i, seed, renew_place(tensors, i, to), threads);
  }
  /* the least time, because other programs can delay a draw */
  const int64_t ns = pawl_clock_ns() - begin;
  if (threads != 1) return PAWL_OK;
  if (!problem->draw_ns || ns < problem->draw_ns) problem->draw_ns = ns;
  return PAWL_OK;
}

/* The number of a set's kept draw: its usual inputs, or new ones. */
static int kept_number(const struct pawl_problem *problem, int set, uint64_t seed) {
  return KEPT_OF_SET * set + (seed != problem->source[set].seed);
}

static unsigned char *kept_memory(const struct pawl_problem *problem, int number) {
  const uint64_t bytes = pawl_problem_set_bytes(problem);
  return (unsigned char *)problem->spare + (1 + (uint64_t)number) * bytes;
}

/* Returns the kept draw of this seed, or NULL. */
static struct pawl_kept_draw *find_kept(const struct pawl_problem *problem, int set,
                                        uint64_t seed) {
  if (!problem->kept) return NULL;
  struct pawl_kept_draw *kept = &problem->kept[kept_number(problem, set, seed)];
  return kept->distribution && kept->seed == seed &&
                 !strcmp(kept->distribution, problem->source[set].distribution)
             ? kept
             : NULL;
}

pawl_status pawl_problem_keep_new(struct pawl_problem *problem, int set, uint64_t seed,
                                  struct pawl_error *err) {
  if (!problem->kept || find_kept(problem, set, seed)) return PAWL_OK;
  const int number = kept_number(problem, set, seed);
  problem->kept[number].distribution = NULL;
  PAWL_TRY(draw_whole(problem, set, seed, 0, kept_memory(problem, number), err));
  problem->kept[number] =
      (struct pawl_kept_draw){.distribution = problem->source[set].distribution, .seed = seed};
  return PAWL_OK;
}

/* Notes the drawn inputs. The hash of a kept draw stays, because no kernel sees its memory. */
static void note_drawn(struct pawl_problem *problem, int set, struct pawl_kept_draw *kept) {
  pawl_fill_save_inouts(problem, set, problem->drawn);
  if (kept && kept->hashed) {
    kept->noted.noted = problem->source[set].noted;
    pawl_problem_note_again(problem, set, &kept->noted);
    return;
  }
  pawl_fill_note(problem, set, problem->drawn);
  if (!kept) return;
  kept->noted = pawl_problem_noted_inputs(problem, set);
  kept->hashed = true;
}

pawl_status pawl_problem_draw_new(struct pawl_problem *problem, int set, uint64_t seed, bool note,
                                  int threads, struct pawl_error *err) {
  struct pawl_kept_draw *kept = find_kept(problem, set, seed);
  unsigned char *to = kept ? kept_memory(problem, kept_number(problem, set, seed)) : problem->spare;
  if (!kept) PAWL_TRY(draw_whole(problem, set, seed, threads, to, err));
  problem->drawn = to;
  if (note) note_drawn(problem, set, kept);
  return PAWL_OK;
}

void pawl_problem_draw_again(struct pawl_problem *problem, int set) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  problem->drawn = problem->spare;
  copy_drawn(tensors, problem->drawn, problem->oracle->tensors.map + tensors->tensors[0].offset,
             false);
}

void pawl_problem_put_new(struct pawl_problem *problem, int set, bool evict) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  copy_drawn(tensors, problem->oracle->tensors.map + tensors->tensors[0].offset, problem->drawn,
             false);
  if (evict) pawl_problem_evict(problem, set);
}

int pawl_problem_given_sets(const struct pawl_problem *problem) {
  const uint64_t fit = MOST_GIVEN_BYTES / pawl_problem_set_bytes(problem);
  return fit >= PAWL_GIVEN_SETS               ? PAWL_GIVEN_SETS
         : fit > (uint64_t)problem->set_count ? (int)fit
                                              : problem->set_count;
}

static pawl_status draw_given(struct pawl_problem *problem, int number, uint64_t seed, int threads,
                              struct pawl_error *err) {
  const uint64_t bytes = pawl_problem_set_bytes(problem);
  PAWL_TRY(pawl_problem_reserve_new(problem, err));
  problem->given_bytes = bytes;
  if (!problem->given[number]) problem->given[number] = pawl_bulk_alloc(bytes);
  if (!problem->given[number])
    return pawl_fail(err, PAWL_NO_MEMORY, "cannot draw new inputs: no memory for %llu bytes",
                     (unsigned long long)bytes);
  return draw_whole(problem, 0, seed, bytes < SMALL_BYTES ? 1 : threads, problem->given[number],
                    err);
}

pawl_status pawl_problem_draw_given(struct pawl_problem *problem, int number, uint64_t seed,
                                    struct pawl_error *err) {
  return draw_given(problem, number, seed, 0, err);
}

int pawl_problem_draw_given_ahead(struct pawl_problem *problem, int most,
                                  const _Atomic bool *stop) {
  const int sets = pawl_problem_given_sets(problem), half = (pawl_cpu_count() + 1) / 2;
  struct pawl_error ignored;
  uint64_t seed;
  int drawn = 0;
  while (drawn < most && drawn < sets && !*stop && !is_adjusted(problem, 0) &&
         pawl_entropy_seed(&seed, &ignored) == PAWL_OK &&
         draw_given(problem, drawn, seed, half, &ignored) == PAWL_OK)
    drawn++;
  return drawn;
}

void pawl_problem_put_given(struct pawl_problem *problem, int set, int number) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  copy_drawn(tensors, problem->oracle->tensors.map + tensors->tensors[0].offset,
             problem->given[number], true);
}

pawl_status pawl_problem_flush_hides_draw(struct pawl_problem *problem, bool *hides,
                                          struct pawl_error *err) {
  PAWL_TRY(pawl_problem_reserve_new(problem, err));
  if (!problem->draw_ns) PAWL_TRY(pawl_problem_draw_new(problem, 0, 0, false, 1, err));
  *hides = problem->draw_ns <= MOST_DRAW_NS;
  for (int i = 0; i < problem->sets[0].count && *hides; i++)
    *hides = !pawl_fill_is_mixed(problem, 0, i, new_distribution(problem, 0));
  return PAWL_OK;
}

void pawl_problem_mark_renewed(struct pawl_problem *problem, int set) {
  problem->source[set].renewed = true;
}

void pawl_problem_owe_usual(struct pawl_problem *problem, int set, uint64_t seed) {
  problem->source[set] =
      (struct pawl_draw_source){.distribution = problem->source[set].distribution,
                                .seed = seed,
                                .tail_seed = seed,
                                .renewed = true};
}

static pawl_status put_kept(struct pawl_problem *problem, int set, uint64_t seed,
                            struct pawl_error *err) {
  PAWL_TRY(pawl_problem_keep_new(problem, set, seed, err));
  PAWL_TRY(pawl_problem_draw_new(problem, set, seed, true, 0, err));
  pawl_problem_put_new(problem, set, false);
  problem->source[set] = (struct pawl_draw_source){
      .distribution = problem->source[set].distribution, .seed = seed, .tail_seed = seed};
  return pawl_problem_reset(problem, set, err);
}

pawl_status pawl_problem_put_usual(struct pawl_problem *problem, int set, struct pawl_error *err) {
  const struct pawl_draw_source usual = problem->source[set];
  if (!usual.renewed) return PAWL_OK;
  if (!problem->kept || usual.tail_seed != usual.seed)
    return pawl_problem_fill_tail(problem, set, usual.distribution, usual.seed, usual.tail_seed,
                                  err);
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status = put_kept(problem, set, usual.seed, err);
  problem->oracle->spent.inputs += pawl_seconds_since(begin);
  return status;
}
