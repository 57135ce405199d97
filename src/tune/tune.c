/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune.h"

#include <math.h>
#include <string.h>

void pawl_tune_finalist_init(struct pawl_tune_finalist *finalist, size_t candidate) {
  *finalist =
      (struct pawl_tune_finalist){.candidate = candidate, .speedup = NAN, .low = NAN, .high = NAN};
}

bool pawl_tune_is_judged(const struct pawl_tune *tune, size_t i) {
  size_t finalist = 0;
  while (finalist < tune->finalist_count && tune->finalists[finalist].candidate != i) finalist++;
  return finalist < tune->finalist_count;
}

void pawl_tune_adopt(struct pawl_tune_candidate *one, const struct pawl_tune_candidate *other) {
  one->outcome = other->outcome;
  one->reason = other->reason;
  one->median_ms = other->median_ms;
  one->base_ms = other->base_ms;
  one->checked = other->checked;
  one->times = other->times;
  one->time_count = other->time_count;
}

void pawl_tune_share(struct pawl_tune *tune, const struct pawl_tune_candidate *candidate) {
  for (size_t i = 0; i < tune->count; i++) {
    struct pawl_tune_candidate *one = &tune->candidates[i];
    if (one != candidate && one->same_as && !strcmp(one->same_as, candidate->key))
      pawl_tune_adopt(one, candidate);
  }
}

void pawl_tune_sum_up(struct pawl_tune_candidate *candidate) {
  double median = 0, base = 0;
  size_t timed = 0, checked = 0, last = 0;
  for (size_t i = 0; i < candidate->time_count; i++) {
    const struct pawl_tune_times *times = &candidate->times[i];
    checked += times->checked ? 1 : 0;
    if (!(times->median_ms > 0 && times->base_ms > 0) && candidate->time_count > 1) continue;
    median += log(times->median_ms);
    base += log(times->base_ms);
    last = i;
    timed++;
  }
  candidate->median_ms = timed > 1 ? exp(median / (double)timed)
                         : timed   ? candidate->times[last].median_ms
                                   : NAN;
  candidate->base_ms = timed > 1 ? exp(base / (double)timed)
                       : timed   ? candidate->times[last].base_ms
                                 : NAN;
  candidate->checked = checked && checked == candidate->time_count;
  if (candidate->outcome == PAWL_OUTCOME_OK) return;
  candidate->median_ms = candidate->base_ms = NAN;
  candidate->checked = checked > 0;
}

size_t pawl_tune_tried(const struct pawl_tune *tune) {
  return tune->count + (tune->current_in_space ? 1 : 0);
}

size_t pawl_tune_count_timed(const struct pawl_tune *tune) {
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++)
    count += tune->candidates[i].outcome == PAWL_OUTCOME_OK && tune->candidates[i].median_ms > 0;
  return count;
}

static size_t count_changes(const struct pawl_tune *tune, size_t candidate) {
  const uint16_t *current = pawl_space_at(tune->space, tune->current_index);
  const uint16_t *levels = pawl_space_at(tune->space, tune->candidates[candidate].index);
  size_t count = 0;
  for (size_t i = 0; i < tune->space->axis_count; i++) count += levels[i] != current[i];
  return count;
}

size_t pawl_tune_plainest(const struct pawl_tune *tune, size_t candidate) {
  const char *key = tune->candidates[candidate].key;
  size_t best = candidate;
  for (size_t i = 0; tune->current_in_space && i < tune->count; i++) {
    const struct pawl_tune_candidate *one = &tune->candidates[i];
    if (one->same_as && !strcmp(one->same_as, key) &&
        count_changes(tune, i) < count_changes(tune, best))
      best = i;
  }
  return best;
}

const char *pawl_tune_plain_key(const struct pawl_tune *tune, size_t candidate) {
  return tune->candidates[pawl_tune_plainest(tune, candidate)].key;
}

size_t pawl_tune_failed(const struct pawl_tune *tune) {
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++) count += tune->candidates[i].outcome != PAWL_OUTCOME_OK;
  return count;
}

const char *pawl_tune_limits(double low, double high, struct pawl_arena *arena) {
  return isfinite(low) && isfinite(high) ? pawl_arena_printf(arena, " [%.2f, %.2f]", low, high)
                                         : "";
}
