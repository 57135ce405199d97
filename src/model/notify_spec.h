/* SPDX-License-Identifier: Apache-2.0 */
/* The receivers of a notice when a verdict turns. */
#pragma once

#include <stddef.h>

#include "base/secret.h"
#include "base/strings.h"

struct pawl_email_spec {
  const char *server; /* "smtps://HOST:PORT", or "smtp://HOST:PORT", which must offer STARTTLS */
  const char *from;
  struct pawl_strings to;
  const char *user;                   /* NULL: no log-in */
  struct pawl_secret_source password; /* given with `user` */
};

/* A webhook that gets notices. Its address is a secret, because anybody who knows it can write
 * there. */
struct pawl_webhook_spec {
  const char *name;
  int service; /* row of chat_services.inc, from 1 */
  struct pawl_secret_source url;
};

struct pawl_notify_spec {
  const char *link;             /* NULL: the workflow's run, if there is one */
  struct pawl_email_spec email; /* server NULL: no e-mail */
  struct pawl_webhook_spec *webhooks;
  size_t webhook_count;
};
