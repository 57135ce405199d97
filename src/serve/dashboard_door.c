/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/dashboard_door.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/crypto_library.h"
#include "base/text.h"

/* Matches the whole of "127.0.0.1", because "127.0.0.1.example.org" belongs to somebody else. */
static bool is_loopback_v4(const char *text, size_t length) {
  char host[INET_ADDRSTRLEN];
  struct in_addr address;
  if (length >= sizeof host) return false;
  memcpy(host, text, length);
  host[length] = '\0';
  return inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool pawl_door_is_loopback(const char *address) {
  if (!strcmp(address, "[::1]") || pawl_starts_with(address, "[::1]:")) return true;
  return is_loopback_v4(address, strcspn(address, ":"));
}

bool pawl_door_is_local_host(const char *host) {
  if (!host || pawl_door_is_loopback(host)) return true;
  const size_t length = strcspn(host, ":");
  return length == strlen("localhost") && !strncasecmp(host, "localhost", length);
}

pawl_status pawl_door_check_token(const char *token, struct pawl_error *err) {
  static const char allowed[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-";
  if (strlen(token) >= PAWL_TOKEN_LEAST && token[strspn(token, allowed)] == '\0') return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE,
                   "the dashboard's token is not valid; take at least %d letters, digits and . _ ~ "
                   "-, for example of 'openssl rand -hex 32'",
                   PAWL_TOKEN_LEAST);
}

bool pawl_door_is_token(const char *token, const char *guess) {
  pawl_late_library_require(&pawl_crypto);
  const size_t length = strlen(token);
  return guess && strlen(guess) == length && !CRYPTO_memcmp(token, guess, length);
}
