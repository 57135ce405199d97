/* SPDX-License-Identifier: Apache-2.0 */
/* Places findings at lines of the sources. Only the suite gives paths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "build/git.h"
#include "forge/post.h"
#include "report/escape.h"
#include "report/figures.h"
#include "report/row_change.h"

#define SHOWN_OF_A_STEP 10 /* GitHub keeps this number of errors of a step, and of warnings */
#define MESSAGE_LIMIT 4000 /* bytes; GitHub's is 64 KiB */
#define SOURCE_LIMIT ((size_t)16 << 20)

struct places {
  const struct pawl_suite *suite;
  const char *prefix; /* from the top of the repository to the suite's folder: "" or "sub/" */
  struct pawl_arena *arena;
};

struct place {
  const char *path;
  int line;
};

static const char *prefix_of(const struct pawl_suite *suite, struct pawl_arena *arena) {
  struct pawl_git git;
  struct pawl_error ignored = {0};
  if (!suite || pawl_git_read(suite->folder, arena, &git, &ignored) != PAWL_OK) return "";
  PAWL_CLEANUP(pawl_free_pointer) char *root = pawl_path_real(git.root);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_real(suite->folder);
  const size_t length = root ? strlen(root) : 0;
  if (!folder || !root || !pawl_starts_with(folder, root) || folder[length] != '/') return "";
  return pawl_arena_printf(arena, "%s/", folder + length + 1);
}

/* Returns the line that names the kernel's entry, or 1 if no line does. */
static int entry_line(const struct pawl_suite *suite, const char *source) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(suite->folder, source);
  if (pawl_file_read(path, SOURCE_LIMIT, &text, &ignored) != PAWL_OK) return 1;
  const char *start = pawl_text_string(&text), *entry = strstr(start, "pawl_kernel_entry");
  int line = 1;
  for (const char *p = start; entry && p < entry; p++) line += *p == '\n';
  return line;
}

static bool stays_inside(const char *path) {
  return path[0] != '/' && !strstr(path, "..") && !strpbrk(path, "\r\n");
}

static const char *source_of(const struct places *places, const char *kernel_name) {
  const struct pawl_kernel_spec *spec =
      places->suite && kernel_name ? pawl_suite_kernel(places->suite, kernel_name) : NULL;
  return spec && spec->sources.count > 0 && stays_inside(spec->sources.items[0])
             ? spec->sources.items[0]
             : NULL;
}

static struct place annotations_place_of(const struct places *places, const char *kernel_name) {
  const char *source = source_of(places, kernel_name);
  if (!source)
    return (struct place){pawl_arena_printf(places->arena, "%spawl.yaml", places->prefix), 1};
  return (struct place){pawl_arena_printf(places->arena, "%s%s", places->prefix, source),
                        entry_line(places->suite, source)};
}

/* Returns the line that a compiler names for a source: "x.c:12:5: error: ..." of gcc and clang,
 * "x.cu(12): error: ..." of nvcc. An error goes before other lines. Returns 0 if there is none. */
static int line_of_error(const char *diagnostics, const char *source) {
  int first = 0;
  const size_t length = strlen(source);
  for (const char *p = strstr(diagnostics, source); p; p = strstr(p + 1, source)) {
    if (p[length] != ':' && p[length] != '(') continue;
    const long line = strtol(p + length + 1, NULL, 10);
    if (line < 1 || line > 10000000) continue;
    if (memmem(p, strcspn(p, "\n"), " error", strlen(" error"))) return (int)line;
    if (!first) first = (int)line;
  }
  return first;
}

static struct place place_of_error(const struct places *places,
                                   const struct pawl_report_build *build) {
  struct place place = annotations_place_of(places, build->kernel_name);
  const char *source = source_of(places, build->kernel_name);
  const int line = source && build->diagnostics ? line_of_error(build->diagnostics, source) : 0;
  if (line) place.line = line;
  return place;
}

static const char *annotations_cut(struct pawl_arena *arena, const struct pawl_text *text) {
  return pawl_arena_printf(arena, "%.*s", MESSAGE_LIMIT, pawl_text_string(text));
}

static struct pawl_annotation about_build(const struct places *places,
                                          const struct pawl_report_build *build) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_clean_text(build->diagnostics ? build->diagnostics : "the compiler printed nothing", true,
                  &text);
  const struct place place = place_of_error(places, build);
  return (struct pawl_annotation){true, place.path, place.line, "does not build",
                                  annotations_cut(places->arena, &text)};
}

