/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/claims.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure/roofline.h"
#include "measure/round_ratio.h"
#include "stats/cliffs.h"
#include "stats/describe.h"
#include "stats/process_interval.h"
#include "stats/sort.h"

const char *pawl_sweep_verdict_name(enum pawl_sweep_verdict verdict) {
  static const char *const names[PAWL_SWEEP_VERDICTS] = {"not decided", "faster", "slower",
                                                         "failed"};
  return (unsigned)verdict < PAWL_SWEEP_VERDICTS ? names[verdict] : NULL;
}

/* The blocks of two arms at a point that count. */
struct sweep_pair {
  double *ratios; /* logarithms of reference / kernel */
  double *kernel_ms, *reference_ms;
  size_t blocks;
  double *kernel_samples, *reference_samples;
  size_t samples;
  struct pawl_fresh_calls kernel_fresh, reference_fresh;
  const struct pawl_sweep_timing *failed; /* the first timing that is not OK */
};

struct sweep_progress;
struct sweep_pairing {
  const struct pawl_sweep *sweep;
  struct pawl_arena *arena;
  double confidence; /* that each interval has */
  struct pawl_sweep_claims *claims;
  struct sweep_progress *progress; /* how far each point is */
};

static void sweep_add_samples(double *all, size_t count, const struct pawl_sweep_timing *timing) {
  memcpy(all + count, timing->samples_ms, timing->sample_count * sizeof *all);
}

void pawl_sweep_add_fresh(struct pawl_fresh_calls *calls, const struct pawl_sweep_timing *timing,
                          struct pawl_arena *arena) {
  calls->pairs = pawl_fresh_pairs_join(arena, calls->pairs, calls->count, timing->fresh_ms,
                                       timing->fresh_count / 2);
  calls->count += timing->fresh_count / 2;
}

static pawl_status sweep_add_block(const struct pawl_sweep *sweep,
                                   const struct pawl_sweep_timing *kernel,
                                   const struct pawl_sweep_timing *reference, int rounds,
                                   struct sweep_pair *pair, struct pawl_arena *arena,
                                   struct pawl_error *err) {
  const size_t wanted = (size_t)sweep->plan.samples;
  if (kernel->sample_count != wanted || reference->sample_count != wanted)
    return pawl_fail(
        err, PAWL_BAD_DATA, "a block has %zu samples of '%s' and %zu of '%s', but the plan has %zu",
        kernel->sample_count, kernel->arm, reference->sample_count, reference->arm, wanted);
  double *kernel_ms = &pair->kernel_ms[pair->blocks],
         *reference_ms = &pair->reference_ms[pair->blocks];
  PAWL_TRY(pawl_round_ratio(kernel->samples_ms, reference->samples_ms, wanted, rounds, arena,
                            kernel_ms, reference_ms, err));
  pair->ratios[pair->blocks++] = log(*reference_ms / *kernel_ms);
  sweep_add_samples(pair->kernel_samples, pair->samples, kernel);
  sweep_add_samples(pair->reference_samples, pair->samples, reference);
  pair->samples += wanted;
  return PAWL_OK;
}

/* Counts those that are there: a plan from elsewhere may promise more than fit into the memory. */
static size_t sweep_count_samples(const struct pawl_sweep *sweep, size_t point, const char *arm) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->block_count; i++) {
    const struct pawl_sweep_timing *timing =
        sweep->blocks[i].point == point ? pawl_sweep_timing_of(&sweep->blocks[i], arm) : NULL;
    if (timing) count += timing->sample_count;
  }
  return count;
}

