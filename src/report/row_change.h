/* SPDX-License-Identifier: Apache-2.0 */
/* The change of a row in words. Headline, table, evidence, picture and the code host use the same
   words. */
#pragma once

#include "gate/ratchet.h"

#define PAWL_ROW_CHANGE 160

/* Returns the words for a row. A row that pawl measured in pairs gives "3.71 % slower [+2.20,
   +5.90]". The limits are slow-downs in percent, or "unknown" if too few blocks give limits.
   Another row gives "12.4 % slower, unpaired". A row of the same machine code gives "same machine
   code", whatever its times are. A row without two times gives "unknown". */
const char *pawl_row_change(const struct pawl_ratchet_row *row, char out[PAWL_ROW_CHANGE]);

/* Writes the words for the estimate of a slow-down, which must be known, and its limits. */
const char *pawl_slowdown_words(const struct pawl_slowdown *slowdown, char out[PAWL_ROW_CHANGE]);

/* The times that a report shows beside the change: medians over the blocks or, without pairs, the
   medians of two runs. The limits are the interval of the later time. NaN: the time is unknown or
   has no meaning. */
struct pawl_row_times {
  double before_ms, now_ms, low_ms, high_ms;
};
struct pawl_row_times pawl_row_times(const struct pawl_ratchet_row *row);

/* Returns whether the machine code is the baseline's. If it is, the code cannot explain a
   difference of the times. */
bool pawl_row_same_code(const struct pawl_ratchet_row *row);
/* Returns whether the row has a change. A broken row has none. Neither has a row of the same
   machine code, nor a row measured in pairs without a block that counts. */
bool pawl_row_has_change(const struct pawl_ratchet_row *row);
/* Returns whether the change comes from blocks that pawl measured in pairs. */
bool pawl_row_is_paired(const struct pawl_ratchet_row *row);
