/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/frame.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

static enum pawl_frame_state begin_body(struct pawl_frame *frame) {
  const unsigned char *h = frame->header;
  frame->length = (size_t)h[0] | (size_t)h[1] << 8 | (size_t)h[2] << 16 | (size_t)h[3] << 24;
  if (frame->length > PAWL_FRAME_LIMIT) return PAWL_FRAME_TOO_LONG;
  frame->body = pawl_alloc(frame->length + 1, 1);
  return frame->length == 0 ? PAWL_FRAME_READY : PAWL_FRAME_PARTIAL;
}

enum pawl_frame_state pawl_frame_receive(struct pawl_frame *frame, int fd) {
  for (;;) {
    const bool in_header = frame->received < PAWL_FRAME_HEADER;
    void *to = in_header ? (void *)(frame->header + frame->received)
                         : frame->body + frame->received - PAWL_FRAME_HEADER;
    const size_t wanted =
        (in_header ? PAWL_FRAME_HEADER : PAWL_FRAME_HEADER + frame->length) - frame->received;
    const ssize_t got = read(fd, to, wanted);
    if (got == 0) return PAWL_FRAME_CLOSED;
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return PAWL_FRAME_PARTIAL;
      return errno == ECONNRESET ? PAWL_FRAME_CLOSED : PAWL_FRAME_BROKEN;
    }
    frame->received += (size_t)got;
    if (in_header && frame->received == PAWL_FRAME_HEADER) {
      const enum pawl_frame_state state = begin_body(frame);
      if (state != PAWL_FRAME_PARTIAL) return state;
    } else if (!in_header && frame->received == PAWL_FRAME_HEADER + frame->length) {
      return PAWL_FRAME_READY;
    }
  }
}

void pawl_frame_clear(struct pawl_frame *frame) {
  pawl_free(frame->body);
  *frame = (struct pawl_frame){0};
}

pawl_status pawl_frame_encode(const json_t *value, struct pawl_text *out, struct pawl_error *err) {
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (!text)
    return pawl_fail(err, PAWL_BUG, "cannot write a message of the worker protocol as JSON");
  struct pawl_text body = {0};
  pawl_text_add(&body, text);
  free(text);
  if (body.length > PAWL_FRAME_LIMIT) {
    const size_t length = body.length;
    pawl_text_clear(&body);
    return pawl_fail(err, PAWL_BUG,
                     "a message of %zu bytes does not fit into a frame of the worker protocol",
                     length);
  }
  const uint32_t n = (uint32_t)body.length;
  const unsigned char header[PAWL_FRAME_HEADER] = {(unsigned char)n, (unsigned char)(n >> 8),
                                                   (unsigned char)(n >> 16),
                                                   (unsigned char)(n >> 24)};
  pawl_text_add_bytes(out, header, sizeof header);
  pawl_text_add_bytes(out, body.data, body.length);
  pawl_text_clear(&body);
  return PAWL_OK;
}
