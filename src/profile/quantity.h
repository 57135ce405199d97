/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the numbers of Nsight Compute, and writes numbers of a profile for people. */
#pragma once

#include <stdbool.h>

#include "profile/profile.h"

/* Reads a number with or without thousands separators, "1,048,576" or "47.296". Sets *value to NAN
   for "", "nan", "inf", "n/a" and words. Returns false if separators stand in other places
   ("47,296000"), as another locale writes them. */
bool pawl_quantity_number(const char *text, double *value);
/* Returns the factor from the file's unit to the counter's unit (seconds, hertz, bytes, percent,
   one), or NAN if there is no such factor. "Kbyte/block" gives 1000 for bytes, "byte/sector" gives
   100/32 for percent. */
double pawl_quantity_scale(const char *text, enum pawl_unit unit);

#define PAWL_QUANTITY 32
/* Writes "50.4 MB", "47.3 us", "1.76 GHz", "43 %" or "504 k". Returns `out`. */
const char *pawl_quantity_text(double value, enum pawl_unit unit, char out[PAWL_QUANTITY]);
