/* SPDX-License-Identifier: Apache-2.0 */
/* Notices for chat services: a file and a row of model/chat_services.inc for each. JSON keeps its
   own quoting; what is escaped here is what each service reads inside. */
#ifndef PAWL_NOTIFY_CHAT_H
#define PAWL_NOTIFY_CHAT_H

#include "notify/notice.h"

/* The body of a POST to the service: a new reference. */
#define CHAT_SERVICE(name, function) json_t *function(const struct pawl_notice *notice);
#include "model/chat_services.inc"
#undef CHAT_SERVICE

/* A cross or a tick. */
const char *pawl_chat_mark(const struct pawl_notice *notice);
/* For Markdown as Discord and Teams read it: a backslash before what could be a mark, a mention or
 * HTML. */
void pawl_chat_add_markdown(const char *text, struct pawl_text *out);

#endif
