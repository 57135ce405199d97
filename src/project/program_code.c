/* SPDX-License-Identifier: Apache-2.0 */
#include "project/program_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "build/git.h"
#include "build/git_run.h"
#include "process/sandbox.h"
#include "project/interpreters.h"
#include "project/program_comments.h"
#include "project/surroundings.h"

#define MOST_CHANGED 1000 /* files that git would have to hash */

struct tree_file {
  const char *name, *mode, *hash; /* the mode and the hash are git's */
  bool changed;
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

/* --- the kernel --- */

/* Returns the entry of a word of the command that is a file of the repository. */
static const struct tree_file *file_of_word(const struct tree_files *files, const char *word) {
  while (pawl_starts_with(word, "./")) word += 2;
  if (*word == '/' || !*word || strstr(word, "../")) return NULL;
  return program_code_file(files, pawl_arena_printf(files->arena, "%s%s", files->below, word));
}

/* Outside of a full sandbox a program sees files that git ignores. So does a program that git
   itself ignores. */
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

/* Lists all files but those that pawl itself writes, or says why git does not know them all. */
static const char *list_files(struct tree_files *files) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *baseline = pawl_arena_printf(files->arena, "%sperf/baseline.json", files->below),
             *output = pawl_arena_printf(files->arena, "%sperf/out/", files->below);
  for (size_t i = 0; i < files->count; i++) {
    const struct tree_file *file = &files->items[i];
    if (!strcmp(file->name, baseline) || pawl_starts_with(file->name, output)) continue;
    if (!strcmp(file->mode, "160000"))
      files->why = pawl_arena_printf(files->arena, "'%s' is a submodule", file->name);
    else if (strchr(file->name, '\n'))
      files->why = "the name of a file has a line break";
    pawl_text_printf(&text, "%s %s %s\n", file->hash, file->mode, file->name);
  }
  return pawl_arena_copy(files->arena, pawl_text_string(&text));
}

static void program_code_add_words(struct pawl_hasher *hasher, const struct pawl_strings *words) {
  for (size_t i = 0; i < words->count; i++) pawl_hasher_add_string(hasher, words->items[i]);
  pawl_hasher_add(hasher, NULL, 0); /* ends the list */
}

/* The files of a tree, which all its kernels share, and the last comparison with another tree. */
struct pawl_program_tree {
  struct tree_files files;
  const char *list;
  const struct pawl_program_tree *compared;
  const char *differs; /* NULL: they are the same but for comments */
};

static struct pawl_program_tree *program_code_tree(struct pawl_project *project) {
  if (project->program_tree) return project->program_tree;
  struct pawl_program_tree *tree = pawl_arena_alloc(&project->arena, 1, sizeof *tree);
  tree->files = read_tree(project);
  tree->list = tree->files.why ? NULL : list_files(&tree->files);
  return project->program_tree = tree;
}

/* Returns the interpreter if the command is an installed Python and a script of the repository,
   else NULL. Tools of a build may read comments, and so may other interpreters. */
static const char *python_of_script(struct pawl_project *project, const struct tree_files *files,
                                    const struct pawl_kernel_spec *spec,
                                    const struct pawl_strings *words) {
  if (words->count < 2 || spec->build_command.count) return NULL;
  const char *slash = strrchr(words->items[0], '/'), *name = slash ? slash + 1 : words->items[0];
  if (!pawl_starts_with(name, "python") || !pawl_ends_with(words->items[1], ".py") ||
      !file_of_word(files, words->items[1]))
    return NULL;
  PAWL_CLEANUP(pawl_free_pointer)
  char *program = pawl_interpreter_find(pawl_project_surroundings(project), words->items[0]);
  return program ? pawl_arena_copy(files->arena, program) : NULL;
}

static const char *program_code_text(struct pawl_hasher *hasher, struct pawl_arena *arena) {
  char text[PAWL_HASH_TEXT];
  pawl_hash_format(pawl_hasher_finish(hasher), text);
  return pawl_arena_copy(arena, text);
}

void pawl_program_code_find(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                            struct pawl_program_code *out) {
  const struct pawl_strings words =
      spec->kind == PAWL_FROM_PROTOCOL ? pawl_kernel_command(project, spec) : spec->command;
  struct pawl_program_tree *tree = program_code_tree(project);
  *out = (struct pawl_program_code){.why = tree->files.why, .script = ""};
  if (!out->why) out->why = sees_ignored_files(project, &tree->files, spec, &words);
  if (out->why) return;
  out->files = tree->list;
  for (size_t i = words.count; i-- > 0;) {
    const struct tree_file *file = file_of_word(&tree->files, words.items[i]);
    if (file) out->script = file->name;
  }
  out->interpreter = python_of_script(project, &tree->files, spec, &words);
  if (out->interpreter) out->tree = tree;
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  program_code_add_words(&hasher, &words);
  program_code_add_words(&hasher, &spec->build_command);
  program_code_add_words(&hasher, &spec->select);
  pawl_hasher_add_string(&hasher, spec->build_output ? spec->build_output : "");
  pawl_hasher_add_string(&hasher, spec->parse ? spec->parse : "");
  pawl_hasher_add_string(&hasher, tree->files.below);
  out->call = program_code_text(&hasher, &project->arena);
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, out->call);
  pawl_hasher_add_string(&hasher, out->files);
  out->hash = program_code_text(&hasher, &project->arena);
}