static pawl_status sweep_pair_of(const struct pawl_sweep *sweep, size_t point, const char *kernel,
                                 const char *reference, struct pawl_arena *arena,
                                 struct sweep_pair *out, struct pawl_error *err) {
  const size_t most = pawl_sweep_count_blocks(sweep, point) + 1,
               samples = sweep_count_samples(sweep, point, kernel) + 1;
  struct sweep_pair pair = {.ratios = pawl_arena_alloc(arena, most, sizeof(double)),
                            .kernel_ms = pawl_arena_alloc(arena, most, sizeof(double)),
                            .reference_ms = pawl_arena_alloc(arena, most, sizeof(double)),
                            .kernel_samples = pawl_arena_alloc(arena, samples, sizeof(double)),
                            .reference_samples = pawl_arena_alloc(arena, samples, sizeof(double))};
  for (size_t i = 0; i < sweep->block_count; i++) {
    const struct pawl_sweep_block *block = &sweep->blocks[i];
    if (block->point != point) continue;
    const struct pawl_sweep_timing *mine = pawl_sweep_timing_of(block, kernel),
                                   *other = pawl_sweep_timing_of(block, reference);
    if (!mine || !other)
      return pawl_fail(err, PAWL_BAD_DATA, "block %zu of point %zu has no times of '%s'",
                       block->number, point, mine ? reference : kernel);
    if (!pair.failed && mine->outcome != PAWL_OUTCOME_OK) pair.failed = mine;
    if (!pair.failed && other->outcome != PAWL_OUTCOME_OK) pair.failed = other;
    if (pair.failed) break;
    pawl_sweep_add_fresh(&pair.kernel_fresh, mine, arena);
    pawl_sweep_add_fresh(&pair.reference_fresh, other, arena);
    if (!block->spoiled)
      PAWL_TRY(
          sweep_add_block(sweep, mine, other, sweep->plan.points[point].rounds, &pair, arena, err));
  }
  *out = pair;
  return PAWL_OK;
}

static double sweep_median(const double *values, size_t count, struct pawl_arena *arena) {
  double *sorted = pawl_arena_alloc(arena, count + 1, sizeof *sorted);
  memcpy(sorted, values, count * sizeof *sorted);
  pawl_sort_doubles(sorted, count);
  return count ? pawl_median(sorted, count) : NAN;
}

/* The reference's times depend on the data as the kernel's do, unless the kernel keeps work between
   calls. Times on a GPU count longer already: measure/integrity/fresh_pairs.h. */
static void sweep_charge(const struct pawl_sweep_point *point, struct sweep_pair *pair,
                         struct pawl_sweep_claim *claim, struct pawl_arena *arena) {
  claim->charged = 1;
  if (!pair->blocks || !pawl_text_equal(point->device, "cpu")) return;
  pair->kernel_fresh.seconds = sweep_median(pair->kernel_ms, pair->blocks, arena);
  pair->reference_fresh.seconds = sweep_median(pair->reference_ms, pair->blocks, arena);
  claim->charged = pawl_fresh_pairs_beyond(&pair->kernel_fresh, &pair->reference_fresh);
  for (size_t i = 0; i < pair->blocks; i++) {
    pair->ratios[i] -= log(claim->charged);
    pair->kernel_ms[i] *= claim->charged;
  }
  for (size_t i = 0; i < pair->samples; i++) pair->kernel_samples[i] *= claim->charged;
}

/* Returns the confidence of each interval. All intervals of the folder, with those of the means,
   hold together with the confidence of one alone (Bonferroni). */
static double sweep_confidence(const struct pawl_sweep_plan *plan) {
  const size_t intervals = pawl_sweep_count_intervals(plan);
  return 1 - (1 - PAWL_PROCESS_CONFIDENCE) / (double)(intervals ? intervals : 1);
}

size_t pawl_sweep_least_blocks(const struct pawl_sweep_plan *plan) {
  return pawl_process_interval_least(sweep_confidence(plan));
}

/* Returns the difference, in standard errors, that a claim detects with PAWL_SWEEP_POWER. */
static double sweep_power_quantiles(double confidence) {
  return pawl_normal_quantile(PAWL_SWEEP_POWER) - pawl_normal_quantile((1 - confidence) / 2);
}

