/* SPDX-License-Identifier: Apache-2.0 */
#include "project/program_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "build/git.h"
#include "build/git_run.h"
#include "build/other_inputs.h"
#include "process/process.h"
#include "process/sandbox.h"
#include "project/interpreters.h"

#define IMPORTS_SECONDS 20.0
#define ANSWER_LIMIT ((size_t)16 << 20)
#define MOST_CHANGED 1000 /* files that git would have to hash */

struct tree_file {
  const char *name, *mode, *hash; /* the mode and the hash are git's */
  bool changed, counts;
};

struct tree_files {
  const char *top;   /* with all links followed */
  const char *below; /* "folder/" of the suite below the top, or "" */
  struct tree_file *items;
  size_t count, size;
  struct pawl_arena *arena;
  const char *why; /* not NULL: the identity is unknown */
};

struct pawl_strings pawl_kernel_command(struct pawl_project *project,
                                        const struct pawl_kernel_spec *spec) {
  struct pawl_strings words = {0};
  for (size_t i = 0; i < spec->protocol.count; i++)
    pawl_strings_add(&words, &project->arena, spec->protocol.items[i]);
  for (size_t i = 0; i < spec->param_count; i++) {
    struct pawl_param_value param = spec->params[i];
    for (size_t j = 0; j < project->options.override_count; j++)
      if (!strcmp(project->options.overrides[j].name, param.name))
        param = project->options.overrides[j];
    pawl_strings_add(&words, &project->arena,
                     pawl_arena_printf(&project->arena, "%s=%s", param.name, param.value));
  }
  return words;
}

/* --- the files of the repository --- */

static int program_code_by_name(const void *a, const void *b) {
  const struct tree_file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static struct tree_file *program_code_file(const struct tree_files *files, const char *name) {
  const struct tree_file key = {.name = name};
  return files->count ? bsearch(&key, files->items, files->count, sizeof key, program_code_by_name)
                      : NULL;
}

/* Reads "H MODE HASH STAGE<tab>NAME" of a tracked file, "C ..." again if it is changed, "? NAME" of
   a new file. */
static void take_state(struct tree_files *files, char *line) {
  struct tree_file file = {.mode = "", .hash = "", .changed = *line != 'H'};
  char *tab = strchr(line, '\t');
  if (*line == '?') {
    file.name = line + 2;
  } else if (strchr("HCR", *line) && tab && strlen(line) > 9) {
    *tab = '\0';
    file.mode = pawl_arena_printf(files->arena, "%.6s", line + 2);
    file.hash = pawl_arena_printf(files->arena, "%.*s", (int)strcspn(line + 9, " "), line + 9);
    file.name = tab + 1;
  } else {
    files->why = "git leaves files of this working tree out";
    return;
  }
  files->items[files->count++] = file;
}

/* git lists a changed file twice. The second entry counts. */
static void join_states(struct tree_files *files) {
  size_t kept = 0;
  if (files->count) qsort(files->items, files->count, sizeof *files->items, program_code_by_name);
  for (size_t i = 0; i < files->count; i++) {
    const bool again = kept && !strcmp(files->items[kept - 1].name, files->items[i].name);
    if (again)
      files->items[kept - 1].changed |= files->items[i].changed;
    else
      files->items[kept++] = files->items[i];
  }
  files->count = kept;
}

/* Gives a changed file the hash that git would give it, and drops a file that is gone. */
static void hash_changed(struct tree_files *files) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text hashes = {0};
  struct pawl_words argv = {0};
  size_t kept = 0;
  pawl_words_add(&argv, files->arena, "hash-object");
  pawl_words_add(&argv, files->arena, "--");
  for (size_t i = 0; i < files->count; i++) {
    struct tree_file file = files->items[i];
    struct stat info;
    const char *path = pawl_arena_printf(files->arena, "%s/%s", files->top, file.name);
    if (file.changed && lstat(path, &info)) continue;
    if (file.changed && !S_ISREG(info.st_mode)) {
      files->why = pawl_arena_printf(files->arena, "'%s' is changed and no plain file", file.name);
      return;
    }
    if (file.changed) {
      file.mode = info.st_mode & S_IXUSR ? "100755" : "100644";
      pawl_words_add(&argv, files->arena, file.name);
    }
    files->items[kept++] = file;
  }
  files->count = kept;
  if (argv.count == 2) return;
  if (argv.count > MOST_CHANGED) {
    files->why = "too many files are changed";
    return;
  }
  if (pawl_git_need(files->top, argv.items, &hashes, PAWL_IO, "cannot hash files", NULL) !=
      PAWL_OK) {
    files->why = "git cannot hash the changed files";
    return;
  }
  char *line = pawl_arena_copy(files->arena, pawl_text_string(&hashes));
  for (size_t i = 0; i < files->count; i++) {
    if (!files->items[i].changed) continue;
    char *end = strchr(line, '\n');
    if (!end) {
      files->why = "git cannot hash the changed files";
      return;
    }
    *end = '\0';
    files->items[i].hash = line;
    line = end + 1;
  }
}

