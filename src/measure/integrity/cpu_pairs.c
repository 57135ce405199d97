/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/cpu_pairs.h"

#include "base/entropy.h"
#include "measure/block_verify.h"
#include "measure/integrity/permutation.h"
#include "oracle/renew.h"

/* Once a deterministic arm was right, pawl compares in one of this number of rounds of all sets, by
 * chance.
 */
#define COMPARE_EVERY 4u

int pawl_cpu_pairs_of_round(const struct pawl_block_run *run) {
  return pawl_problem_keeps_drawn(run->problem) ? run->problem->set_count : 1;
}

/* A request of its own with a call on the usual inputs of each set. */
static pawl_status cpu_pairs_call_usual(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                        struct pawl_error *err) {
  struct pawl_time_request request =
      pawl_block_time_request(run, arm, 1, run->problem->set_count - 1, 0);
  struct pawl_time_reply reply = {0};
  /* nobody looks at its time */
  request.flush_bytes = 0;
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  const enum pawl_status_code status = pawl_block_take_time(run, arm, &request, &reply, err);
  return pawl_block_settle(run, arm, status, err);
}

/* Makes a call on the usual inputs of each set, so that a stored result is theirs. Inputs that come
 * late leave them in place for the warm-up of the same request. */
static pawl_status warm_up_usual(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 struct pawl_time_request *request, struct pawl_error *err) {
  if (!pawl_permutation_is_late(arm)) return cpu_pairs_call_usual(run, arm, err);
  request->warmup = run->problem->set_count;
  for (int set = 0; set < run->problem->set_count; set++)
    PAWL_TRY(pawl_problem_put_usual(run->problem, set, err));
  return PAWL_OK;
}

/* Judges an answered request, and compares the outputs of one set with its new inputs. */
static pawl_status judge_calls(const struct pawl_permutation *permutation,
                               const struct pawl_time_reply *reply, struct pawl_error *err) {
  struct pawl_arm_run *arm = permutation->arm;
  if (!arm->worker || !pawl_block_hashes_written(permutation->run, arm, reply) ||
      !pawl_permutation_judge(permutation, reply) || permutation->noted < 0)
    return PAWL_OK;
  PAWL_TRY(pawl_block_verify_set(permutation->run, arm, permutation->noted, err));
  if (arm->worker && arm->verified) arm->verified->permuted = true;
  return PAWL_OK;
}

/* Makes the request, which has a call of each set from 0 on. `compare` is a set with new inputs, or
 * -1. */
static pawl_status cpu_pairs_call(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  struct pawl_time_request request, const bool *is_new, int compare,
                                  struct pawl_time_reply *reply, struct pawl_error *err) {
  struct pawl_permutation permutation;
  if (!arm->worker) return PAWL_OK;
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  PAWL_TRY(pawl_permutation_begin(&permutation, run, arm, &request, compare, is_new, err));
  enum pawl_status_code status = pawl_block_take_time(run, arm, &request, reply, err);
  pawl_permutation_join(&permutation);
  const enum pawl_status_code failure = pawl_permutation_failure(&permutation, err);
  if (failure != PAWL_OK)
    status = failure;
  else
    status = status == PAWL_OK ? judge_calls(&permutation, reply, err)
                               : pawl_block_settle(run, arm, status, err);
  pawl_permutation_end(&permutation);
  return status;
}

/* Draws whether pawl compares a call of this round, and which one. A deterministic arm that was
 * right is compared now and then: in one of COMPARE_EVERY times as many pairs as there are sets. */
static int choose_compared(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                           uint32_t chance) {
  const uint32_t sets = (uint32_t)run->problem->set_count,
                 every = COMPARE_EVERY * sets / (uint32_t)pawl_cpu_pairs_of_round(run);
  const bool was_right = arm->deterministic && arm->verified && arm->verified->permuted;
  if (!pawl_block_is_checked(run) || (was_right && chance % every != 0)) return -1;
  return (int)(chance / every % sets);
}

/* One call on new inputs, and one on those that are in place, which the kernel has seen. */
static pawl_status take_couple(struct pawl_block_run *run, struct pawl_arm_run *arm,
                               double seconds[2], struct pawl_error *err) {
  uint32_t words[2];
  struct pawl_time_reply reply = {0};
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  const int fresh = (int)(words[0] % 2);
  const bool is_new[] = {!fresh, fresh};
  PAWL_TRY(cpu_pairs_call(run, arm, pawl_block_time_request(run, arm, 2, 0, 0), is_new,
                          choose_compared(run, arm, words[1]) < 0 ? -1 : fresh, &reply, err));
  if (!arm->worker) return PAWL_OK;
  seconds[0] = reply.seconds[!fresh];
  seconds[1] = reply.seconds[fresh];
  return PAWL_OK;
}

static pawl_status take_cpu_round(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  double *seconds, struct pawl_error *err) {
  uint32_t words[2];
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  const uint32_t chance = words[0];
  const int compare = choose_compared(run, arm, words[1]);
  for (int half = 0; half < 2; half++) {
    struct pawl_time_reply reply = {0};
    bool is_new[PAWL_MEASURE_SETS];
    for (int set = 0; set < run->problem->set_count; set++)
      is_new[set] = (chance >> set & 1) == (uint32_t)half;
    struct pawl_time_request request =
        pawl_block_time_request(run, arm, run->problem->set_count, 0, 0);
    PAWL_TRY(warm_up_usual(run, arm, &request, err));
    PAWL_TRY(cpu_pairs_call(run, arm, request, is_new,
                            compare >= 0 && is_new[compare] ? compare : -1, &reply, err));
    if (!arm->worker) return PAWL_OK;
    for (int set = 0; set < run->problem->set_count; set++)
      seconds[2 * set + is_new[set]] = reply.seconds[set];
  }
  return PAWL_OK;
}

/* Another arm's calls may have left other inputs, which this one has not seen. */
static pawl_status show_usual(struct pawl_block_run *run, struct pawl_arm_run *arm,
                              struct pawl_error *err) {
  struct pawl_time_reply reply = {0};
  if (!run->problem->source[0].renewed && !run->problem->source[1].renewed) return PAWL_OK;
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  const struct pawl_time_request request = pawl_block_time_request(run, arm, 1, 1, 0);
  return pawl_block_settle(run, arm, pawl_block_take_time(run, arm, &request, &reply, err), err);
}

pawl_status pawl_cpu_pairs_take(struct pawl_block_run *run, struct pawl_arm_run *arm, int rounds,
                                double *seconds, size_t *count, struct pawl_error *err) {
  const bool couples = !pawl_problem_keeps_drawn(run->problem);
  *count = 0;
  if (couples && rounds > 0) PAWL_TRY(show_usual(run, arm, err));
  for (int round = 0; round < rounds && arm->worker; round++) {
    PAWL_TRY((couples ? take_couple : take_cpu_round)(run, arm, seconds + 2 * *count, err));
    if (arm->worker) *count += (size_t)pawl_cpu_pairs_of_round(run);
  }
  return PAWL_OK;
}
