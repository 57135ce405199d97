/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the message on one line. */
static void flatten(char *text) {
  for (unsigned char *p = (unsigned char *)text; *p; p++) {
    if (*p < 0x20 || *p == 0x7f) *p = ' ';
  }
}

enum pawl_status_code pawl_fail(struct pawl_error *err, enum pawl_status_code code,
                                const char *format, ...) {
  PAWL_ASSERT(code != PAWL_OK);
  if (!err) return code;
  char message[PAWL_ERROR_MESSAGE]; /* the arguments may point into err->message */
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  flatten(message);
  err->code = code;
  memcpy(err->message, message, sizeof message);
  return code;
}

enum pawl_status_code pawl_prefix(struct pawl_error *err, const char *format, ...) {
  PAWL_ASSERT(err && err->code != PAWL_OK);
  char context[PAWL_ERROR_MESSAGE], rest[PAWL_ERROR_MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(context, sizeof context, format, args);
  va_end(args);
  flatten(context);
  memcpy(rest, err->message, sizeof rest);
  const size_t used = strnlen(context, sizeof context - 1);
  snprintf(err->message, sizeof err->message, "%.*s: %.*s", (int)used, context,
           (int)(used + 3 < sizeof rest ? sizeof rest - used - 3 : 0), rest);
  return err->code;
}

static enum pawl_status_code code_of_errno(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR: return PAWL_NO_INPUT;
    case EACCES:
    case EPERM: return PAWL_NOT_PERMITTED;
    case ENOMEM:
    case EAGAIN:
    case EMFILE:
    case ENFILE: return PAWL_NO_MEMORY;
    case ENOSPC:
    case EDQUOT:
    case EROFS:
    case EFBIG: return PAWL_CANNOT_WRITE;
    default: return PAWL_IO;
  }
}

enum pawl_status_code pawl_fail_errno(struct pawl_error *err, int number, const char *format, ...) {
  char context[PAWL_ERROR_MESSAGE - 128], reason[96];
  va_list args;
  va_start(args, format);
  vsnprintf(context, sizeof context, format, args);
  va_end(args);
  const char *words = strerror_r(number, reason, sizeof reason);
  return pawl_fail(err, code_of_errno(number), "%s: %s", context, words);
}

void pawl_bug(const char *file, int line, const char *what) {
  fprintf(stderr, "pawl: bug at %s:%d: %s; please report it\n", file, line, what);
  exit(PAWL_BUG);
}
