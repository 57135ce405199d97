/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of compute-sanitizer's reports: every line starts with "========= "; a report
   starts at the margin and goes on in indented lines; a summary ends them all. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "check/sanitizer.h"

#define MARK "========="

/* The line behind its mark, or NULL for a line of the program's own. */
static const char *behind_mark(const char *line, size_t *length) {
  const size_t mark = strlen(MARK);
  if (*length < mark || strncmp(line, MARK, mark) != 0) return NULL;
  *length -= mark;
  line += mark;
  if (*length && *line == ' ') line++, (*length)--;
  return line;
}

static const char *find(const char *line, size_t length, const char *wanted) {
  return memmem(line, length, wanted, strlen(wanted));
}

/* "... at FUNCTION+0x80 in FILE:LINE ...": fills what the line holds of it. */
static void read_place(const char *line, size_t length, struct pawl_arena *arena,
                       struct pawl_sanitizer_finding *out) {
  const char *end = line + length, *place = find(line, length, "at ");
  const char *offset = place ? find(place, (size_t)(end - place), "+0x") : NULL;
  if (!offset || out->function) return;
  out->function = pawl_arena_printf(arena, "%.*s", (int)(offset - place - 3), place + 3);
  const char *in = find(offset, (size_t)(end - offset), " in ");
  if (!in) return;
  const char *file = in + 4, *stop = find(file, (size_t)(end - file), " [");
  const char *colon = memrchr(file, ':', (size_t)((stop ? stop : end) - file));
  if (!colon || colon + 1 == end) return;
  const int number = (int)strtol(colon + 1, NULL, 10);
  if (number <= 0) return;
  out->file = pawl_arena_printf(arena, "%.*s", (int)(colon - file), file);
  out->line = number;
}

/* Counts a finding that is known already. */
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

/* Lines at the margin that report nothing about the kernel. */
static bool is_remark(const char *line, size_t length) {
  static const char *const remarks[] = {"COMPUTE-SANITIZER", "Program hit ",   "Target application",
                                        "No attachable",     "Error: process", "Error: No",
                                        "Error: Target",     "Internal ",      "Device not"};
  for (size_t i = 0; i < PAWL_COUNT(remarks); i++) {
    if (starts(line, length, remarks[i])) return true;
  }
  return false;
}

void pawl_sanitizer_parse(const char *text, struct pawl_arena *arena,
                          struct pawl_sanitizer_log *out) {
  struct pawl_sanitizer_log log = {.trouble = ""};
  struct pawl_sanitizer_finding now = {0};
  size_t capacity = 0;
  for (const char *line = text, *next; *line; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    const char *said = behind_mark(line, &length);
    if (!said) continue;
    while (length && (said[length - 1] == ' ' || said[length - 1] == '\r')) length--;
    if (length && said[0] == ' ') {
      if (now.what) read_place(said, length, arena, &now);
      continue;
    }
    if (now.what) add(&log, &now, &capacity);
    now = (struct pawl_sanitizer_finding){0};
    if (!length || starts(said, length, "COMPUTE-SANITIZER")) continue;
    if (find(said, length, "SUMMARY: ")) {
      log.finished = true;
    } else if (is_remark(said, length)) {
      log.trouble = pawl_arena_printf(arena, "%.*s", (int)length, said);
    } else {
      const char *place = find(said, length, " at ");
      now = (struct pawl_sanitizer_finding){.count = 1};
      read_place(said, length, arena, &now);
      now.what = pawl_arena_printf(
          arena, "%.*s", (int)(place && now.function ? place - said : (ptrdiff_t)length), said);
    }
  }
  if (now.what) add(&log, &now, &capacity);
  struct pawl_sanitizer_finding *kept = pawl_arena_alloc(arena, log.count + 1, sizeof *kept);
  if (log.count) memcpy(kept, log.findings, log.count * sizeof *kept);
  pawl_free(log.findings);
  log.findings = kept;
  *out = log;
}
