/* SPDX-License-Identifier: Apache-2.0 */
#include "build/tools.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "process/process.h"

#define VERSION_SECONDS 5.0
#define CUDA_FOLDERS \
  { "bin", "/usr/local/cuda/bin", "/opt/cuda/bin", NULL }
#define CUDA_REMEDY \
  "install NVIDIA's CUDA toolkit, or the Debian package nvidia-cuda-toolkit (non-free)"

#define PACKAGE "install the Debian package "

const struct pawl_tool_spec pawl_tool_specs[] = {
    {"cc", "CPU kernels and operators in C", PACKAGE "gcc", .required = true},
    {"c++", "kernels and operators in C++", PACKAGE "g++"},
    {"clang", "kernels with `compiler: clang`", PACKAGE "clang"},
    {"ninja", "every build from source", PACKAGE "ninja-build", .required = true},
    {"git", "baselines, `run --against` and dirty-tree checks", PACKAGE "git", .required = true},
    {"nvcc", "CUDA kernels", CUDA_REMEDY, "release", CUDA_FOLDERS},
    {"ncu", "profiles of CUDA kernels", "install NVIDIA Nsight Compute", "Version", CUDA_FOLDERS},
    {"compute-sanitizer", "`check --sanitize` of CUDA kernels", CUDA_REMEDY, "Version",
     CUDA_FOLDERS},
    {"valgrind", "`check --sanitize memory`", PACKAGE "valgrind"},
    {"cuobjdump", "the instructions of CUDA kernels in `diff` and reports", CUDA_REMEDY, "release",
     CUDA_FOLDERS},
    {"objdump", "the instructions of CPU kernels in `diff` and reports", PACKAGE "binutils"},
    {"sbatch", "`tune --executor slurm`",
     "install Slurm's client programs (the Debian package slurm-client)", "slurm"},
    {"python3", "references and operators in Python", PACKAGE "python3"},
};
const size_t pawl_tool_spec_count = PAWL_COUNT(pawl_tool_specs);

/* the row of any other program, such as a user's own compiler */
static const struct pawl_tool_spec other_spec = {"a program", "this build",
                                                 "install it or correct its name"};

static const struct pawl_tool_spec *tools_find_spec(const char *name) {
  for (size_t i = 0; i < pawl_tool_spec_count; i++) {
    if (!strcmp(pawl_tool_specs[i].name, name)) return &pawl_tool_specs[i];
  }
  return &other_spec;
}

static char *find_in_folders(const struct pawl_tool_spec *spec) {
  for (size_t i = 0; i < PAWL_COUNT(spec->folders) && spec->folders[i]; i++) {
    const char *folder = spec->folders[i], *home = getenv("CUDA_HOME");
    if (*folder != '/' && (!home || *home != '/')) continue;
    PAWL_CLEANUP(pawl_free_pointer)
    char *full = *folder == '/' ? pawl_path_join("/", folder) : pawl_path_join(home, folder);
    char *path = pawl_path_join(full, spec->name);
    if (!access(path, X_OK) && !pawl_is_folder(path)) return path;
    pawl_free(path);
  }
  return NULL;
}

/* A bundle brings the tools that machines without packages lack. */
static char *find_in_bundle(const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_CLEANUP(pawl_free_pointer) char *tools = pawl_path_join(home, "libexec/pawl/tools");
  char *path = pawl_path_join(tools, name);
  if (!access(path, X_OK) && !pawl_is_folder(path)) return path;
  pawl_free(path);
  return NULL;
}

/* Returns the last line of `text` that is not empty: what a program that fails says in the end. */
static const char *last_line(const char *text, struct pawl_arena *arena) {
  size_t end = strlen(text);
  while (end && strchr(" \t\r\n", text[end - 1])) end--;
  size_t begin = end;
  while (begin && !strchr("\r\n", text[begin - 1])) begin--;
  return pawl_arena_printf(arena, "%.*s", (int)(end - begin), text + begin);
}

/* Returns the line of `text` with the version, without blanks around it, or NULL if there is
   none. */
static const char *version_line(const char *text, const char *marker, struct pawl_arena *arena) {
  while (*text) {
    const size_t length = strcspn(text, "\r\n");
    char *line = pawl_arena_printf(arena, "%.*s", (int)length, text);
    line += strspn(line, " \t");
    if (*line && (!marker || strstr(line, marker))) return line;
    text += length;
    text += strspn(text, "\r\n");
  }
  return NULL;
}

struct pawl_tool pawl_tool_find(const char *name, struct pawl_arena *arena) {
  struct pawl_tool tool = {.spec = tools_find_spec(name)};
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_process_find(name);
  if (!path) path = find_in_folders(tool.spec);
  if (!path) path = find_in_bundle(name);
  tool.path = pawl_arena_copy(arena, path);
  if (!path)
    tool.reason = pawl_arena_printf(arena, "cannot find '%s': %s", name, tool.spec->remedy);
  return tool;
}

struct pawl_tool pawl_tool_probe_in(const char *name, const struct pawl_sandbox *given,
                                    struct pawl_arena *arena) {
  struct pawl_tool tool = pawl_tool_find(name, arena);
  if (!tool.path) return tool;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text output = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  struct pawl_exit how = {0};
  struct pawl_error error = {0};
  /* A suite can name any program as its compiler. */
  const char *isolation = getenv(PAWL_ISOLATION_VARIABLE);
  const struct pawl_sandbox usual = {.required = isolation && !strcmp(isolation, "required")};
  const struct pawl_process_options options = {
      .sandbox = tool.spec != &other_spec ? NULL
                 : given                  ? given
                                          : &usual,
      .argv = (const char *const[]){tool.path, "--version", NULL},
      .environment = (const char *const[]){"LC_ALL=C", NULL},
      .drop_secrets = true,
      .die_with_parent = true};
  if (pawl_process_run(&options, VERSION_SECONDS, 65536, &output, &output, &how, &error) !=
      PAWL_OK) {
    tool.reason = pawl_arena_copy(arena, error.message);
  } else if (how.timed_out || how.status != 0) {
    pawl_exit_describe(&how, &words);
    const char *last = last_line(pawl_text_string(&output), arena);
    tool.reason = pawl_arena_printf(arena, "'%s --version' %s%s%s", tool.path,
                                    pawl_text_string(&words), *last ? ": " : "", last);
  } else {
    tool.version = version_line(pawl_text_string(&output), tool.spec->marker, arena);
    if (!tool.version)
      tool.reason = pawl_arena_printf(arena, "'%s --version' prints no version", tool.path);
  }
  return tool;
}

struct pawl_tool pawl_tool_probe(const char *name, struct pawl_arena *arena) {
  return pawl_tool_probe_in(name, NULL, arena);
}

void pawl_tools_probe(struct pawl_arena *arena, struct pawl_tool **out, size_t *count) {
  struct pawl_tool *tools = pawl_arena_alloc(arena, pawl_tool_spec_count, sizeof *tools);
  for (size_t i = 0; i < pawl_tool_spec_count; i++)
    tools[i] = pawl_tool_probe(pawl_tool_specs[i].name, arena);
  *out = tools;
  *count = pawl_tool_spec_count;
}
