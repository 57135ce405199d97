/* SPDX-License-Identifier: Apache-2.0 */
/* The static facts of machine code in a verdict document of unknown origin. */
#ifndef PAWL_FORGE_VERDICT_CODE_H
#define PAWL_FORGE_VERDICT_CODE_H

#include "forge/reader.h"
#include "gate/ratchet.h"

/* Reads "code" of a row into its code_before and code_now. */
void pawl_forge_read_code(struct pawl_reader *reader, const json_t *object, struct pawl_ratchet_row *row);

#endif
