/* SPDX-License-Identifier: Apache-2.0 */
#include "build/ninja.h"

#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/parallel.h"
#include "build/build_command.h"
#include "build/tools.h"

/* Ninja prints this before each command's description; no compiler does. */
#define STATUS_MARK "\x01pawl "
#define COMPILE_MARK STATUS_MARK "compile "
#define TIMED_OUT "the build timed out after %.3g s\n"
#define NINJA_LOG "output.log"

/* Writes a Ninja variable. Its value can contain anything but a line break. Paths need variables,
   because Ninja splits the text of a build line at blanks, ':' and '|', but not the value of a
   variable. */
static void add_variable(struct pawl_text *out, const char *indent, const char *name,
                         const char *value) {
  pawl_text_printf(out, "%s%s = ", indent, name);
  if (*value == ' ') pawl_text_add(out, "$");
  for (const char *p = value; *p; p++) {
    if (*p == '$') pawl_text_add(out, "$");
    pawl_text_add_bytes(out, p, 1);
  }
  pawl_text_add(out, "\n");
}

static void add_numbered(struct pawl_text *out, const char *prefix, size_t number,
                         const char *value) {
  struct pawl_text name = {0};
  pawl_text_printf(&name, "%s%zu", prefix, number);
  add_variable(out, "", name.data, value);
  pawl_text_clear(&name);
}

/* `before` and `after` are text of the shell. */
static void add_command(struct pawl_text *out, const char *before, const struct pawl_words *words,
                        const char *after) {
  struct pawl_text command = {0};
  pawl_text_add(&command, before);
  for (size_t i = 0; i < words->count; i++) {
    if (i) pawl_text_add(&command, " ");
    pawl_shell_quote(words->items[i], &command);
  }
  pawl_text_add(&command, after);
  add_variable(out, "  ", "command", command.data);
  pawl_text_clear(&command);
}

/* Writes the command of the unit with other words in place of its end, "-c SOURCE -o OBJECT". */
static struct pawl_words list_command(const struct pawl_build_plan *plan,
                                      const struct pawl_build_unit *unit,
                                      struct pawl_arena *arena) {
  const size_t tail = 4;
  struct pawl_words words = {0};
  for (size_t i = 0; i + tail < unit->command.count; i++)
    pawl_words_add(&words, arena, unit->command.items[i]);
  const char *const more[] = {unit->nvcc ? "-M" : "-E",
                              unit->nvcc ? "" : "-MD",
                              "-MF",
                              pawl_box_seen(&plan->box, unit->deps),
                              unit->nvcc ? "" : "-o",
                              unit->nvcc ? "" : pawl_box_seen(&plan->box, unit->text),
                              unit->source};
  for (size_t i = 0; i < PAWL_COUNT(more); i++)
    if (*more[i]) pawl_words_add(&words, arena, more[i]);
  return words;
}

/* Makes the compiler list the files that each unit reads, and preprocess the unit, unless its
   object is current. nvcc would preprocess only for its first architecture, but it lists the files
   of all architectures. */
static void write_lists(const struct pawl_build_plan *plan, struct pawl_arena *arena,
                        struct pawl_text *out) {
  pawl_text_add(out, "ninja_required_version = 1.7\n");
  add_variable(out, "", "builddir", pawl_box_seen(&plan->box, plan->folder));
  for (size_t i = 0; i < plan->unit_count; i++) {
    if (plan->units[i].current) continue;
    const struct pawl_words command = list_command(plan, &plan->units[i], arena);
    pawl_text_printf(out, "rule list%zu\n", i);
    add_command(out, "", &command, "");
    pawl_text_printf(out, "  description = list %zu\nbuild list%zu: list%zu\n", i, i, i);
  }
}

/* Ninja never decides whether a file is up to date, so it needs no list of headers. */
static void add_unit(struct pawl_text *out, const struct pawl_build_plan *plan, size_t i) {
  const struct pawl_build_unit *unit = &plan->units[i];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text after = {0};
  add_numbered(out, "source", i, unit->source);
  add_numbered(out, "object", i, pawl_box_seen(&plan->box, unit->object));
  if (unit->kept) return;
  pawl_text_printf(out, "rule compile%zu\n", i);
  /* the user's flags may have -MP or -MT, which need -MD */
  pawl_text_add(&after, " -MD -MF ");
  pawl_shell_quote(pawl_box_seen(&plan->box, unit->deps), &after);
  add_command(out, "", &unit->command, after.data);
  pawl_text_printf(out, "  description = compile %zu\n", i);
  pawl_text_printf(out, "build $object%zu: compile%zu $source%zu\n", i, i, i);
}

