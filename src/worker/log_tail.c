/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/log_tail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

void pawl_log_tail_init(struct pawl_log_tail *tail, int fd) {
  *tail = (struct pawl_log_tail){.fd = fd, .data = pawl_alloc(2 * PAWL_LOG_TAIL, 1)};
}

void pawl_log_tail_drain(struct pawl_log_tail *tail) {
  for (int reads = 0; tail->fd >= 0 && reads < 64; reads++) {
    if (tail->length > PAWL_LOG_TAIL) {
      memmove(tail->data, tail->data + tail->length - PAWL_LOG_TAIL, PAWL_LOG_TAIL);
      tail->length = PAWL_LOG_TAIL;
    }
    const ssize_t got = read(tail->fd, tail->data + tail->length, 2 * PAWL_LOG_TAIL - tail->length);
    if (got > 0) {
      tail->length += (size_t)got;
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      if (got == 0 || errno != EAGAIN) pawl_close(&tail->fd);
      return;
    }
  }
}

void pawl_log_tail_forget(struct pawl_log_tail *tail) {
  pawl_log_tail_drain(tail);
  tail->length = 0;
}

/* Finds the beginning of the last `lines` lines that are not empty. */
static size_t find_start(const char *data, size_t length, int lines) {
  size_t start = length, end = length;
  while (end > 0 && lines > 0) {
    size_t begin = end;
    while (begin > 0 && data[begin - 1] != '\n') begin--;
    if (begin < end) {
      start = begin;
      lines--;
    }
    end = begin > 0 ? begin - 1 : 0;
  }
  return start;
}

void pawl_log_tail_text(const struct pawl_log_tail *tail, int lines, const char *separator,
                        struct pawl_text *out) {
  bool line_open = false, any = false;
  for (size_t i = find_start(tail->data, tail->length, lines); i < tail->length; i++) {
    const unsigned char c = (unsigned char)tail->data[i];
    if (c == '\n') {
      line_open = false;
      continue;
    }
    if (!line_open && any) pawl_text_add(out, separator);
    line_open = any = true;
    const char shown = c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : (char)c;
    pawl_text_add_bytes(out, &shown, 1);
  }
}

void pawl_log_tail_release(struct pawl_log_tail *tail) {
  pawl_close(&tail->fd);
  pawl_free(tail->data);
  tail->data = NULL;
  tail->length = 0;
}
