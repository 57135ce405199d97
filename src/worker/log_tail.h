/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a worker's output: the last 16 KiB of its stdout and stderr. */
#pragma once

#include <stddef.h>

#include "base/text.h"

#define PAWL_LOG_TAIL 16384

struct pawl_log_tail {
  /* pawl's end of the pipe, non-blocking; -1 after the worker's end has closed */
  int fd;
  char *data; /* 2 * PAWL_LOG_TAIL bytes */
  size_t length;
};

void pawl_log_tail_init(struct pawl_log_tail *tail, int fd);
/* Reads the available output, at most 1 MiB a call, so a full pipe does not block the worker for
 * long. */
void pawl_log_tail_drain(struct pawl_log_tail *tail);
/* Reads and discards the available output. Later output belongs to other work. */
void pawl_log_tail_forget(struct pawl_log_tail *tail);
/* Returns the last `lines` lines that are not empty, joined by `separator`, with '?' for control
 * characters. */
void pawl_log_tail_text(const struct pawl_log_tail *tail, int lines, const char *separator,
                        struct pawl_text *out);
void pawl_log_tail_release(struct pawl_log_tail *tail);
