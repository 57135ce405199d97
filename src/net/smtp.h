/* SPDX-License-Identifier: Apache-2.0 */
/* Sending a message by SMTP, by libcurl. */
#ifndef PAWL_NET_SMTP_H
#define PAWL_NET_SMTP_H

#include "base/error.h"
#include "base/text.h"

struct pawl_smtp {
  const char *server;   /* "smtps://HOST:PORT", or "smtp://HOST:PORT", which must offer STARTTLS; on
                           this machine's   own loopback it need not */
  const char *user;     /* NULL: no log-in */
  const char *password; /* not part of any message */
  const char *from;     /* "perf@example.org" */
  const char *const *to; /* NULL-terminated */
  const char *ca_file;   /* certificates of the authorities; NULL: pawl_trust_file() */
  double seconds;        /* for all; 0: 60 */
};

/* PAWL_UNAVAILABLE: no connection. PAWL_NOT_PERMITTED: no TLS where it is needed, a certificate
   that is not believed, a log-in refused. PAWL_TRY_AGAIN: too slow, or the server says later.
   PAWL_PROTOCOL: the server refuses. */
pawl_status pawl_smtp_send(const struct pawl_smtp *smtp, const struct pawl_text *message,
                           struct pawl_error *err);

#endif