static pawl_status sweep_decide(const struct sweep_pair *pair, double confidence,
                                struct pawl_sweep_claim *claim, struct pawl_arena *arena,
                                struct pawl_error *err) {
  struct pawl_summary ratios;
  const size_t least = pawl_process_interval_least(confidence);
  claim->blocks = pair->blocks;
  if (pair->blocks) {
    PAWL_TRY(pawl_summarize(pair->ratios, pair->blocks, &ratios, err));
    claim->speedup = exp(ratios.median);
    claim->kernel_ms = sweep_median(pair->kernel_ms, pair->blocks, arena);
    claim->reference_ms = sweep_median(pair->reference_ms, pair->blocks, arena);
    claim->block_sd = ratios.std;
    claim->detectable = sweep_power_quantiles(confidence) * PAWL_ERROR_OF_MEDIAN * ratios.std /
                        sqrt((double)pair->blocks);
    PAWL_TRY(pawl_cliffs_delta(pair->reference_samples, pair->samples, pair->kernel_samples,
                               pair->samples, &claim->cliffs_delta, err));
    pawl_process_interval_at(confidence, pair->ratios, pair->blocks, &claim->low, &claim->high);
    claim->low = exp(claim->low), claim->high = exp(claim->high);
  }
  claim->verdict = claim->low > 1    ? PAWL_SWEEP_FASTER
                   : claim->high < 1 ? PAWL_SWEEP_SLOWER
                                     : PAWL_SWEEP_UNDECIDED;
  if (claim->verdict == PAWL_SWEEP_UNDECIDED)
    claim->reason = pair->blocks < least
                        ? pawl_arena_printf(arena, "%zu blocks count, and an interval needs %zu",
                                            pair->blocks, least)
                        : "the interval includes 1";
  return PAWL_OK;
}

static pawl_status sweep_claim_of(const struct sweep_pairing *pairing, size_t index,
                                  const char *kernel, const char *reference,
                                  struct sweep_pair *pair, struct pawl_sweep_claim *out,
                                  struct pawl_error *err) {
  const struct pawl_sweep *sweep = pairing->sweep;
  const struct pawl_sweep_point *point = &sweep->plan.points[index];
  struct pawl_arena *arena = pairing->arena;
  struct pawl_sweep_claim claim = {.kernel = kernel,
                                   .reference = reference,
                                   .case_name = point->case_name,
                                   .device = point->device,
                                   .kernel_ms = NAN,
                                   .reference_ms = NAN,
                                   .speedup = NAN,
                                   .low = NAN,
                                   .high = NAN,
                                   .cliffs_delta = NAN,
                                   .block_sd = NAN,
                                   .detectable = NAN,
                                   .charged = 1};
  PAWL_TRY(sweep_pair_of(sweep, index, kernel, reference, arena, pair, err));
  if (pair->failed) {
    claim.verdict = PAWL_SWEEP_FAILED;
    claim.reason = pawl_arena_printf(arena, "%s: %s: %s", pair->failed->arm,
                                     pawl_outcome_name(pair->failed->outcome),
                                     pair->failed->reason ? pair->failed->reason : "no reason");
  } else {
    sweep_charge(point, pair, &claim, arena);
    PAWL_TRY(sweep_decide(pair, pairing->confidence, &claim, arena, err));
    claim.block_ratios = pair->ratios;
  }
  *out = claim;
  return PAWL_OK;
}

static void sweep_limit(const struct pawl_sweep *sweep, const struct pawl_sweep_point *point,
                        struct pawl_sweep_time *time, struct pawl_arena *arena) {
  const struct pawl_work work = {.flop = point->flop, .bytes = point->bytes};
  const struct pawl_device_limits limits = {point->peak_gflops, point->peak_gb_s, NULL};
  struct pawl_roofline roofline = {.arithmetic_intensity = NAN, .efficiency_pct = NAN};
  time->gflops = point->flop > 0 ? point->flop / time->median_ms * 1e-6 : NAN;
  time->gb_s = point->bytes > 0 ? point->bytes / time->median_ms * 1e-6 : NAN;
  pawl_roofline_of(&work, time->median_ms, PAWL_ROOFLINE_NONE, &limits,
                   pawl_text_equal(sweep->plan.cache, "warm"), arena, &roofline);
  time->limit = roofline.bottleneck;
  time->limit_pct = roofline.efficiency_pct;
  time->warning = pawl_roofline_error(&roofline);
}

