/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of the reports of gcc's and clang's sanitizers and of valgrind: a line that says
 * what happened, then the stack, a frame a line. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/text.h"
#include "check/sanitizer.h"

struct stack_reading {
  const char *folder; /* the suite's */
  struct pawl_arena *arena;
  struct pawl_sanitizer_log log;
  size_t capacity;
  struct pawl_sanitizer_finding now; /* `what` is NULL: no report is open */
  bool framed;                       /* a frame has come */
  bool leak;
};

static bool same_finding(const struct pawl_sanitizer_finding *a,
                         const struct pawl_sanitizer_finding *b) {
  return a->line == b->line && pawl_text_equal(a->file, b->file) &&
         pawl_text_equal(a->function, b->function) && pawl_text_equal(a->what, b->what);
}

static void close_stack(struct stack_reading *reading) {
  struct pawl_sanitizer_finding now = reading->now;
  struct pawl_sanitizer_log *log = &reading->log;
  const bool keep = now.what && (reading->framed || now.file) && !(reading->leak && !now.file);
  reading->now = (struct pawl_sanitizer_finding){0};
  reading->framed = reading->leak = false;
  if (!keep) return;
  for (size_t i = 0; i < log->count; i++) {
    if (!same_finding(&log->findings[i], &now)) continue;
    log->findings[i].count++;
    return;
  }
  now.count = 1;
  log->findings = pawl_grow(log->findings, log->count, &reading->capacity, sizeof *log->findings);
  log->findings[log->count++] = now;
}

static void open_stack(struct stack_reading *reading, const char *what, size_t length) {
  close_stack(reading);
  reading->now.what = pawl_arena_printf(reading->arena, "%.*s", (int)length, what);
  reading->leak = strstr(reading->now.what, " leak of ") || strstr(reading->now.what, " lost in ");
}

/* Reads "FILE:LINE" or "FILE:LINE:COLUMN". Keeps it if the file is one of the suite's. */
static void take_place(struct stack_reading *reading, const char *text, size_t length,
                       const char *function, size_t function_length) {
  struct pawl_sanitizer_finding *now = &reading->now;
  char *place = pawl_arena_printf(reading->arena, "%.*s", (int)length, text);
  char *last = strrchr(place, ':');
  if (now->file || !last || !isdigit((unsigned char)last[1])) return;
  *last = '\0';
  int line = atoi(last + 1);
  char *before = strrchr(place, ':');
  if (before && isdigit((unsigned char)before[1])) {
    *before = '\0';
    line = atoi(before + 1);
  }
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(reading->folder, place);
  const size_t root = strlen(reading->folder);
  if (!pawl_file_exists(path)) return;
  if (*place == '/' && strncmp(place, reading->folder, root) != 0) return;
  now->file = *place == '/' ? place + root + (place[root] == '/') : place;
  now->line = line;
  if (function_length)
    now->function = pawl_arena_printf(reading->arena, "%.*s", (int)function_length, function);
}

/* "#0 0x55 in FUNCTION FILE:LINE:COLUMN", "#0 FUNCTION FILE:LINE (library+0x12)" */
static bool read_sanitizer_frame(struct stack_reading *reading, const char *line, size_t length) {
  if (length < 3 || line[0] != '#' || !isdigit((unsigned char)line[1])) return false;
  const char *end = line + length, *at = memchr(line, ' ', length);
  const char *library = memmem(line, length, " (", 2);
  const char *in = memmem(line, length, " in ", 4);
  const char *function = in ? in + 4 : at ? at + 1 : end;
  if (library) end = library;
  const char *space = end > function ? memrchr(function, ' ', (size_t)(end - function)) : NULL;
  reading->framed = true;
  if (reading->now.what && space)
    take_place(reading, space + 1, (size_t)(end - space - 1), function, (size_t)(space - function));
  return true;
}

