/* SPDX-License-Identifier: Apache-2.0 */
/* Shows which parameters of a search matter, and the effect of each at the best configuration. A
 * surrogate learns all candidates, so the effects are estimates of a model, not measurements. */
#pragma once

#include "tune/tune.h"

/* The effect of an axis with more than one value. */
struct pawl_tune_effect {
  size_t axis;
  /* the share, 0 to 1, of the variance of log time over the space that the parameter explains
   * alone: the first-order index of Sobol, "Global sensitivity indices for nonlinear mathematical
   * models", 2001; constraints that couple parameters can make the sum of all shares larger than
   * 1 */
  double share;
  /* the values with the least and the largest mean of log time over all other parameters; with the
   * best value a candidate was compared and right */
  uint16_t best, worst;
  /* the geometric mean of time with the worst value over that with the best; NaN: no value is
     right */
  double ratio;
};

struct pawl_tune_insight {
  struct pawl_tune_effect *effects; /* the largest share first */
  size_t count;                     /* 0: fewer than PAWL_INSIGHT_LEAST candidates work */
};

#define PAWL_INSIGHT_LEAST 6u

void pawl_tune_learn(const struct pawl_tune *tune, struct pawl_arena *arena,
                     struct pawl_tune_insight *out);

/* Returns the time as a share of the current code's time, or NaN if the candidate failed or was not
 * timed. */
double pawl_tune_ratio(const struct pawl_tune_candidate *candidate);
/* Returns whether pawl compared the candidate's outputs on at least one case. */
bool pawl_tune_was_compared(const struct pawl_tune_candidate *candidate);
/* Returns the time of the current parameters in milliseconds: the median of the times beside
 * candidates with a time on every case, or beside any candidate if there are none. Returns NaN if
 * nothing was timed. Machines change their speed, some candidates have times on some cases only,
 * and evaluators differ. So the times of two candidates compare as ratio * this time. */
double pawl_tune_current_ms(const struct pawl_tune *tune);
/* pawl_tune_scale does the same with times of this form. */
struct pawl_tune_base_time {
  double ms;
  bool on_all; /* its candidate has a time on every case */
};
double pawl_tune_scale(const struct pawl_tune_base_time *times, size_t count);