static pawl_status sweep_time_of(const struct pawl_sweep *sweep, size_t index, const char *arm,
                                 struct pawl_arena *arena, struct pawl_sweep_time *out,
                                 struct pawl_error *err) {
  const struct pawl_sweep_point *point = &sweep->plan.points[index];
  struct pawl_sweep_time time = {.point = point,
                                 .arm = arm,
                                 .case_name = point->case_name,
                                 .device = point->device,
                                 .outcome = PAWL_OUTCOME_INCONCLUSIVE,
                                 .reason = "no block counts yet",
                                 .median_ms = NAN,
                                 .low_ms = NAN,
                                 .high_ms = NAN,
                                 .gflops = NAN,
                                 .gb_s = NAN,
                                 .limit_pct = NAN};
  double *medians =
      pawl_arena_alloc(arena, pawl_sweep_count_blocks(sweep, index) + 1, sizeof *medians);
  for (size_t i = 0; i < sweep->block_count; i++) {
    const struct pawl_sweep_block *block = &sweep->blocks[i];
    const struct pawl_sweep_timing *timing =
        block->point == index ? pawl_sweep_timing_of(block, arm) : NULL;
    if (!timing) continue;
    if (timing->outcome != PAWL_OUTCOME_OK) {
      time.outcome = timing->outcome, time.reason = timing->reason, time.blocks = 0;
      break;
    }
    if (block->spoiled) continue;
    struct pawl_summary summary;
    PAWL_TRY(pawl_summarize(timing->samples_ms, timing->sample_count, &summary, err));
    medians[time.blocks++] = summary.median;
    time.outcome = PAWL_OUTCOME_OK, time.reason = NULL;
  }
  if (time.blocks) {
    time.median_ms = sweep_median(medians, time.blocks, arena);
    pawl_process_interval(medians, time.blocks, &time.low_ms, &time.high_ms);
    sweep_limit(sweep, point, &time, arena);
  }
  *out = time;
  return PAWL_OK;
}

/* --- when a point needs no more blocks --- */

/* How far a point is. */
struct sweep_progress {
  bool begun;
  bool enough; /* it has the least number of blocks */
  bool full;   /* it has as many blocks as the plan allows */
  bool open;   /* a claim needs more blocks */
  size_t counted;
  double needed; /* the blocks after which the widest claim is probably precise */
};

static struct sweep_progress sweep_progress_of(const struct pawl_sweep *sweep, size_t point) {
  const struct pawl_sweep_plan *plan = &sweep->plan;
  const size_t counted = pawl_sweep_count_counted(sweep, point),
               spoiled = pawl_sweep_count_blocks(sweep, point) - counted;
  return (struct sweep_progress){
      .counted = counted,
      .begun = counted + spoiled > 0,
      .enough = counted >= (size_t)plan->least_blocks,
      .full = counted >= (size_t)plan->most_blocks || spoiled >= (size_t)plan->most_blocks};
}

/* A claim that failed needs no more blocks, nor does a precise one after the least number. The
   width of an interval falls with the root of the number of blocks. */
static void sweep_note_claim(struct sweep_progress *progress, const struct pawl_sweep_claim *claim,
                             double precision) {
  const double excess = (claim->high - claim->low) / 2 / (precision * claim->speedup);
  if (claim->verdict == PAWL_SWEEP_FAILED || (progress->enough && excess <= 1)) return;
  progress->open = true;
  progress->needed = fmax(progress->needed, (double)progress->counted * excess * excess);
}

static bool sweep_is_done(const struct sweep_progress *progress) {
  return progress->full || (progress->begun && !progress->open);
}

/* --- the pairs of a plan --- */

