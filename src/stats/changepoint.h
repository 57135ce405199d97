/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where the level of a series of times changes for good. Outliers, a clock that jumps between
   two modes, slow drift, a weekly rhythm and noise whose size changes are no changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PAWL_CHANGE_LEAST 7   /* fewer values give no changes */
#define PAWL_CHANGE_MOST 5000 /* only the newest values count */

/* The revision of the answers of pawl_changepoints() and of the values that it gets of a series. It
   counts up when these change, which invalidates stored answers. */
#define PAWL_CHANGE_REVISION 3

/* The noise of a series in logarithms, and therefore relative. */
struct pawl_series_noise {
  double sd;          /* standard deviation around the level, with the rhythm */
  double correlation; /* between successive values without the rhythm, in [0, 1) */
};

/* A change between values[at - 1] and values[at]. */
struct pawl_level_change {
  size_t index;
  double before, after; /* the levels: medians of the values up to the neighbouring changes */
  double size;          /* after / before - 1; positive is larger */
  /* 1 - p, where p is at least the chance that noise alone looks like this at any place; p is at
     most 0.003 */
  double confidence;
};

/* Finds the changes in `count` positive, finite values in the order of time. Writes them in that
   order into `out`, which has room for `count`, and returns their number. Reports a change if noise
   alone, with the size, correlation and kind that the series itself shows, does not look like it.
   `noise` may be NULL.

   Works on logarithms, and clips values far from the median of their neighbours. The model has
   levels, waves, and AR(1) noise that has its own size at each place. The criterion is that of Lu,
   Lund and Lee, "An MDL approach to the climate segmentation problem", Annals of Applied Statistics
   4, 2010: a wave or a change must pay its price in likelihood. The search for levels is that of
   Kovacs, Buhlmann, Li and Munk, "Seeded binary segmentation", Biometrika 110, 2023. The test of a
   step in correlated noise follows Chakar et al., "A robust approach for estimating change-points
   in the mean of an AR(1) process", Bernoulli 23, 2017. The last step removes changes that noise or
   drift explains, the weakest first. */
size_t pawl_changepoints(const double *values, size_t count, struct pawl_level_change *out,
                         struct pawl_series_noise *noise);
