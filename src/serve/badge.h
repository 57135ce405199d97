/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a badge of one series: its level, and the change that still needs a person. */
#pragma once

#include "base/text.h"
#include "store/store.h"

/* The first bytes of a badge. */
#define PAWL_BADGE_BEGINS "<svg xmlns=\"http://www.w3.org/2000/svg\" data-pawl=\"badge\""

/* Appends an SVG. */
pawl_status pawl_badge_of_series(struct pawl_store *store, const struct pawl_series *series,
                                 struct pawl_text *out, struct pawl_error *err);
/* Does the same for the first series that is chosen. Fails with PAWL_NO_INPUT if there is none. */
pawl_status pawl_badge_of(struct pawl_store *store, const struct pawl_series_choice *choice,
                          struct pawl_text *out, struct pawl_error *err);
