/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of compute-sanitizer's reports. Every line starts with "========= ". A report
 * starts at the margin and continues in indented lines. The summary is last. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "check/sanitizer.h"

#define MARK "========="

/* Returns the line after its mark, or NULL for a line of the program's own. */
static const char *behind_mark(const char *line, size_t *length) {
  const size_t mark = strlen(MARK);
  if (*length < mark || strncmp(line, MARK, mark) != 0) return NULL;
  *length -= mark;
  line += mark;
  if (*length && *line == ' ') line++, (*length)--;
  return line;
}

static const char *sanitizer_log_find(const char *line, size_t length, const char *wanted) {
  return memmem(line, length, wanted, strlen(wanted));
}

/* Reads "FILE:LINE" up to `end`. */
static void sanitizer_log_read_line(const char *file, const char *end, struct pawl_arena *arena,
                                    struct pawl_sanitizer_finding *out) {
  const char *colon = memrchr(file, ':', (size_t)(end - file));
  const int number = colon && colon + 1 < end ? (int)strtol(colon + 1, NULL, 10) : 0;
  if (number <= 0) return;
  out->file = pawl_arena_printf(arena, "%.*s", (int)(colon - file), file);
  out->line = number;
}

/* Before 2022 the form is "at 0x70 in FILE:LINE:FUNCTION", or "at 0x70 in FUNCTION". */
static void read_old_place(const char *place, const char *end, struct pawl_arena *arena,
                           struct pawl_sanitizer_finding *out) {
  const char *in = sanitizer_log_find(place, (size_t)(end - place), " in ");
  const char *text = in ? in + strlen(" in ") : end,
             *stop = sanitizer_log_find(text, (size_t)(end - text), " [");
  const char *function = text;
  if (stop) end = stop;
  for (const char *p = text; p + 1 < end && function == text; p++) {
    if (*p != ':' || p[1] < '0' || p[1] > '9') continue;
    const char *next = p + 1 + strspn(p + 1, "0123456789");
    if (next < end && *next != ':') continue;
    sanitizer_log_read_line(text, next < end ? next : end, arena, out);
    function = next < end ? next + 1 : end;
  }
  if (function < end)
    out->function = pawl_arena_printf(arena, "%.*s", (int)(end - function), function);
}

/* Reads "at FUNCTION+0x80 in FILE:LINE" anywhere in the line, or the part of it that is there. */
static void read_place(const char *line, size_t length, struct pawl_arena *arena,
                       struct pawl_sanitizer_finding *out) {
  const char *end = line + length, *place = sanitizer_log_find(line, length, "at ");
  if (!place || out->function) return;
  if (!strncmp(place, "at 0x", strlen("at 0x"))) {
    read_old_place(place, end, arena, out);
    return;
  }
  const char *offset = sanitizer_log_find(place, (size_t)(end - place), "+0x");
  if (!offset) return;
  out->function = pawl_arena_printf(arena, "%.*s", (int)(offset - place - 3), place + 3);
  const char *in = sanitizer_log_find(offset, (size_t)(end - offset), " in ");
  if (!in) return;
  const char *stop = sanitizer_log_find(in + 4, (size_t)(end - in - 4), " [");
  sanitizer_log_read_line(in + 4, stop ? stop : end, arena, out);
}

/* Adds a finding, or counts it again if the log has it. */
static void add(struct pawl_sanitizer_log *log, const struct pawl_sanitizer_finding *finding,
                size_t *capacity) {
  for (size_t i = 0; i < log->count; i++) {
    struct pawl_sanitizer_finding *known = &log->findings[i];
    if (known->line == finding->line && pawl_text_equal(known->file, finding->file) &&
        pawl_text_equal(known->function, finding->function) &&
        pawl_text_equal(known->what, finding->what)) {
      known->count++;
      return;
    }
  }
  log->findings = pawl_grow(log->findings, log->count, capacity, sizeof *log->findings);
  log->findings[log->count++] = *finding;
}

static bool starts(const char *line, size_t length, const char *prefix) {
  return length >= strlen(prefix) && !strncmp(line, prefix, strlen(prefix));
}

static bool starts_with_any(const char *line, size_t length, const char *const *prefixes,
                            size_t count) {
  for (size_t i = 0; i < count; i++)
    if (starts(line, length, prefixes[i])) return true;
  return false;
}

