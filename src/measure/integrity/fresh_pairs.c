/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/fresh_pairs.h"

#include <math.h>
#include <string.h>

#include "base/bulk.h"
#include "base/entropy.h"
#include "measure/bench_options.h"
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
/* Further pairs in a block whose first pairs are suspicious. */
#define MORE_PAIRS 32
#define MORE_PAIRS_ON_CPU 8
/* As many pairs are enough for an answer beside another arm. The last ones are judged alone too,
 * because a kernel may be honest in the first ones. */
#define LAST_PAIRS 32
/* Pairs of a block on large inputs, each of which costs a draw. Later blocks take further ones. */
#define MOST_COUPLES PAWL_PAIRS_BY_CHANCE
/* The pairs of a block, and of all, where the first pairs of a CPU kernel leave a doubt. */
#define FURTHER_PAIRS 8
#define MOST_PAIRS 128
/* From this number of pairs on a measurement takes no more if at most half of them take longer. */
#define FIRST_LOOK 8
/* This many calls that all take longer have a probability below FALSE_ALARM. */
#define FEWEST_CALLS 20
#define FALSE_ALARM 1e-6
/* More pairs follow on a CPU from this probability on, such as after four of four longer ones. A
 * sign without it comes in half of the honest blocks. */
#define SUSPICIOUS 0.07
#define LONGER 1.02      /* a smaller gain is no evidence */
#define FEWEST_SAMPLES 5 /* on each side */
/* The least ratio between pairs and samples, which are some milliseconds apart. */
#define BEYOND_SAMPLES 1.05

static bool is_on_gpu(const struct pawl_arm_run *arm) { return arm->device == PAWL_CUDA; }

static double longest_of(const struct pawl_arm_run *arm) {
  double longest = 0;
  for (size_t i = 0; i < arm->out->count; i++) longest = fmax(longest, arm->out->seconds[i]);
  return longest;
}

/* A request for a slow kernel has time for few pairs, or none. */
static int pairs_in_time(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                         int wanted) {
  double longest = longest_of(arm);
  if (!is_on_gpu(arm)) longest += 2e-9 * (double)run->problem->draw_ns; /* pawl draws the inputs */
  const double calls = longest > 0 ? SHARE_OF_LIMIT * arm->limit_seconds / longest : INFINITY;
  return (int)fmax(fmin(wanted, floor((calls - run->problem->set_count) / CALLS_OF_PAIR)), 0);
}

/* Returns how many couples of calls on large inputs a block takes. */
static int couples_in_time(const struct pawl_arm_run *arm, int wanted) {
  const double calls = SHARE_OF_LIMIT * arm->limit_seconds / longest_of(arm);
  const double least = calls >= 1; /* the limit leaves time for two calls */
  return (int)fmin(wanted, fmin(fmax(floor(calls / 2), least), MOST_COUPLES));
}

pawl_status pawl_fresh_pairs_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  uint32_t chance, struct pawl_error *err) {
  uint32_t words[2];
  const int sets = run->problem->set_count, samples = run->plan->samples;
  arm->fresh_pairs = arm->fresh_after = 0;
  arm->fresh_compare = arm->fresh_taken = false;
  if (!arm->worker || arm->harness) return PAWL_OK;
  if (!is_on_gpu(arm)) {
    /* samples of a permuted arm have new inputs, or are pairs themselves */
    const bool takes = pawl_block_is_checked(run) && !arm->permuted;
    /* also by chance: a kernel may be honest in the first blocks alone */
    const int by_chance = chance % PAWL_PAIRS_EVERY == 0 ? PAWL_PAIRS_BY_CHANCE : 0;
    const int wanted = run->plan->fresh_pairs ? run->plan->fresh_pairs : by_chance;
    arm->fresh_pairs = takes ? wanted : 0;
    return PAWL_OK;
  }
  if (!pawl_worker_takes_pairs(arm->worker)) return PAWL_OK;
  /* an exchange would break the order of the inputs */
  if (run->problem->oracle && !pawl_problem_can_permute(run->problem) &&
      !pawl_worker_takes_given_inputs(arm->worker))
    return PAWL_OK;
  arm->fresh_pairs = run->plan->fresh_pairs;
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  const bool trusted = run->plan->references && run->plan->references[arm - run->arms];
  if (!arm->fresh_pairs && !run->plan->unchecked && !trusted && chance % PAWL_PAIRS_EVERY == 0)
    arm->fresh_pairs = sets;
  /* launches take the sets in turn */
  arm->fresh_pairs = (arm->fresh_pairs + sets - 1) / sets * sets;
  /* after one call of each set, whose usual inputs the kernel then knows */
  if (samples > sets + 1) arm->fresh_after = sets + (int)(words[0] % (uint32_t)(samples - sets));
  if (arm->fresh_after >= samples) arm->fresh_after = 0;
  /* the base was compared when it was the candidate */
  const bool is_base = run->count > 1 && arm == &run->arms[0];
  const bool was_right = is_base || (arm->deterministic && arm->verified && arm->verified->fresh);
  arm->fresh_compare =
      pawl_block_is_checked(run) && (!was_right || words[1] % PAWL_PAIRS_EVERY == 0);
  return PAWL_OK;
}

