/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted samples, the input of most functions of this room. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Sorts ascending in place, in O(count): a radix sort with one pass for each byte in which the keys
   differ. */
void pawl_sort_keys(uint64_t *keys, size_t count);
/* Sorts numbers by their bits. None may be NaN. -0 comes before +0 or counts as equal. */
void pawl_sort_doubles(double *values, size_t count);

/* Makes a sorted copy of raw samples. Free it with pawl_free. Fails with PAWL_BAD_DATA if there is
   none, or if one is not finite. The message names its index from 0. */
pawl_status pawl_sorted_copy(const double *samples, size_t count, double **out,
                             struct pawl_error *err);
