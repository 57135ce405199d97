/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of successes in independent trials. */
#pragma once

/* Returns P(X >= successes) for X ~ Binomial(trials, p), summed term by term. NaN unless 0 <= p <=
   1 and trials >= 0. */
double pawl_binomial_upper_tail(int trials, int successes, double p);

/* Computes exact two-sided limits of a proportion: Clopper and Pearson, "The use of confidence or
 * fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934. They contain the
 * true proportion with at least that confidence. They are 0 and 1 without trials, and NaN unless 0
 * <= successes <= trials and 0 < confidence < 1. */
void pawl_clopper_pearson(int trials, int successes, double confidence, double *low, double *high);
