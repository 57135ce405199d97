/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard over HTTP, by libmicrohttpd: GET / and its files, GET /api/overview, GET
 * /api/trend. It only reads. */
#pragma once

#include "base/log.h"
#include "store/store.h"

#define PAWL_DASHBOARD_ADDRESS "127.0.0.1:8788"

struct pawl_dashboard_options {
  const char *listen; /* as pawl_listen() takes it */
  const char *token;  /* the visitors' token; NULL: none, on a loopback address alone */
  const char *home;   /* pawl_home(): the page lies in share/pawl/web below it */
};

/* Serves until SIGTERM or SIGINT. PAWL_USAGE: no such address, no good token, or none where one is
   needed. PAWL_UNAVAILABLE: the address is taken. PAWL_NO_INPUT: pawl is not installed as a whole.
   Call from the main thread; the store belongs to the dashboard until it returns. */
pawl_status pawl_dashboard_serve(struct pawl_store *store,
                                 const struct pawl_dashboard_options *options, struct pawl_log *log,
                                 struct pawl_error *err);