static struct tree_files read_tree(struct pawl_project *project) {
  struct tree_files files = {.arena = &project->arena};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  const char *top = project->options.tree ? project->options.tree : project->git.root;
  PAWL_CLEANUP(pawl_free_pointer) char *real = top ? pawl_path_real(top) : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_real(project->paths.folder);
  if (!real || !folder || !pawl_path_holds(real, folder) ||
      pawl_git_states(real, &list, NULL) != PAWL_OK) {
    files.why = "git does not know its files";
    return files;
  }
  files.top = pawl_arena_copy(files.arena, real);
  const char *below = folder + strlen(real);
  files.below = *below ? pawl_arena_printf(files.arena, "%s/", below + 1) : "";
  for (size_t at = 0; at < list.length; at += strlen(list.data + at) + 1) files.size++;
  files.items = pawl_arena_alloc(files.arena, files.size + 1, sizeof *files.items);
  for (size_t at = 0; at < list.length && !files.why; at += strlen(list.data + at) + 1)
    take_state(&files, pawl_arena_copy(files.arena, list.data + at));
  join_states(&files);
  if (!files.why) hash_changed(&files);
  return files;
}

/* --- the files that count --- */

/* Returns the entry of a word of the command that is a file of the repository. */
static struct tree_file *file_of_word(const struct tree_files *files, const char *word) {
  while (pawl_starts_with(word, "./")) word += 2;
  if (*word == '/' || !*word || strstr(word, "../")) return NULL;
  return program_code_file(files, pawl_arena_printf(files->arena, "%s%s", files->below, word));
}

static void count_all(struct tree_files *files) {
  const char *baseline = pawl_arena_printf(files->arena, "%sperf/baseline.json", files->below),
             *output = pawl_arena_printf(files->arena, "%sperf/out/", files->below);
  for (size_t i = 0; i < files->count; i++) {
    struct tree_file *file = &files->items[i];
    file->counts = strcmp(file->name, baseline) != 0 && !pawl_starts_with(file->name, output);
    if (file->counts && !strcmp(file->mode, "160000"))
      files->why = pawl_arena_printf(files->arena, "'%s' is a submodule", file->name);
  }
}

