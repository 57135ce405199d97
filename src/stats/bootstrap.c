/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/bootstrap.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/sort.h"
#include "stats/variates.h"

/* "bootstra" separates this stream from all other uses of the same seed. */
#define BOOTSTRAP_STREAM UINT64_C(0x626f6f7473747261)

struct pawl_random pawl_bootstrap_stream(uint64_t seed) {
  return pawl_random_init(seed, BOOTSTRAP_STREAM);
}

void pawl_bootstrap_draw_middle(struct pawl_random *random, size_t n, double *low, double *high) {
  /* The sums of the (n + 1) / 2 spacings below the middle, and of the same number above it. */
  double side[2];
  pawl_draw_gammas(random, (double)((n + 1) / 2), side);
  const double between = n % 2 ? 0 : pawl_draw_exponential(random);
  const double total = side[0] + between + side[1];
  *low = side[0] / total;
  *high = (side[0] + between) / total;
}

static uint32_t rank_at(double position, size_t n) {
  const size_t rank = (size_t)(position * (double)n);
  return (uint32_t)(rank < n ? rank : n - 1); /* position can round up to 1 */
}

pawl_status pawl_bootstrap_plan_init(struct pawl_bootstrap_plan *plan, size_t sample_count,
                                     uint32_t resamples, uint64_t seed, struct pawl_error *err) {
  if (sample_count == 0 || sample_count > UINT32_MAX)
    return pawl_fail(err, PAWL_BAD_DATA, "cannot bootstrap %zu samples: the limits are 1 and %u",
                     sample_count, UINT32_MAX);
  if (resamples == 0 || resamples > PAWL_BOOTSTRAP_MAX_RESAMPLES)
    return pawl_fail(err, PAWL_USAGE, "cannot draw %u resamples: choose 1 to %u", resamples,
                     PAWL_BOOTSTRAP_MAX_RESAMPLES);
  uint64_t *keys = pawl_alloc(resamples, sizeof *keys);
  struct pawl_random random = pawl_bootstrap_stream(seed);
  for (uint32_t i = 0; i < resamples; i++) {
    double low, high;
    pawl_bootstrap_draw_middle(&random, sample_count, &low, &high);
    keys[i] = (uint64_t)rank_at(low, sample_count) << 32 | rank_at(high, sample_count);
  }
  pawl_sort_keys(keys, resamples);
  size_t distinct = 1;
  for (uint32_t i = 1; i < resamples; i++) distinct += keys[i] != keys[i - 1];
  struct pawl_rank_pair *pairs = pawl_alloc(distinct, sizeof *pairs);
  size_t last = 0;
  for (uint32_t i = 0; i < resamples; i++) {
    if (i > 0 && keys[i] != keys[i - 1]) last++;
    pairs[last].low = (uint32_t)(keys[i] >> 32);
    pairs[last].high = (uint32_t)keys[i];
    pairs[last].count++;
  }
  pawl_free(keys);
  *plan = (struct pawl_bootstrap_plan){sample_count, resamples, seed, distinct, pairs};
  return PAWL_OK;
}

void pawl_bootstrap_plan_release(struct pawl_bootstrap_plan *plan) {
  if (!plan) return;
  pawl_free(plan->pairs);
  *plan = (struct pawl_bootstrap_plan){0};
}

struct weighted {
  double value;
  uint32_t count;
};

/* The medians of a plan's pairs are nearly in order: a median comes too late only after pairs that
   enclose its own. So each moves a few places, and insertion is faster than qsort(). */
static void sort_weighted(struct weighted *medians, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const struct weighted median = medians[i];
    size_t place = i;
    for (; place > 0 && medians[place - 1].value > median.value; place--)
      medians[place] = medians[place - 1];
    medians[place] = median;
  }
}

