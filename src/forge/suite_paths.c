/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/suite_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define SOURCE_LIMIT ((size_t)16 << 20)
#define MOST_FILES 20000

struct path_search {
  const char *root;   /* without links */
  const char *folder; /* the suite's */
  struct pawl_arena *arena;
  struct pawl_strings found;    /* real paths, in the order of discovery; pawl reads each once */
  struct pawl_strings searched; /* folders for includes, of the kernel at hand */
  struct pawl_suite_paths *out;
};

static bool suite_paths_is_below(const char *path, const char *folder) {
  const size_t length = strlen(folder);
  return pawl_starts_with(path, folder) && path[length] == '/';
}

static bool contains(const struct pawl_strings *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->items[i], text)) return true;
  return false;
}

/* Adds a file of the repository. Ignores an absent file, a folder, and a file elsewhere. */
static void suite_paths_add_file(struct path_search *search, const char *folder, const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  if (!real || !pawl_is_regular(real) || !suite_paths_is_below(real, search->root) ||
      contains(&search->found, real))
    return;
  pawl_strings_add(&search->found, search->arena, pawl_arena_copy(search->arena, real));
}

/* Adds the file in the first folder that has it. */
static void add_include(struct path_search *search, const char *includer, const char *name,
                        bool quoted) {
  PAWL_CLEANUP(pawl_free_pointer) char *here = pawl_path_folder(includer);
  for (size_t i = quoted ? 0 : 1; i <= search->searched.count; i++) {
    const char *folder = i ? search->searched.items[i - 1] : here;
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
    if (!pawl_is_regular(path)) continue;
    suite_paths_add_file(search, folder, name);
    break;
  }
}

static const char *skip_blanks(const char *p) { return p + strspn(p, " \t"); }

/* Reads #include "name" or <name>. */
static void read_include(struct path_search *search, const char *path, const char *line) {
  const char *p = skip_blanks(line);
  if (*p != '#') return;
  p = skip_blanks(p + 1);
  if (!pawl_starts_with(p, "include")) return;
  p = skip_blanks(p + strlen("include"));
  const char *end = *p == '"' ? "\"\n" : ">\n";
  if (*p != '"' && *p != '<') return;
  const size_t length = strcspn(p + 1, end);
  if (p[1 + length] != *end) return;
  add_include(search, path, pawl_arena_printf(search->arena, "%.*s", (int)length, p + 1),
              *p == '"');
}

/* Reads import name and from name import: name.py beside the file. */
static void read_import(struct path_search *search, const char *path, const char *line) {
  const char *p = skip_blanks(line);
  const size_t word = pawl_starts_with(p, "import ") ? 7 : pawl_starts_with(p, "from ") ? 5 : 0;
  if (!word) return;
  p = skip_blanks(p + word);
  PAWL_CLEANUP(pawl_free_pointer) char *here = pawl_path_folder(path);
  suite_paths_add_file(
      search, here, pawl_arena_printf(search->arena, "%.*s.py", (int)strcspn(p, " \t\r\n.,;"), p));
}

static pawl_status read_file(struct path_search *search, const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(path, SOURCE_LIMIT, &text, err));
  const bool python = pawl_ends_with(path, ".py");
  const char *end = pawl_text_string(&text) + text.length;
  for (const char *line = pawl_text_string(&text); line < end; line += strcspn(line, "\n") + 1)
    (python ? read_import : read_include)(search, path, line);
  return PAWL_OK;
}

static pawl_status suite_paths_follow(struct path_search *search, size_t from,
                                      struct pawl_error *err) {
  for (size_t i = from; i < search->found.count; i++) {
    if (i == MOST_FILES)
      return pawl_fail(err, PAWL_BAD_DATA, "the suite depends on more than %d files", MOST_FILES);
    PAWL_TRY(read_file(search, search->found.items[i], err));
  }
  return PAWL_OK;
}

static void add_files(struct path_search *search, const struct pawl_strings *names) {
  for (size_t i = 0; i < names->count; i++)
    suite_paths_add_file(search, search->folder, names->items[i]);
}

static void search_folder(struct path_search *search, const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(search->folder, name);
  pawl_strings_add(&search->searched, search->arena, pawl_arena_copy(search->arena, path));
}

