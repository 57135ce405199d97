/* SPDX-License-Identifier: Apache-2.0 */
/* What a search teaches about the parameters: which of them matter, and what each does at the best
   configuration. It comes from a surrogate that learns all candidates: a model's estimate, and not
   a measurement. */
#ifndef PAWL_TUNE_INSIGHT_H
#define PAWL_TUNE_INSIGHT_H

#include "tune/tune.h"

/* Of an axis of the space with more than one value. */
struct pawl_tune_effect {
  size_t axis;
  /* The share, in 0..1, of the variance of log time over the space that the parameter explains
     alone: the first-order index of Sobol, "Global sensitivity indices for nonlinear mathematical
     models", 2001. Where constraints couple parameters, each has a part of what the other does, and
     the sum can be more than 1. */
  double share;
  /* The values with the least and the largest mean of log time over all else. The best is one of
     those with which the outputs of a candidate were compared and right. */
  uint16_t best, worst;
  double ratio; /* the geometric mean of time with the worst value over that with the best; NaN: no
                   value is right */
};

struct pawl_tune_insight {
  struct pawl_tune_effect *effects; /* the largest share first */
  size_t count;                     /* 0: fewer than PAWL_INSIGHT_LEAST candidates work */
};

#define PAWL_INSIGHT_LEAST 6u

void pawl_tune_learn(const struct pawl_tune *tune, struct pawl_arena *arena,
                     struct pawl_tune_insight *out);

/* Time as a share of the current code's; NaN: it failed, or was not timed. */
double pawl_tune_ratio(const struct pawl_tune_candidate *candidate);
/* Whether its outputs were compared on a case at least. */
bool pawl_tune_was_compared(const struct pawl_tune_candidate *candidate);
/* The time of the current parameters, in milliseconds: the median of those that were measured
   beside the candidates which have a time on every case, else on any; NaN: none has. A machine is
   not as fast all the time, some candidates are timed on a part of the cases only, and evaluators
   differ. So the times of two candidates compare as ratio * this one. */
double pawl_tune_current_ms(const struct pawl_tune *tune);
/* The same of times in another form. */
struct pawl_tune_base_time {
  double ms;
  bool on_all; /* its candidate has a time on every case */
};
double pawl_tune_scale(const struct pawl_tune_base_time *times, size_t count);

#endif
