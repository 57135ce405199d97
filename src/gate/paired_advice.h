/* SPDX-License-Identifier: Apache-2.0 */
/* Advice for a paired test without an answer. */
#pragma once

#include "gate/paired_test.h"

/* Appends a sentence to *out if the test has no answer. The number of blocks is that of `pawl
   power`: for a slow-down of `detect`, or of the measured one if it is larger, with a power of
   PAWL_PAIRED_POWER, at the noise of the blocks that count. */
void pawl_paired_test_advise(const struct pawl_paired_test *paired, struct pawl_text *out);
