/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/varied.h"

#include <string.h>

#include "base/entropy.h"
#include "measure/block_verify.h"
#include "measure/variation.h"

#define AGAIN 1       /* calls that may be taken again, for each sample */
#define LEAST_AGAIN 8 /* and of a few samples, of which one held-up call would be the median */
#define LOOK_EVERY                                                                                 \
  4 /* blocks of a deterministic arm whose varied calls were right once: one of so many, by chance \
     */

pawl_status pawl_varied_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                             struct pawl_error *err) {
  uint32_t words[2];
  const struct pawl_problem *problem = run->problem;
  arm->varied = arm->worker && arm->device == PAWL_CPU && run->plan->cache == PAWL_CACHE_COLD &&
                pawl_block_is_checked(run) && pawl_problem_can_vary(problem);
  arm->varied_look = -1;
  if (!arm->varied) return PAWL_OK;
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  const bool was_right = arm->deterministic && arm->verified && arm->verified->varied;
  if (!was_right || words[0] % LOOK_EVERY == 0)
    arm->varied_look = (int)(words[1] % (uint32_t)run->plan->samples);
  return PAWL_OK;
}

static struct pawl_time_request make_request(const struct pawl_block_run *run,
                                             const struct pawl_arm_run *arm, int warmup,
                                             int samples, int first_set) {
  return (struct pawl_time_request){.warmup = warmup,
                                    .samples = samples,
                                    .first_set = first_set,
                                    .keep = true,
                                    .cache = run->plan->cache,
                                    .flush_bytes = run->plan->flush_bytes,
                                    .delay_ns = run->plan->delay_ns[arm - run->arms]};
}

pawl_status pawl_varied_warm_up(struct pawl_block_run *run, struct pawl_arm_run *arm, int warmup,
                                int first_set, struct pawl_error *err) {
  if (warmup < 1) return PAWL_OK;
  struct pawl_time_request request = make_request(run, arm, warmup - 1, 1, first_set);
  struct pawl_time_reply reply = {0};
  /* its time is not looked at, and a flush takes longer than most calls; the first has the worker
   * allocate for it */
  if (arm->out->count) request.flush_bytes = 0;
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  const enum pawl_status_code status = pawl_block_take_time(run, arm, &request, &reply, err);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (arm->worker)
    pawl_block_hashes_agree(run, arm, first_set,
                            &reply); /* ends the arm itself where they do not */
  return PAWL_OK;
}

/* A request for samples, and what came of it. */
struct taking {
  int samples, first_set;
  int look;      /* the set whose outputs are compared; -1: none */
  bool last;     /* no request of the block follows: who writes its outputs late is waited for */
  bool charge;   /* calls that pawl did not see begin count too, as long as they can have taken */
  size_t sifted; /* calls of which it did not; without `charge` they do not count */
};

static pawl_status keep(struct pawl_block_run *run, struct pawl_arm_run *arm,
                        const struct pawl_variation *variation, struct pawl_time_reply *reply,
                        struct taking *taking, struct pawl_error *err) {
  const int look = taking->look;
  if (!arm->worker || !pawl_block_hashes_written(run, arm, reply) ||
      !pawl_variation_judge(variation))
    return PAWL_OK;
  taking->sifted =
      pawl_variation_sift(variation, taking->charge, reply, arm->out->added + arm->out->count);
  if (taking->charge) arm->out->charged += taking->sifted;
  pawl_block_keep_samples(arm, reply);
  if (look < 0) return PAWL_OK;
  PAWL_TRY(pawl_block_verify_set(run, arm, look, err));
  if (arm->worker && arm->verified) arm->verified->varied = true;
  return PAWL_OK;
}

static pawl_status take(struct pawl_block_run *run, struct pawl_arm_run *arm, struct taking *taking,
                        struct pawl_error *err) {
  struct pawl_time_request request = make_request(run, arm, 0, taking->samples, taking->first_set);
  request.keep = !taking->last;
  struct pawl_variation variation;
  struct pawl_time_reply reply = {0};
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  PAWL_TRY(pawl_variation_begin(&variation, run, arm, &request, taking->look, err));
  enum pawl_status_code status = pawl_block_take_time(run, arm, &request, &reply, err);
  pawl_variation_join(&variation);
  status = status == PAWL_OK ? keep(run, arm, &variation, &reply, taking, err)
                             : pawl_block_settle(run, arm, status, err);
  pawl_variation_end(&variation);
  return status;
}

pawl_status pawl_varied_samples(struct pawl_block_run *run, struct pawl_arm_run *arm, int samples,
                                int warmup, int first_set, bool last, struct pawl_error *err) {
  const int sets = run->problem->set_count;
  PAWL_TRY(pawl_varied_warm_up(run, arm, warmup, first_set, err));
  const int allowed = AGAIN * samples > LEAST_AGAIN ? AGAIN * samples : LEAST_AGAIN;
  for (int taken = 0, again = allowed; taken < samples && arm->worker;) {
    const int count = samples - taken < sets ? samples - taken : sets,
              first = (first_set + taken) % sets;
    const int place = arm->varied_look - (int)arm->out->count;
    struct taking taking = {
        .samples = count, .first_set = first, .look = -1, .charge = again < count};
    taking.last = last && taken + count == samples;
    if (arm->varied_look >= 0 && place >= 0 && place < count) taking.look = (first + place) % sets;
    PAWL_TRY(take(run, arm, &taking, err));
    const int sifted = taking.charge ? 0 : (int)taking.sifted;
    again -= sifted;
    taken += count - sifted;
  }
  return PAWL_OK;
}
