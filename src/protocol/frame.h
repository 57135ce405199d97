/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of docs/protocol.md: a 4-byte little-endian length and that many bytes of JSON. Both ends
 * use this. */
#ifndef PAWL_PROTOCOL_FRAME_H
#define PAWL_PROTOCOL_FRAME_H

#include <stddef.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

#define PAWL_FRAME_HEADER 4
#define PAWL_FRAME_LIMIT ((size_t)16 << 20) /* bytes of JSON in one frame */
#define PAWL_PROTOCOL_VERSION 1

/* A frame on its way in. Zero-initialised is empty. */
struct pawl_frame {
  unsigned char header[PAWL_FRAME_HEADER];
  char *body;
  size_t received; /* header included */
  size_t length;   /* of the body; valid once the header is complete */
};

enum pawl_frame_state {
  PAWL_FRAME_PARTIAL, /* not all there yet */
  PAWL_FRAME_READY,   /* `body` holds `length` bytes */
  PAWL_FRAME_CLOSED, /* the other end is closed, perhaps in the middle of a frame: see `received` */
  PAWL_FRAME_TOO_LONG,
  PAWL_FRAME_BROKEN /* read failed: see errno */
};

/* Reads what belongs to this frame and is there: one read() of a blocking descriptor, until it
   would block on a non-blocking one. Never reads beyond the frame. */
enum pawl_frame_state pawl_frame_receive(struct pawl_frame *frame, int fd);
/* Makes room for the next frame. */
void pawl_frame_clear(struct pawl_frame *frame);

/* The bytes of a frame that holds `value`. PAWL_BUG when they are more than a frame may hold. */
pawl_status pawl_frame_encode(const json_t *value, struct pawl_text *out, struct pawl_error *err);

#endif
