/* SPDX-License-Identifier: Apache-2.0 */
/* https://learn.microsoft.com/en-us/power-automate/create-adaptive-cards */
#include "notify/chat.h"

static json_t *text_block(const char *text, bool title) {
  json_t *block = json_object();
  pawl_json_set_string(block, "type", "TextBlock");
  pawl_json_set_string(block, "text", text);
  pawl_json_set_bool(block, "wrap", true);
  if (title) pawl_json_set_string(block, "weight", "Bolder");
  return block;
}

static json_t *open_link(const char *link) {
  json_t *actions = json_array(), *action = json_object();
  pawl_json_set_string(action, "type", "Action.OpenUrl");
  pawl_json_set_string(action, "title", "The complete report");
  pawl_json_set_string(action, "url", link);
  json_array_append_new(actions, action);
  return actions;
}

json_t *pawl_chat_teams(const struct pawl_notice *notice) {
  struct pawl_text title = {0}, text = {0};
  pawl_text_printf(&title, "%s ", pawl_chat_mark(notice));
  pawl_chat_add_markdown(notice->title, &title);
  pawl_chat_add_markdown(notice->excerpt, &text);
  json_t *card = json_object(), *blocks = json_array(), *attachment = json_object(),
         *list = json_array();
  json_array_append_new(blocks, text_block(title.data, true));
  json_array_append_new(blocks, text_block(pawl_text_string(&text), false));
  pawl_json_set_string(card, "$schema", "http://adaptivecards.io/schemas/adaptive-card.json");
  pawl_json_set_string(card, "type", "AdaptiveCard");
  pawl_json_set_string(card, "version", "1.4");
  pawl_json_set(card, "body", blocks);
  if (notice->link) pawl_json_set(card, "actions", open_link(notice->link));
  pawl_json_set_string(attachment, "contentType", "application/vnd.microsoft.card.adaptive");
  pawl_json_set(attachment, "content", card);
  json_array_append_new(list, attachment);
  json_t *body = json_object();
  pawl_json_set_string(body, "type", "message");
  pawl_json_set(body, "attachments", list);
  pawl_text_clear(&title);
  pawl_text_clear(&text);
  return body;
}