/* Whether a line at the margin reports nothing about the kernel. */
static bool is_remark(const char *line, size_t length) {
  static const char *const remarks[] = {"Program hit ",
                                        "Target application",
                                        "No attachable",
                                        "Error: process",
                                        "Error: No",
                                        "Error: Target",
                                        "Internal ",
                                        "Device not",
                                        "Tracking kernels launched",
                                        "Default timeout can be",
                                        "Unable to "};
  return starts_with_any(line, length, remarks, PAWL_COUNT(remarks));
}

/* Whether a tool that did not start writes this remark. */
static bool is_no_start(const char *line, size_t length) {
  static const char *const remarks[] = {"Unable to ", "Error: Target application terminated before",
                                        "Target application terminated before", "Error: No attach",
                                        "No attachable"};
  return starts_with_any(line, length, remarks, PAWL_COUNT(remarks));
}

/* The state of reading a log. */
struct sanitizer_reading {
  struct pawl_arena *arena;
  struct pawl_sanitizer_log log;
  size_t capacity;
  struct pawl_sanitizer_finding now; /* `what` is NULL: no report is open */
  bool has_details; /* indented lines follow the report, as they follow every finding */
  long errors;      /* the sum of the summaries */
};

static void add_trouble(struct sanitizer_reading *reading, const char *line, size_t length) {
  struct pawl_sanitizer_log *log = &reading->log;
  log->no_start = log->no_start || is_no_start(line, length);
  log->trouble = pawl_arena_printf(reading->arena, "%s%s%.*s", log->trouble,
                                   *log->trouble ? "; " : "", (int)length, line);
}

/* Ends the open report. A line without a place and without details is a remark of the tool that
 * pawl does not know. */
static void close_report(struct sanitizer_reading *reading) {
  struct pawl_sanitizer_finding *now = &reading->now;
  if (now->what && (reading->has_details || now->function))
    add(&reading->log, now, &reading->capacity);
  else if (now->what)
    add_trouble(reading, now->what, strlen(now->what));
  *now = (struct pawl_sanitizer_finding){0};
  reading->has_details = false;
}

/* Begins a report with a line at the margin. */
static void open_report(struct sanitizer_reading *reading, const char *line, size_t length) {
  struct pawl_sanitizer_finding *now = &reading->now;
  const char *summary = sanitizer_log_find(line, length, "SUMMARY: ");
  if (!length || starts(line, length, "COMPUTE-SANITIZER") || starts(line, length, "CUDA-MEMCHECK"))
    return;
  if (summary) {
    reading->log.finished = true;
    reading->errors += strtol(summary + strlen("SUMMARY: "), NULL, 10);
  } else if (is_remark(line, length)) {
    add_trouble(reading, line, length);
  } else {
    const char *place = sanitizer_log_find(line, length, " at ");
    now->count = 1;
    read_place(line, length, reading->arena, now);
    now->what =
        pawl_arena_printf(reading->arena, "%.*s",
                          (int)(place && now->function ? place - line : (ptrdiff_t)length), line);
  }
}

static void read_log(struct sanitizer_reading *reading, const char *text) {
  for (const char *line = text, *next; *line; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    const char *said = behind_mark(line, &length);
    if (!said) continue;
    while (length && (said[length - 1] == ' ' || said[length - 1] == '\r')) length--;
    if (length && said[0] == ' ') {
      reading->has_details = true;
      if (reading->now.what) read_place(said, length, reading->arena, &reading->now);
      continue;
    }
    close_report(reading);
    open_report(reading, said, length);
  }
  close_report(reading);
}

void pawl_sanitizer_parse(const char *text, struct pawl_arena *arena,
                          struct pawl_sanitizer_log *out) {
  struct sanitizer_reading reading = {.arena = arena, .log = {.trouble = ""}};
  struct pawl_sanitizer_log *log = &reading.log;
  read_log(&reading, text);
  /* The tool reports errors in words that pawl does not know. */
  if (!log->count && reading.errors > 0) {
    const struct pawl_sanitizer_finding unread = {
        .what = *log->trouble ? log->trouble : "errors that its summary counts alone",
        .count = (size_t)reading.errors};
    add(log, &unread, &reading.capacity);
  }
  struct pawl_sanitizer_finding *kept = pawl_arena_alloc(arena, log->count + 1, sizeof *kept);
  if (log->count) memcpy(kept, log->findings, log->count * sizeof *kept);
  pawl_free(log->findings);
  log->findings = kept;
  *out = *log;
}
