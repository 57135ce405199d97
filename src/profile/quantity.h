/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a profile as Nsight Compute writes them, and as people read them. */
#pragma once

#include <stdbool.h>

#include "profile/profile.h"

/* A number with or without thousands separators, "1,048,576" or "47.296"; NAN for "", "nan", "inf",
   "n/a" and words. false: digits with separators in other places ("47,296000"), as another locale
   writes them. */
bool pawl_quantity_number(const char *text, double *value);
/* Returns the factor from the file's unit to the counter's (seconds, hertz, bytes, percent, one);
   NAN: no factor leads from one to the other. "Kbyte/block" is 1000 for bytes, "byte/sector" is
   100/32 for percent. */
double pawl_quantity_scale(const char *text, enum pawl_unit unit);

#define PAWL_QUANTITY 32
/* "50.4 MB", "47.3 us", "1.76 GHz", "43 %", "504 k"; returns `out`. */
const char *pawl_quantity_text(double value, enum pawl_unit unit, char out[PAWL_QUANTITY]);
