/* SPDX-License-Identifier: Apache-2.0 */
/* Typed and bounded look-ups in a document of unknown origin. The first failure is kept; what follows it does nothing
   and gives the default, so that a reader of many keys checks once, at the end. */
#ifndef PAWL_RECORD_READER_H
#define PAWL_RECORD_READER_H

#include "base/json.h"

struct pawl_reader {
  struct pawl_arena *arena;
  const char *path; /* of the file, for messages */
  struct pawl_error *err;
  enum pawl_status_code status;
  size_t checks; /* of all kernels so far */
  size_t work;   /* spent on judging again: squared blocks */
};

void pawl_reader_note(struct pawl_reader *reader, enum pawl_status_code status);
/* PAWL_BAD_DATA "path: ...", unless something failed before. */
void pawl_reader_refuse(struct pawl_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

const char *pawl_reader_text(struct pawl_reader *reader, const json_t *object, const char *key); /* NULL: absent */
const char *pawl_reader_name(struct pawl_reader *reader, const json_t *object, const char *key); /* of bounded length */
double pawl_reader_number(struct pawl_reader *reader, const json_t *object, const char *key);    /* NaN: absent */
double pawl_reader_time(struct pawl_reader *reader, const json_t *object, const char *key);      /* above 0 */
long long pawl_reader_count(struct pawl_reader *reader, const json_t *object, const char *key, long long fallback);
bool pawl_reader_flag(struct pawl_reader *reader, const json_t *object, const char *key);
/* A list of objects (or of strings) of bounded length; NULL after a failure. */
const json_t *pawl_reader_list(struct pawl_reader *reader, const json_t *object, const char *key, json_type type);
/* The number below `count` that `name_of` gives this text for; -1: absent or refused. */
int pawl_reader_choice(struct pawl_reader *reader, const json_t *object, const char *key, const char *(*name_of)(int),
                       int count);

#endif
