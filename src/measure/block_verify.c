/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/block_verify.h"

#include <string.h>

#include "base/philox.h"
#include "oracle/renew.h"
#include "protocol/output_hash.h"

bool pawl_block_is_checked(const struct pawl_block_run *run) {
  return !run->plan->unchecked && run->problem->oracle;
}

static void hash_outputs(const struct pawl_block_run *run, const struct pawl_arm_run *arm, int set,
                         char out[PAWL_HASH_TEXT]) {
  const struct pawl_problem *problem = run->problem;
  pawl_hash_format(
      pawl_output_hash(arm->hash_kind, &problem->sets[set], problem->oracle->tensors.map), out);
}

/* The worker's hash function, known with the first reply, gives the hash of unwritten outputs. */
static void note_kind(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                      enum pawl_output_hash_kind kind) {
  struct pawl_hash unwritten;
  if (arm->hash_kind == kind) return;
  arm->hash_kind = kind;
  if (pawl_unwritten_hash(kind, &run->problem->sets[0], &unwritten))
    pawl_hash_format(unwritten, arm->unwritten);
}

bool pawl_block_hashes_written(struct pawl_block_run *run, struct pawl_arm_run *arm,
                               const struct pawl_time_reply *reply) {
  if (!reply->hashes || !reply->hash_kind) return true;
  note_kind(run, arm, reply->hash_kind);
  for (size_t i = 0; i < reply->count; i++) {
    if (strcmp(arm->unwritten, reply->hashes[i]) != 0) continue;
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, "a timed call did not write its outputs");
    return false;
  }
  return true;
}

bool pawl_block_hashes_agree(struct pawl_block_run *run, struct pawl_arm_run *arm, int first_set,
                             const struct pawl_time_reply *reply) {
  if (!reply->hashes) return true;
  if (!pawl_block_hashes_written(run, arm, reply)) return false;
  const int sets = run->problem->set_count;
  for (size_t i = 0; i < reply->count; i++) {
    const int set = (int)(((size_t)first_set + i) % (size_t)sets);
    if (arm->deterministic && arm->set_hash[set] &&
        strcmp(arm->set_hash[set], reply->hashes[i]) != 0) {
      pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                         "it is declared deterministic, but the same inputs gave different bits in "
                         "two timed calls");
      return false;
    }
    arm->set_hash[set] = reply->hashes[i];
  }
  return true;
}

pawl_status pawl_block_verify_set(struct pawl_block_run *run, struct pawl_arm_run *arm, int set,
                                  struct pawl_error *err) {
  struct pawl_error_stats errors;
  PAWL_TRY(pawl_problem_compare(run->problem, set, run->plan->tolerance, &errors, err));
  arm->out->errors = errors;
  if (!errors.passed) pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, errors.reason);
  return PAWL_OK;
}

/* Returns whether the timed calls gave the bits that passed an earlier comparison. Without timed
   calls on the set, a deterministic arm would give them. */
static bool is_verified(const struct pawl_arm_run *arm, int set) {
  const char *passed = arm->verified && arm->hash_kind ? arm->verified->hash[set] : NULL;
  return passed && (arm->set_hash[set] ? !strcmp(passed, arm->set_hash[set]) : arm->deterministic);
}

pawl_status pawl_block_verify_timed(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                    int samples, int first_set, struct pawl_error *err) {
  const int sets = run->problem->set_count;
  enum pawl_status_code status = PAWL_OK;
  bool gap = false;
  for (int i = 0; i < samples && i < sets && arm->worker && status == PAWL_OK; i++) {
    const int set = (first_set + i) % sets;
    if (!arm->set_hash[set]) continue; /* the worker did not report these outputs */
    arm->compared[set] = true;
    if (is_verified(arm, set)) continue;
    if (!gap) pawl_block_begin_gap(run);
    gap = true;
    status = pawl_block_verify_set(run, arm, set, err);
    if (arm->worker && arm->verified && arm->hash_kind)
      arm->verified->hash[set] = pawl_arena_copy(run->arena, arm->set_hash[set]);
  }
  if (gap) pawl_block_end_gap(run);
  return status;
}

/* Makes one more call like a timed call, so that the kernel cannot tell the two apart. With `more`
 * another call follows, and the wait for late writes comes after that one. */
static pawl_status block_verify_time_once(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                          int set, bool more, struct pawl_error *err) {
  PAWL_TRY(pawl_problem_reset(run->problem, set, err));
  const struct pawl_time_request request = {.samples = 1,
                                            .first_set = set,
                                            .keep = more,
                                            .cache = run->plan->cache,
                                            .flush_bytes = run->plan->flush_bytes};
  struct pawl_time_reply reply = {0};
  const enum pawl_status_code status = pawl_block_take_time(run, arm, &request, &reply, err);
  return pawl_block_settle(run, arm, status, err);
}

