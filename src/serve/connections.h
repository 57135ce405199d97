/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the open connections of a server of libmicrohttpd. pawl cuts off a client that does not
 * complete a request in PAWL_REQUEST_SECONDS, even if the client sends a byte now and then. */
#pragma once

#include <microhttpd.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define PAWL_MOST_CONNECTIONS 512u
#define PAWL_MOST_OF_ONE_ADDRESS 256u /* behind a proxy all clients have one address */
#define PAWL_REQUEST_SECONDS 15

struct pawl_connection {
  int fd; /* -1: the entry is free */
  int64_t since;
};

struct pawl_connections {
  pthread_mutex_t lock; /* no connection is closed while pawl looks at it */
  struct pawl_connection items[PAWL_MOST_CONNECTIONS];
};

void pawl_connections_init(struct pawl_connections *connections);
void pawl_connections_release(struct pawl_connections *connections);

/* Takes the connections as the context of MHD_OPTION_NOTIFY_CONNECTION. */
void pawl_connections_notify(void *connections, struct MHD_Connection *connection, void **state,
                             enum MHD_ConnectionNotificationCode code);
/* Notes the end of a request. The connection's next request has its own time. */
void pawl_connections_completed(struct pawl_connections *connections,
                                struct MHD_Connection *connection);
/* Cuts off the slow clients and sets *slow to their number. Returns how many connections are open.
 * A server calls it once a second. */
size_t pawl_connections_sweep(struct pawl_connections *connections, size_t *slow);
