/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where the level of a series of times changes for good. Outliers, a clock that jumps between
   two modes and slow drift are no changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PAWL_CHANGE_LEAST 7   /* fewer values give no changes */
#define PAWL_CHANGE_MOST 5000 /* only the newest values count */

/* The revision of the answers of pawl_changepoints() and of the values that it gets of a series. It
   counts up when these change, which invalidates stored answers. */
#define PAWL_CHANGE_REVISION 2

/* The noise of a series in logarithms, and therefore relative. */
struct pawl_series_noise {
  double sd;          /* standard deviation around the level */
  double correlation; /* between successive values, in [0, 1) */
};

/* A change between values[at - 1] and values[at]. */
struct pawl_level_change {
  size_t index;
  double before, after; /* the levels: medians of the values up to the neighbouring changes */
  double size;          /* after / before - 1; positive is larger */
  /* 1 - p in [0, 1], where p is the chance that noise alone looks like this at any place */
  double confidence;
};

/* Finds the changes in `count` positive, finite values in the order of time. Writes them in that
   order into `out`, which has room for `count`, and returns their number. Reports a change if noise
   alone, with the size, correlation and kind that the series itself shows, does not look like it.
   `noise` may be NULL.

   Works on logarithms, and moves values far from the median of their neighbours nearer. The
   segmentation has the least sum of squared innovations of an AR(1) process around a level for each
   segment, plus a penalty for each change. It is optimal partitioning with functional pruning:
   Maidstone, Hocking, Rigaill and Fearnhead, "On optimal multiple changepoint algorithms for large
   data", Statistics and Computing 27, 2017. Correlated noise follows Chakar et al., "A robust
   approach for estimating change-points in the mean of an AR(1) process", Bernoulli 23, 2017. The
   last step removes changes that the noise explains, the weakest first. */
size_t pawl_changepoints(const double *values, size_t count, struct pawl_level_change *out,
                         struct pawl_series_noise *noise);
