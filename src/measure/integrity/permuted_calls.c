/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/permuted_calls.h"

#include "base/entropy.h"
#include "base/philox.h"
#include "measure/block_verify.h"
#include "measure/integrity/fresh_pairs.h"
#include "oracle/renew.h"

/* Samples that pawl may take again, for each sample of a turn. A short turn has more, because one
 * delayed call would be the median of a few samples. */
#define RETRIES 1
#define LEAST_RETRIES 8
/* Once a deterministic arm was right on permuted inputs, pawl compares in one block of this number,
   by chance. */
#define COMPARE_EVERY 4
/* The samples of a pair are at most this far apart. */
#define FARTHEST 4

/* Returns how many couples of samples a block has at least. */
static int fewest_couples(uint32_t chance) {
  return chance % PAWL_PAIRS_EVERY == 0 ? PAWL_PAIRS_BY_CHANCE : 1;
}

/* Draws the samples with new inputs: all of them, or as many as the plan wants pairs, but not too
 * few. Chance draws couples of samples, and which one of a couple is new. */
static pawl_status draw_new_samples(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                                    uint32_t chance, struct pawl_error *err) {
  const int samples = run->plan->samples, couples = samples / 2;
  const int fewest = fewest_couples(chance);
  int wanted = run->plan->fresh_pairs > fewest ? run->plan->fresh_pairs : fewest;
  bool all;
  uint64_t seed;
  PAWL_TRY(pawl_problem_flush_hides_draw(run->problem, &all, err));
  PAWL_TRY(pawl_entropy(&seed, sizeof seed, err));
  struct pawl_random random = pawl_random_init(seed, 0);
  all = all || run->plan->renews_all || !couples;
  arm->is_new = pawl_arena_alloc(run->arena, (size_t)samples, sizeof *arm->is_new);
  for (int i = 0; i < samples; i++) arm->is_new[i] = all;
  for (int i = 0; i < couples && !all; i++) {
    if (pawl_random_below(&random, (uint32_t)(couples - i)) >= (uint32_t)wanted) continue;
    arm->is_new[2 * i + (int)pawl_random_below(&random, 2)] = true;
    wanted--;
  }
  return PAWL_OK;
}

/* Returns a free sample without new inputs near sample i, on the side of its couple's other sample
 * if there is one. Samples that pawl made again have shifted the couples. Returns `count` if there
 * is none. */
static size_t find_partner(const bool *is_new, const bool *taken, size_t i, size_t count) {
  for (size_t far = 1; far <= FARTHEST; far++) {
    const size_t sides[] = {i % 2 ? i - far : i + far, i % 2 ? i + far : i - far};
    for (int side = 0; side < 2; side++) /* a negative place is a large one */
      if (sides[side] < count && !is_new[sides[side]] && !taken[sides[side]]) return sides[side];
  }
  return count;
}

void pawl_permuted_pair(const struct pawl_block_run *run, struct pawl_arm_run *arm) {
  struct pawl_arm_block *out = arm->out;
  if (!arm->permuted) return;
  bool *taken = pawl_arena_alloc(run->arena, out->count + 1, sizeof *taken);
  for (size_t i = 0; i < out->count; i++) {
    const size_t other = arm->is_new[i] ? find_partner(arm->is_new, taken, i, out->count) : i;
    if (!arm->is_new[i] || other == out->count) continue;
    taken[other] = true;
    /* a late begin says nothing of the inputs */
    const double pair[] = {out->seconds[other] - out->added[other],
                           out->seconds[i] - out->added[i]};
    out->fresh_seconds =
        pawl_fresh_pairs_join(run->arena, out->fresh_seconds, out->fresh_pairs++, pair, 1);
  }
}

pawl_status pawl_permuted_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                               uint32_t chance, struct pawl_error *err) {
  uint32_t words[2];
  arm->permuted = arm->worker && arm->device == PAWL_CPU && run->plan->cache == PAWL_CACHE_COLD &&
                  pawl_block_is_checked(run);
  arm->permuted_compare = -1;
  if (!arm->permuted) return PAWL_OK;
  PAWL_TRY(draw_new_samples(run, arm, chance, err));
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  const bool was_right = arm->deterministic && arm->verified && arm->verified->permuted;
  if (!was_right || words[0] % COMPARE_EVERY == 0)
    arm->permuted_compare = (int)(words[1] % (uint32_t)run->plan->samples);
  return PAWL_OK;
}

