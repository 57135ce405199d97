/* SPDX-License-Identifier: Apache-2.0 */
/* Makes notices for chat services. Each service is a file and a row of model/chat_services.inc. Its
 * file escapes only for the service's markup, because JSON quotes by itself. */
#pragma once

#include "notify/notice.h"

/* Returns a new reference: the body of a POST to the service. */
#define CHAT_SERVICE(name, function) json_t *function(const struct pawl_notice *notice);
#include "model/chat_services.inc"
#undef CHAT_SERVICE

/* Returns a cross or a tick. */
const char *pawl_chat_mark(const struct pawl_notice *notice);
/* Escapes for the Markdown of Discord and Teams: a backslash precedes each mark, mention and HTML
 * tag. */
void pawl_chat_add_markdown(const char *text, struct pawl_text *out);
