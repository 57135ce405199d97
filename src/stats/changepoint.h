/* SPDX-License-Identifier: Apache-2.0 */
/* Where does the level of a series of times change for good? Outliers, a clock that jumps between
   two modes and slow drift are no changes. */
#ifndef PAWL_STATS_CHANGEPOINT_H
#define PAWL_STATS_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>

#define PAWL_CHANGE_LEAST 7   /* values; of fewer nothing is said */
#define PAWL_CHANGE_MOST 5000 /* values that are looked at; of more the newest */

/* Of what pawl_changepoints() answers, and of the values that it gets of a series: it counts up
   where these change, so that answers that were kept go out of use. */
#define PAWL_CHANGE_REVISION 2

/* What the noise of a series is, in logarithms: of relative size. */
struct pawl_series_noise {
  double sd;          /* of a value around its level */
  double correlation; /* of a value with the next, in [0, 1) */
};

/* A change between values[at - 1] and values[at]. */
struct pawl_level_change {
  size_t index;
  double before, after; /* the levels: medians of the values up to the changes beside it */
  double size;          /* after / before - 1: positive is larger */
  double confidence;    /* 1 - p: how sure it is that noise alone does not look like that, over all
                           places; in [0, 1] */
};

/* Finds the changes in `count` values in the order of time, all positive and finite. Writes them in
   that order into `out`, which has room for `count`, and returns how many there are. A change is
   reported when noise alone, of the size, correlation and kind that the series itself shows, does
   not look like it.

   Works on logarithms. Values far from the median of their neighbours count as if they were nearer.
   The segmentation has the least sum of squared innovations of an AR(1) process around a level for
   each segment, plus a penalty for each change: optimal partitioning with functional pruning,
   Maidstone, Hocking, Rigaill and Fearnhead, "On optimal multiple changepoint algorithms for large
   data", Statistics and Computing 27, 2017; correlated noise as in Chakar et al., "A robust
   approach for estimating change-points in the mean of an AR(1) process", Bernoulli 23, 2017.
   Changes that the noise explains are then taken out, the weakest first. `noise` may be NULL. */
size_t pawl_changepoints(const double *values, size_t count, struct pawl_level_change *out,
                         struct pawl_series_noise *noise);

/* Is there a change in the newest values? The last change that lies within the last `recent`
 * values. False: none. */
bool pawl_newest_change(const double *values, size_t count, size_t recent,
                        struct pawl_level_change *out);

#endif