/* Asks the interpreter which files decide. Returns the reason why all files may, or NULL. */
static const char *count_imports(struct pawl_project *project, struct tree_files *files,
                                 const char *program, const char *script) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text answer = {0}, names = {0};
  PAWL_CLEANUP(pawl_close) int input = memfd_create("files", MFD_CLOEXEC);
  const char *argv[] = {program,
                        pawl_home_path(&project->paths, "share/pawl/python/pawl_imports.py"),
                        script, files->top, NULL};
  for (size_t i = 0; i < files->count; i++)
    pawl_text_add_bytes(&names, files->items[i].name, strlen(files->items[i].name) + 1);
  if (input < 0 || write(input, names.data, names.length) != (ssize_t)names.length ||
      lseek(input, 0, SEEK_SET) ||
      !pawl_interpreter_ask(argv, input, "/", IMPORTS_SECONDS, ANSWER_LIMIT, &answer))
    return "its interpreter does not say what it imports";
  char *line = pawl_arena_copy(files->arena, pawl_text_string(&answer));
  if (pawl_starts_with(line, "* ")) return line[strcspn(line, "\n")] = '\0', line + 2;
  for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    struct tree_file *file = program_code_file(files, line);
    if (!file) return pawl_arena_printf(files->arena, "it imports '%s'", line);
    file->counts = true;
  }
  return NULL;
}

/* Returns the path of the interpreter, or NULL if the command is no script in Python. The first
   word behind it must be the script: an option may mean anything. */
static const char *program_code_interpreter(struct pawl_project *project,
                                            const struct tree_files *files,
                                            const struct pawl_strings *words) {
  const char *slash = strrchr(words->items[0], '/'), *name = slash ? slash + 1 : words->items[0];
  if (words->count < 2 || !pawl_starts_with(name, "python") || file_of_word(files, words->items[0]))
    return NULL;
  const struct tree_file *script = file_of_word(files, words->items[1]);
  if (!script || !pawl_ends_with(script->name, ".py")) return NULL;
  const struct pawl_project *user = project->options.parent ? project->options.parent : project;
  return slash && *words->items[0] != '/' ? pawl_suite_path(&user->paths, words->items[0])
                                          : words->items[0];
}

/* A command without a full sandbox sees files that git ignores. So does a program that git itself
   ignores. */
static const char *sees_ignored_files(const struct pawl_project *project,
                                      const struct tree_files *files,
                                      const struct pawl_kernel_spec *spec,
                                      const struct pawl_strings *words) {
  if (project->suite.measure.isolation == PAWL_ISOLATE_OFF || !pawl_sandbox_has_root())
    return "without a full sandbox it may use files that git ignores";
  for (size_t i = 0; i < words->count && !spec->build_command.count; i++) {
    const char *path = pawl_suite_path(&project->paths, words->items[i]);
    const bool on_path = i == 0 && !strchr(words->items[i], '/');
    if (*words->items[i] != '/' && !on_path && pawl_is_regular(path) &&
        !file_of_word(files, words->items[i]))
      return pawl_arena_printf(files->arena, "git ignores '%s'", words->items[i]);
  }
  return NULL;
}

static const char *program_code_list_files(const struct tree_files *files) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < files->count; i++)
    if (files->items[i].counts)
      pawl_text_printf(&text, "%s %s %s\n", files->items[i].hash, files->items[i].mode,
                       files->items[i].name);
  return pawl_arena_copy(files->arena, pawl_text_string(&text));
}

static void program_code_add_words(struct pawl_hasher *hasher, const struct pawl_strings *words) {
  for (size_t i = 0; i < words->count; i++) pawl_hasher_add_string(hasher, words->items[i]);
  pawl_hasher_add(hasher, NULL, 0); /* ends the list */
}

/* Finds the files that count, or why they are unknown. */
static void find_files(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                       const struct pawl_strings *words, struct pawl_program_code *out) {
  struct tree_files files = read_tree(project);
  *out = (struct pawl_program_code){.why = files.why, .below = files.below, .script = ""};
  if (files.why) return;
  const char *interpreter = program_code_interpreter(project, &files, words);
  out->why = interpreter ? count_imports(project, &files, interpreter,
                                         file_of_word(&files, words->items[1])->name)
                         : "it is no script in Python";
  if (out->why) {
    const char *ignored = sees_ignored_files(project, &files, spec, words);
    count_all(&files);
    if (ignored) files.why = ignored;
  }
  for (size_t i = words->count; i-- > 0;) {
    struct tree_file *file = file_of_word(&files, words->items[i]);
    if (!file) continue;
    file->counts = true;
    out->script = file->name;
  }
  if (files.why)
    out->why = files.why;
  else
    out->files = program_code_list_files(&files);
}