pawl_status pawl_permuted_warm_up(struct pawl_block_run *run, struct pawl_arm_run *arm, int warmup,
                                  int first_set, struct pawl_error *err) {
  if (warmup < 1) return PAWL_OK;
  struct pawl_time_request request = pawl_block_time_request(run, arm, 1, warmup - 1, first_set);
  struct pawl_time_reply reply = {0};
  /* pawl ignores its time, and a flush takes longer than most calls; the first flush makes the
   * worker allocate its buffer */
  if (arm->out->count) request.flush_bytes = 0;
  request.any_inputs = true;
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  const enum pawl_status_code status = pawl_block_take_time(run, arm, &request, &reply, err);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (!arm->worker) return PAWL_OK;
  /* ends the arm if the outputs are wrong */
  if (run->problem->source[first_set].renewed)
    pawl_block_hashes_written(run, arm, &reply);
  else
    pawl_block_hashes_agree(run, arm, first_set, &reply);
  return PAWL_OK;
}

int pawl_permuted_retries(int samples) {
  const int retries = RETRIES * samples;
  return retries > LEAST_RETRIES ? retries : LEAST_RETRIES;
}

pawl_status pawl_permuted_before(struct pawl_checked_request *checked, struct pawl_error *err) {
  struct pawl_block_run *run = checked->run;
  struct pawl_arm_run *arm = checked->arm;
  struct pawl_turn *turn = checked->turn;
  const int sets = run->problem->set_count;
  PAWL_TRY(pawl_permuted_warm_up(run, arm, turn->warmup, turn->first_set, err));
  turn->warmup = 0;
  if (!arm->worker) return PAWL_OK;
  const int samples = turn->samples < sets ? turn->samples : sets;
  const int compare = arm->permuted_compare - (int)arm->out->count;
  if (arm->permuted_compare >= 0 && compare >= 0 && compare < samples)
    checked->compare_set = (turn->first_set + compare) % sets;
  checked->charge = turn->retries < samples;
  checked->request = pawl_block_time_request(run, arm, samples, 0, turn->first_set);
  checked->request.keep = !(turn->last && samples == turn->samples);
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  return pawl_permutation_begin(&checked->permutation, run, arm, &checked->request,
                                checked->compare_set, arm->is_new + arm->out->count, err);
}

static pawl_status keep_permuted(struct pawl_checked_request *checked,
                                 struct pawl_time_reply *reply, int *kept, struct pawl_error *err) {
  struct pawl_block_run *run = checked->run;
  struct pawl_arm_run *arm = checked->arm;
  const struct pawl_permutation *permutation = &checked->permutation;
  if (!arm->worker || !pawl_block_hashes_written(run, arm, reply) ||
      !pawl_permutation_judge(permutation, reply))
    return PAWL_OK;
  const size_t count = arm->out->count;
  const int sifted = (int)pawl_permutation_sift(permutation, checked->charge, reply,
                                                arm->out->added + count, arm->is_new + count);
  if (checked->charge) {
    arm->out->charged += (size_t)sifted;
  } else {
    *kept -= sifted;
    checked->turn->retries -= sifted;
  }
  pawl_block_keep_samples(arm, reply);
  if (checked->compare_set < 0) return PAWL_OK;
  PAWL_TRY(pawl_block_verify_set(run, arm, checked->compare_set, err));
  if (arm->worker && arm->verified) arm->verified->permuted = true;
  return PAWL_OK;
}

pawl_status pawl_permuted_after(struct pawl_checked_request *checked, enum pawl_status_code status,
                                struct pawl_time_reply *reply, int *kept, struct pawl_error *err) {
  pawl_permutation_join(&checked->permutation);
  const enum pawl_status_code failure = pawl_permutation_failure(&checked->permutation, err);
  if (failure != PAWL_OK)
    status = failure;
  else
    status = status == PAWL_OK ? keep_permuted(checked, reply, kept, err)
                               : pawl_block_settle(checked->run, checked->arm, status, err);
  pawl_permutation_end(&checked->permutation);
  return status;
}
