/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a notice of a verdict, and its forms for e-mail and chat services. All of its text may come
 * from a stranger's change, so each form escapes for its reader. */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/notify_spec.h"
#include "report/report.h"

#define PAWL_NOTICE_EXCERPT ((size_t)1500) /* bytes of the report's first lines */

struct pawl_notice {
  bool failed;
  const char *subject; /* the judged branch or suite: one line of clean text */
  const char *verdict; /* "regression": always one of pawl's words */
  const char *title;   /* "pawl: main: regression: scale on tiny 12 % slower"; one clean line */
  const char *excerpt;
  const char *link;    /* https, checked; NULL: none */
  const char *changes; /* lines for a mail, see notice_changes.h; NULL: none */
};

/* Returns whether this is an https address that can end no text around it. */
bool pawl_notice_is_link(const char *link);

/* Makes a notice in the arena. Fails with PAWL_USAGE if the link is no https address. */
pawl_status pawl_notice_make(const struct pawl_run_report *report, const char *subject,
                             const char *link, struct pawl_arena *arena, struct pawl_notice *out,
                             struct pawl_error *err);

/* Returns a new reference: the body of a POST to the chat service in row `service` of
 * model/chat_services.inc, counted from 1. */
json_t *pawl_notice_payload(const struct pawl_notice *notice, int service);

/* Writes a whole message (RFC 5322, MIME) in ASCII with CRLF line ends. Encoded words (RFC 2047)
 * hold the header fields that need them, and Base64 holds the text. `id`, of letters and digits,
 * makes the Message-ID. */
void pawl_notice_message(const struct pawl_notice *notice, const struct pawl_email_spec *email,
                         time_t when, const char *id, struct pawl_text *out);
