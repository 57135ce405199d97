/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/zip.h"

#define LEAST_COMPRESSED 1024u /* bytes; a packet has room for more */

/* --- what the client takes --- */

static const char *header_of(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Returns whether a list such as "br, gzip;q=0.5" takes gzip. A weight of 0 refuses it. */
static bool takes_gzip(const char *list) {
  while (list && *list) {
    list += strspn(list, " \t,");
    const size_t length = strcspn(list, ",");
    if (length >= 4 && !strncasecmp(list, "gzip", 4) && strchr(" \t;,", list[4])) {
      const char *weight = memchr(list, '=', length);
      return !weight || strtod(weight + 1, NULL) > 0;
    }
    list += length;
  }
  return false;
}

/* Returns whether If-None-Match names the tag. A proxy may have made the tag weak: W/"...". */
static bool has_it(const char *list, const char *etag) {
  for (const char *at = list; at && (at = strstr(at, etag)); at++)
    if (at == list || strchr(" ,/", at[-1])) return true;
  return list && !strcmp(list, "*");
}

/* --- one answer --- */

static struct MHD_Response *with_headers(const struct pawl_answers *answers,
                                         struct MHD_Response *response, const char *etag) {
  for (size_t i = 0; i < answers->header_count; i++)
    MHD_add_response_header(response, answers->headers[i][0], answers->headers[i][1]);
  MHD_add_response_header(response, "Vary", "Accept-Encoding");
  MHD_add_response_header(response, "ETag", etag);
  return response;
}

static enum MHD_Result answers_send(const struct pawl_answers *answers,
                                    struct MHD_Connection *connection,
                                    const struct pawl_answer *answer) {
  if (!has_it(header_of(connection, "If-None-Match"), answer->etag))
    return MHD_queue_response(connection, MHD_HTTP_OK, answer->response);
  struct MHD_Response *same = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
  if (!same) return MHD_NO;
  const enum MHD_Result queued = MHD_queue_response(connection, MHD_HTTP_NOT_MODIFIED,
                                                    with_headers(answers, same, answer->etag));
  MHD_destroy_response(same);
  return queued;
}

/* Makes the response, which owns the bytes. Each encoding has a tag of its own. */
static bool answers_build(const struct pawl_answers *answers, bool gzip, const char *type,
                          struct pawl_text *body, struct pawl_answer *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text packed = {0};
  char hash[PAWL_HASH_TEXT];
  pawl_hash_format(pawl_hash_bytes(pawl_text_string(body), body->length), hash);
  gzip = gzip && body->length >= LEAST_COMPRESSED && body->length < PAWL_JSON_FILE_LIMIT;
  snprintf(out->etag, sizeof out->etag, "\"%s%s\"", hash, gzip ? "-gzip" : "");
  if (gzip) pawl_gzip(body->data, body->length, &packed);
  struct pawl_text *sent = gzip ? &packed : body;
  out->bytes = sent->length;
  out->response = MHD_create_response_from_buffer(sent->length, sent->data, MHD_RESPMEM_MUST_FREE);
  if (!out->response) return false;
  *sent = (struct pawl_text){0};
  with_headers(answers, out->response, out->etag);
  MHD_add_response_header(out->response, "Content-Type", type);
  if (gzip) MHD_add_response_header(out->response, "Content-Encoding", "gzip");
  return true;
}

/* --- the kept answers --- */

static void answers_drop(struct pawl_answers *answers, size_t i) {
  struct pawl_answer *answer = &answers->items[i];
  answers->bytes -= answer->bytes;
  MHD_destroy_response(answer->response); /* a client that still reads it keeps it */
  pawl_text_clear(&answer->key);
  *answer = answers->items[--answers->count];
  memset(&answers->items[answers->count], 0, sizeof *answer);
}

void pawl_answers_clear(struct pawl_answers *answers) {
  while (answers->count) answers_drop(answers, answers->count - 1);
  pawl_text_clear(&answers->stamp);
}

bool pawl_answers_set_stamp(struct pawl_answers *answers, const char *stamp) {
  if (!strcmp(pawl_text_string(&answers->stamp), stamp)) return false;
  pawl_answers_clear(answers);
  pawl_text_add(&answers->stamp, stamp);
  return true;
}

static void make_room(struct pawl_answers *answers, size_t bytes) {
  while (answers->count == PAWL_MOST_ANSWERS ||
         (answers->count && answers->bytes + bytes > PAWL_ANSWER_BYTES)) {
    size_t oldest = 0;
    for (size_t i = 1; i < answers->count; i++)
      if (answers->items[i].used < answers->items[oldest].used) oldest = i;
    answers_drop(answers, oldest);
  }
}

static void add_key(const char *key, bool gzip, struct pawl_text *out) {
  pawl_text_printf(out, "%c%s", gzip ? 'g' : 'p', key);
}

bool pawl_answers_send(struct pawl_answers *answers, const char *key,
                       struct MHD_Connection *connection, enum MHD_Result *result) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text whole = {0};
  add_key(key, takes_gzip(header_of(connection, "Accept-Encoding")), &whole);
  for (size_t i = 0; i < answers->count; i++) {
    struct pawl_answer *answer = &answers->items[i];
    if (answer->key.length != whole.length || memcmp(answer->key.data, whole.data, whole.length))
      continue;
    answer->used = ++answers->clock;
    *result = answers_send(answers, connection, answer);
    return true;
  }
  return false;
}

enum MHD_Result pawl_answers_make(struct pawl_answers *answers, const char *key,
                                  struct MHD_Connection *connection, const char *type,
                                  struct pawl_text *body) {
  const bool gzip = takes_gzip(header_of(connection, "Accept-Encoding"));
  struct pawl_answer made = {0};
  const bool well = answers_build(answers, gzip, type, body, &made);
  pawl_text_clear(body);
  if (!well) return MHD_NO;
  const enum MHD_Result result = answers_send(answers, connection, &made);
  if (!key || made.bytes > PAWL_ANSWER_BYTES) {
    MHD_destroy_response(made.response);
    return result;
  }
  add_key(key, gzip, &made.key);
  made.bytes += made.key.length;
  make_room(answers, made.bytes);
  made.used = ++answers->clock;
  answers->bytes += made.bytes;
  answers->items[answers->count++] = made;
  return result;
}
