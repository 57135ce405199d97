/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/bundle.h"

#include <string.h>

#include "base/text.h"

#define SUMS "SHA256SUMS"
#define GITHUB "https://github.com/"
#define HEX_DIGITS 64

const char *pawl_bundle_address(void) {
  return *PAWL_PROJECT_URL ? PAWL_PROJECT_URL "/releases/download/v" PAWL_VERSION
                                              "/pawl-x86_64.tar.gz"
                           : NULL;
}

/* Returns whether the text ends neither a YAML text in double quotes nor a word of a shell. */
static bool bundle_is_plain(const char *url) {
  static const char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/%+@=";
  return url[strspn(url, letters)] == '\0';
}

/* Finds a line "HEX NAME" or "HEX *NAME", as sha256sum writes it. */
static const char *find_sum(const char *sums, const char *name, struct pawl_arena *arena) {
  for (const char *line = sums; *line;
       line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
    const size_t length = strcspn(line, "\r\n"), rest = strlen(name) + 2;
    if (length != HEX_DIGITS + rest || strspn(line, "0123456789abcdef") != HEX_DIGITS) continue;
    if (!strncmp(line + HEX_DIGITS + 2, name, strlen(name)))
      return pawl_arena_printf(arena, "%.*s", HEX_DIGITS, line);
  }
  return NULL;
}

static const char *repository_of(const char *url, struct pawl_arena *arena) {
  if (!pawl_starts_with(url, GITHUB)) return "";
  const char *owner = url + strlen(GITHUB), *slash = strchr(owner, '/');
  if (!slash) return "";
  const size_t length = (size_t)(slash - owner) + 1 + strcspn(slash + 1, "/");
  return pawl_arena_printf(arena, "%.*s", (int)length, owner);
}

pawl_status pawl_bundle_read(const char *url, const struct pawl_http_policy *http,
                             struct pawl_arena *arena, struct pawl_bundle *out,
                             struct pawl_error *err) {
  if (!pawl_starts_with(url, "https://") || !pawl_ends_with(url, ".tar.gz") ||
      !bundle_is_plain(url))
    return pawl_fail(err, PAWL_USAGE, "'%.300s' is no bundle: give the https address of a .tar.gz",
                     url);
  const char *name = strrchr(url, '/') + 1;
  const struct pawl_http_request request = {
      .url = pawl_arena_printf(arena, "%.*s" SUMS, (int)(name - url), url)};
  struct pawl_http_response response = {0};
  PAWL_TRY(pawl_http_send(http, &request, &response, err));
  const char *sum =
      response.status == 200 ? find_sum(pawl_text_string(&response.body), name, arena) : NULL;
  enum pawl_status_code status = PAWL_OK;
  if (response.status != 200)
    status =
        pawl_fail(err, PAWL_NO_INPUT, "cannot read '%s': HTTP %ld", request.url, response.status);
  else if (!sum)
    status = pawl_fail(err, PAWL_PROTOCOL, "'%s' has no SHA-256 of '%s'", request.url, name);
  else
    *out = (struct pawl_bundle){pawl_arena_copy(arena, url), sum, repository_of(url, arena)};
  pawl_http_response_clear(&response);
  return status;
}
