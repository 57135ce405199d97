/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/error.h"

/* Parses "90", "90s", "20m" or "2h" into seconds above 0. `text` NULL leaves *seconds. PAWL_USAGE
   names the option. */
pawl_status pawl_parse_duration(const char *option, const char *text, double *seconds,
                                struct pawl_error *err);
