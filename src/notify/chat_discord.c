/* SPDX-License-Identifier: Apache-2.0 */
/* https://discord.com/developers/docs/resources/webhook#execute-webhook */
#include <string.h>

#include "notify/chat.h"

static void add_without_backquotes(const char *text, struct pawl_text *out) {
  for (const char *p = text; *p; p++) pawl_text_add_bytes(out, *p == '`' ? "'" : p, 1);
}

json_t *pawl_chat_discord(const struct pawl_notice *notice) {
  struct pawl_text text = {0};
  pawl_text_printf(&text, "%s **", pawl_chat_mark(notice));
  pawl_chat_add_markdown(notice->title, &text);
  pawl_text_add(&text, "**\n```\n");
  add_without_backquotes(notice->excerpt,
                         &text); /* a block of code has no other special character */
  pawl_text_add(&text, "\n```");
  /* A message has at most 2000 characters. pawl drops the link if it does not fit. */
  if (notice->link && text.length + strlen(notice->link) + 3 <= 2000)
    pawl_text_printf(&text, "\n<%s>", notice->link);
  json_t *body = json_object(), *mentions = json_object();
  pawl_json_set_string(body, "content", text.data);
  pawl_json_set(mentions, "parse", json_array()); /* a quoted report mentions nobody */
  pawl_json_set(body, "allowed_mentions", mentions);
  pawl_text_clear(&text);
  return body;
}