static bool fresh_pairs_has_inout(const struct pawl_tensor_set *set) {
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_INOUT) return true;
  }
  return false;
}

/* A request for pairs on a GPU. `kept` holds the set whose call pawl looks at, as it was. */
struct fresh_request {
  struct pawl_block_run *run;
  struct pawl_arm_run *arm;
  struct pawl_time_request request;
  struct pawl_time_reply reply;
  struct pawl_given_inputs given;
  int set; /* -1: none */
  unsigned char *kept;
};

static unsigned char *kept_place(const struct fresh_request *fresh) {
  const struct pawl_problem *problem = fresh->run->problem;
  return problem->oracle->tensors.map + problem->sets[fresh->set].tensors[0].offset;
}

static pawl_status keep_inputs(struct fresh_request *fresh, struct pawl_error *err) {
  const uint64_t bytes = pawl_problem_set_bytes(fresh->run->problem);
  if (fresh->set < 0) return PAWL_OK;
  fresh->kept = pawl_bulk_alloc(bytes);
  if (!fresh->kept)
    return pawl_fail(err, PAWL_NO_MEMORY, "cannot keep a set of inputs: no memory for %llu bytes",
                     (unsigned long long)bytes);
  pawl_bulk_copy(fresh->kept, kept_place(fresh), bytes);
  return PAWL_OK;
}

static void put_inputs_back(const struct fresh_request *fresh) {
  if (fresh->kept)
    pawl_bulk_copy(kept_place(fresh), fresh->kept, pawl_problem_set_bytes(fresh->run->problem));
}

/* Returns whether at most as many elements differ from these inputs as pawl exchanges. If more
 * differ, something else changed the inputs, and a comparison with the original inputs reports it.
 */
static bool is_exchange(const struct fresh_request *fresh, const unsigned char *inputs) {
  const size_t most = fresh->request.ordered ? 0 : 2 * PAWL_SWAPS;
  const struct pawl_tensor_set *set = &fresh->run->problem->sets[fresh->set];
  for (int i = 0; i < set->count; i++) {
    const struct pawl_placed_tensor *t = &set->tensors[i];
    const uint64_t place = t->offset - set->tensors[0].offset;
    if (t->spec.role == PAWL_IN &&
        pawl_bulk_count_different(kept_place(fresh) + place, inputs + place, t->bytes,
                                  pawl_dtype_size(t->spec.dtype), most) > most)
      return false;
  }
  return true;
}

static pawl_status compare_fresh(struct fresh_request *fresh, struct pawl_error *err) {
  struct pawl_block_run *run = fresh->run;
  struct pawl_arm_run *arm = fresh->arm;
  struct pawl_problem *problem = run->problem;
  const unsigned char *inputs = fresh->kept;
  pawl_block_begin_gap(run);
  enum pawl_status_code status = PAWL_OK;
  if (fresh->request.given) inputs = pawl_given_inputs_show(&fresh->given, fresh->set);
  if (!inputs)
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                       "it does not show the call that pawl looks at");
  if (inputs) {
    if (is_exchange(fresh, inputs)) pawl_problem_note_inputs(problem, fresh->set);
    problem->permuted = true;
    status = pawl_block_verify_set(run, arm, fresh->set, err);
    problem->permuted = false;
  }
  pawl_block_end_gap(run);
  if (status == PAWL_OK && arm->worker && arm->verified) arm->verified->fresh = true;
  return status;
}

