/* SPDX-License-Identifier: Apache-2.0 */
/* Writes log and progress to stderr. stdout is for results only. The command line owns the log,
 * which is no global. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum pawl_log_level { PAWL_LOG_QUIET = 0, PAWL_LOG_NORMAL = 1, PAWL_LOG_VERBOSE = 2 };

struct pawl_log {
  enum pawl_log_level level;
  bool terminal; /* redraw progress lines in place; false: print none */
  bool progress_shown;
  const char *task;               /* see base/progress.h; NULL: none */
  int64_t task_begin_ns, told_ns; /* told: when the last line was written */
};

void pawl_log_init(struct pawl_log *log, enum pawl_log_level level);
/* These functions print nothing for a NULL log. */
void pawl_log_info(struct pawl_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pawl_log_detail(struct pawl_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pawl_log_warning(struct pawl_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Redraws one line on a terminal: "checking sdpa_cpu 12/45". An empty format erases it. */
void pawl_log_progress(struct pawl_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
