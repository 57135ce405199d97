/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/given_inputs.h"

#include "base/bulk.h"
#include "base/entropy.h"
#include "oracle/renew.h"

static pawl_status given_memory(unsigned char **memory, uint64_t bytes, struct pawl_error *err) {
  *memory = pawl_bulk_alloc(bytes);
  return *memory ? PAWL_OK
                 : pawl_fail(err, PAWL_NO_MEMORY,
                             "cannot keep the inputs of a call: no memory for %llu bytes",
                             (unsigned long long)bytes);
}

pawl_status pawl_given_inputs_init(struct pawl_given_inputs *given, struct pawl_block_run *run,
                                   const struct pawl_arm_run *arm, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  *given = (struct pawl_given_inputs){.drawn = -1, .placed = -1, .shown_set = -1};
  if (!problem->oracle || !pawl_worker_takes_given_inputs(arm->worker)) return PAWL_OK;
  given->call = (const pawl_stamp *)(const void *)(problem->oracle->tensors.map + PAWL_CALL_BYTE);
  given->bytes = pawl_problem_set_bytes(problem);
  PAWL_TRY(given_memory(&given->usual, given->bytes, err));
  PAWL_TRY(given_memory(&given->shown, given->bytes, err));
  PAWL_TRY(pawl_problem_reserve_new(problem, err));
  PAWL_TRY(pawl_entropy(&given->seed, sizeof given->seed, err));
  if (!problem->draw_all_ns)
    PAWL_TRY(pawl_problem_draw_new(problem, 0, given->seed, false, 0, err));
  given->problem = problem;
  return PAWL_OK;
}

void pawl_given_inputs_release(struct pawl_given_inputs *given) {
  pawl_bulk_free(given->usual, given->bytes);
  pawl_bulk_free(given->shown, given->bytes);
  *given = (struct pawl_given_inputs){0};
}

static unsigned char *given_place(const struct pawl_given_inputs *given, int set) {
  const struct pawl_problem *problem = given->problem;
  return problem->oracle->tensors.map + problem->sets[set].tensors[0].offset;
}

void pawl_given_inputs_draw(struct pawl_given_inputs *given) {
  if (!given->problem || given->failed) return;
  const uint32_t set = atomic_load(given->call);
  given->drawn = -1;
  if (set >= (uint32_t)given->problem->set_count) return; /* the kernel wrote the word */
  given->failed = pawl_entropy(&given->seed, sizeof given->seed, &given->err) != PAWL_OK ||
                  pawl_problem_draw_new(given->problem, (int)set, given->seed, false, 0,
                                        &given->err) != PAWL_OK;
  if (!given->failed) given->drawn = (int)set;
}

void pawl_given_inputs_put(struct pawl_given_inputs *given) {
  if (given->drawn < 0) return;
  given->placed = given->drawn;
  given->drawn = -1;
  pawl_bulk_copy(given->usual, given_place(given, given->placed), given->bytes);
  pawl_problem_put_new(given->problem, given->placed, false);
}

void pawl_given_inputs_take_back(struct pawl_given_inputs *given) {
  if (given->placed < 0) return;
  unsigned char *place = given_place(given, given->placed);
  if (atomic_load(given->call) == ((uint32_t)given->placed | PAWL_CALL_SHOWN)) {
    pawl_bulk_copy(given->shown, place, given->bytes);
    given->shown_set = given->placed;
    given->shown_seed = given->seed;
  }
  pawl_bulk_copy(place, given->usual, given->bytes);
  given->placed = -1;
}

pawl_status pawl_given_inputs_show(struct pawl_given_inputs *given, int set,
                                   const unsigned char **inputs, struct pawl_error *err) {
  struct pawl_problem *problem = given->problem;
  *inputs = NULL;
  if (given->shown_set != set) return PAWL_OK;
  pawl_bulk_copy(given_place(given, set), given->shown, given->bytes);
  PAWL_TRY(pawl_problem_reserve_new(problem, err));
  PAWL_TRY(pawl_problem_draw_new(problem, set, given->shown_seed, false, 0, err));
  *inputs = problem->spare;
  return PAWL_OK;
}