/* The files of a kernel, which the candidates of a search share. */
struct pawl_program_memo {
  struct pawl_program_memo *next;
  const char *kernel;
  struct pawl_program_code code;
};

void pawl_program_code_find(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                            struct pawl_program_code *out) {
  const struct pawl_strings words =
      spec->kind == PAWL_FROM_PROTOCOL ? pawl_kernel_command(project, spec) : spec->command;
  struct pawl_program_memo *memo = project->programs;
  while (memo && strcmp(memo->kernel, spec->name) != 0) memo = memo->next;
  if (!memo) {
    memo = pawl_arena_alloc(&project->arena, 1, sizeof *memo);
    *memo = (struct pawl_program_memo){project->programs, spec->name, {0}};
    find_files(project, spec, &words, &memo->code);
    project->programs = memo;
  }
  *out = memo->code;
  if (!out->files) return;
  struct pawl_hasher hasher;
  char text[PAWL_HASH_TEXT];
  pawl_hasher_init(&hasher);
  program_code_add_words(&hasher, &words);
  program_code_add_words(&hasher, &spec->build_command);
  program_code_add_words(&hasher, &spec->select);
  pawl_hasher_add_string(&hasher, spec->build_output ? spec->build_output : "");
  pawl_hasher_add_string(&hasher, spec->parse ? spec->parse : "");
  pawl_hasher_add_string(&hasher, out->below);
  pawl_hasher_add_string(&hasher, out->files);
  pawl_hash_format(pawl_hasher_finish(&hasher), text);
  out->hash = pawl_arena_copy(&project->arena, text);
}

void pawl_program_code_inputs(const struct pawl_project *project,
                              const struct pawl_program_code *program,
                              const struct pawl_strings *allowed, struct pawl_hasher *hasher) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const char *top = project->options.tree ? project->options.tree : project->git.root;
  for (const char *line = program->files; *line; line += strcspn(line, "\n") + 1) {
    const char *name = strchr(strchr(line, ' ') + 1, ' ') + 1;
    pawl_other_inputs_hash(
        pawl_arena_printf(&arena, "%s/%.*s", top, (int)strcspn(name, "\n"), name),
        project->paths.folder, allowed, hasher);
  }
}

/* --- the difference --- */

/* Returns whether the other list has the line, "HASH MODE NAME", too. */
static bool has_line(const char *lines, const char *line, size_t length) {
  for (; *lines; lines += strcspn(lines, "\n") + 1)
    if (!strncmp(lines, line, length + 1)) return true;
  return false;
}

/* Adds the first file of a list that the other list does not have in this form. */
static void find_change(const char *lines, const char *others, const char *script,
                        struct pawl_arena *arena, const char **out) {
  for (size_t length; *lines; lines += length + 1) {
    length = strcspn(lines, "\n");
    if (has_line(others, lines, length)) continue;
    const char *name = strchr(strchr(lines, ' ') + 1, ' ') + 1;
    name = pawl_arena_printf(arena, "%.*s", (int)(lines + length - name), name);
    if (!*out || strcmp(name, *out) < 0 || !strcmp(name, script)) *out = name;
    if (!strcmp(name, script)) return;
  }
}

const char *pawl_program_code_difference(const struct pawl_program_code *a,
                                         const struct pawl_program_code *b,
                                         struct pawl_arena *arena) {
  const char *changed = NULL;
  if (!a->hash || !b->hash) return NULL;
  find_change(a->files, b->files, b->script, arena, &changed);
  if (changed && !strcmp(changed, b->script)) return NULL;
  find_change(b->files, a->files, b->script, arena, &changed);
  return changed && strcmp(changed, b->script) != 0 ? changed : NULL;
}
