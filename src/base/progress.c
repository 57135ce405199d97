/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#define BAR 20       /* characters */
#define SHORT_BAR 10 /* for a terminal with less room */
#define DEFAULT_COLUMNS 80

static void add_left(double seconds, bool at_most, struct pawl_text *out) {
  pawl_text_printf(out, ", %s", at_most ? "at most " : "");
  if (seconds < 90)
    pawl_text_printf(out, "%.0f s left", ceil(seconds));
  else if (seconds < 5400)
    pawl_text_printf(out, "%.0f min left", ceil(seconds / 60));
  else
    pawl_text_printf(out, "%.1f h left", seconds / 3600);
}

/* Adds a bar if the time left and the words leave room for one. */
static void add_bar(double share, int columns, size_t others, struct pawl_text *out) {
  const size_t room =
      columns > 0 && (size_t)columns > others + 4 ? (size_t)columns - 4 - others : 0;
  const int bar = room >= BAR ? BAR : room >= SHORT_BAR ? SHORT_BAR : 0, full = (int)(share * bar);
  if (bar)
    pawl_text_printf(out, " [%.*s%.*s]", full, "####################", bar - full,
                     "--------------------");
}

/* Cuts the text to `columns` whole characters. */
static void progress_cut(struct pawl_text *text, size_t columns) {
  size_t width = 0;
  for (size_t i = 0; i < text->length; i++) {
    if (((unsigned char)text->data[i] & 0xc0) == 0x80 || width++ < columns) continue;
    text->data[i] = '\0';
    text->length = i;
  }
}

void pawl_progress_line(const struct pawl_progress *progress, double seconds, int columns,
                        const char *words, struct pawl_text *out) {
  const double whole = progress->total > 0 ? progress->done / progress->total : 0;
  const double share = whole < 0 ? 0 : whole > 1 ? 1 : whole;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text rest = {0};
  pawl_text_printf(&rest, "%s %.0f %%", columns > 0 ? "" : ":", floor(share * 100));
  if (progress->in_seconds)
    add_left(fmax(progress->total - progress->done, 0), progress->at_most, &rest);
  else if (share > 0)
    add_left(seconds * (1 - share) / share, progress->at_most, &rest);
  pawl_text_printf(&rest, "%s%s", columns > 0 ? "  " : ": ", words);
  pawl_text_add(out, progress->task);
  add_bar(share, columns,
          pawl_count_characters(pawl_text_string(out)) + pawl_count_characters(rest.data), out);
  pawl_text_printf(out, "%s%s", rest.data, progress->details ? progress->details : "");
  if (columns > 1) progress_cut(out, (size_t)columns - 1);
}

static int terminal_columns(void) {
  struct winsize size = {0};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                         : DEFAULT_COLUMNS;
}

void pawl_progress_show(struct pawl_log *log, const struct pawl_progress *progress,
                        const char *format, ...) {
  if (!log || log->level < PAWL_LOG_NORMAL) return;
  const int64_t now = pawl_clock_ns();
  if (!log->task || strcmp(log->task, progress->task) != 0) {
    log->task = progress->task;
    log->task_begin_ns = now;
  }
  if (!log->told_ns) log->told_ns = now;
  if (!log->terminal && (double)(now - log->told_ns) * 1e-9 < PAWL_PROGRESS_EVERY_SECONDS) return;
  log->told_ns = now;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  char words[512];
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  pawl_progress_line(progress, pawl_seconds_since(log->task_begin_ns),
                     log->terminal ? terminal_columns() : 0, words, &line);
  if (log->terminal)
    pawl_log_progress(log, "%s", line.data);
  else
    pawl_log_info(log, "%s", line.data);
}

void pawl_progress_end(struct pawl_log *log) {
  if (!log) return;
  log->task = NULL;
  pawl_log_progress(log, "%s", "");
}
