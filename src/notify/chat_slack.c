/* SPDX-License-Identifier: Apache-2.0 */
/* https://docs.slack.dev/reference/block-kit/blocks/section-block */
#include <string.h>

#include "notify/chat.h"

/* bytes of a section's text: Slack refuses a section of more than 3000 characters */
#define SLACK_BYTES 2800

/* Slack gives a meaning to these characters alone, in code too. A backquote would end a block of
 * code. pawl cuts the text at SLACK_BYTES.
 * https://docs.slack.dev/messaging/formatting-message-text */
static void add_slack(const char *text, struct pawl_text *out) {
  for (const char *p = text; *p; p++) {
    const bool begins = ((unsigned char)*p & 0xc0) != 0x80; /* p is at the start of a character */
    if (begins && out->length + 5 > SLACK_BYTES) return;
    const char *special = *p == '&'   ? "&amp;"
                          : *p == '<' ? "&lt;"
                          : *p == '>' ? "&gt;"
                          : *p == '`' ? "'"
                                      : NULL;
    pawl_text_add_bytes(out, special ? special : p, special ? strlen(special) : 1);
  }
}

/* Adds the link if it fits into Slack's 3000 characters. `&` is the only special character in
 * pawl's links. */
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
  pawl_json_set_string(body, "text", pawl_text_string(&title)); /* a phone shows it */
  pawl_json_set(body, "blocks", blocks);
  pawl_text_clear(&title);
  pawl_text_clear(&text);
  return body;
}
