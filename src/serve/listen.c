/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/file.h"

#define BACKLOG 512

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

static bool parse(const char *text, union address *out, socklen_t *length) {
  char host[64];
  int64_t port;
  const char *colon = strrchr(text, ':');
  const bool bracketed = *text == '[' && colon && colon > text && colon[-1] == ']';
  if (!colon || !pawl_parse_i64(colon + 1, &port) || port < 0 || port > 65535) return false;
  const char *begin = text + bracketed;
  const size_t host_length = (size_t)(colon - begin) - bracketed;
  if (host_length >= sizeof host) return false;
  memcpy(host, begin, host_length);
  host[host_length] = '\0';
  memset(out, 0, sizeof *out);
  if (bracketed) {
    out->v6.sin6_family = AF_INET6, out->v6.sin6_port = htons((uint16_t)port);
    *length = sizeof out->v6;
    return inet_pton(AF_INET6, host, &out->v6.sin6_addr) == 1;
  }
  out->v4.sin_family = AF_INET, out->v4.sin_port = htons((uint16_t)port);
  *length = sizeof out->v4;
  return inet_pton(AF_INET, host, &out->v4.sin_addr) == 1;
}

static void listen_describe(const union address *address, struct pawl_text *out) {
  char host[INET6_ADDRSTRLEN] = "";
  const bool v6 = address->any.sa_family == AF_INET6;
  inet_ntop(address->any.sa_family,
            v6 ? (const void *)&address->v6.sin6_addr : &address->v4.sin_addr, host, sizeof host);
  pawl_text_printf(out, v6 ? "[%s]:%u" : "%s:%u", host,
                   ntohs(v6 ? address->v6.sin6_port : address->v4.sin_port));
}

pawl_status pawl_listen(const char *address, int *fd, struct pawl_text *bound,
                        struct pawl_error *err) {
  union address where;
  socklen_t length;
  const int on = 1;
  if (!parse(address, &where, &length))
    return pawl_fail(err, PAWL_USAGE,
                     "'%s' is not a valid address; write 127.0.0.1:8787 or [::1]:8787", address);
  PAWL_CLEANUP(pawl_close)
  int made = socket(where.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return pawl_fail_errno(err, errno, "cannot make a socket");
  if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
      bind(made, &where.any, length) || listen(made, BACKLOG) ||
      getsockname(made, &where.any, &length))
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot listen on '%s': %s", address,
                     strerrordesc_np(errno));
  listen_describe(&where, bound);
  *fd = made;
  made = -1;
  return PAWL_OK;
}