/* Makes the request. *cut becomes true if a call did not end while its threads were frozen. */
static pawl_status request_once(struct fresh_request *fresh, bool *cut, struct pawl_error *err) {
  struct pawl_frozen_calls frozen;
  struct pawl_arm_run *arm = fresh->arm;
  fresh->request.held = fresh->request.given = false;
  pawl_frozen_calls_begin(&frozen, fresh->run, arm, longest_of(arm), &fresh->given,
                          &fresh->request);
  const enum pawl_status_code status =
      pawl_block_take_time(fresh->run, arm, &fresh->request, &fresh->reply, err);
  pawl_frozen_calls_end(&frozen);
  if (frozen.failed || frozen.cut) arm->out->unfrozen = true;
  *cut = frozen.cut;
  return status;
}

/* A call that does not end while its threads are frozen includes the wait. pawl takes all calls
 * again without a freeze, on other new inputs. */
static pawl_status request_pairs(struct fresh_request *fresh, struct pawl_error *err) {
  bool cut;
  int pairs = fresh->request.samples / 2;
  PAWL_TRY(request_once(fresh, &cut, err));
  if (!cut || !fresh->arm->worker) return PAWL_OK;
  put_inputs_back(fresh);
  if (pawl_given_inputs_draw(&fresh->given, &pairs, &fresh->given.err) != PAWL_OK) return PAWL_OK;
  return request_once(fresh, &cut, err);
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

static pawl_status judge_reply(struct fresh_request *fresh, struct pawl_error *err) {
  struct pawl_arm_run *arm = fresh->arm;
  const struct pawl_time_reply *reply = &fresh->reply;
  for (size_t i = 0; i < reply->count && reply->hashes; i++) {
    if (strcmp(arm->unwritten, reply->hashes[i]) != 0) continue;
    pawl_block_give_up(fresh->run, arm, PAWL_OUTCOME_WRONG,
                       "a call on new inputs did not write its outputs");
    return PAWL_OK;
  }
  keep_pairs(fresh->run, arm->out, reply);
  return fresh->set >= 0 && reply->looked_set == fresh->set ? compare_fresh(fresh, err) : PAWL_OK;
}

/* Draws the pair that pawl looks at. A look at inouts would show what the call made of them. */
static pawl_status choose_look(struct fresh_request *fresh, int pairs, struct pawl_error *err) {
  const struct pawl_problem *problem = fresh->run->problem;
  uint32_t word = 0;
  PAWL_TRY(pawl_entropy(&word, sizeof word, err));
  const int pair = (int)(word % (uint32_t)pairs),
            set = (fresh->request.first_set + pair % problem->set_count) % problem->set_count;
  if (fresh_pairs_has_inout(&problem->sets[set])) return PAWL_OK;
  fresh->set = set;
  fresh->request.look = pair + 1;
  return PAWL_OK;
}

static pawl_status fresh_pairs_request(struct fresh_request *fresh, struct pawl_error *err) {
  struct pawl_problem *problem = fresh->run->problem;
  const int set = fresh->set < 0 ? 0 : fresh->set;
  PAWL_TRY(pawl_block_restore_inouts(fresh->run, err));
  PAWL_TRY(keep_inputs(fresh, err));
  const struct pawl_noted_inputs usual = pawl_problem_noted_inputs(problem, set);
  enum pawl_status_code status = request_pairs(fresh, err);
  if (fresh->given.err.code != PAWL_OK) {
    *err = fresh->given.err; /* the kernel is not to blame */
    status = err->code;
  } else if (status != PAWL_OK) {
    status = pawl_block_settle(fresh->run, fresh->arm, status, err);
  } else if (fresh->arm->worker) {
    status = judge_reply(fresh, err);
  }
  put_inputs_back(fresh);
  pawl_problem_note_again(problem, set, &usual);
  return status;
}

/* Takes at most `pairs` pairs, as far as they fit into the time. */
static pawl_status take_fresh_pairs(struct pawl_block_run *run, struct pawl_arm_run *arm, int pairs,
                                    int first_set, bool last, bool look, struct pawl_error *err) {
  struct pawl_problem *problem = run->problem;
  struct fresh_request fresh = {.run = run, .arm = arm, .set = -1};
  enum pawl_status_code status = pawl_given_inputs_init(&fresh.given, run, arm, err);
  int count = status == PAWL_OK ? pairs_in_time(run, arm, pairs) : 0;
  if (count > 0) status = pawl_given_inputs_draw(&fresh.given, &count, err);
  fresh.request =
      (struct pawl_time_request){/* so that the kernel knows the usual inputs */
                                 .warmup = arm->fresh_after ? 0 : problem->set_count,
                                 .samples = 2 * count,
                                 .first_set = first_set,
                                 .keep = !last,
                                 .cache = run->plan->cache,
                                 .flush_bytes = run->plan->flush_bytes,
                                 .unseen = true,
                                 .ordered = problem->oracle && !pawl_problem_can_permute(problem)};
  if (count > 0 && look && status == PAWL_OK) status = choose_look(&fresh, count, err);
  if (count > 0 && status == PAWL_OK) status = fresh_pairs_request(&fresh, err);
  if (problem->oracle) pawl_bulk_free(fresh.kept, pawl_problem_set_bytes(problem));
  pawl_given_inputs_release(&fresh.given);
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

static int count_longer(const double *pairs, size_t count) {
  int longer = 0;
  for (size_t i = 0; i < count; i++) longer += pairs[2 * i + 1] > pairs[2 * i];
  return longer;
}

/* Returns the probability of as many longer calls as these, if new inputs change nothing. */
static double by_chance(const double *pairs, size_t count) {
  return pawl_binomial_upper_tail((int)count, count_longer(pairs, count), 0.5);
}

/* Returns whether fresh calls seem to take longer, so that further pairs are worth their time. */
static bool fresh_pairs_are_suspicious(const double *pairs, size_t count) {
  return count && by_chance(pairs, count) <= SUSPICIOUS && median_ratio(pairs, count) > LONGER;
}

int pawl_fresh_pairs_left(const struct pawl_fresh_calls *fresh, const struct pawl_device *device,
                          bool charged) {
  const int wanted = pawl_fresh_pairs_wanted(device), taken = (int)fresh->count;
  const bool on_gpu = device && device->kind == PAWL_CUDA;
  if (!on_gpu && taken >= FIRST_LOOK && 2 * count_longer(fresh->pairs, fresh->count) <= taken)
    return 0;
  if (taken < wanted) return wanted - taken;
  /* on a busy machine other programs disturb some pairs */
  return !on_gpu && taken < MOST_PAIRS && !charged &&
                 fresh_pairs_are_suspicious(fresh->pairs, fresh->count)
             ? FURTHER_PAIRS
             : 0;
}

int pawl_fresh_pairs_of_process(const struct pawl_fresh_calls *fresh,
                                const struct pawl_device *device, int processes) {
  const int wanted = pawl_fresh_pairs_wanted(device), share = (wanted + processes - 1) / processes;
  if (device && device->kind == PAWL_CUDA) return share;
  const bool charged = pawl_fresh_pairs_ratio(fresh->pairs, fresh->count) > 1;
  const int left = pawl_fresh_pairs_left(fresh, device, charged);
  return (int)fresh->count < wanted && share < left ? share : left;
}

/* A kernel may be honest in the first pairs, which would hide the others. */
static struct pawl_fresh_calls last_pairs(const struct pawl_fresh_calls *fresh) {
  struct pawl_fresh_calls last = *fresh;
  last.count = fresh->count < LAST_PAIRS ? fresh->count : LAST_PAIRS;
  if (last.pairs) last.pairs += 2 * (fresh->count - last.count);
  return last;
}

static double certain_ratio(const double *pairs, size_t count) {
  if (count < FEWEST_CALLS || by_chance(pairs, count) > FALSE_ALARM) return 1;
  const double ratio = median_ratio(pairs, count);
  return ratio > LONGER ? ratio : 1;
}

double pawl_fresh_pairs_ratio(const double *pairs, size_t count) {
  const struct pawl_fresh_calls all = {.pairs = pairs, .count = count}, last = last_pairs(&all);
  return fmax(certain_ratio(pairs, count), certain_ratio(last.pairs, last.count));
}

static double times_by_difference(const struct pawl_fresh_calls *fresh) {
  PAWL_CLEANUP(pawl_free_pointer) double *longer = pawl_alloc(fresh->count + 1, sizeof *longer);
  for (size_t i = 0; i < fresh->count; i++)
    longer[i] = fresh->pairs[2 * i + 1] - fresh->pairs[2 * i];
  pawl_sort_doubles(longer, fresh->count);
  return 1 + fmax(pawl_median(longer, fresh->count), 0) / fresh->seconds;
}

static double certain_times(const struct pawl_fresh_calls *fresh) {
  return fresh->seconds > 0 && certain_ratio(fresh->pairs, fresh->count) > 1
             ? times_by_difference(fresh)
             : 1;
}

double pawl_fresh_pairs_times(const struct pawl_fresh_calls *fresh) {
  const struct pawl_fresh_calls last = last_pairs(fresh);
  return fmax(certain_times(fresh), certain_times(&last));
}

static double certain_beyond(const struct pawl_fresh_calls *arm,
                             const struct pawl_fresh_calls *base) {
  const double times = certain_times(arm);
  struct pawl_mann_whitney test;
  if (!(times > 1) || !base->count || !(base->seconds > 0)) return times;
  PAWL_CLEANUP(pawl_free_pointer) double *own = sorted_ratios(arm->pairs, arm->count);
  PAWL_CLEANUP(pawl_free_pointer) double *others = sorted_ratios(base->pairs, base->count);
  pawl_mann_whitney_sorted(own, arm->count, others, base->count, &test);
  const double beyond = times / times_by_difference(base);
  return test.p <= FALSE_ALARM && beyond > LONGER ? beyond : 1;
}

double pawl_fresh_pairs_beyond(const struct pawl_fresh_calls *arm,
                               const struct pawl_fresh_calls *base) {
  const struct pawl_fresh_calls last = last_pairs(arm);
  return fmax(certain_beyond(arm, base), certain_beyond(&last, base));
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
  if (!is_on_gpu(arm)) return fresh_pairs_are_suspicious(out->fresh_seconds, out->fresh_pairs);
  return median_ratio(out->fresh_seconds, out->fresh_pairs) > LONGER ||
         beyond_samples(run, arm, false) > 1;
}

/* Takes at most `pairs` pairs, as far as they fit into the time. */
static pawl_status take_cpu_pairs(struct pawl_block_run *run, struct pawl_arm_run *arm, int pairs,
                                  struct pawl_error *err) {
  const int each = pawl_cpu_pairs_of_round(run), wanted = (pairs + each - 1) / each,
            rounds = each > 1 ? pairs_in_time(run, arm, wanted * each) / each
                              : couples_in_time(arm, wanted);
  const size_t calls = 2 * (size_t)(rounds * each);
  struct pawl_time_reply reply = {
      .seconds = pawl_arena_alloc(run->arena, calls + 1, sizeof *reply.seconds)};
  PAWL_TRY(pawl_cpu_pairs_take(run, arm, rounds, reply.seconds, &reply.count, err));
  reply.count *= 2;
  if (arm->worker) keep_pairs(run, arm->out, &reply);
  return PAWL_OK;
}

/* Takes further pairs while the block's pairs are suspicious. Where chance drew the block, it takes
 * enough for an answer, because no other block may have pairs. */
static pawl_status take_suspicious(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   struct pawl_error *err) {
  const size_t most = run->plan->fresh_pairs ? arm->out->fresh_pairs + 1 : LAST_PAIRS;
  for (size_t had = 0;
       arm->out->fresh_pairs < most && arm->out->fresh_pairs > had && is_suspicious(run, arm);) {
    had = arm->out->fresh_pairs;
    PAWL_TRY(take_cpu_pairs(run, arm, MORE_PAIRS_ON_CPU, err));
  }
  return PAWL_OK;
}

pawl_status pawl_fresh_pairs_take(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  int first_set, bool last, struct pawl_error *err) {
  if (!arm->worker || arm->fresh_taken || !arm->fresh_pairs) return PAWL_OK;
  arm->fresh_taken = true;
  if (!is_on_gpu(arm)) {
    PAWL_TRY(take_cpu_pairs(run, arm, arm->fresh_pairs, err));
    return take_suspicious(run, arm, err);
  }
  PAWL_TRY(take_fresh_pairs(run, arm, arm->fresh_pairs, first_set, last, arm->fresh_compare, err));
  const size_t wanted = arm->out->fresh_pairs + MORE_PAIRS;
  for (size_t had = 0;
       arm->out->fresh_pairs < wanted && arm->out->fresh_pairs > had && is_suspicious(run, arm);) {
    had = arm->out->fresh_pairs;
    PAWL_TRY(take_fresh_pairs(run, arm, (int)(wanted - had), first_set, last, false, err));
  }
  return PAWL_OK;
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