static void add_copy(struct pawl_text *out, const struct pawl_build_box *box,
                     const struct pawl_library_copy *copy, size_t i) {
  struct pawl_text command = {0};
  const char *to = pawl_box_seen(box, copy->to);
  add_numbered(out, "from", i, copy->from);
  add_numbered(out, "to", i, to);
  pawl_text_add(&command, "cp -fL -- ");
  pawl_shell_quote(copy->from, &command);
  pawl_text_add(&command, " ");
  pawl_shell_quote(to, &command);
  pawl_text_printf(out, "rule copy%zu\n", i);
  add_variable(out, "  ", "command", command.data);
  pawl_text_printf(out, "  description = copy %zu\nbuild $to%zu: copy%zu $from%zu\n", i, i, i, i);
  pawl_text_clear(&command);
}

static void write_plan(const struct pawl_build_plan *plan, struct pawl_text *out) {
  pawl_text_add(out, "ninja_required_version = 1.7\n");
  const struct pawl_build_box *box = &plan->box;
  add_variable(out, "", "builddir", pawl_box_seen(box, plan->folder));
  for (size_t i = 0; i < plan->unit_count; i++) add_unit(out, plan, i);
  for (size_t i = 0; i < plan->copy_count; i++) add_copy(out, box, &plan->copies[i], i);
  for (size_t i = 0; i < plan->link_inputs.count; i++)
    add_numbered(out, "input", i, plan->link_inputs.items[i]);
  struct pawl_text rename = {0};
  pawl_text_add(&rename, " >");
  pawl_shell_quote(pawl_box_seen(box, plan->trace), &rename);
  pawl_text_add(&rename, " && mv -f -- ");
  pawl_shell_quote(pawl_box_seen(box, plan->linked), &rename);
  pawl_text_add(&rename, " ");
  pawl_shell_quote(pawl_box_seen(box, plan->plugin), &rename);
  pawl_text_add(out, "rule link\n");
  add_command(out, "", &plan->link, rename.data);
  pawl_text_add(out, "  description = link\n");
  add_variable(out, "", "plugin", pawl_box_seen(box, plan->plugin));
  pawl_text_add(out, "build $plugin: link");
  for (size_t i = 0; i < plan->unit_count; i++) pawl_text_printf(out, " $object%zu", i);
  for (size_t i = 0; i < plan->link_inputs.count; i++)
    pawl_text_printf(out, "%s $input%zu", i ? "" : " |", i);
  pawl_text_add(out, "\ndefault $plugin\n");
  pawl_text_clear(&rename);
}

/* Collects the lines of the compilers, and counts the compile steps of Ninja. Leaves out the
   command line that Ninja prints after "FAILED:", because it is long and the report has it. */
static void read_output(const char *text, struct pawl_text *words, int *compiles) {
  bool command_follows = false;
  while (*text) {
    const size_t length = strcspn(text, "\n");
    const bool status = pawl_starts_with(text, STATUS_MARK);
    if (pawl_starts_with(text, COMPILE_MARK)) ++*compiles;
    if (!status && !command_follows && !pawl_starts_with(text, "ninja: ") &&
        !pawl_starts_with(text, "FAILED: "))
      pawl_text_printf(words, "%.*s\n", (int)length, text);
    command_follows = pawl_starts_with(text, "FAILED: ");
    text += length + (text[length] == '\n');
  }
}

static pawl_status run_ninja(const struct pawl_build_plan *plan, const char *ninja,
                             const char *file, const char *output,
                             const struct pawl_build_options *options, struct pawl_exit *how,
                             struct pawl_error *err) {
  struct pawl_arena arena = {0};
  struct pawl_words argv = {0}, environment = {0};
  const char *const start[] = {ninja, "-f", file, "-k", "0"};
  for (size_t i = 0; i < PAWL_COUNT(start); i++) pawl_words_add(&argv, &arena, start[i]);
  pawl_words_printf(&argv, &arena, "-j%d", pawl_cpu_count());
  pawl_words_append(&environment, &arena, &plan->environment);
  pawl_words_add(&environment, &arena, "NINJA_STATUS=" STATUS_MARK);
  pawl_words_add(&environment, &arena, "TERM=dumb");
  pawl_words_add(&environment, &arena, "CLICOLOR_FORCE");
  const enum pawl_status_code status =
      pawl_plan_run(plan, options, argv.items, environment.items, output, how, err);
  pawl_arena_clear(&arena);
  return status;
}