/* Compares one of the usual sets with the oracle, unless its timed outputs are known to be right.
 */
static pawl_status verify_usual(struct pawl_block_run *run, struct pawl_arm_run *arm, int set,
                                struct pawl_error *err) {
  if (arm->compared[set] || is_verified(arm, set)) return PAWL_OK;
  PAWL_TRY(block_verify_time_once(run, arm, set, false, err));
  if (arm->worker) PAWL_TRY(pawl_block_verify_set(run, arm, set, err));
  if (!arm->worker || !arm->verified || !arm->hash_kind) return PAWL_OK;
  char *hash = pawl_arena_alloc(run->arena, PAWL_HASH_TEXT, 1);
  hash_outputs(run, arm, set, hash);
  arm->verified->hash[set] = hash;
  if (arm->deterministic && !is_verified(arm, set))
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                       "a timed call and a checked call on the same inputs gave different bits");
  return PAWL_OK;
}

static bool any_left(const struct pawl_block_run *run) {
  for (int i = 0; i < run->count; i++) {
    if (run->arms[i].worker) return true;
  }
  return false;
}

/* Changes the inputs of set 0: alternate blocks change many elements or few. A fresh second half
 * changes every output. Exchanged elements expose a kernel that compares only some elements with
 * its stored inputs. Inputs with an order are drawn again as a whole. */
static pawl_status renew_inputs(struct pawl_block_run *run, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  const uint64_t seed = run->plan->seed;
  const struct pawl_draw_source usual = problem->source[0];
  uint32_t words[4];
  pawl_philox(seed, PAWL_STREAM_FRESH, 0, words);
  const uint64_t fresh = (uint64_t)words[0] << 32 | words[1];
  /* otherwise the call would put the usual inputs back */
  PAWL_TRY(pawl_problem_put_usual(problem, 0, err));
  if (!pawl_problem_can_permute(problem))
    return pawl_problem_fill(problem, 0, usual.distribution, fresh, err);
  if (seed % 2 == 0) return pawl_problem_exchange(problem, 0, fresh, err);
  return pawl_problem_fill_tail(problem, 0, usual.distribution, usual.seed, fresh, err);
}

/* Arms with permuted inputs had no call on the usual inputs of set 0. This call lets them store a
 * result. */
static pawl_status recall_usual(struct pawl_block_run *run, struct pawl_error *err) {
  for (int i = 0; i < run->count; i++) {
    if (run->arms[i].worker && run->arms[i].permuted)
      PAWL_TRY(block_verify_time_once(run, &run->arms[i], 0, true, err));
  }
  return PAWL_OK;
}

/* Gives set 0 fresh inputs, the same for all arms. A result that an arm stored, by address or by
 * contents, is stale now. */
static pawl_status verify_fresh(struct pawl_block_run *run, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  const struct pawl_draw_source usual = problem->source[0];
  PAWL_TRY(recall_usual(run, err));
  PAWL_TRY(renew_inputs(run, err));
  for (int i = 0; i < run->count; i++) {
    struct pawl_arm_run *arm = &run->arms[i];
    if (!arm->worker) continue;
    PAWL_TRY(pawl_problem_expect(problem, 0, err));
    PAWL_TRY(block_verify_time_once(run, arm, 0, false, err));
    if (arm->worker) PAWL_TRY(pawl_block_verify_set(run, arm, 0, err));
    if (arm->worker) continue;
    /* a kernel that failed may have changed the inputs */
    PAWL_TRY(pawl_problem_fill(problem, 0, usual.distribution, usual.seed, err));
    PAWL_TRY(renew_inputs(run, err));
  }
  if (run->arms[0].device == PAWL_CPU) {
    pawl_problem_owe_usual(problem, 0, usual.seed);
    return PAWL_OK;
  }
  return pawl_problem_fill(problem, 0, usual.distribution, usual.seed, err);
}

static pawl_status verify_all_usual(struct pawl_block_run *run, struct pawl_error *err) {
  for (int set = 0; set < run->problem->set_count; set++) {
    for (int i = 0; i < run->count; i++) {
      if (run->arms[i].worker) PAWL_TRY(verify_usual(run, &run->arms[i], set, err));
    }
  }
  return PAWL_OK;
}

pawl_status pawl_block_verify(struct pawl_block_run *run, struct pawl_error *err) {
  if (!pawl_block_is_checked(run)) return PAWL_OK;
  /* later blocks may compare the usual sets too */
  run->problem->oracle->cache.keeps = true;
  const enum pawl_status_code status = verify_all_usual(run, err);
  run->problem->oracle->cache.keeps = false;
  if (status != PAWL_OK) return status;
  return any_left(run) && !run->plan->skips_fresh ? verify_fresh(run, err) : PAWL_OK;
}
