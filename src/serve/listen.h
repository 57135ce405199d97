/* SPDX-License-Identifier: Apache-2.0 */
/* A listening TCP socket from "ADDR:PORT". */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* Takes a numeric address: "127.0.0.1:8787", "[::1]:8787"; port 0 takes a free one. `bound` is the
 * actual address. PAWL_USAGE: no address. PAWL_UNAVAILABLE: another program has it, or it is not
 * this machine's. */
pawl_status pawl_listen(const char *address, int *fd, struct pawl_text *bound,
                        struct pawl_error *err);
