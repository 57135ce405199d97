/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of an HTTP server, with an ETag and compressed by gzip. A server keeps those that many
 * clients ask for, until the history changes. One thread uses them. */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

#include "base/text.h"

#define PAWL_MOST_ANSWERS 1024u
#define PAWL_ANSWER_BYTES ((size_t)96 << 20) /* all kept answers together */

struct pawl_answer {
  struct pawl_text key; /* the address of the request and the encoding */
  char etag[64];
  size_t bytes, used; /* used: when a client asked last */
  struct MHD_Response *response;
};

struct pawl_answers {
  const char *const (*headers)[2]; /* the headers of every answer */
  size_t header_count;
  struct pawl_text stamp; /* the state of the history that all kept answers belong to */
  struct pawl_answer items[PAWL_MOST_ANSWERS];
  size_t count, bytes, clock;
};

/* Drops all answers if the history has changed since, and returns whether it has. */
bool pawl_answers_set_stamp(struct pawl_answers *answers, const char *stamp);
void pawl_answers_clear(struct pawl_answers *answers);

/* Sends the kept answer of this key, if there is one. `key` is NULL for an answer that nobody
 * keeps. */
bool pawl_answers_send(struct pawl_answers *answers, const char *key,
                       struct MHD_Connection *connection, enum MHD_Result *result);
/* Sends a body of this type, and keeps it unless `key` is NULL. It takes the body. */
enum MHD_Result pawl_answers_make(struct pawl_answers *answers, const char *key,
                                  struct MHD_Connection *connection, const char *type,
                                  struct pawl_text *body);
