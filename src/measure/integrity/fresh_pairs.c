/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/fresh_pairs.h"

#include <math.h>
#include <string.h>

#include "base/bulk.h"
#include "base/entropy.h"
#include "measure/block_verify.h"
#include "measure/integrity/cpu_pairs.h"
#include "measure/integrity/frozen_calls.h"
#include "oracle/renew.h"
#include "protocol/swap.h"
#include "stats/binomial.h"
#include "stats/describe.h"
#include "stats/mannwhitney.h"
#include "stats/sort.h"

/* The share of a request's time limit that the pairs may take. */
#define SHARE_OF_LIMIT 0.25
/* The two calls of a pair, each with a call on the usual inputs behind it. */
#define CALLS_OF_PAIR 4
/* Where the plan wants no pairs or no comparison, one block of this number has them, by chance. */
#define EVERY 4
/* Further pairs in a block whose first pairs are suspicious. */
#define MORE_PAIRS 32
#define MORE_PAIRS_ON_CPU 8 /* other blocks have pairs too */
/* This many calls that all take longer have a probability below FALSE_ALARM. */
#define FEWEST_CALLS 20
#define FALSE_ALARM 1e-6
#define LONGER 1.02      /* a smaller gain is no evidence */
#define FEWEST_SAMPLES 5 /* on each side */
/* The least ratio between pairs and samples, which are some milliseconds apart. */
#define BEYOND_SAMPLES 1.05

static bool is_on_gpu(const struct pawl_arm_run *arm) { return arm->device == PAWL_CUDA; }

/* A request for a slow kernel has time for few pairs, or none. */
static int pairs_in_time(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                         int wanted) {
  double longest = 0;
  for (size_t i = 0; i < arm->out->count; i++) longest = fmax(longest, arm->out->seconds[i]);
  if (!is_on_gpu(arm)) longest += 2e-9 * (double)run->problem->draw_ns; /* pawl draws the inputs */
  const double calls = longest > 0 ? SHARE_OF_LIMIT * arm->limit_seconds / longest : INFINITY;
  return (int)fmax(fmin(wanted, floor((calls - run->problem->set_count) / CALLS_OF_PAIR)), 0);
}

/* Cold calls need no pairs where each of them has new inputs. */
static bool has_cpu_pairs(const struct pawl_block_run *run, const struct pawl_arm_run *arm) {
  return pawl_block_is_checked(run) &&
         !(arm->permuted && pawl_problem_new_one_of(run->problem) == 1);
}

pawl_status pawl_fresh_pairs_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  uint32_t chance, struct pawl_error *err) {
  uint32_t words[2];
  const int sets = run->problem->set_count, samples = run->plan->samples;
  arm->fresh_pairs = arm->fresh_after = 0;
  arm->fresh_compare = arm->fresh_taken = false;
  if (!arm->worker || arm->harness) return PAWL_OK;
  if (!is_on_gpu(arm)) {
    arm->fresh_pairs = has_cpu_pairs(run, arm) ? run->plan->fresh_pairs : 0;
    return PAWL_OK;
  }
  if (!pawl_worker_takes_pairs(arm->worker)) return PAWL_OK;
  /* the exchange would break the order of the inputs */
  if (run->problem->oracle && !pawl_problem_can_permute(run->problem)) return PAWL_OK;
  arm->fresh_pairs = run->plan->fresh_pairs;
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  if (!arm->fresh_pairs && !run->plan->unchecked && chance % EVERY == 0) arm->fresh_pairs = sets;
  /* launches take the sets in turn */
  arm->fresh_pairs = (arm->fresh_pairs + sets - 1) / sets * sets;
  /* after one call of each set, whose usual inputs the kernel then knows */
  if (samples > sets + 1) arm->fresh_after = sets + (int)(words[0] % (uint32_t)(samples - sets));
  if (arm->fresh_after >= samples) arm->fresh_after = 0;
  /* the base was compared when it was the candidate */
  const bool is_base = run->count > 1 && arm == &run->arms[0];
  const bool was_right = is_base || (arm->deterministic && arm->verified && arm->verified->fresh);
  arm->fresh_compare = pawl_block_is_checked(run) && (!was_right || words[1] % EVERY == 0);
  return PAWL_OK;
}

