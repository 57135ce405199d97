/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the dashboard over HTTP, only for reading: GET / and its files, /api/overview,
 * /api/trend. */
#pragma once

#include "base/log.h"
#include "store/store.h"

#define PAWL_DASHBOARD_ADDRESS "127.0.0.1:8788"

struct pawl_dashboard_options {
  const char *listen; /* as pawl_listen() takes an address */
  const char *token;  /* the visitors' token; NULL: none, only on a loopback address */
  const char *folder; /* git's folder, for the names of revisions */
  const char *home;   /* as pawl_home() returns it: the page lies in share/pawl/web below */
};

/* Serves until SIGTERM or SIGINT. Fails with PAWL_USAGE if the address or the token is not valid or
 * the address needs a token, with PAWL_UNAVAILABLE if the address is taken, and with PAWL_NO_INPUT
 * if files of pawl's installation are missing. Call it from the main thread. Nobody else may use
 * the store meanwhile. */
pawl_status pawl_dashboard_serve(struct pawl_store *store,
                                 const struct pawl_dashboard_options *options, struct pawl_log *log,
                                 struct pawl_error *err);
