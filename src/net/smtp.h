/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a message by SMTP with libcurl. */
#pragma once

#include "base/error.h"
#include "base/text.h"

struct pawl_smtp {
  /* "smtps://HOST:PORT"; or "smtp://HOST:PORT", for a server with STARTTLS or on this machine */
  const char *server;
  const char *user;      /* NULL: no log-in */
  const char *password;  /* never part of a message */
  const char *from;      /* "perf@example.org" */
  const char *const *to; /* NULL-terminated */
  const char *ca_file;   /* certificates of the authorities; NULL: pawl_trust_file() */
  double seconds;        /* for the whole exchange; 0: 60 */
};

/* Fails with PAWL_UNAVAILABLE without a connection, PAWL_NOT_PERMITTED without a required TLS, with
 * a bad certificate or a refused log-in, PAWL_TRY_AGAIN after a timeout or a temporary refusal, and
 * PAWL_PROTOCOL after a final refusal. */
pawl_status pawl_smtp_send(const struct pawl_smtp *smtp, const struct pawl_text *message,
                           struct pawl_error *err);
