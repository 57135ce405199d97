/* SPDX-License-Identifier: Apache-2.0 */
/* The static facts of machine code in a verdict document of unknown origin. */
#ifndef PAWL_RECORD_VERDICT_CODE_H
#define PAWL_RECORD_VERDICT_CODE_H

#include "gate/ratchet.h"
#include "record/reader.h"

/* Reads "code" of a row into its code_before and code_now. */
void pawl_read_code(struct pawl_reader *reader, const json_t *object, struct pawl_ratchet_row *row);

#endif
