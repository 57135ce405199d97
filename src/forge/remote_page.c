/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/remote_page.h"

#include <string.h>

#include "base/text.h"

const char *pawl_remote_page(const char *remote, struct pawl_arena *arena) {
  if (!remote || *remote == '/' || *remote == '.' || pawl_starts_with(remote, "file:")) return NULL;
  const char *scheme = strstr(remote, "://"), *host = scheme ? scheme + 3 : remote;
  const char *sign = strchr(host, '@');
  if (sign && (size_t)(sign - host) < strcspn(host, "/")) host = sign + 1;
  const char *bracket = *host == '[' ? strchr(host, ']') : NULL; /* an IPv6 address has colons */
  const char *after = bracket ? bracket + 1 : host;
  const char *slash = strpbrk(after, scheme ? "/" : ":/");
  if (!slash || !slash[1]) return NULL;
  const bool web = scheme && pawl_starts_with(remote, "http");
  const char *stop = web ? slash : after + strcspn(after, ":/"); /* the page has no port of ssh */
  const char *path = slash + 1;
  size_t end = strlen(path);
  while (end > 0 && path[end - 1] == '/') end--;
  if (end > 4 && !strncmp(path + end - 4, ".git", 4)) end -= 4;
  return pawl_arena_printf(arena, "https://%.*s/%.*s", (int)(stop - host), host, (int)end, path);
}
