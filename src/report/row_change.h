/* SPDX-License-Identifier: Apache-2.0 */
/* The change of a row in words: the same in headline, table, evidence, picture and on the code host. */
#ifndef PAWL_REPORT_ROW_CHANGE_H
#define PAWL_REPORT_ROW_CHANGE_H

#include "gate/ratchet.h"

#define PAWL_ROW_CHANGE 160

/* "3.71 % slower [+2.20, +5.90]" of a row measured in pairs: the limits are slow-downs in percent, and "unknown" where
   so few blocks give none. "12.4 % slower, unpaired" of another. "unknown" without two times. */
const char *pawl_row_change(const struct pawl_ratchet_row *row, char out[PAWL_ROW_CHANGE]);

/* Whether the change is of blocks that were measured in pairs. */
bool pawl_row_is_paired(const struct pawl_ratchet_row *row);

#endif
