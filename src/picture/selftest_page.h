/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the picture of a selftest: the gate's answers for each injected change, and the share of
   trials in which the gate reported a change. */
#pragma once

#include "gate/selftest.h"

/* Writes a PNG. Fails with PAWL_BAD_DATA if there is no trial to draw. */
pawl_status pawl_selftest_picture(const struct pawl_selftest *selftest, const char *path,
                                  struct pawl_error *err);
