/* SPDX-License-Identifier: Apache-2.0 */
/* The end of what a worker printed: the last 16 KiB of its stdout and stderr, however much it
 * prints. */
#ifndef PAWL_WORKER_LOG_TAIL_H
#define PAWL_WORKER_LOG_TAIL_H

#include <stddef.h>

#include "base/text.h"

#define PAWL_LOG_TAIL 16384

struct pawl_log_tail {
  int fd;     /* our end of the pipe, non-blocking; -1 once the worker's end is closed */
  char *data; /* 2 * PAWL_LOG_TAIL bytes */
  size_t length;
};

void pawl_log_tail_init(struct pawl_log_tail *tail, int fd);
/* Takes what is there, so that the worker's prints never block for long; at most 1 MiB a call. */
void pawl_log_tail_drain(struct pawl_log_tail *tail);
/* Takes what is there, and forgets it: what is printed from now on belongs to other work. */
void pawl_log_tail_forget(struct pawl_log_tail *tail);
/* The last `lines` non-empty lines with `separator` between them and control characters replaced by
 * '?'. */
void pawl_log_tail_text(const struct pawl_log_tail *tail, int lines, const char *separator,
                        struct pawl_text *out);
void pawl_log_tail_release(struct pawl_log_tail *tail);

#endif
