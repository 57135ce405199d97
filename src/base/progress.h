/* SPDX-License-Identifier: Apache-2.0 */
/* How far a task is, on stderr: a bar that is redrawn on a terminal, a line every 30 seconds
 * elsewhere. */
#ifndef PAWL_BASE_PROGRESS_H
#define PAWL_BASE_PROGRESS_H

#include "base/log.h"
#include "base/text.h"

#define PAWL_PROGRESS_EVERY_SECONDS 30

/* The unit is the caller's: rows, blocks, seconds. The time left follows from the time that `done`
   took, or is what is left of the seconds. */
struct pawl_progress {
  const char *task; /* "timing", a literal: another one starts the clock again */
  double done, total;
  bool at_most;        /* the task may end before `total` */
  bool in_seconds;     /* the unit: of a budget, which other tasks use too */
  const char *details; /* after the words, as much as fits; NULL: nothing */
};

/* Shows the task and the words of the format. All accept a NULL log. */
void pawl_progress_show(struct pawl_log *log, const struct pawl_progress *progress,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The task has ended: the bar goes away. */
void pawl_progress_end(struct pawl_log *log);

/* The line after so many seconds. `columns` of a terminal: a bar where the words leave room for
   one, and no more than fits; 0: no bar, all of it. */
void pawl_progress_line(const struct pawl_progress *progress, double seconds, int columns,
                        const char *words, struct pawl_text *out);

#endif