/* Reads -Ifolder, -I folder, -iquote folder, -isystem folder and -include file. */
static void read_flags(struct path_search *search, const struct pawl_strings *flags) {
  for (size_t i = 0; i < flags->count; i++) {
    const char *flag = flags->items[i], *next = i + 1 < flags->count ? flags->items[i + 1] : NULL;
    if (next && (!strcmp(flag, "-I") || !strcmp(flag, "-iquote") || !strcmp(flag, "-isystem")))
      search_folder(search, next);
    else if (next && !strcmp(flag, "-include"))
      suite_paths_add_file(search, search->folder, next);
    else if (pawl_starts_with(flag, "-I") && flag[2])
      search_folder(search, flag + 2);
  }
}

static pawl_status add_sources(struct path_search *search, const struct pawl_strings *sources,
                               const struct pawl_strings *include_dirs,
                               const struct pawl_strings *flags, struct pawl_error *err) {
  search->searched = (struct pawl_strings){0};
  for (size_t i = 0; i < include_dirs->count; i++) search_folder(search, include_dirs->items[i]);
  read_flags(search, flags);
  /* another kernel may have other folders for the same header, so search all again */
  add_files(search, sources);
  return suite_paths_follow(search, 0, err);
}

static pawl_status suite_paths_add_kernel(struct path_search *search,
                                          const struct pawl_kernel_spec *spec,
                                          struct pawl_error *err) {
  search->out->whole =
      search->out->whole || spec->kind == PAWL_FROM_BUILD || spec->kind == PAWL_FROM_COMMAND;
  add_files(search, &spec->protocol);
  return add_sources(search, &spec->sources, &spec->include_dirs, &spec->flags, err);
}

static pawl_status add_operator(struct path_search *search, const struct pawl_operator_spec *spec,
                                struct pawl_error *err) {
  search->out->whole = search->out->whole || spec->kind == PAWL_FROM_BUILD;
  add_files(search, &spec->protocol);
  PAWL_TRY(add_sources(search, &spec->sources, &spec->include_dirs, &spec->flags, err));
  return spec->gpu_oracle ? add_operator(search, spec->gpu_oracle, err) : PAWL_OK;
}

/* Returns the path below the root. git sees a submodule as one thing. */
static const char *tracked_path(const struct path_search *search, const char *real) {
  char *path = pawl_arena_copy(search->arena, real);
  for (char *slash = strchr(path + strlen(search->root) + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    PAWL_CLEANUP(pawl_free_pointer) char *git = pawl_path_join(path, ".git");
    if (pawl_file_exists(git)) break;
    *slash = '/';
  }
  return path + strlen(search->root) + 1;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

pawl_status pawl_suite_paths_find(const struct pawl_suite *suite, const char *root,
                                  struct pawl_arena *arena, struct pawl_suite_paths *out,
                                  struct pawl_error *err) {
  *out = (struct pawl_suite_paths){0};
  struct path_search search = {.root = root, .folder = suite->folder, .arena = arena, .out = out};
  PAWL_CLEANUP(pawl_free_pointer) char *file = pawl_path_real(suite->path);
  if (file) suite_paths_add_file(&search, suite->folder, file);
  for (size_t i = 0; i < suite->kernel_count; i++)
    PAWL_TRY(suite_paths_add_kernel(&search, &suite->kernels[i], err));
  for (size_t i = 0; i < suite->operator_count; i++)
    PAWL_TRY(add_operator(&search, &suite->operators[i], err));
  /* last, because pawl does not read them */
  for (size_t i = 0; i < suite->kernel_count; i++) add_files(&search, &suite->kernels[i].libs);
  for (size_t i = 0; i < suite->operator_count; i++) add_files(&search, &suite->operators[i].libs);
  for (size_t i = 0; i < search.found.count; i++) {
    const char *path = tracked_path(&search, search.found.items[i]);
    if (!contains(&out->files, path)) pawl_strings_add(&out->files, arena, path);
  }
  qsort(out->files.items, out->files.count, sizeof *out->files.items, by_text);
  return PAWL_OK;
}

pawl_status pawl_suite_below(const char *git_root, const char *folder, struct pawl_arena *arena,
                             const char **root, const char **below, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *top = pawl_path_real(git_root);
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(folder);
  if (!top || !real || !pawl_starts_with(real, top))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not below '%s'", folder, git_root);
  const char *rest = real + strlen(top) + (real[strlen(top)] == '/');
  *root = pawl_arena_copy(arena, top);
  *below = *rest ? pawl_arena_printf(arena, "%s/", rest) : "";
  return PAWL_OK;
}
