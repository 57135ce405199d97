/* SPDX-License-Identifier: Apache-2.0 */
/* The interval of one kernel's time, by process. docs/adr/interval-by-process.md has the reasons.

   Samples of one process share its memory layout, clocks and CPU, so they are no replicates. The
   process is the replicate. The interval is that of the median over processes of a process's median
   time. Its ends are order statistics of the processes' medians (David and Nagaraja, "Order
   Statistics", 2003, section 7.1). Take n processes with medians drawn independently from any one
   continuous distribution. The interval between the k-th smallest and the k-th largest misses the
   distribution's median with probability 2 P(Binomial(n, 1/2) < k), exactly. k is the largest for
   which that is at most 5 %.

   This holds for skewed, spiky and bimodal processes as for normal ones; a t interval does not. The
   interval covers the median of this run's processes only, not changes between two runs. */
#pragma once

#include <stddef.h>

#define PAWL_PROCESS_CONFIDENCE 0.95
/* With fewer processes not even the extremes reach 95 %: 2 / 2^5 > 5 %. */
#define PAWL_PROCESS_INTERVAL_LEAST ((size_t)6)

/* Computes the interval of `count` finite medians in any order, in their unit. Both ends are NaN
   for fewer than PAWL_PROCESS_INTERVAL_LEAST. */
void pawl_process_interval(const double *medians, size_t count, double *low, double *high);
/* The same at another confidence in (0, 1). Both ends are NaN for fewer medians than
   pawl_process_interval_least() of it. */
void pawl_process_interval_at(double confidence, const double *medians, size_t count, double *low,
                              double *high);
/* Returns the fewest medians whose smallest and largest have that confidence. */
size_t pawl_process_interval_least(double confidence);

/* Returns the exact probability that the interval of `count` processes contains the median: 0.96875
   for 6, NaN for fewer. */
double pawl_process_interval_confidence(size_t count);
