/* SPDX-License-Identifier: Apache-2.0 */
#include "report/escape.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"

static size_t longest_run(const char *string, char wanted) {
  size_t longest = 0, run = 0;
  for (; *string; string++) {
    run = *string == wanted ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}

void pawl_markdown_code(const char *string, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  pawl_clean_text(string, false, &clean);
  const char *text = pawl_text_string(&clean);
  if (!*text || text[strspn(text, " ")] == '\0') {
    pawl_text_add(out, "<code></code>");
  } else if (!strpbrk(text, "`|\\")) {
    pawl_text_printf(out, "`%s`", text);
  } else {
    /* these three have special rules inside code spans and table cells, but not as entities */
    pawl_text_add(out, "<code>");
    for (const char *p = text; *p; p++) {
      if (ispunct((unsigned char)*p)) {
        pawl_text_printf(out, "&#%d;", *p);
      } else {
        pawl_text_add_bytes(out, p, 1);
      }
    }
    pawl_text_add(out, "</code>");
  }
}

/* Inside a word '_' is no mark. Before a space, neither ':' nor '%' begins anything, such as an
   emoji, an address or a milestone. */
static bool escape_is_plain(const char *string, const char *p) {
  const unsigned char before = p > string ? (unsigned char)p[-1] : ' ', after = (unsigned char)p[1];
  if (*p == '_') return isalnum(before) && isalnum(after);
  if (*p == ':' || *p == '%') return after == '\0' || strchr(" ,.;)", after);
  return isalnum((unsigned char)*p) || strchr(" ,.;'\"+-=>(){}", *p) ||
         (*p == '/' && isalnum(before));
}

bool pawl_markdown_is_prose(const char *string) {
  if (!isalnum((unsigned char)*string) || strcasestr(string, "www.") || strcasestr(string, "GH-"))
    return false;
  for (const char *p = string; *p; p++)
    if (!escape_is_plain(string, p)) return false;
  return true;
}

void pawl_markdown_block(const char *string, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  pawl_clean_text(string, true, &clean);
  const char *text = pawl_text_string(&clean);
  const size_t inside = longest_run(text, '`'), length = inside < 3 ? 3 : inside + 1;
  for (size_t i = 0; i < length; i++) pawl_text_add(out, "`");
  pawl_text_printf(out, "\n%s%s", text, pawl_ends_with(text, "\n") ? "" : "\n");
  for (size_t i = 0; i < length; i++) pawl_text_add(out, "`");
  pawl_text_add(out, "\n");
}

void pawl_html_text(const char *string, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  pawl_clean_text(string, true, &clean);
  for (const char *p = pawl_text_string(&clean); *p; p++) {
    switch (*p) {
      case '&': pawl_text_add(out, "&amp;"); break;
      case '<': pawl_text_add(out, "&lt;"); break;
      case '>': pawl_text_add(out, "&gt;"); break;
      case '"': pawl_text_add(out, "&quot;"); break;
      case '\'': pawl_text_add(out, "&#39;"); break;
      default: pawl_text_add_bytes(out, p, 1); break;
    }
  }
}
