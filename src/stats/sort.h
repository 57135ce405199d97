/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted samples, the form that most functions of this room take. */
#ifndef PAWL_STATS_SORT_H
#define PAWL_STATS_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Sorts ascending in place, in O(count): a radix sort, one pass for each byte in which the keys
 * differ. */
void pawl_sort_keys(uint64_t *keys, size_t count);
/* The same by the bits of the numbers, which must not be NaN. -0 and +0 count as equal, or -0 comes
 * first. */
void pawl_sort_doubles(double *values, size_t count);

/* A sorted copy of raw samples, to be freed with pawl_free. PAWL_BAD_DATA when there is none, or
   when one is not a finite number; the message says which, counted from 0. */
pawl_status pawl_sorted_copy(const double *samples, size_t count, double **out,
                             struct pawl_error *err);

#endif