static bool fresh_pairs_has_inout(const struct pawl_tensor_set *set) {
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_INOUT) return true;
  }
  return false;
}

/* The inputs of a set. A comparison overwrites them with those of its call. */
struct kept_inputs {
  int set; /* -1: none */
  unsigned char *bytes[PAWL_MAX_TENSORS];
};

static pawl_status keep_inputs(const struct pawl_problem *problem, int set,
                               struct kept_inputs *kept, struct pawl_error *err) {
  *kept = (struct kept_inputs){.set = set};
  for (int i = 0; set >= 0 && i < problem->sets[set].count; i++) {
    const struct pawl_placed_tensor *t = &problem->sets[set].tensors[i];
    if (t->spec.role != PAWL_IN) continue;
    kept->bytes[i] = pawl_bulk_alloc(t->bytes);
    if (!kept->bytes[i])
      return pawl_fail(err, PAWL_NO_MEMORY, "cannot keep the input '%s': no memory for %llu bytes",
                       t->spec.name, (unsigned long long)t->bytes);
    pawl_bulk_copy(kept->bytes[i], problem->oracle->tensors.map + t->offset, t->bytes);
  }
  return PAWL_OK;
}

static void put_inputs_back(const struct pawl_problem *problem, const struct kept_inputs *kept) {
  for (int i = 0; kept->set >= 0 && i < problem->sets[kept->set].count; i++) {
    const struct pawl_placed_tensor *t = &problem->sets[kept->set].tensors[i];
    if (kept->bytes[i])
      pawl_bulk_copy(problem->oracle->tensors.map + t->offset, kept->bytes[i], t->bytes);
  }
}

static void release_inputs(const struct pawl_problem *problem, struct kept_inputs *kept) {
  for (int i = 0; kept->set >= 0 && i < problem->sets[kept->set].count; i++)
    pawl_bulk_free(kept->bytes[i], problem->sets[kept->set].tensors[i].bytes);
}

/* Returns whether at most as many elements differ as pawl exchanges. If more differ, something else
 * changed the inputs, and a comparison with the original inputs reports it. */
static bool is_exchange(const struct pawl_problem *problem, const struct kept_inputs *kept) {
  const size_t most = 2 * PAWL_SWAPS;
  for (int i = 0; i < problem->sets[kept->set].count; i++) {
    const struct pawl_placed_tensor *t = &problem->sets[kept->set].tensors[i];
    const unsigned char *now = problem->oracle->tensors.map + t->offset;
    const size_t size = pawl_dtype_size(t->spec.dtype);
    if (kept->bytes[i] &&
        pawl_bulk_count_different(now, kept->bytes[i], t->bytes, size, most) > most)
      return false;
  }
  return true;
}

static pawl_status compare_fresh(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 const struct kept_inputs *kept, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  pawl_block_begin_gap(run);
  if (is_exchange(problem, kept)) pawl_problem_note_inputs(problem, kept->set);
  problem->permuted = true;
  const enum pawl_status_code status = pawl_block_verify_set(run, arm, kept->set, err);
  problem->permuted = false;
  pawl_block_end_gap(run);
  if (status == PAWL_OK && arm->worker && arm->verified) arm->verified->fresh = true;
  return status;
}

static double longest_of(const struct pawl_arm_run *arm) {
  double longest = 0;
  for (size_t i = 0; i < arm->out->count; i++) longest = fmax(longest, arm->out->seconds[i]);
  return longest;
}

/* Returns the nanoseconds of the frozen calls. */
static int64_t fresh_ns(const struct pawl_time_reply *reply) {
  double seconds = 0;
  for (size_t i = 1; i < reply->count; i += 2) seconds += reply->seconds[i];
  return (int64_t)(seconds * 1e9);
}

/* A kernel could write the words itself, end freezes early or have calls repeated. Two things show
 * it: the freezes were shorter than the calls inside them, or the worker did not take two turns for
 * each call. */
