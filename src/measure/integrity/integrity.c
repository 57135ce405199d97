/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/integrity.h"

#include "base/entropy.h"
#include "measure/block_verify.h"
#include "measure/integrity/clock_check.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure/integrity/looks.h"
#include "measure/integrity/permuted_calls.h"
#include "measure/integrity/stray_writes.h"

/* A kernel that gives other bits each time could be honest in the compared calls alone, if it knew
   them. So pawl compares once more, at a random sample. */
static pawl_status draw_comparison(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   struct pawl_error *err) {
  uint32_t word;
  if (arm->deterministic || !pawl_block_is_checked(run)) return PAWL_OK;
  PAWL_TRY(pawl_entropy(&word, sizeof word, err));
  arm->compare_after = 1 + (int)(word % (uint32_t)run->plan->samples);
  return PAWL_OK;
}

pawl_status pawl_integrity_draw(struct pawl_block_run *run, struct pawl_error *err) {
  uint32_t chance;
  PAWL_TRY(pawl_entropy(&chance, sizeof chance, err));
  for (int i = 0; i < run->count; i++) {
    struct pawl_arm_run *arm = &run->arms[i];
    PAWL_TRY(pawl_permuted_draw(run, arm, chance, err));
    PAWL_TRY(pawl_fresh_pairs_draw(run, arm, chance, err));
    PAWL_TRY(draw_comparison(run, arm, err));
    PAWL_TRY(pawl_clock_check_draw(run, arm, run->plan->rounds, &arm->clock_check_round, err));
  }
  return PAWL_OK;
}

/* Ends the request at the next sample behind which a check is due. */
static void cut_request(struct pawl_checked_request *checked) {
  const struct pawl_arm_run *arm = checked->arm;
  const struct pawl_turn *turn = checked->turn;
  const int taken = (int)arm->out->count, all = turn->samples;
  const int pairs = arm->fresh_after - taken, compare = arm->compare_after - taken;
  int samples = all, warmup = turn->warmup;
  checked->pairs = !arm->fresh_taken && pairs > 0 && (turn->last ? pairs < all : pairs <= all);
  if (checked->pairs) samples = pairs;
  /* the comparison replaced the caches' contents */
  if (arm->compare_after && compare == 0 && warmup == 0) warmup = 1;
  if (compare > 0 && compare <= samples) {
    checked->pairs = checked->pairs && compare == samples;
    checked->verify = true;
    samples = compare;
  } else {
    checked->verify = turn->last && samples == all;
  }
  checked->request = pawl_block_time_request(checked->run, arm, samples, warmup, turn->first_set);
  checked->request.keep = !checked->verify;
}

static pawl_status begin_turn(struct pawl_block_run *run, struct pawl_arm_run *arm,
                              struct pawl_turn *turn, struct pawl_error *err) {
  turn->begun = true;
  turn->all_samples = turn->samples;
  turn->all_first_set = turn->first_set;
  turn->retries = pawl_permuted_retries(turn->samples);
  if (arm->clock_check_round != turn->round) return PAWL_OK;
  PAWL_TRY(pawl_clock_check_calls(run, arm, turn->samples, turn->warmup, turn->first_set, err));
  turn->warmup = 1; /* the checked calls replaced the caches' contents */
  return PAWL_OK;
}

pawl_status pawl_integrity_before(struct pawl_checked_request *checked, struct pawl_block_run *run,
                                  struct pawl_arm_run *arm, struct pawl_turn *turn,
                                  struct pawl_error *err) {
  *checked = (struct pawl_checked_request){
      .run = run, .arm = arm, .turn = turn, .permuted = arm->permuted, .compare_set = -1};
  if (!turn->begun) PAWL_TRY(begin_turn(run, arm, turn, err));
  if (!arm->worker) return PAWL_OK;
  if (arm->permuted) return pawl_permuted_before(checked, err);
  cut_request(checked);
  return pawl_block_restore_inouts(run, err);
}

static pawl_status keep_reply(struct pawl_checked_request *checked, enum pawl_status_code status,
                              const struct pawl_time_reply *reply, struct pawl_error *err) {
  struct pawl_block_run *run = checked->run;
  struct pawl_arm_run *arm = checked->arm;
  const struct pawl_time_request *request = &checked->request;
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (!arm->worker || !pawl_block_hashes_agree(run, arm, request->first_set, reply)) return PAWL_OK;
  pawl_block_keep_samples(arm, reply);
  return checked->verify && pawl_block_is_checked(run)
             ? pawl_block_verify_timed(run, arm, request->samples, request->first_set, err)
             : PAWL_OK;
}

static void advance(struct pawl_checked_request *checked, int samples) {
  struct pawl_turn *turn = checked->turn;
  const int sets = checked->run->problem->set_count;
  turn->samples -= samples;
  turn->warmup = 0;
  if (sets) turn->first_set = (turn->first_set + samples) % sets;
}

static pawl_status check_stray_writes(struct pawl_checked_request *checked,
                                      struct pawl_error *err) {
  struct pawl_block_run *run = checked->run;
  struct pawl_arm_run *arm = checked->arm;
  const struct pawl_turn *turn = checked->turn;
  const bool over = !arm->worker || turn->samples == 0;
  if (!over || !run->plan->unproven || arm == run->arms || arm->device != PAWL_CPU) return PAWL_OK;
  /* the warm-up of its first request may take more calls */
  const int samples = turn->round == 0 ? run->problem->set_count : turn->all_samples;
  return pawl_stray_writes_look(run, arm, samples, turn->all_first_set, err);
}

pawl_status pawl_integrity_after(struct pawl_checked_request *checked, enum pawl_status_code status,
                                 struct pawl_time_reply *reply, struct pawl_error *err) {
  int kept = checked->request.samples;
  if (kept && checked->permuted)
    PAWL_TRY(pawl_permuted_after(checked, status, reply, &kept, err));
  else if (kept)
    PAWL_TRY(keep_reply(checked, status, reply, err));
  advance(checked, kept);
  if (checked->pairs)
    PAWL_TRY(
        pawl_fresh_pairs_take(checked->run, checked->arm, checked->turn->first_set, false, err));
  return check_stray_writes(checked, err);
}

pawl_status pawl_integrity_end(struct pawl_block_run *run, struct pawl_error *err) {
  PAWL_TRY(pawl_stray_writes_end(run, err));
  for (int i = 0; i < run->count; i++)
    PAWL_TRY(pawl_fresh_pairs_take(run, &run->arms[i], 0, true, err));
  for (int i = 0; i < run->count; i++) pawl_permuted_pair(run, &run->arms[i]);
  for (int i = 0; i < run->count; i++) pawl_looks_judge(run, &run->arms[i]);
  for (int i = 0; i < run->count; i++) pawl_fresh_pairs_charge(run, &run->arms[i]);
  return PAWL_OK;
}
