/* SPDX-License-Identifier: Apache-2.0 */
/* Measures whether successive values resemble each other. */
#pragma once

#define PAWL_SERIAL_LEAST 8 /* fewer values give 0 */

/* Returns the serial correlation (lag 1) of the ranks of `count` values, in standard deviations
   above that of values in random order. In random order its mean is 0 and its standard deviation 1,
   exactly over all orders (Wald and Wolfowitz, "An exact test for randomness in the non-parametric
   case based on serial correlation", Annals of Mathematical Statistics 14, 1943; here the first
   value does not follow the last). `values` are in the order taken, `sorted` the same values
   ascending. Equal values share their mean rank. 0 for fewer than PAWL_SERIAL_LEAST values or if
   all are equal. */
double pawl_serial_correlation(const double *values, const double *sorted, int count);
