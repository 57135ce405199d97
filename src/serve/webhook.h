/* SPDX-License-Identifier: Apache-2.0 */
/* Receives the webhook over HTTP: POST /webhook, GET /healthz, GET /metrics. A proxy before it does
 * TLS. */
#pragma once

#include "base/error.h"
#include "serve/wake.h"

/* Serves until SIGTERM or SIGINT, then lets open requests end and stops the service's threads.
 * `listen` is as in pawl_listen(); NULL takes the configuration's. The log names the actual
 * address. Fails with PAWL_UNAVAILABLE if the address is taken. Call it from the main thread, with
 * `wake` opened but not started. */
pawl_status pawl_webhook_serve(struct pawl_wake *wake, const char *listen, struct pawl_error *err);
