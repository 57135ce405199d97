/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a listening TCP socket. */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* Takes a numeric address: "127.0.0.1:8787" or "[::1]:8787". Port 0 takes a free port; `bound`
 * receives the actual address. Fails with PAWL_USAGE if the text is no address, and with
 * PAWL_UNAVAILABLE if another program has the address or another machine does. */
pawl_status pawl_listen(const char *address, int *fd, struct pawl_text *bound,
                        struct pawl_error *err);
