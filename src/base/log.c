/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pawl_log_init(struct pawl_log *log, enum pawl_log_level level) {
  const char *terminal = getenv("TERM"); /* a dumb terminal cannot erase a line */
  *log = (struct pawl_log){
      .level = level,
      .terminal = isatty(STDERR_FILENO) == 1 && !(terminal && !strcmp(terminal, "dumb"))};
}

static void erase_progress(struct pawl_log *log) {
  if (log->progress_shown) fputs("\r\033[K", stderr);
  log->progress_shown = false;
}

__attribute__((format(printf, 3, 0))) static void print(struct pawl_log *log, const char *prefix,
                                                        const char *format, va_list args) {
  erase_progress(log);
  fputs(prefix, stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
}

void pawl_log_info(struct pawl_log *log, const char *format, ...) {
  if (!log || log->level < PAWL_LOG_NORMAL) return;
  va_list args;
  va_start(args, format);
  print(log, "", format, args);
  va_end(args);
}

void pawl_log_detail(struct pawl_log *log, const char *format, ...) {
  if (!log || log->level < PAWL_LOG_VERBOSE) return;
  va_list args;
  va_start(args, format);
  print(log, "", format, args);
  va_end(args);
}

void pawl_log_warning(struct pawl_log *log, const char *format, ...) {
  if (!log || log->level < PAWL_LOG_NORMAL) return;
  va_list args;
  va_start(args, format);
  print(log, "warning: ", format, args);
  va_end(args);
}

void pawl_log_progress(struct pawl_log *log, const char *format, ...) {
  if (!log || log->level < PAWL_LOG_NORMAL || !log->terminal) return;
  erase_progress(log);
  if (!*format) return;
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fflush(stderr);
  log->progress_shown = true;
}
