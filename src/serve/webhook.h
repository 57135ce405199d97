/* SPDX-License-Identifier: Apache-2.0 */
/* Receives the webhook over HTTP, by libmicrohttpd: POST /webhook, GET /healthz, GET /metrics. A
 * proxy before it does TLS. */
#pragma once

#include "base/error.h"
#include "serve/wake.h"

/* Serves until SIGTERM or SIGINT, then lets requests in flight end and stops the service's threads.
   `listen`: "127.0.0.1:8787", "[::1]:8787", "0.0.0.0:0" (a free port, which the log names); NULL:
   the configuration's. PAWL_UNAVAILABLE: the address is taken. Call from the main thread, with
   `wake` opened but not started. */
pawl_status pawl_webhook_serve(struct pawl_wake *wake, const char *listen, struct pawl_error *err);
