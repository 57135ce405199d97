/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_CLI_DURATION_H
#define PAWL_CLI_DURATION_H

#include "base/error.h"

/* "90", "90s", "20m", "2h" in seconds, above 0. `text` NULL: *seconds stays. PAWL_USAGE names the
 * option. */
pawl_status pawl_parse_duration(const char *option, const char *text, double *seconds,
                                struct pawl_error *err);

#endif