/* "at 0x4C: FUNCTION (FILE:LINE)", "by 0x4C: FUNCTION (in LIBRARY)" */
static bool read_valgrind_frame(struct stack_reading *reading, const char *line, size_t length) {
  if (length < 5 || (strncmp(line, "at 0x", 5) != 0 && strncmp(line, "by 0x", 5) != 0))
    return false;
  const char *function = memmem(line, length, ": ", 2), *open = memrchr(line, '(', length);
  reading->framed = true;
  if (reading->now.what && function && open > function + 2 && line[length - 1] == ')')
    take_place(reading, open + 1, (size_t)(line + length - 1 - open - 1), function + 2,
               (size_t)(open - 1 - function - 2));
  return true;
}

/* Returns the text behind the words in the line, or NULL. */
static const char *behind(const char *line, size_t length, const char *words) {
  const char *found = memmem(line, length, words, strlen(words));
  return found ? found + strlen(words) : NULL;
}

static void read_head(struct stack_reading *reading, const char *line, size_t length,
                      bool valgrind) {
  const char *end = line + length;
  const char *undefined = behind(line, length, ": runtime error: ");
  const char *said = behind(line, length, "Sanitizer: ");
  const char *stop = said ? memmem(said, (size_t)(end - said), " on ", 4) : NULL;
  if (said && !stop) stop = memmem(said, (size_t)(end - said), " (pid", 5);
  if (undefined) {
    open_stack(reading, undefined, (size_t)(end - undefined));
    take_place(reading, line, (size_t)(undefined - line) - strlen(": runtime error: "), NULL, 0);
    reading->framed = true;
  } else if (behind(line, length, "SUMMARY: ")) {
    close_stack(reading);
  } else if (said && (behind(line, length, "ERROR: ") || behind(line, length, "WARNING: "))) {
    if (behind(line, length, "detected memory leaks")) return;
    open_stack(reading, said, (size_t)((stop ? stop : end) - said));
  } else if (behind(line, length, "irect leak of ")) {
    open_stack(reading, line,
               (size_t)((stop = memmem(line, length, " allocated", 10)) ? stop - line
                                                                        : (ptrdiff_t)length));
  } else if ((behind(line, length, "READ of ") == line + 8 ||
              behind(line, length, "WRITE of ") == line + 9) &&
             reading->now.what && !reading->now.file) {
    stop = memmem(line, length, " at ", 4);
    reading->now.what = pawl_arena_printf(reading->arena, "%s, %.*s", reading->now.what,
                                          (int)((stop ? stop : end) - line), line);
  } else if (valgrind) {
    const char *record = memmem(line, length, " in loss record", 15);
    open_stack(reading, line, (size_t)((record ? record : end) - line));
  }
}

void pawl_sanitizer_parse_stacks(const char *text, const char *folder, struct pawl_arena *arena,
                                 struct pawl_sanitizer_log *out) {
  struct stack_reading reading = {.folder = folder, .arena = arena, .log = {.trouble = ""}};
  for (const char *line = text, *next; *line; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    bool marked = false, indented = false;
    if (length > 4 && !strncmp(line, "==", 2) && isdigit((unsigned char)line[2])) {
      const char *mark = memmem(line + 2, length - 2, "==", 2);
      const char *content = mark ? mark + 2 : line;
      if (*content == ' ') content++, marked = true;
      length -= (size_t)(content - line);
      line = content;
    }
    while (length && *line == ' ') line++, length--, indented = true;
    if (!length) continue;
    if (read_sanitizer_frame(&reading, line, length) || read_valgrind_frame(&reading, line, length))
      continue;
    read_head(&reading, line, length, marked && !indented);
  }
  close_stack(&reading);
  struct pawl_sanitizer_log *log = &reading.log;
  struct pawl_sanitizer_finding *kept = pawl_arena_alloc(arena, log->count + 1, sizeof *kept);
  if (log->count) memcpy(kept, log->findings, log->count * sizeof *kept);
  pawl_free(log->findings);
  log->findings = kept;
  *out = *log;
}