bool pawl_sweep_compares(const struct pawl_sweep_plan *plan, const struct pawl_sweep_arm *kernel,
                         const struct pawl_sweep_arm *reference) {
  const struct pawl_sweep_arm *first = NULL;
  if (kernel == reference || kernel->reference || !pawl_sweep_meets(kernel, reference))
    return false;
  for (size_t i = 0; i < plan->arm_count; i++) {
    const struct pawl_sweep_arm *arm = &plan->arms[i];
    if (!pawl_sweep_meets(arm, kernel)) continue;
    if (arm->reference) return reference->reference;
    if (!first) first = arm;
  }
  return reference == first;
}

static size_t sweep_count_points(const struct pawl_sweep_plan *plan,
                                 const struct pawl_sweep_arm *arm) {
  size_t count = 0;
  for (size_t i = 0; i < plan->point_count; i++)
    count += pawl_sweep_takes_part(arm, &plan->points[i]);
  return count;
}

size_t pawl_sweep_count_intervals(const struct pawl_sweep_plan *plan) {
  size_t count = 0;
  for (size_t i = 0; i < plan->arm_count; i++)
    for (size_t j = 0; j < plan->arm_count; j++)
      if (pawl_sweep_compares(plan, &plan->arms[i], &plan->arms[j]))
        count += 1 + sweep_count_points(plan, &plan->arms[i]);
  return count;
}

/* The geometric mean of a block of each point is one value; as many blocks as each point has. */
static void sweep_interval_of_mean(const struct sweep_pairing *pairing, double *const *ratios,
                                   size_t points, struct pawl_sweep_mean *mean) {
  double *means = pawl_arena_alloc(pairing->arena, mean->blocks + 1, sizeof *means);
  for (size_t block = 0; block < mean->blocks; block++) {
    for (size_t i = 0; i < points; i++) means[block] += ratios[i][block] / (double)points;
  }
  pawl_process_interval_at(pairing->confidence, means, mean->blocks, &mean->low, &mean->high);
  mean->low = exp(mean->low), mean->high = exp(mean->high);
}

static void sweep_count_verdict(const struct pawl_sweep_claim *claim,
                                struct pawl_sweep_mean *mean) {
  size_t *const counts[PAWL_SWEEP_VERDICTS] = {&mean->undecided, &mean->faster, &mean->slower,
                                               &mean->failed};
  ++*counts[claim->verdict];
}

/* Makes the claims of a kernel beside a reference, and their mean. */
static pawl_status sweep_claims_of(const struct sweep_pairing *pairing,
                                   const struct pawl_sweep_arm *kernel,
                                   const struct pawl_sweep_arm *reference, struct pawl_error *err) {
  const struct pawl_sweep *sweep = pairing->sweep;
  struct pawl_sweep_claims *claims = pairing->claims;
  struct pawl_sweep_mean mean = {.kernel = kernel->name,
                                 .reference = reference->name,
                                 .device = kernel->device,
                                 .speedup = NAN,
                                 .low = NAN,
                                 .high = NAN};
  double **ratios = pawl_arena_alloc(pairing->arena, sweep->plan.point_count + 1, sizeof *ratios);
  double sum = 0;
  for (size_t i = 0; i < sweep->plan.point_count; i++) {
    struct sweep_pair pair;
    struct pawl_sweep_claim *claim = &claims->claims[claims->claim_count];
    if (!pawl_sweep_takes_part(kernel, &sweep->plan.points[i])) continue;
    PAWL_TRY(sweep_claim_of(pairing, i, kernel->name, reference->name, &pair, claim, err));
    claims->claim_count++;
    sweep_count_verdict(claim, &mean);
    sweep_note_claim(&pairing->progress[i], claim, sweep->plan.precision);
    if (!(claim->speedup > 0)) continue;
    sum += log(claim->speedup);
    if (!mean.points || pair.blocks < mean.blocks) mean.blocks = pair.blocks;
    ratios[mean.points++] = pair.ratios;
  }
  if (mean.points) {
    mean.speedup = exp(sum / (double)mean.points);
    sweep_interval_of_mean(pairing, ratios, mean.points, &mean);
  }
  claims->means[claims->mean_count++] = mean;
  return PAWL_OK;
}

