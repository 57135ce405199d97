/* SPDX-License-Identifier: Apache-2.0 */
/* Advises after a paired test without an answer. */
#pragma once

#include "gate/paired_test.h"

/* Returns whether the load of other processes spoiled most of too many spoiled blocks. */
bool pawl_paired_load_spoiled(const struct pawl_paired_test *paired);
/* Appends a sentence to *out if the test has no answer. It names the number of blocks that `pawl
 * power` gives for a slow-down of `detect`, or of the measured one if that is larger, with a power
 * of PAWL_PAIRED_POWER at the noise of the counted blocks. */
void pawl_paired_test_advise(const struct pawl_paired_test *paired, struct pawl_text *out);
