/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a selftest: the gate's answers by the change put in, and how often a change was
 * called. */
#pragma once

#include "gate/selftest.h"

/* Writes a PNG. PAWL_BAD_DATA: there is no trial to draw. */
pawl_status pawl_selftest_picture(const struct pawl_selftest *selftest, const char *path,
                                  struct pawl_error *err);
