/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the progress of a task on stderr: a bar on a terminal, else a line every 30 seconds. */
#pragma once

#include "base/log.h"
#include "base/text.h"

#define PAWL_PROGRESS_EVERY_SECONDS 30

/* The unit is the caller's: rows, blocks or seconds. pawl estimates the time left from the time
 * that `done` took, or takes the seconds left. */
struct pawl_progress {
  const char *task; /* a literal such as "timing"; another task starts the clock again */
  double done, total;
  bool at_most;        /* the task may end before `total` */
  bool in_seconds;     /* `total` is a time budget that other tasks share */
  const char *details; /* follows the words if there is room; NULL: nothing */
};

/* Shows the task and the formatted words. These functions do nothing for a NULL log. */
void pawl_progress_show(struct pawl_log *log, const struct pawl_progress *progress,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Ends the task and erases the bar. */
void pawl_progress_end(struct pawl_log *log);

/* Appends the line for a task that has run for `seconds`. The line fits into `columns` of a
 * terminal, with a bar if there is room. With 0 columns it is complete and has no bar. */
void pawl_progress_line(const struct pawl_progress *progress, double seconds, int columns,
                        const char *words, struct pawl_text *out);