static pawl_status sweep_times(const struct pawl_sweep *sweep, struct pawl_arena *arena,
                               struct pawl_sweep_claims *out, struct pawl_error *err) {
  const struct pawl_sweep_plan *plan = &sweep->plan;
  size_t count = 0;
  for (size_t i = 0; i < plan->arm_count; i++) count += sweep_count_points(plan, &plan->arms[i]);
  out->times = pawl_arena_alloc(arena, count + 1, sizeof *out->times);
  for (size_t i = 0; i < plan->arm_count; i++)
    for (size_t j = 0; j < plan->point_count; j++)
      if (pawl_sweep_takes_part(&plan->arms[i], &plan->points[j]))
        PAWL_TRY(sweep_time_of(sweep, j, plan->arms[i].name, arena, &out->times[out->time_count++],
                               err));
  return PAWL_OK;
}

pawl_status pawl_sweep_claim(const struct pawl_sweep *sweep, struct pawl_arena *arena,
                             struct pawl_sweep_claims *out, struct pawl_error *err) {
  const struct pawl_sweep_plan *plan = &sweep->plan;
  struct pawl_sweep_claims claims = {.confidence = sweep_confidence(plan)};
  const struct sweep_pairing pairing = {
      sweep, arena, claims.confidence, &claims,
      pawl_arena_alloc(arena, plan->point_count + 1, sizeof *pairing.progress)};
  const size_t intervals = pawl_sweep_count_intervals(plan);
  for (size_t i = 0; i < plan->point_count; i++) pairing.progress[i] = sweep_progress_of(sweep, i);
  claims.claims = pawl_arena_alloc(arena, intervals + 1, sizeof *claims.claims);
  claims.means = pawl_arena_alloc(arena, intervals + 1, sizeof *claims.means);
  for (size_t i = 0; i < plan->arm_count; i++)
    for (size_t j = 0; j < plan->arm_count; j++)
      if (pawl_sweep_compares(plan, &plan->arms[i], &plan->arms[j]))
        PAWL_TRY(sweep_claims_of(&pairing, &plan->arms[i], &plan->arms[j], err));
  PAWL_TRY(sweep_times(sweep, arena, &claims, err));
  for (size_t i = 0; i < plan->point_count; i++)
    claims.complete += sweep_is_done(&pairing.progress[i]);
  *out = claims;
  return PAWL_OK;
}

/* Makes the claims of one point, to see whether they need more blocks. */
static pawl_status sweep_note_claims(const struct pawl_sweep *sweep, size_t point,
                                     struct sweep_progress *progress, struct pawl_arena *arena,
                                     struct pawl_error *err) {
  const struct pawl_sweep_plan *plan = &sweep->plan;
  const struct sweep_pairing pairing = {sweep, arena, sweep_confidence(plan), NULL, NULL};
  for (size_t i = 0; i < plan->arm_count; i++) {
    for (size_t j = 0; j < plan->arm_count; j++) {
      struct sweep_pair pair;
      struct pawl_sweep_claim claim;
      if (!pawl_sweep_compares(plan, &plan->arms[i], &plan->arms[j]) ||
          !pawl_sweep_takes_part(&plan->arms[i], &plan->points[point]))
        continue;
      PAWL_TRY(sweep_claim_of(&pairing, point, plan->arms[i].name, plan->arms[j].name, &pair,
                              &claim, err));
      sweep_note_claim(progress, &claim, plan->precision);
    }
  }
  return PAWL_OK;
}

pawl_status pawl_sweep_point_left(const struct pawl_sweep *sweep, size_t point, size_t *left,
                                  struct pawl_error *err) {
  struct sweep_progress progress = sweep_progress_of(sweep, point);
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  if (!progress.full && progress.begun)
    PAWL_TRY(sweep_note_claims(sweep, point, &progress, &arena, err));
  const double needed =
      fmin(fmax(progress.needed, sweep->plan.least_blocks), sweep->plan.most_blocks);
  *left = sweep_is_done(&progress) ? 0 : (size_t)fmax(1, ceil(needed - (double)progress.counted));
  return PAWL_OK;
}
