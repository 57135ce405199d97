/* SPDX-License-Identifier: Apache-2.0 */
/* The interval of one kernel's time, by process. docs/adr/interval-by-process.md argues it.

   Samples of one process share its luck (memory layout, clocks, place), so that they are no
   replicates: the process is. The interval is of the median over processes of a process's median
   time. Its ends are order statistics of the processes' medians (David and Nagaraja, "Order
   Statistics", 2003, section 7.1): of n processes whose medians are independent draws from any one
   continuous distribution, the interval between the k-th smallest and the k-th largest misses the
   distribution's median with probability 2 P(Binomial(n, 1/2) < k), exactly. k is the largest for
   which that is at most 5 %. It holds for skewed, spiky and bimodal processes as for normal ones; a
   t interval does not.

   What it does not see is what changes between two runs: it says where the median of this run's
   processes lies. */
#ifndef PAWL_STATS_PROCESS_INTERVAL_H
#define PAWL_STATS_PROCESS_INTERVAL_H

#include <stddef.h>

#define PAWL_PROCESS_CONFIDENCE 0.95
#define PAWL_PROCESS_INTERVAL_LEAST                                                \
  ((size_t)6) /* of fewer processes not even the extremes make 95 %: 2 / 2^5 > 5 % \
               */

/* The interval of `count` processes' medians, in any order, finite, in the unit of the medians.
   Both ends are NaN of fewer than PAWL_PROCESS_INTERVAL_LEAST. */
void pawl_process_interval(const double *medians, size_t count, double *low, double *high);

/* The exact probability with which the interval of that many processes holds the median: 0.96875 of
 * 6; NaN of fewer. */
double pawl_process_interval_confidence(size_t count);

#endif