static bool are_plausible(const struct pawl_frozen_calls *frozen,
                          const struct pawl_time_reply *reply) {
  const long long calls = (long long)reply->count + reply->repeated + frozen->asked;
  return frozen->frozen_ns >= fresh_ns(reply) && frozen->turns == (uint32_t)(2 * calls);
}

/* A call that does not end while its threads are frozen includes the wait. pawl takes all calls
 * again without a freeze. */
static pawl_status request_pairs(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 struct pawl_time_request *request, const struct kept_inputs *kept,
                                 struct pawl_time_reply *reply, struct pawl_error *err) {
  struct pawl_frozen_calls frozen;
  pawl_frozen_calls_begin(&frozen, run, arm, longest_of(arm), request);
  enum pawl_status_code status = pawl_block_take_time(run, arm, request, reply, err);
  pawl_frozen_calls_end(&frozen);
  if (frozen.failed || frozen.cut ||
      (status == PAWL_OK && request->held && !are_plausible(&frozen, reply)))
    arm->out->unfrozen = true;
  if (status != PAWL_OK || !frozen.cut || !arm->worker) return status;
  request->held = false;
  put_inputs_back(run->problem, kept);
  return pawl_block_take_time(run, arm, request, reply, err);
}

double *pawl_fresh_pairs_join(struct pawl_arena *arena, const double *pairs, size_t count,
                              const double *added, size_t more) {
  double *grown = pawl_arena_alloc(arena, 2 * (count + more) + 1, sizeof *grown);
  if (count) memcpy(grown, pairs, 2 * count * sizeof *grown);
  if (more) memcpy(grown + 2 * count, added, 2 * more * sizeof *grown);
  return grown;
}

static void keep_pairs(struct pawl_block_run *run, struct pawl_arm_block *out,
                       const struct pawl_time_reply *reply) {
  out->fresh_seconds = pawl_fresh_pairs_join(run->arena, out->fresh_seconds, out->fresh_pairs,
                                             reply->seconds, reply->count / 2);
  out->fresh_pairs += reply->count / 2;
  out->early = out->early || reply->early;
}

static pawl_status judge_reply(struct pawl_block_run *run, struct pawl_arm_run *arm,
                               const struct pawl_time_reply *reply, const struct kept_inputs *kept,
                               struct pawl_error *err) {
  for (size_t i = 0; i < reply->count && reply->hashes; i++) {
    if (strcmp(arm->unwritten, reply->hashes[i]) != 0) continue;
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                       "a call on new inputs did not write its outputs");
    return PAWL_OK;
  }
  keep_pairs(run, arm->out, reply);
  return kept->set >= 0 && reply->looked_set == kept->set ? compare_fresh(run, arm, kept, err)
                                                          : PAWL_OK;
}

static pawl_status take_fresh_pairs(struct pawl_block_run *run, struct pawl_arm_run *arm, int pairs,
                                    int first_set, bool last, bool look, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  const int sets = problem->set_count;
  uint32_t word = 0;
  struct pawl_time_request request = {/* so that the kernel knows the usual inputs */
                                      .warmup = arm->fresh_after ? 0 : sets,
                                      .samples = 2 * pairs,
                                      .first_set = first_set,
                                      .keep = !last,
                                      .cache = run->plan->cache,
                                      .flush_bytes = run->plan->flush_bytes,
                                      .unseen = true};
  struct pawl_time_reply reply = {0};
  struct kept_inputs kept;
  if (look) PAWL_TRY(pawl_entropy(&word, sizeof word, err));
  const int pair = (int)(word % (uint32_t)pairs), set = (first_set + pair % sets) % sets;
  look = look && !fresh_pairs_has_inout(&problem->sets[set]);
  const struct pawl_noted_inputs usual = pawl_problem_noted_inputs(problem, set);
  if (look) request.look = pair + 1;
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  enum pawl_status_code status = keep_inputs(problem, look ? set : -1, &kept, err);
  if (status == PAWL_OK) status = request_pairs(run, arm, &request, &kept, &reply, err);
  if (status != PAWL_OK)
    status = pawl_block_settle(run, arm, status, err);
  else if (arm->worker)
    status = judge_reply(run, arm, &reply, &kept, err);
  put_inputs_back(problem, &kept);
  release_inputs(problem, &kept);
  pawl_problem_note_again(problem, set, &usual);
  return status;
}

