/* SPDX-License-Identifier: Apache-2.0 */
/* Do values that follow one another resemble each other? */
#ifndef PAWL_STATS_SERIAL_H
#define PAWL_STATS_SERIAL_H

#define PAWL_SERIAL_LEAST 8 /* values; of fewer nothing is said */

/* The serial correlation (lag 1) of the ranks of `count` values, as a number of standard deviations
   above what values in random order have: 0 on average, 1 its standard deviation, both exact over
   all orders (Wald and Wolfowitz, "An exact test for randomness in the non-parametric case based on
   serial correlation", Annals of Mathematical Statistics 14, 1943; here the last value is not
   followed by the first). `values` in the order taken, `sorted` the same, ascending; equal values
   share their mean rank. 0 for fewer than PAWL_SERIAL_LEAST values or where all are equal. */
double pawl_serial_correlation(const double *values, const double *sorted, int count);

#endif
