/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a CPU kernel under the compiler's sanitizers and under valgrind. */
#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "build/tools.h"
#include "check/matrix.h"
#include "check/sanitizer.h"
#include "process/process.h"

#define ASK_SECONDS 10.0
#define LOG_LIMIT ((size_t)16 << 20)
#define VALGRIND "valgrind"

/* Asks the compiler for the path of its library; NULL: it has none. gcc and clang print the bare
 * name of a library that they lack. */
static const char *find_library(const char *compiler, const char *name, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text output = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text errors = {0};
  struct pawl_exit how = {0};
  struct pawl_error ignored = {0};
  const char *question = pawl_arena_printf(arena, "-print-file-name=%s", name);
  const struct pawl_process_options options = {
      .argv = (const char *const[]){compiler, question, NULL},
      .drop_secrets = true,
      .die_with_parent = true};
  if (pawl_process_run(&options, ASK_SECONDS, 4096, &output, &errors, &how, &ignored) != PAWL_OK ||
      how.status != 0)
    return NULL;
  const char *said = pawl_text_string(&output);
  return *said == '/' ? pawl_arena_printf(arena, "%.*s", (int)strcspn(said, "\r\n"), said) : NULL;
}

/* Returns the first library of the tool that the compiler has, or NULL. */
static const char *find_runtime(const char *compiler, const struct pawl_sanitizer_tool *tool,
                                struct pawl_arena *arena) {
  const char *found = NULL;
  for (size_t i = 0; i < 2 && !found; i++) found = find_library(compiler, tool->runtime[i], arena);
  return found;
}

/* Calls `use` for each file of the log. A sanitizer adds a point and the number of the process to
 * the name. */
static void each_log(const char *log_path, void (*use)(void *context, const char *path),
                     void *context) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(log_path);
  const char *slash = strrchr(log_path, '/'), *name = slash ? slash + 1 : log_path;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    const size_t length = strlen(name);
    if (strncmp(entry->d_name, name, length) != 0) continue;
    if (entry->d_name[length] != '\0' && entry->d_name[length] != '.') continue;
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, entry->d_name);
    use(context, path);
  }
  if (entries) closedir(entries);
}

static void remove_log(void *context, const char *path) {
  struct pawl_error ignored = {0};
  (void)context;
  (void)!pawl_remove_tree(path, &ignored);
}

static void read_log(void *context, const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  if (pawl_file_read(path, LOG_LIMIT, &text, &ignored) != PAWL_OK) return;
  pawl_text_add(context, pawl_text_string(&text));
  pawl_text_add(context, "\n");
}

/* Lays out and fills a problem for each item of the reduced check, and calls the kernel on all. */
static pawl_status call_all(const struct pawl_check_options *options,
                            const struct pawl_check_matrix *matrix, const char *const *wrapper,
                            struct pawl_arena *arena, const char **reason, struct pawl_error *err) {
  struct pawl_problem *problems = pawl_arena_alloc(arena, matrix->count, sizeof *problems);
  enum pawl_status_code status = PAWL_OK;
  size_t made = 0;
  for (; made < matrix->count && status == PAWL_OK; made++) {
    const struct pawl_check_item *item = &matrix->items[made];
    status = pawl_problem_init(&problems[made], options->oracle, &item->config, 1, err);
    if (status == PAWL_OK)
      status = pawl_problem_fill(&problems[made], 0, item->distribution, options->seed, err);
  }
  if (status == PAWL_OK)
    status = pawl_sanitizer_call(options, problems, made, wrapper, arena, reason, err);
  while (made) pawl_problem_release(&problems[--made]);
  return status;
}

/* Makes the words that start the kernel's process under the tool. *reason: why it cannot. */
static const char *const *find_wrapper(const struct pawl_sanitizer_tool *tool, const char *compiler,
                                       const char *log_path, struct pawl_arena *arena,
                                       const char **reason) {
  const char **words = pawl_arena_alloc(arena, 9, sizeof *words);
  size_t count = 0;
  if (!tool->options) {
    const struct pawl_tool valgrind = pawl_tool_find(VALGRIND, arena);
    *reason = valgrind.reason;
    words[count++] = valgrind.path;
    words[count++] = "-q";
    words[count++] = "--leak-check=full";
    words[count++] = "--show-leak-kinds=definite";
    words[count++] = "--fullpath-after=";
    words[count++] = pawl_arena_printf(arena, "--log-file=%s", log_path);
    return words;
  }
  const char *runtime = find_runtime(compiler, tool, arena);
  if (!runtime)
    *reason = pawl_arena_printf(arena, "'%s' has no '%s': install the libraries of its sanitizers",
                                compiler, tool->runtime[0]);
  words[count++] = "/usr/bin/env";
  words[count++] = pawl_arena_printf(arena, "LD_PRELOAD=%s", runtime);
  words[count++] =
      pawl_arena_printf(arena, "%s=log_path=%s:halt_on_error=0:print_stacktrace=1:exitcode=0",
                        tool->options, log_path);
  return words;
}

pawl_status pawl_sanitize_on_cpu(const struct pawl_check_options *options, const char *compiler,
                                 const struct pawl_sanitizer_tool *tool, const char *log_path,
                                 struct pawl_arena *arena, struct pawl_sanitizer_report *out,
                                 struct pawl_error *err) {
  struct pawl_sanitizer_report report = {.tool = tool, .log = {.trouble = ""}};
  PAWL_CLEANUP(pawl_check_matrix_release) struct pawl_check_matrix matrix = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_check_options reduced = *options;
  reduced.reduced = true;
  PAWL_TRY(pawl_check_matrix_init(&matrix, &reduced, arena, err));
  if (!matrix.count) return pawl_fail(err, PAWL_CONFIG, "there are no inputs for the kernel");
  each_log(log_path, remove_log, NULL); /* an older report must not pass for this one */
  const char *const *wrapper = find_wrapper(tool, compiler, log_path, arena, &report.reason);
  report.is_missing = report.reason != NULL;
  report.shapes = matrix.count;
  if (!report.reason) PAWL_TRY(call_all(options, &matrix, wrapper, arena, &report.reason, err));
  each_log(log_path, read_log, &text);
  pawl_sanitizer_parse_stacks(pawl_text_string(&text), options->worker->folder, arena, &report.log);
  *out = report;
  return PAWL_OK;
}