static double *sorted_ratios(const double *pairs, size_t count) {
  double *ratios = pawl_alloc(count + 1, sizeof *ratios);
  for (size_t i = 0; i < count; i++) ratios[i] = pairs[2 * i + 1] / pairs[2 * i];
  pawl_sort_doubles(ratios, count);
  return ratios;
}

static double median_ratio(const double *pairs, size_t count) {
  PAWL_CLEANUP(pawl_free_pointer) double *ratios = sorted_ratios(pairs, count);
  return pawl_median(ratios, count);
}

bool pawl_fresh_pairs_suspicious(const double *pairs, size_t count) {
  return count && median_ratio(pairs, count) > LONGER;
}

static bool is_certain(size_t calls, size_t longer) {
  return calls >= FEWEST_CALLS &&
         pawl_binomial_upper_tail((int)calls, (int)longer, 0.5) <= FALSE_ALARM;
}

double pawl_fresh_pairs_ratio(const double *pairs, size_t count) {
  size_t longer = 0;
  for (size_t i = 0; i < count; i++) longer += pairs[2 * i + 1] > pairs[2 * i];
  if (!is_certain(count, longer)) return 1;
  const double ratio = median_ratio(pairs, count);
  return ratio > LONGER ? ratio : 1;
}

static double times_by_difference(const double *pairs, size_t count, double seconds) {
  PAWL_CLEANUP(pawl_free_pointer) double *longer = pawl_alloc(count + 1, sizeof *longer);
  for (size_t i = 0; i < count; i++) longer[i] = pairs[2 * i + 1] - pairs[2 * i];
  pawl_sort_doubles(longer, count);
  return 1 + fmax(pawl_median(longer, count), 0) / seconds;
}

double pawl_fresh_pairs_times(const double *pairs, size_t count, double seconds) {
  return seconds > 0 && pawl_fresh_pairs_ratio(pairs, count) > 1
             ? times_by_difference(pairs, count, seconds)
             : 1;
}

double pawl_fresh_pairs_beyond(const struct pawl_fresh_calls *arm,
                               const struct pawl_fresh_calls *base) {
  const double times = pawl_fresh_pairs_times(arm->pairs, arm->count, arm->seconds);
  struct pawl_mann_whitney test;
  if (!(times > 1) || !base->count || !(base->seconds > 0)) return times;
  PAWL_CLEANUP(pawl_free_pointer) double *own = sorted_ratios(arm->pairs, arm->count);
  PAWL_CLEANUP(pawl_free_pointer) double *others = sorted_ratios(base->pairs, base->count);
  pawl_mann_whitney_sorted(own, arm->count, others, base->count, &test);
  const double beyond = times / times_by_difference(base->pairs, base->count, base->seconds);
  return test.p <= FALSE_ALARM && beyond > LONGER ? beyond : 1;
}

static double *sorted_copy(const double *seconds, size_t count) {
  double *sorted = pawl_alloc(count, sizeof *sorted);
  memcpy(sorted, seconds, count * sizeof *sorted);
  pawl_sort_doubles(sorted, count);
  return sorted;
}

/* Returns the ratio of the pairs' calls to these samples; 1: no difference. With `certain` the
 * Mann-Whitney test must confirm it. */
static double fresh_pairs_beyond(const double *calls, size_t call_count, const double *samples,
                                 size_t count, bool certain) {
  struct pawl_mann_whitney test = {.p = 0};
  if (count < FEWEST_SAMPLES) return 1;
  PAWL_CLEANUP(pawl_free_pointer) double *usual = sorted_copy(samples, count);
  const double ratio = pawl_median(calls, call_count) / pawl_median(usual, count);
  if (certain) pawl_mann_whitney_sorted(calls, call_count, usual, count, &test);
  return ratio > BEYOND_SAMPLES && test.p <= FALSE_ALARM ? ratio : 1;
}

