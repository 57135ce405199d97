/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/serial.h"

#include <math.h>

/* Counts the sorted values below `value`, and with `and_equal` those equal to it too. */
static int count_below(const double *sorted, int count, double value, int and_equal) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < value || (and_equal && !(sorted[middle] > value)))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns the mean rank of a value minus the mean of all ranks. */
static double centred_rank(const double *sorted, int count, double value) {
  return (count_below(sorted, count, value, 0) + count_below(sorted, count, value, 1) - count) /
         2.0;
}

double pawl_serial_correlation(const double *values, const double *sorted, int count) {
  if (count < PAWL_SERIAL_LEAST) return 0;
  double products = 0, squares = 0, fourths = 0, last = 0;
  for (int i = 0; i < count; i++) {
    const double rank = centred_rank(sorted, count, values[i]), square = rank * rank;
    products += last * rank;
    squares += square;
    fourths += square * square;
    last = rank;
  }
  if (!(squares > 0)) return 0;
  /* over all orders: means of products of two, three and four different ranks, which add up to 0 */
  const double n = count, pairs = n - 1;
  const double two = (squares * squares - fourths) / (n * (n - 1));
  const double three = (2 * fourths - squares * squares) / (n * (n - 1) * (n - 2));
  const double four = (3 * squares * squares - 6 * fourths) / (n * (n - 1) * (n - 2) * (n - 3));
  const double mean = -squares / n;
  const double square_mean =
      pairs * two + 2 * (n - 2) * three + (pairs * pairs - pairs - 2 * (n - 2)) * four;
  return (products - mean) / sqrt(square_mean - mean * mean);
}