/* --- the difference --- */

/* Returns the name in a line "HASH MODE NAME". */
static const char *name_of_line(const char *line) { return strchr(strchr(line, ' ') + 1, ' ') + 1; }

static int order_of_lines(const char *a, size_t a_length, const char *b, size_t b_length) {
  const char *x = name_of_line(a), *y = name_of_line(b);
  const size_t left = (size_t)(a + a_length - x), right = (size_t)(b + b_length - y);
  const int order = memcmp(x, y, left < right ? left : right);
  return order ? order : (left > right) - (left < right);
}

struct list_walk {
  const char *x, *y;        /* the rest of both lists */
  const char *left, *right; /* the lines that differ; NULL: the list has no such file */
};

/* Finds the next file that differs, and returns its name in the arena, or NULL. */
static const char *next_difference(struct list_walk *walk, struct pawl_arena *arena) {
  while (*walk->x || *walk->y) {
    const char *x = walk->x, *y = walk->y;
    const size_t left = strcspn(x, "\n"), right = strcspn(y, "\n");
    const int order = !*x ? 1 : !*y ? -1 : order_of_lines(x, left, y, right);
    walk->left = order <= 0 ? x : NULL;
    walk->right = order >= 0 ? y : NULL;
    if (order <= 0) walk->x += left + 1;
    if (order >= 0) walk->y += right + 1;
    if (!order && left == right && !memcmp(x, y, left)) continue;
    const char *name = name_of_line(order <= 0 ? x : y);
    return pawl_arena_printf(arena, "%.*s", (int)strcspn(name, "\n"), name);
  }
  return NULL;
}

const char *pawl_program_code_difference(const struct pawl_program_code *a,
                                         const struct pawl_program_code *b,
                                         struct pawl_arena *arena) {
  const char *first = NULL;
  if (!a->hash || !b->hash) return NULL;
  struct list_walk walk = {.x = a->files, .y = b->files};
  for (const char *name; (name = next_difference(&walk, arena));) {
    if (!strcmp(name, b->script)) return NULL;
    if (!first) first = name;
  }
  return first;
}

/* Returns whether the lines are of a plain file whose mode has not changed. */
static bool are_plain(const char *left, const char *right) {
  if (!left || !right) return false;
  const char *before = strchr(left, ' '), *now = strchr(right, ' ');
  return pawl_starts_with(before, " 100") && !strncmp(before, now, strlen(" 100644 "));
}

/* Returns NULL if comments of Python files are the only change, else why not; "": a file has
   changed. */
static const char *compare_comments(const struct pawl_program_tree *base,
                                    const struct pawl_program_tree *now, const char *interpreter) {
  struct pawl_arena *arena = now->files.arena;
  struct pawl_program_comments comments = {
      .interpreter = interpreter, .base = base->files.top, .now = now->files.top};
  struct list_walk walk = {.x = base->list, .y = now->list};
  for (const char *name; (name = next_difference(&walk, arena));) {
    if (!pawl_ends_with(name, ".py") || !are_plain(walk.left, walk.right)) return "";
    pawl_strings_add(&comments.changed, arena, name);
  }
  for (size_t i = 0; i < now->files.count; i++) {
    const char *name = now->files.items[i].name;
    if (pawl_ends_with(name, ".pyc"))
      return pawl_arena_printf(arena, "'%s' may be the code of a changed file", name);
    if (pawl_ends_with(name, ".py")) pawl_strings_add(&comments.scripts, arena, name);
  }
  return pawl_program_comments_differ(&comments, arena);
}

/* Returns what compare_comments() says of two trees. The new one keeps the answer, because all
   kernels and checks ask. */
static const char *compare_trees(const struct pawl_program_tree *base,
                                 struct pawl_program_tree *now, const char *interpreter) {
  if (now->compared != base) {
    now->compared = base;
    now->differs =
        strcmp(base->list, now->list) != 0 ? compare_comments(base, now, interpreter) : NULL;
  }
  return now->differs;
}

bool pawl_program_files_same(struct pawl_project *base, struct pawl_project *now,
                             const char *interpreter) {
  const struct pawl_program_tree *x = program_code_tree(base);
  struct pawl_program_tree *y = program_code_tree(now);
  return !x->files.why && !y->files.why && !strcmp(x->files.below, y->files.below) &&
         !compare_trees(x, y, interpreter);
}

static const char *program_code_compare(const struct pawl_program_code *base,
                                        const struct pawl_program_code *now) {
  if (!base->tree || !now->tree || strcmp(base->call, now->call) != 0) return "";
  return compare_trees(base->tree, now->tree, now->interpreter);
}

bool pawl_program_code_same(const struct pawl_program_code *base,
                            const struct pawl_program_code *now) {
  return !strcmp(base->hash, now->hash) || !program_code_compare(base, now);
}

const char *pawl_program_code_reader(const struct pawl_program_code *base,
                                     const struct pawl_program_code *now) {
  const char *why = program_code_compare(base, now);
  return why && *why ? why : NULL;
}
