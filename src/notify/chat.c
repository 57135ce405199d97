/* SPDX-License-Identifier: Apache-2.0 */
/* Notices for chat services. JSON keeps its own quoting; what is escaped here is what each service reads inside. */
#include <string.h>

#include "notify/notice.h"

#define SLACK_BYTES 2800 /* of a section's text; more than 3000 characters make Slack refuse it */

/* Slack: only these are special, in code too; a backquote would end a block of code. What would lead beyond SLACK_BYTES
   is left out. https://docs.slack.dev/messaging/formatting-message-text */
static void add_slack(const char *text, struct pawl_text *out) {
  for (const char *p = text; *p; p++) {
    const bool begins = ((unsigned char)*p & 0xc0) != 0x80; /* a character */
    if (begins && out->length + 5 > SLACK_BYTES) return;
    const char *special = *p == '&' ? "&amp;" : *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : *p == '`' ? "'" : NULL;
    pawl_text_add_bytes(out, special ? special : p, special ? strlen(special) : 1);
  }
}

/* Markdown of Discord and of Teams' cards: a backslash before what could be a mark, a mention or HTML. */
static void add_markdown(const char *text, struct pawl_text *out) {
  for (const char *p = text; *p; p++) {
    if (strchr("\\`*_~|<>[]()#-+!@:&", *p)) pawl_text_add(out, "\\");
    pawl_text_add_bytes(out, p, 1);
  }
}

static void add_without_backquotes(const char *text, struct pawl_text *out) {
  for (const char *p = text; *p; p++) pawl_text_add_bytes(out, *p == '`' ? "'" : p, 1);
}

static const char *mark(const struct pawl_notice *notice) {
  return notice->failed ? "\xe2\x9d\x8c" : "\xe2\x9c\x85"; /* a cross, a tick */
}

/* A link within what is left of Slack's 3000 characters; `&` is the only special one that a link of ours can hold. */
static void add_slack_link(const char *link, struct pawl_text *out) {
  struct pawl_text escaped = {0};
  if (link) add_slack(link, &escaped);
  if (link && out->length + escaped.length + 24 <= 3000) pawl_text_printf(out, "\n<%s|The whole report>", escaped.data);
  pawl_text_clear(&escaped);
}

static json_t *slack(const struct pawl_notice *notice) {
  struct pawl_text title = {0}, text = {0};
  add_slack(notice->title, &title);
  pawl_text_printf(&text, "%s *%s*\n```", mark(notice), pawl_text_string(&title));
  add_slack(notice->excerpt, &text);
  pawl_text_add(&text, "```");
  add_slack_link(notice->link, &text);
  json_t *body = json_object(), *section = json_object(), *mrkdwn = json_object(), *blocks = json_array();
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

static json_t *discord(const struct pawl_notice *notice) {
  struct pawl_text text = {0};
  pawl_text_printf(&text, "%s **", mark(notice));
  add_markdown(notice->title, &text);
  pawl_text_add(&text, "**\n```\n");
  add_without_backquotes(notice->excerpt, &text); /* nothing else is special in a block of code */
  pawl_text_add(&text, "\n```");
  /* At most 2000 characters: the link goes first when it does not fit. */
  if (notice->link && text.length + strlen(notice->link) + 3 <= 2000) pawl_text_printf(&text, "\n<%s>", notice->link);
  json_t *body = json_object(), *mentions = json_object();
  pawl_json_set_string(body, "content", text.data);
  pawl_json_set(mentions, "parse", json_array()); /* nobody is called by what a report quotes */
  pawl_json_set(body, "allowed_mentions", mentions);
  pawl_text_clear(&text);
  return body;
}

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
  pawl_json_set_string(action, "title", "The whole report");
  pawl_json_set_string(action, "url", link);
  json_array_append_new(actions, action);
  return actions;
}

static json_t *teams(const struct pawl_notice *notice) {
  struct pawl_text title = {0}, text = {0};
  pawl_text_printf(&title, "%s ", mark(notice));
  add_markdown(notice->title, &title);
  add_markdown(notice->excerpt, &text);
  json_t *card = json_object(), *blocks = json_array(), *attachment = json_object(), *list = json_array();
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

static json_t *plain(const struct pawl_notice *notice) {
  json_t *body = json_object();
  pawl_json_set_int(body, "schema_version", 1);
  pawl_json_set_string(body, "subject", notice->subject);
  pawl_json_set_string(body, "verdict", notice->verdict);
  pawl_json_set_bool(body, "failed", notice->failed);
  pawl_json_set_string(body, "title", notice->title);
  pawl_json_set_string(body, "excerpt", notice->excerpt);
  pawl_json_set_string(body, "link", notice->link);
  return body;
}

json_t *pawl_notice_payload(const struct pawl_notice *notice, enum pawl_chat_service service) {
  switch (service) {
    case PAWL_CHAT_SLACK: return slack(notice);
    case PAWL_CHAT_DISCORD: return discord(notice);
    case PAWL_CHAT_TEAMS: return teams(notice);
    case PAWL_CHAT_JSON: break;
  }
  return plain(notice);
}