/* Returns pawl_quantile of the list that contains each medians[i].value medians[i].count times. */
static double weighted_quantile(const struct weighted *medians, uint32_t total, double fraction) {
  const double position = fraction * (double)(total - 1);
  const uint32_t below = (uint32_t)position;
  uint32_t end = medians->count; /* the end of the run of equal values that *medians stands for */
  while (end <= below) end += (++medians)->count;
  const bool next_is_same = below + 1 < end || below + 1 >= total;
  return pawl_interpolate(medians[0].value, medians[next_is_same ? 0 : 1].value,
                          position - (double)below);
}

pawl_status pawl_bootstrap_plan_apply(const struct pawl_bootstrap_plan *plan, const double *sorted,
                                      double confidence, double *low, double *high,
                                      struct pawl_error *err) {
  if (!(confidence > 0 && confidence < 1))
    return pawl_fail(err, PAWL_USAGE, "cannot use confidence '%g': it must be between 0 and 1",
                     confidence);
  if (plan->sample_count == 1) {
    *low = *high = NAN;
    return PAWL_OK;
  }
  struct weighted *medians = pawl_realloc(NULL, plan->pair_count, sizeof *medians);
  for (size_t i = 0; i < plan->pair_count; i++) {
    const struct pawl_rank_pair *pair = &plan->pairs[i];
    medians[i] = (struct weighted){pawl_interpolate(sorted[pair->low], sorted[pair->high], 0.5),
                                   pair->count};
  }
  /* with odd n the medians are single samples and already in order */
  if (plan->sample_count % 2 == 0) sort_weighted(medians, plan->pair_count);
  const double tail = (1 - confidence) / 2;
  *low = weighted_quantile(medians, plan->resamples, tail);
  *high = weighted_quantile(medians, plan->resamples, 1 - tail);
  pawl_free(medians);
  return PAWL_OK;
}

void pawl_bootstrap_plans_release(struct pawl_bootstrap_plans *plans) {
  if (!plans) return;
  for (size_t i = 0; i < plans->count; i++) pawl_bootstrap_plan_release(&plans->items[i]);
  pawl_free(plans->items);
  *plans = (struct pawl_bootstrap_plans){0};
}

static pawl_status plan_for(struct pawl_bootstrap_plans *plans, size_t count,
                            const struct pawl_bootstrap_plan **out, struct pawl_error *err) {
  for (size_t i = 0; i < plans->count; i++)
    if (plans->items[i].sample_count == count) {
      *out = &plans->items[i];
      return PAWL_OK;
    }
  plans->items = pawl_grow(plans->items, plans->count, &plans->capacity, sizeof *plans->items);
  struct pawl_bootstrap_plan *plan = &plans->items[plans->count];
  PAWL_TRY(
      pawl_bootstrap_plan_init(plan, count, PAWL_BOOTSTRAP_RESAMPLES, PAWL_BOOTSTRAP_SEED, err));
  plans->count++;
  *out = plan;
  return PAWL_OK;
}

pawl_status pawl_bootstrap_plans_median_ci(struct pawl_bootstrap_plans *plans, const double *sorted,
                                           size_t count, double *low, double *high,
                                           struct pawl_error *err) {
  const struct pawl_bootstrap_plan *plan;
  PAWL_TRY(plan_for(plans, count, &plan, err));
  return pawl_bootstrap_plan_apply(plan, sorted, PAWL_BOOTSTRAP_CONFIDENCE, low, high, err);
}

pawl_status pawl_bootstrap_median_ci(const double *samples, size_t count, double confidence,
                                     uint32_t resamples, uint64_t seed, double *low, double *high,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) double *sorted = NULL;
  PAWL_CLEANUP(pawl_bootstrap_plan_release) struct pawl_bootstrap_plan plan = {0};
  PAWL_TRY(pawl_sorted_copy(samples, count, &sorted, err));
  PAWL_TRY(pawl_bootstrap_plan_init(&plan, count, resamples, seed, err));
  return pawl_bootstrap_plan_apply(&plan, sorted, confidence, low, high, err);
}