static pawl_status ninja_file_run(const struct pawl_build_plan *plan, const char *file,
                                  const struct pawl_text *text,
                                  const struct pawl_build_options *options, struct pawl_exit *how,
                                  struct pawl_text *output, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const struct pawl_tool ninja = pawl_tool_find("ninja", &arena);
  if (ninja.reason) return pawl_fail(err, PAWL_UNAVAILABLE, "cannot build: %s", ninja.reason);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(plan->folder, file);
  PAWL_CLEANUP(pawl_free_pointer) char *log = pawl_path_join(plan->folder, NINJA_LOG);
  PAWL_TRY(pawl_file_write_unsynced(path, text->data, text->length, err));
  PAWL_TRY(run_ninja(plan, ninja.path, pawl_box_seen(&plan->box, path), log, options, how, err));
  return pawl_build_output_read(log, 32 * PAWL_DIAGNOSTICS_LIMIT, output, err);
}

/* A single unit needs no Ninja. */
static pawl_status list_unit(const struct pawl_build_plan *plan, const struct pawl_build_unit *unit,
                             const struct pawl_build_options *options, struct pawl_arena *arena,
                             struct pawl_exit *how, struct pawl_error *err) {
  const struct pawl_words words = list_command(plan, unit, arena);
  const char *log = pawl_arena_printf(arena, "%s/" NINJA_LOG, plan->folder);
  return pawl_plan_run(plan, options, words.items, NULL, log, how, err);
}

pawl_status pawl_ninja_list(const struct pawl_build_plan *plan,
                            const struct pawl_build_options *options, struct pawl_arena *arena,
                            struct pawl_ninja_outcome *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, output = {0};
  struct pawl_exit how = {0};
  const struct pawl_build_unit *last = NULL;
  size_t count = 0;
  for (size_t i = 0; i < plan->unit_count; i++)
    if (!plan->units[i].current) last = &plan->units[i], count++;
  if (count == 1) {
    PAWL_TRY(list_unit(plan, last, options, arena, &how, err));
  } else if (count) {
    write_lists(plan, arena, &text);
    PAWL_TRY(ninja_file_run(plan, "lists.ninja", &text, options, &how, &output, err));
  }
  *out = (struct pawl_ninja_outcome){
      .built = !how.timed_out, .diagnostics = pawl_arena_printf(arena, TIMED_OUT, how.seconds)};
  return PAWL_OK;
}

pawl_status pawl_ninja_run(const struct pawl_build_plan *plan,
                           const struct pawl_build_options *options, struct pawl_arena *arena,
                           struct pawl_ninja_outcome *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text output = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  struct pawl_exit how = {0};
  write_plan(plan, &text);
  PAWL_TRY(ninja_file_run(plan, "build.ninja", &text, options, &how, &output, err));
  struct pawl_ninja_outcome outcome = {.built = !how.timed_out && how.status == 0};
  read_output(pawl_text_string(&output), &words, &outcome.compiles);
  for (size_t i = 0; i < plan->unit_count; i++) outcome.cache_hits += plan->units[i].kept;
  outcome.compiles += outcome.cache_hits;
  if (words.length > PAWL_DIAGNOSTICS_LIMIT) {
    words.length = PAWL_DIAGNOSTICS_LIMIT;
    words.data[words.length] = '\0';
    pawl_text_printf(&words, "\n(the complete output is in %s/" NINJA_LOG ")\n", plan->folder);
  }
  if (how.timed_out) pawl_text_printf(&words, TIMED_OUT, how.seconds);
  if (!outcome.built && !words.length)
    pawl_text_add(&words, pawl_text_string(&output)); /* the error of Ninja itself */
  outcome.diagnostics =
      pawl_arena_copy(arena, pawl_box_words(&plan->box, pawl_text_string(&words)));
  *out = outcome;
  return PAWL_OK;
}
