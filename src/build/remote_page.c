/* SPDX-License-Identifier: Apache-2.0 */
#include "build/remote_page.h"

#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "build/git_run.h"

/* Skips the scheme. Returns NULL for a folder and for a scheme that git does not use. */
static const char *after_scheme(const char *remote, bool *has_scheme) {
  static const char *const schemes[] = {"https://", "http://", "ssh://", "git://", "git+ssh://"};
  for (size_t i = 0; i < PAWL_COUNT(schemes); i++) {
    if (!pawl_starts_with(remote, schemes[i])) continue;
    *has_scheme = true;
    return remote + strlen(schemes[i]);
  }
  *has_scheme = false;
  return strstr(remote, "://") || *remote == '/' || *remote == '.' ? NULL : remote;
}

static bool is_plain(const char *text, size_t length, const char *more) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.";
  for (size_t i = 0; i < length; i++)
    if (!strchr(letters, text[i]) && !strchr(more, text[i])) return false;
  return length > 0;
}

const char *pawl_remote_page(const char *remote, struct pawl_arena *arena) {
  bool scheme;
  const char *host = remote ? after_scheme(remote, &scheme) : NULL;
  if (!host) return NULL;
  const char *end_of_host = host + strcspn(host, "/");
  for (const char *sign; (sign = strchr(host, '@')) && sign < end_of_host;) host = sign + 1;
  const char *bracket = *host == '[' ? strchr(host, ']') : NULL; /* an IPv6 address has colons */
  const char *after = bracket ? bracket + 1 : host;
  const char *slash = strpbrk(after, scheme ? "/" : ":/");
  if (!slash || !slash[1] || (!scheme && *slash == '/')) return NULL;
  const bool web = scheme && pawl_starts_with(remote, "http");
  const char *stop = web ? slash : after + strcspn(after, ":/"); /* the page has no port of ssh */
  const char *path = slash + 1 + strspn(slash + 1, "/");
  size_t end = strlen(path);
  while (end > 0 && path[end - 1] == '/') end--;
  if (end > 4 && !strncmp(path + end - 4, ".git", 4)) end -= 4;
  if (!is_plain(host, (size_t)(stop - host), ":[]") || !is_plain(path, end, "_~/+%")) return NULL;
  return pawl_arena_printf(arena, "https://%.*s/%.*s", (int)(stop - host), host, (int)end, path);
}

struct pawl_remote_links pawl_remote_links(const char *remote, struct pawl_arena *arena) {
  static const struct {
    const char *host, *commit, *pull; /* host: a part of its name */
  } hosts[] = {{"github", "commit", "pull"},
               {"gitlab", "-/commit", "-/merge_requests"},
               {"bitbucket", "commits", "pull-requests"},
               {"", "commit", "pulls"}}; /* Forgejo and Gitea have any name */
  const char *page = pawl_remote_page(remote, arena);
  if (!page) return (struct pawl_remote_links){0};
  const size_t host = strlen("https://");
  const char *name = pawl_arena_printf(arena, "%.*s", (int)strcspn(page + host, "/"), page + host);
  size_t i = 0;
  while (!strstr(name, hosts[i].host)) i++;
  return (struct pawl_remote_links){pawl_arena_printf(arena, "%s/%s/", page, hosts[i].commit),
                                    pawl_arena_printf(arena, "%s/%s/", page, hosts[i].pull)};
}

struct pawl_remote_links pawl_remote_links_of(const char *folder, struct pawl_arena *arena) {
  return pawl_remote_links(
      pawl_git_line(folder, GIT_ARGUMENTS("remote", "get-url", "origin"), arena), arena);
}