static struct pawl_annotation about_check(const struct places *places,
                                          const struct pawl_report_check *check) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_clean_text(check->kernel_name ? check->kernel_name : "unnamed", false, &text);
  pawl_text_printf(&text, " fails %zu of %zu checks", check->report->failed, check->report->count);
  const char *reason = check->report->rows[0].reason;
  const enum pawl_outcome outcome = pawl_check_worst(check->report);
  if (reason) pawl_text_add(&text, "; the first: ");
  if (reason) pawl_clean_text(reason, false, &text);
  const struct place place = annotations_place_of(places, check->kernel_name);
  return (struct pawl_annotation){true, place.path, place.line,
                                  outcome == PAWL_OUTCOME_DROPPED ? "dropped" : "wrong result",
                                  annotations_cut(places->arena, &text)};
}

static struct pawl_annotation about_row(const struct places *places,
                                        const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  char change[PAWL_ROW_CHANGE], before[PAWL_FIGURE], after[PAWL_FIGURE];
  pawl_clean_text(item->kernel_name ? item->kernel_name : "unnamed", false, &text);
  pawl_text_add(&text, " on ");
  pawl_clean_text(item->config.name ? item->config.name : "a case without a name", false, &text);
  if (item->baseline_ms > 0 && item->current_ms > 0)
    pawl_text_printf(&text, ": %s (%s, was %s)", pawl_row_change(row, change),
                     pawl_figure_time(item->current_ms, after),
                     pawl_figure_time(item->baseline_ms, before));
  if (item->reason) pawl_text_add(&text, ": ");
  if (item->reason) pawl_clean_text(item->reason, false, &text);
  const struct place place = annotations_place_of(places, item->kernel_name);
  return (struct pawl_annotation){pawl_verdict_fails(item->verdict), place.path, place.line,
                                  pawl_verdict_name(item->verdict),
                                  annotations_cut(places->arena, &text)};
}

struct pawl_annotation *pawl_forge_annotations(const struct pawl_stored_run *verdict,
                                               const struct pawl_suite *suite,
                                               struct pawl_arena *arena, size_t *count) {
  const struct pawl_run_report *report = &verdict->report;
  const struct places places = {suite, prefix_of(suite, arena), arena};
  struct pawl_annotation *items = pawl_arena_alloc(
      arena, report->build_count + report->check_count + verdict->ratchet.count + 1, sizeof *items);
  size_t n = 0;
  for (size_t i = 0; i < report->build_count; i++)
    if (!report->builds[i].ok) items[n++] = about_build(&places, &report->builds[i]);
  for (size_t i = 0; i < report->check_count; i++)
    if (report->checks[i].report->failed > 0) items[n++] = about_check(&places, &report->checks[i]);
  size_t rows = 0;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **sorted = pawl_run_rows(report, &rows);
  for (size_t i = 0; i < rows; i++) { /* the worst first */
    const enum pawl_verdict found = sorted[i]->comparison.verdict;
    if (pawl_verdict_fails(found) || found == PAWL_VERDICT_INCONCLUSIVE)
      items[n++] = about_row(&places, sorted[i]);
  }
  *count = n;
  return items;
}

/* Escapes a newline and a percent sign, which would begin a command of their own. Escapes also a
 * colon and a comma in a property, which would end the value.
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions */
static void add_escaped(const char *text, bool property, struct pawl_text *out) {
  for (; *text; text++) {
    if (*text == '%' || *text == '\r' || *text == '\n' ||
        (property && (*text == ':' || *text == ','))) {
      pawl_text_printf(out, "%%%02X", (unsigned char)*text);
    } else {
      pawl_text_add_bytes(out, text, 1);
    }
  }
}

void pawl_forge_workflow_commands(const struct pawl_annotation *annotations, size_t count,
                                  struct pawl_text *out) {
  size_t written[2] = {0, 0}, left_out = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_annotation *item = &annotations[i];
    if (written[item->is_error]++ >= SHOWN_OF_A_STEP) {
      left_out++;
      continue;
    }
    pawl_text_add(out, item->is_error ? "::error file=" : "::warning file=");
    add_escaped(item->path, true, out);
    pawl_text_printf(out, ",line=%d,title=", item->line);
    add_escaped(item->title, true, out);
    pawl_text_add(out, "::");
    add_escaped(item->message, false, out);
    pawl_text_add(out, "\n");
  }
  if (left_out > 0) pawl_text_printf(out, "the report has %zu more findings\n", left_out);
}
