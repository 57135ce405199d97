/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/remote_page.h"

#include <string.h>

#include "base/text.h"

const char *pawl_remote_page(const char *remote, struct pawl_arena *arena) {
  if (!remote || *remote == '/' || *remote == '.' || pawl_starts_with(remote, "file:")) return NULL;
  const char *scheme = strstr(remote, "://"), *host = scheme ? scheme + 3 : remote;
  const char *slash = strpbrk(host, scheme ? "/" : ":/");
  if (!slash || !slash[1]) return NULL;
  const char *sign = memchr(host, '@', (size_t)(slash - host));
  if (sign) host = sign + 1;
  const bool web = scheme && pawl_starts_with(remote, "http");
  const size_t length =
      web ? (size_t)(slash - host) : strcspn(host, ":/"); /* a port of ssh is none of the page */
  const char *path = slash + 1;
  size_t end = strlen(path);
  while (end > 0 && path[end - 1] == '/') end--;
  if (end > 4 && !strncmp(path + end - 4, ".git", 4)) end -= 4;
  return pawl_arena_printf(arena, "https://%.*s/%.*s", (int)length, host, (int)end, path);
}
