/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/given_inputs.h"

#include "base/bulk.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "oracle/renew.h"

/* The draws of a request take about this time at most. */
#define MOST_DRAWS_NS 1000000000

static pawl_status given_memory(unsigned char **memory, uint64_t bytes, struct pawl_error *err) {
  *memory = pawl_bulk_alloc(bytes);
  return *memory ? PAWL_OK
                 : pawl_fail(err, PAWL_NO_MEMORY,
                             "cannot keep the inputs of a call: no memory for %llu bytes",
                             (unsigned long long)bytes);
}

pawl_status pawl_given_inputs_init(struct pawl_given_inputs *given, struct pawl_block_run *run,
                                   struct pawl_arm_run *arm, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  *given = (struct pawl_given_inputs){.placed = -1, .shown_set = -1, .shown_number = -1};
  if (!problem->oracle || !pawl_worker_takes_given_inputs(arm->worker)) return PAWL_OK;
  given->call = (const pawl_stamp *)(const void *)(problem->oracle->tensors.map + PAWL_CALL_BYTE);
  given->bytes = pawl_problem_set_bytes(problem);
  PAWL_TRY(given_memory(&given->usual, given->bytes, err));
  PAWL_TRY(given_memory(&given->shown, given->bytes, err));
  given->problem = problem;
  given->had = &arm->given;
  return PAWL_OK;
}

void pawl_given_inputs_release(struct pawl_given_inputs *given) {
  pawl_bulk_free(given->usual, given->bytes);
  pawl_bulk_free(given->shown, given->bytes);
  *given = (struct pawl_given_inputs){0};
}

/* Draws the inputs of the next number, unless another process has had them and this one has not. */
static pawl_status given_draw_next(struct pawl_given_inputs *given, struct pawl_error *err) {
  struct pawl_problem *problem = given->problem;
  const int sets = pawl_problem_given_sets(problem), number = given->drawn;
  uint64_t seed;
  if (number >= sets || !problem->given[number]) {
    PAWL_TRY(pawl_entropy(&seed, sizeof seed, err));
    PAWL_TRY(pawl_problem_draw_given(problem, number % sets, seed, err));
  }
  given->drawn++;
  return PAWL_OK;
}

pawl_status pawl_given_inputs_draw(struct pawl_given_inputs *given, int *pairs,
                                   struct pawl_error *err) {
  const struct pawl_problem *problem = given->problem;
  if (!problem) return PAWL_OK;
  const int sets = pawl_problem_given_sets(problem), wanted = *pairs < sets ? *pairs : sets;
  const int64_t begin = pawl_clock_ns();
  given->shown_set = given->shown_number = -1;
  given->drawn = *given->had;
  for (*pairs = 0; *pairs < wanted; ++*pairs) {
    if (*pairs >= problem->set_count && pawl_clock_ns() - begin > MOST_DRAWS_NS) break;
    PAWL_TRY(given_draw_next(given, err));
  }
  problem->oracle->spent.inputs += pawl_seconds_since(begin);
  return PAWL_OK;
}

void pawl_given_inputs_prepare(struct pawl_given_inputs *given) {
  if (!given->problem || *given->had < given->drawn || given->err.code != PAWL_OK) return;
  const int sets = pawl_problem_given_sets(given->problem);
  /* a comparison needs the inputs that the worker showed */
  if (sets > 1 && given->drawn % sets == given->shown_number) *given->had = ++given->drawn;
  given->err.code = given_draw_next(given, &given->err);
}

static unsigned char *given_place(const struct pawl_given_inputs *given, int set) {
  const struct pawl_problem *problem = given->problem;
  return problem->oracle->tensors.map + problem->sets[set].tensors[0].offset;
}

void pawl_given_inputs_put(struct pawl_given_inputs *given) {
  if (!given->problem || *given->had == given->drawn) return;
  const uint32_t set = atomic_load(given->call);
  if (set >= (uint32_t)given->problem->set_count) return; /* the kernel wrote the word */
  given->placed = (int)set;
  given->number = (*given->had)++ % pawl_problem_given_sets(given->problem);
  pawl_bulk_copy(given->usual, given_place(given, given->placed), given->bytes);
  pawl_problem_put_given(given->problem, given->placed, given->number);
}

void pawl_given_inputs_take_back(struct pawl_given_inputs *given) {
  if (given->placed < 0) return;
  unsigned char *place = given_place(given, given->placed);
  if (atomic_load(given->call) == ((uint32_t)given->placed | PAWL_CALL_SHOWN)) {
    pawl_bulk_copy(given->shown, place, given->bytes);
    given->shown_set = given->placed;
    given->shown_number = given->number;
  }
  pawl_bulk_copy(place, given->usual, given->bytes);
  given->placed = -1;
}

const unsigned char *pawl_given_inputs_show(const struct pawl_given_inputs *given, int set) {
  if (given->shown_set != set) return NULL;
  pawl_bulk_copy(given_place(given, set), given->shown, given->bytes);
  return given->problem->given[given->shown_number];
}
