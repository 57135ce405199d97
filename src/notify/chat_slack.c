/* SPDX-License-Identifier: Apache-2.0 */
/* https://docs.slack.dev/reference/block-kit/blocks/section-block */
#include <string.h>

#include "notify/chat.h"

#define SLACK_BYTES 2800 /* of a section's text; more than 3000 characters make Slack refuse it */

/* Slack: only these are special, in code too; a backquote would end a block of code. What would
   lead beyond SLACK_BYTES is left out. https://docs.slack.dev/messaging/formatting-message-text */
static void add_slack(const char *text, struct pawl_text *out) {
  for (const char *p = text; *p; p++) {
    const bool begins = ((unsigned char)*p & 0xc0) != 0x80; /* a character */
    if (begins && out->length + 5 > SLACK_BYTES) return;
    const char *special = *p == '&'   ? "&amp;"
                          : *p == '<' ? "&lt;"
                          : *p == '>' ? "&gt;"
                          : *p == '`' ? "'"
                                      : NULL;
    pawl_text_add_bytes(out, special ? special : p, special ? strlen(special) : 1);
  }
}

/* A link within what is left of Slack's 3000 characters; `&` is the only special character in our
 * links. */
static void add_slack_link(const char *link, struct pawl_text *out) {
  struct pawl_text escaped = {0};
  if (link) add_slack(link, &escaped);
  if (link && out->length + escaped.length + 24 <= 3000)
    pawl_text_printf(out, "\n<%s|The complete report>", escaped.data);
  pawl_text_clear(&escaped);
}

json_t *pawl_chat_slack(const struct pawl_notice *notice) {
  struct pawl_text title = {0}, text = {0};
  add_slack(notice->title, &title);
  pawl_text_printf(&text, "%s *%s*\n```", pawl_chat_mark(notice), pawl_text_string(&title));
  add_slack(notice->excerpt, &text);
  pawl_text_add(&text, "```");
  add_slack_link(notice->link, &text);
  json_t *body = json_object(), *section = json_object(), *mrkdwn = json_object(),
         *blocks = json_array();
  pawl_json_set_string(mrkdwn, "type", "mrkdwn");
  pawl_json_set_string(mrkdwn, "text", pawl_text_string(&text));
  pawl_json_set_string(section, "type", "section");
  pawl_json_set(section, "text", mrkdwn);
  json_array_append_new(blocks, section);
  pawl_json_set_string(body, "text", pawl_text_string(&title)); /* what a phone shows */
  pawl_json_set(body, "blocks", blocks);
  pawl_text_clear(&title);
  pawl_text_clear(&text);
  return body;
}
