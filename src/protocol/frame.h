/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of docs/protocol.md: a 4-byte little-endian length and that many bytes of JSON. Both ends
 * use this. */
#pragma once

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
  size_t received; /* includes the header */
  size_t length;   /* length of the body; valid once the header is complete */
};

enum pawl_frame_state {
  PAWL_FRAME_PARTIAL, /* incomplete */
  PAWL_FRAME_READY,   /* `body` holds `length` bytes */
  /* The other end is closed, perhaps within a frame: see `received`. */
  PAWL_FRAME_CLOSED,
  PAWL_FRAME_TOO_LONG,
  PAWL_FRAME_BROKEN /* read failed: see errno */
};

/* Reads the part of this frame that is available, never more. It makes one read() on a blocking
 * descriptor, and reads until it would block on a non-blocking one. */
enum pawl_frame_state pawl_frame_receive(struct pawl_frame *frame, int fd);
/* Resets the state for the next frame. */
void pawl_frame_clear(struct pawl_frame *frame);

/* Returns the bytes of a frame with `value`. PAWL_BUG: they are more than a frame may hold. */
pawl_status pawl_frame_encode(const json_t *value, struct pawl_text *out, struct pawl_error *err);