/* Compares all calls of the pairs with the samples before and with those after them. A kernel that
 * recognizes the pairs is honest in them alone. */
static double beyond_samples(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                             bool certain) {
  const struct pawl_arm_block *out = arm->out;
  const size_t count = 2 * out->fresh_pairs;
  const size_t before =
      (size_t)arm->fresh_after < out->count ? (size_t)arm->fresh_after : out->count;
  /* samples are batches or contain a delay, or calls wait for threads, which varies */
  if (run->plan->cache != PAWL_CACHE_COLD || run->plan->delay_ns[arm - run->arms] ||
      !arm->fresh_after || !count || out->unfrozen)
    return 1;
  PAWL_CLEANUP(pawl_free_pointer) double *calls = sorted_copy(out->fresh_seconds, count);
  return fmax(
      fresh_pairs_beyond(calls, count, out->seconds, before, certain),
      fresh_pairs_beyond(calls, count, out->seconds + before, out->count - before, certain));
}

static bool is_suspicious(const struct pawl_block_run *run, const struct pawl_arm_run *arm) {
  const struct pawl_arm_block *out = arm->out;
  if (!arm->worker || !out->fresh_pairs) return false;
  return pawl_fresh_pairs_suspicious(out->fresh_seconds, out->fresh_pairs) ||
         (is_on_gpu(arm) && beyond_samples(run, arm, false) > 1);
}

/* Takes at most `pairs` pairs, as far as they fit into the time. */
static pawl_status take_cpu_pairs(struct pawl_block_run *run, struct pawl_arm_run *arm, int pairs,
                                  struct pawl_error *err) {
  const int sets = run->problem->set_count, wanted = (pairs + sets - 1) / sets,
            rounds = pairs_in_time(run, arm, wanted * sets) / sets;
  const size_t calls = 2 * (size_t)(rounds * sets);
  struct pawl_time_reply reply = {
      .seconds = pawl_arena_alloc(run->arena, calls + 1, sizeof *reply.seconds)};
  PAWL_TRY(pawl_cpu_pairs_take(run, arm, rounds, reply.seconds, &reply.count, err));
  reply.count *= 2;
  if (arm->worker) keep_pairs(run, arm->out, &reply);
  return PAWL_OK;
}

pawl_status pawl_fresh_pairs_take(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  int first_set, bool last, struct pawl_error *err) {
  if (!arm->worker || arm->fresh_taken || !arm->fresh_pairs) return PAWL_OK;
  arm->fresh_taken = true;
  if (!is_on_gpu(arm)) {
    PAWL_TRY(take_cpu_pairs(run, arm, arm->fresh_pairs, err));
    return is_suspicious(run, arm) ? take_cpu_pairs(run, arm, MORE_PAIRS_ON_CPU, err) : PAWL_OK;
  }
  const int pairs = pairs_in_time(run, arm, arm->fresh_pairs);
  if (pairs < 1) return PAWL_OK;
  PAWL_TRY(take_fresh_pairs(run, arm, pairs, first_set, last, arm->fresh_compare, err));
  const int more = is_suspicious(run, arm) ? pairs_in_time(run, arm, MORE_PAIRS) : 0;
  return more > 0 ? take_fresh_pairs(run, arm, more, first_set, last, false, err) : PAWL_OK;
}

void pawl_fresh_pairs_charge(const struct pawl_block_run *run, struct pawl_arm_run *arm) {
  struct pawl_arm_block *out = arm->out;
  if (!arm->worker || !is_on_gpu(arm)) return;
  double ratio = pawl_fresh_pairs_ratio(out->fresh_seconds, out->fresh_pairs);
  if (arm->verified) ratio = arm->verified->fresh_ratio = fmax(ratio, arm->verified->fresh_ratio);
  /* not stored for later blocks: the machine can cause this in one block */
  ratio = fmax(ratio, beyond_samples(run, arm, true));
  if (!(ratio > 1)) return;
  out->fresh_ratio = ratio;
  for (size_t i = 0; i < out->count; i++) {
    out->added[i] += (ratio - 1) * out->seconds[i];
    out->seconds[i] *= ratio;
  }
}
