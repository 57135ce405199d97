/* SPDX-License-Identifier: Apache-2.0 */
/* The change of a row in words: the same in headline, table, evidence, picture and on the code
 * host. */
#pragma once

#include "gate/ratchet.h"

#define PAWL_ROW_CHANGE 160

/* "3.71 % slower [+2.20, +5.90]" of a row measured in pairs: the limits are slow-downs in percent,
   and "unknown" where so few blocks give none. "12.4 % slower, unpaired" of another. "same machine
   code", whatever the times are. "unknown" without two times. */
const char *pawl_row_change(const struct pawl_ratchet_row *row, char out[PAWL_ROW_CHANGE]);

/* Writes a slow-down in the same words: its estimate, which is known, and its limits. */
const char *pawl_slowdown_words(const struct pawl_slowdown *slowdown, char out[PAWL_ROW_CHANGE]);

/* The times that a report shows beside the change: medians over the blocks or, without pairs, of
   two runs, and the interval of the later one. NaN: the time is unknown or has no meaning. */
struct pawl_row_times {
  double before_ms, now_ms, low_ms, high_ms;
};
struct pawl_row_times pawl_row_times(const struct pawl_ratchet_row *row);

/* Whether the machine code is the baseline's: then a difference of the times is not of the code. */
bool pawl_row_same_code(const struct pawl_ratchet_row *row);
/* Whether the row has a change at all: a broken row has none, nor a row of the same machine code,
   nor a row measured in pairs of which no block counts. */
bool pawl_row_has_change(const struct pawl_ratchet_row *row);
/* Whether the change is of blocks that were measured in pairs. */
bool pawl_row_is_paired(const struct pawl_ratchet_row *row);
