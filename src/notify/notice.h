/* SPDX-License-Identifier: Apache-2.0 */
/* A notice of a verdict: what it says, and its forms for e-mail and for chat services. Everything
   in it may come from a stranger's change: each form escapes for its reader. */
#ifndef PAWL_NOTIFY_NOTICE_H
#define PAWL_NOTIFY_NOTICE_H

#include <stdbool.h>
#include <time.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/notify_spec.h"
#include "report/report.h"

#define PAWL_NOTICE_EXCERPT ((size_t)1500) /* bytes of the report's first lines */

struct pawl_notice {
  bool failed;         /* of the run */
  const char *subject; /* what was judged: a branch, say; one line of clean text */
  const char *verdict; /* "regression": a word of ours */
  const char *title;   /* "pawl: main: regression"; one line of clean text */
  const char *excerpt; /* the report's first lines, as text */
  const char *link;    /* https, checked; NULL: none */
};

/* Everything lives in the arena. PAWL_USAGE: the link is no https address. */
pawl_status pawl_notice_make(const struct pawl_run_report *report, const char *subject,
                             const char *link, struct pawl_arena *arena, struct pawl_notice *out,
                             struct pawl_error *err);

/* The body of a POST to a chat service, a row of model/chat_services.inc from 1: a new reference.
 */
json_t *pawl_notice_payload(const struct pawl_notice *notice, int service);

/* A whole message (RFC 5322, MIME) with CRLF line ends, all of ASCII: header fields as encoded
   words (RFC 2047) where needed, the text as Base64. `id` makes its Message-ID: letters and digits.
 */
void pawl_notice_message(const struct pawl_notice *notice, const struct pawl_email_spec *email,
                         time_t when, const char *id, struct pawl_text *out);

#endif
