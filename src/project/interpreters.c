/* SPDX-License-Identifier: Apache-2.0 */
#include "project/interpreters.h"

#include <string.h>

#include "base/file.h"
#include "process/process.h"

#define ASK_SECONDS 20.0
#define ANSWER_LIMIT ((size_t)1 << 20)

/* Finds the installed packages, and then names the folders of PYTHONPATH. Neither those nor an
   editable installation can bring a file that customises the interpreter. */
static const char begin_script[] =
    "import sys\n"
    "del sys.path[0]\n"
    "import os, site\n"
    "sys.modules['sitecustomize'] = sys.modules['usercustomize'] = sys\n"
    "site.main()\n"
    "sys.path[:0] = [path for path in os.environ.get('PYTHONPATH', '').split(':') if path]\n";

/* The first line is the program itself. */
static const char paths_script[] =
    "print(*[sys.executable, sys.prefix, sys.base_prefix] + sys.path, sep='\\n')\n";

/* Returns whether a view of this path shows too little or too much. */
static bool is_useless(const struct pawl_surroundings *around, const char *path) {
  return *path != '/' || pawl_path_holds("/usr", path) || pawl_path_holds(around->tree, path) ||
         pawl_path_holds(path, around->tree) ||
         (around->user_home && pawl_path_holds(path, around->user_home)) || !strcmp(path, "/");
}

static void allow_path(struct pawl_surroundings *around, struct pawl_arena *arena,
                       const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  if (!real || is_useless(around, path) || is_useless(around, real)) return;
  for (size_t i = 0; i < around->allowed.count; i++)
    if (pawl_path_holds(around->allowed.items[i], path)) return;
  pawl_strings_add(&around->allowed, arena, pawl_arena_copy(arena, path));
  if (strcmp(real, path) != 0)
    pawl_strings_add(&around->allowed, arena, pawl_arena_copy(arena, real));
}

/* Returns whether a version of the repository can change what lies there. */
static bool is_of_repository(const struct pawl_surroundings *around, const char *path) {
  return pawl_path_holds(around->tree, path) || pawl_path_holds(around->user_tree, path);
}

char *pawl_interpreter_find(const struct pawl_surroundings *around, const char *name) {
  if (*name != '/' && strchr(name, '/')) return NULL; /* the suite's folder has it */
  char *program = pawl_process_find(name);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = program ? pawl_path_folder(program) : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *real_folder = folder ? pawl_path_real(folder) : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *real = program ? pawl_path_real(program) : NULL;
  if (real && real_folder && *program == '/' && !is_of_repository(around, program) &&
      !is_of_repository(around, real_folder) && !is_of_repository(around, real))
    return program;
  pawl_free(program);
  return NULL;
}

bool pawl_interpreter_ask(const struct pawl_surroundings *around, const char *name,
                          const char *script, double seconds, size_t limit, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text whole = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_interpreter_find(around, name);
  if (!program) return false;
  pawl_text_printf(&whole, "%s%s", begin_script, script);
  const struct pawl_process_options options = {
      .argv = (const char *const[]){program, "-ES", "-c", pawl_text_string(&whole), NULL},
      .folder = "/",
      .drop_secrets = true,
      .die_with_parent = true,
      .kill_descendants = true,
      .shield_us = true,
      .fds = {-1, -1, -1},
      .fd_count = 3};
  struct pawl_exit ended;
  struct pawl_error ignored;
  return pawl_process_run(&options, seconds, limit, out, NULL, &ended, &ignored) == PAWL_OK &&
         ended.status == 0;
}

static void ask_interpreter(struct pawl_surroundings *around, struct pawl_arena *arena,
                            const char *name) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text answer = {0};
  if (!pawl_interpreter_ask(around, name, paths_script, ASK_SECONDS, ANSWER_LIMIT, &answer)) return;
  bool first = true;
  for (char *line = answer.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
    *end = '\0';
    if (first && *line == '/' && !is_of_repository(around, line)) {
      pawl_strings_add(&around->programs, arena, name);
      pawl_strings_add(&around->programs, arena, pawl_arena_copy(arena, line));
    }
    if (!first) allow_path(around, arena, line);
    first = false;
  }
}

/* git ignores a virtual environment, so only the user's tree has it. Both versions see that one. */
static void allow_environment(const struct pawl_project *project, struct pawl_surroundings *around,
                              const char *name) {
  const struct pawl_project *user = project->options.parent ? project->options.parent : project;
  PAWL_CLEANUP(pawl_free_pointer) char *programs = pawl_path_folder(name);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(programs);
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = pawl_path_real(pawl_suite_path(&user->paths, folder));
  PAWL_CLEANUP(pawl_free_pointer) char *mark = real ? pawl_path_join(real, "pyvenv.cfg") : NULL;
  if (mark && pawl_file_exists(mark) && pawl_path_holds(around->user_tree, real) &&
      strcmp(real, around->user_tree) != 0)
    pawl_strings_add(&around->allowed, user->paths.arena, pawl_arena_copy(user->paths.arena, real));
}

static void add_interpreter(const struct pawl_project *project, struct pawl_surroundings *around,
                            struct pawl_arena *arena, const struct pawl_strings *words) {
  const char *name = words->count ? words->items[0] : "", *slash = strrchr(name, '/');
  if (slash && *name != '/') allow_environment(project, around, name);
  if (!pawl_starts_with(slash ? slash + 1 : name, "python") || (slash && *name != '/')) return;
  for (size_t i = 0; i < around->programs.count; i += 2)
    if (!strcmp(around->programs.items[i], name)) return;
  ask_interpreter(around, arena, name);
}

void pawl_interpreters_add(struct pawl_project *project, struct pawl_surroundings *around) {
  const struct pawl_suite *suite = &project->suite;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    add_interpreter(project, around, &project->arena, &suite->kernels[i].protocol);
    add_interpreter(project, around, &project->arena, &suite->kernels[i].command);
  }
  for (size_t i = 0; i < suite->operator_count; i++)
    add_interpreter(project, around, &project->arena, &suite->operators[i].protocol);
}
