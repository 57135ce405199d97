/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/connections.h"

#include <sys/socket.h>

#include "base/clock.h"

void pawl_connections_init(struct pawl_connections *connections) {
  pthread_mutex_init(&connections->lock, NULL);
  for (size_t i = 0; i < PAWL_MOST_CONNECTIONS; i++) connections->items[i].fd = -1;
}

void pawl_connections_release(struct pawl_connections *connections) {
  pthread_mutex_destroy(&connections->lock);
}

void pawl_connections_notify(void *context, struct MHD_Connection *connection, void **state,
                             enum MHD_ConnectionNotificationCode code) {
  struct pawl_connections *connections = context;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  pthread_mutex_lock(&connections->lock);
  struct pawl_connection *entry = *state;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    if (entry) entry->fd = -1;
  } else {
    for (size_t i = 0; i < PAWL_MOST_CONNECTIONS && !entry; i++)
      if (connections->items[i].fd < 0) entry = &connections->items[i];
    if (entry && info)
      *entry = (struct pawl_connection){.fd = info->connect_fd, .since = pawl_clock_ns()};
    *state = entry;
  }
  pthread_mutex_unlock(&connections->lock);
}

void pawl_connections_completed(struct pawl_connections *connections,
                                struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  pthread_mutex_lock(&connections->lock);
  struct pawl_connection *entry = info ? info->socket_context : NULL;
  if (entry) entry->since = pawl_clock_ns();
  pthread_mutex_unlock(&connections->lock);
}

size_t pawl_connections_sweep(struct pawl_connections *connections, size_t *slow) {
  const int64_t limit = pawl_clock_ns() - (int64_t)PAWL_REQUEST_SECONDS * 1000000000;
  size_t open = 0;
  *slow = 0;
  pthread_mutex_lock(&connections->lock);
  for (size_t i = 0; i < PAWL_MOST_CONNECTIONS; i++) {
    struct pawl_connection *entry = &connections->items[i];
    if (entry->fd < 0) continue;
    open++;
    if (entry->since > limit) continue;
    shutdown(entry->fd, SHUT_RDWR);
    ++*slow;
    entry->since = pawl_clock_ns(); /* so that the sweep counts it once */
  }
  pthread_mutex_unlock(&connections->lock);
  return open;
}
