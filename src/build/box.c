/* SPDX-License-Identifier: Apache-2.0 */
#include "build/box.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/hex.h"
#include "build/outside.h"
#include "build/toolchain.h"
#include "process/landlock.h"
#include "process/process.h"

/* Folders of toolchains in the user's home, or in a folder that a variable names. */
static const struct {
  const char *variable, *in_home; /* in_home NULL: only the variable names the folder */
  const char *parts[4];           /* the parts that a build may see; none: all */
} tool_homes[] = {
    {"RUSTUP_HOME", ".rustup", {NULL}}, {"CARGO_HOME", ".cargo", {"bin", "registry", "git", NULL}},
    {"PYENV_ROOT", ".pyenv", {NULL}},   {"GOROOT", NULL, {NULL}},
    {"JAVA_HOME", NULL, {NULL}},        {"CUDA_HOME", NULL, {NULL}},
    {"CUDA_PATH", NULL, {NULL}},        {"CONDA_PREFIX", NULL, {NULL}},
    {"VIRTUAL_ENV", NULL, {NULL}}};

#define BREAKS " \t'\"`:,;=@" /* characters around a path in a compiler's output */

static void box_add(struct pawl_build_box *box, const char *source, const char *target,
                    enum pawl_view_use use) {
  for (size_t i = 0; !target && i < box->views.count; i++)
    if (!box->views.items[i].target && !strcmp(box->views.items[i].source, source)) return;
  pawl_sandbox_view_add(&box->views, pawl_arena_copy(box->arena, source), target, use);
}

/* Returns the folder above that has a `.git`. A home that is itself a repository does not count. */
static const char *find_top(const char *folder, struct pawl_arena *arena) {
  const char *home = getenv("HOME");
  const char *top = folder;
  while (strcmp(top, "/") != 0) {
    PAWL_CLEANUP(pawl_free_pointer) char *mark = pawl_path_join(top, ".git");
    if (home && !strcmp(top, home) && strcmp(top, folder) != 0) return folder;
    if (pawl_file_exists(mark)) return top;
    PAWL_CLEANUP(pawl_free_pointer) char *above = pawl_path_folder(top);
    top = pawl_arena_copy(arena, above);
  }
  return folder;
}

/* Shows an empty folder in place of one of git's or pawl's own, also where this tree has none:
   only the user's tree has all of them, and the base is built in a worktree below .pawl. */
static void hide_own(struct pawl_build_box *box, const struct pawl_build_options *options,
                     const char *folder) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_path_folder(options->cache_folder);
  PAWL_CLEANUP(pawl_free_pointer) char *real = folder ? pawl_path_real(folder) : NULL;
  if (real) folder = pawl_arena_copy(box->arena, real);
  if (folder && pawl_path_holds(options->cache_folder, box->top) && pawl_path_holds(home, folder) &&
      !pawl_path_holds(box->top, folder))
    folder = pawl_arena_printf(box->arena, "%s%s", options->folder, folder + strlen(home));
  if (folder && pawl_path_holds(box->top, folder) && strcmp(folder, box->top) != 0)
    box_add(box, folder, pawl_box_seen(box, folder), PAWL_VIEW_EMPTY);
}

/* Shows paths of the user's repository at the same place in this tree. */
static void show_files(struct pawl_build_box *box, const struct pawl_build_options *options) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = options->user_folder ? pawl_path_real(options->user_folder) : NULL;
  if (!folder) return;
  const char *top = box->user_top = find_top(pawl_arena_copy(box->arena, folder), box->arena);
  for (size_t i = 0; i < options->files.count; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, options->files.items[i]);
    if (pawl_path_holds(top, path) && strcmp(top, path) != 0)
      box_add(box, path, pawl_arena_printf(box->arena, PAWL_BOX_TREE "%s", path + strlen(top)),
              PAWL_VIEW_COPY);
  }
}

static bool holds_home(const char *folder) {
  const char *home = getenv("HOME");
  PAWL_CLEANUP(pawl_free_pointer) char *real = home ? pawl_path_real(home) : NULL;
  return !strcmp(folder, "/") || (real && pawl_path_holds(folder, real)) ||
         !strcmp(folder, "/root") || !strcmp(folder, "/home");
}

/* Shows an installation at the path that commands use and at its real path. */
static void add_installation(struct pawl_build_box *box, const char *folder) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(folder);
  if (!real || !pawl_is_folder(real) || holds_home(real) || pawl_path_holds(real, box->top)) return;
  if (strcmp(real, folder) != 0 || !pawl_outside_is_of_system(folder))
    box_add(box, folder, NULL, PAWL_VIEW_READ);
  if (strcmp(real, folder) != 0 && !pawl_outside_is_of_system(real))
    box_add(box, real, NULL, PAWL_VIEW_READ);
}

/* The user may keep other things in an installation below the home, such as ~/.local. */
static bool is_private(const char *folder) {
  const char *home = getenv("HOME");
  PAWL_CLEANUP(pawl_free_pointer) char *parent = pawl_path_folder(folder);
  const char *name = strrchr(folder, '/');
  return home && name && !strcmp(parent, home) && name[1] == '.';
}

/* Shows the folder of a program. If it is a `bin`, it shows the whole installation. */
static void add_program_folder(struct pawl_build_box *box, const char *folder) {
  static const char *const parts[] = {"bin", "lib", "lib64", "libexec", "include"};
  PAWL_CLEANUP(pawl_free_pointer) char *prefix = pawl_path_folder(folder);
  const char *name = strrchr(folder, '/');
  if (pawl_outside_is_of_system(folder) || *folder != '/') return;
  if (!name || strcmp(name, "/bin") != 0 || holds_home(prefix) ||
      pawl_path_holds(prefix, box->top)) {
    add_installation(box, folder);
  } else if (!is_private(prefix)) {
    add_installation(box, prefix);
  } else {
    for (size_t i = 0; i < PAWL_COUNT(parts); i++)
      add_installation(box, pawl_arena_printf(box->arena, "%s/%s", prefix, parts[i]));
  }
}

static void add_tool_homes(struct pawl_build_box *box) {
  const char *home = getenv("HOME");
  for (size_t i = 0; i < PAWL_COUNT(tool_homes); i++) {
    const char *given = getenv(tool_homes[i].variable), *below = tool_homes[i].in_home;
    if (!given && (!home || !below)) continue;
    const char *folder = given ? given : pawl_arena_printf(box->arena, "%s/%s", home, below);
    if (*folder != '/' || !pawl_is_folder(folder)) continue;
    const char *const *part = tool_homes[i].parts;
    if (!*part) add_installation(box, folder);
    for (; *part; part++)
      add_installation(box, pawl_arena_printf(box->arena, "%s/%s", folder, *part));
  }
}

static void add_searched(struct pawl_build_box *box) {
  for (const struct pawl_compiler_variable *v = pawl_compiler_variables; v->name; v++) {
    const bool folders = v->use == PAWL_VARIABLE_HEADERS || v->use == PAWL_VARIABLE_FOLDERS;
    const char *list = folders ? getenv(v->name) : NULL, *folder;
    for (size_t length; list && pawl_next_folder(&list, &folder, &length);)
      if (*folder == '/')
        add_installation(box, pawl_arena_printf(box->arena, "%.*s", (int)length, folder));
  }
}

/* A run times a kernel of pawl's own, to tell states of the machine apart. */
static void add_own_sources(struct pawl_build_box *box, const char *include_dir) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = include_dir ? pawl_path_folder(include_dir) : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *own = home ? pawl_path_join(home, "share/pawl") : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *real = own ? pawl_path_real(own) : NULL;
  if (!real) return;
  box->own = pawl_arena_copy(box->arena, real);
  box_add(box, box->own, NULL, PAWL_VIEW_READ);
}

/* Returns the name with random digits at its end. NULL: the system gives none. */
static const char *draw_name(const char *name, struct pawl_arena *arena) {
  unsigned char drawn[8];
  char digits[2 * sizeof drawn + 1];
  if (pawl_entropy(drawn, sizeof drawn, NULL) != PAWL_OK) return NULL;
  pawl_hex_format(drawn, sizeof drawn, digits);
  return pawl_arena_printf(arena, "%s-%s", name, digits);
}

/* A build with lines is never timed, and names its folder. */
static const char *copy_place(const struct pawl_build_box *box,
                              const struct pawl_build_options *options) {
  if (!box->sandbox || box->moved || options->line_info) return NULL;
  return draw_name(pawl_arena_printf(box->arena, "%s/pawl-copies", pawl_temporary_place()),
                   box->arena);
}

void pawl_box_make(struct pawl_build_box *box, const struct pawl_build_options *options,
                   bool writes, struct pawl_arena *arena) {
  *box = (struct pawl_build_box){.arena = arena,
                                 .views = {.arena = arena},
                                 .sandbox = options->isolate != PAWL_ISOLATE_OFF,
                                 .by_command = writes,
                                 .required = options->isolate == PAWL_ISOLATE_REQUIRED,
                                 .outside = options->outside,
                                 .tree = options->folder,
                                 .top = find_top(options->folder, arena)};
  box->user_top = box->top;
  box->moved = box->sandbox && pawl_sandbox_expects_root();
  box->hides = box->moved || (box->sandbox && pawl_landlock_available());
  if (!box->sandbox) return;
  box->copy = copy_place(box, options);
  box_add(box, box->top, PAWL_BOX_TREE, writes || box->moved ? PAWL_VIEW_COPY : PAWL_VIEW_READ);
  show_files(box, options);
  hide_own(box, options, options->cache_folder);
  hide_own(box, options, options->output_folder);
  hide_own(box, options, pawl_arena_printf(arena, "%s/.git", box->top));
  hide_own(box, options, pawl_arena_printf(arena, "%s/.pawl", box->top));
  if (options->include_dir) box_add(box, options->include_dir, PAWL_BOX_INCLUDE, PAWL_VIEW_READ);
  if (options->include_dir && writes) box_add(box, options->include_dir, NULL, PAWL_VIEW_READ);
  add_own_sources(box, options->include_dir);
  add_searched(box);
}

bool pawl_box_may_show(const struct pawl_build_box *box, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  return !box->sandbox || !box->outside || !real || pawl_path_holds(box->top, real) ||
         pawl_outside_is_of_system(real) || pawl_outside_holds(box->outside, real);
}

pawl_status pawl_box_declare(struct pawl_build_box *box, const char *path, const char *what,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  if (!box->sandbox || !real || pawl_path_holds(box->top, real) ||
      pawl_outside_is_of_system(real) || !pawl_box_may_show(box, real))
    return PAWL_OK;
  if (holds_home(real) || pawl_path_holds(real, box->top))
    return pawl_fail(err, PAWL_CONFIG,
                     "%s: the folder '%s' would show a build more than headers; name the folder of "
                     "the headers",
                     what, path);
  box_add(box, path, NULL, PAWL_VIEW_READ);
  if (strcmp(real, path) != 0) box_add(box, real, NULL, PAWL_VIEW_READ);
  return PAWL_OK;
}

void pawl_box_add_program(struct pawl_build_box *box, const char *path) {
  if (!box->sandbox || *path != '/' || pawl_path_holds(box->top, path)) return;
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(path);
  PAWL_CLEANUP(pawl_free_pointer) char *real_folder = pawl_path_folder(real ? real : path);
  if (real && strcmp(real, path) != 0 && !pawl_outside_is_of_system(real))
    box_add(box, path, NULL, PAWL_VIEW_READ); /* with each link on the way to the program */
  add_program_folder(box, folder);
  add_program_folder(box, real_folder);
  add_tool_homes(box);
}

void pawl_box_show_program(struct pawl_build_box *box, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(real ? real : path);
  if (box->sandbox && *folder == '/' && !pawl_outside_is_of_system(folder) && !holds_home(folder) &&
      !pawl_path_holds(folder, box->top))
    box_add(box, folder, NULL, PAWL_VIEW_READ);
  else if (box->sandbox && real && !pawl_outside_is_of_system(folder))
    box_add(box, real, NULL, PAWL_VIEW_READ);
}

bool pawl_box_shows(const struct pawl_build_box *box, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  bool shows =
      !box->hides || !real || pawl_outside_is_of_system(real) || pawl_path_holds(box->top, real);
  for (size_t i = 0; i < box->views.count && !shows; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *source = pawl_path_real(box->views.items[i].source);
    shows = source && pawl_path_holds(source, real);
  }
  return shows;
}

/* Returns a link in the folder to a file or folder that builds do not see, or NULL. */
static const char *hidden_link_in(const struct pawl_build_box *box, const char *folder,
                                  char **target) {
  DIR *entries = opendir(folder);
  const char *found = NULL;
  for (const struct dirent *entry; entries && !found && (entry = readdir(entries));) {
    if (entry->d_type != DT_LNK) continue;
    const char *path = pawl_arena_printf(box->arena, "%s/%s", folder, entry->d_name);
    *target = pawl_path_real(path);
    if (*target && !pawl_box_shows(box, *target)) found = path;
    if (!found) pawl_free(*target);
  }
  if (entries) closedir(entries);
  return found;
}

const char *pawl_box_hidden_link(const struct pawl_build_box *box) {
  for (size_t i = 0; box->sandbox && i < box->views.count; i++) {
    const struct pawl_sandbox_view *view = &box->views.items[i];
    char *target = NULL;
    const char *link = view->use == PAWL_VIEW_READ && !view->target
                           ? hidden_link_in(box, view->source, &target)
                           : NULL;
    if (!link) continue;
    const char *words = pawl_arena_printf(box->arena,
                                          "'%s' is a link to '%s', which a build does not see; "
                                          "name that path in 'include_dirs' too",
                                          link, target);
    pawl_free(target);
    return words;
  }
  return NULL;
}

void pawl_box_add_path(struct pawl_build_box *box) {
  const char *list = getenv("PATH"), *folder;
  if (!box->sandbox) return;
  for (size_t length; list && pawl_next_folder(&list, &folder, &length);)
    add_program_folder(box, pawl_arena_printf(box->arena, "%.*s", (int)length, folder));
  add_tool_homes(box);
}

void pawl_box_add_file(struct pawl_build_box *box, const char *path, const char *target) {
  if (box->sandbox) box_add(box, path, target, PAWL_VIEW_READ);
}

void pawl_box_add_variables(const struct pawl_build_box *box, struct pawl_words *environment) {
  const char *home = getenv("HOME");
  for (size_t i = 0; box->sandbox && home && i < PAWL_COUNT(tool_homes); i++) {
    if (getenv(tool_homes[i].variable) || !tool_homes[i].in_home) continue;
    const char *folder = pawl_arena_printf(box->arena, "%s/%s", home, tool_homes[i].in_home);
    if (pawl_is_folder(folder))
      pawl_words_printf(environment, box->arena, "%s=%s", tool_homes[i].variable, folder);
  }
}

void pawl_box_add_folder(struct pawl_build_box *box, const char *folder) {
  const char *drawn = box->by_command ? NULL : draw_name(PAWL_BOX_BUILD, box->arena);
  if (box->sandbox) box_add(box, folder, drawn ? drawn : PAWL_BOX_BUILD, PAWL_VIEW_WRITE);
}

const char *pawl_box_seen(const struct pawl_build_box *box, const char *path) {
  const char *seen =
      box->moved ? pawl_sandbox_seen(box->views.items, box->views.count, path, box->arena) : NULL;
  return seen ? seen : path;
}

const char *pawl_box_real(const struct pawl_build_box *box, const char *path) {
  if (box->moved) return pawl_sandbox_unseen(box->views.items, box->views.count, path, box->arena);
  if (box->copy && pawl_path_holds(box->copy, path))
    return pawl_arena_printf(box->arena, "%s%s", box->top, path + strlen(box->copy));
  return path;
}

/* Returns an absolute path without "." and "..", as if it had no links. */
static const char *without_dots(const char *path, struct pawl_arena *arena) {
  char *out = pawl_arena_copy(arena, path), *end = out;
  for (const char *p = path; *p;) {
    p += strspn(p, "/");
    const size_t length = strcspn(p, "/");
    if (length == 2 && !strncmp(p, "..", 2)) {
      while (end > out && *--end != '/') continue;
    } else if (length && !(length == 1 && *p == '.')) {
      *end++ = '/';
      memmove(end, p, length);
      end += length;
    }
    p += length;
  }
  *end = '\0';
  return out;
}

const char *pawl_box_found(const struct pawl_build_box *box, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *joined = pawl_path_join(box->tree, path);
  const char *whole = pawl_arena_copy(box->arena, joined);
  if (!pawl_file_absent(whole)) return whole;
  const char *plain = without_dots(whole, box->arena);
  for (size_t i = 0; box->sandbox && i < box->views.count; i++) {
    const struct pawl_sandbox_view *view = &box->views.items[i];
    if (!view->target || !pawl_starts_with(view->target, PAWL_BOX_TREE "/") ||
        view->use == PAWL_VIEW_EMPTY)
      continue;
    const char *here =
        pawl_arena_printf(box->arena, "%s%s", box->top, view->target + strlen(PAWL_BOX_TREE));
    if (pawl_path_holds(here, plain))
      return pawl_arena_printf(box->arena, "%s%s", view->source, plain + strlen(here));
  }
  return whole;
}

bool pawl_box_holds(const struct pawl_build_box *box, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  return !real || pawl_path_holds(box->top, real) || pawl_path_holds(box->user_top, real) ||
         (box->own && pawl_path_holds(box->own, real));
}

bool pawl_box_hides(const struct pawl_build_box *box, const char *line) {
  static const char *const complaints[] = {"No such file", "file not found", "Permission denied",
                                           "cannot open", "cannot find"};
  bool complains = false;
  for (size_t i = 0; i < PAWL_COUNT(complaints); i++) complains |= !!strstr(line, complaints[i]);
  for (const char *p = line; box->sandbox && complains && *p; p += strcspn(p, BREAKS)) {
    p += strspn(p, BREAKS);
    const char *word = pawl_arena_printf(box->arena, "%.*s", (int)strcspn(p, BREAKS), p);
    if (*word == '/' && word[1] && !pawl_outside_is_of_system(word) &&
        !pawl_path_holds("/pawl", word) && !pawl_path_holds(box->top, word) &&
        !pawl_path_holds("/dev", word) && !pawl_path_holds("/proc", word) &&
        !pawl_starts_with(word, "/tmp/pawl-scratch") &&
        !(box->copy && pawl_path_holds(box->copy, word)))
      return true;
  }
  return false;
}

static bool is_link(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

bool pawl_box_is_hidden(const struct pawl_build_box *box, const char *path) {
  for (size_t i = 0; i < box->views.count; i++)
    if (box->views.items[i].use == PAWL_VIEW_EMPTY &&
        pawl_path_holds(box->views.items[i].source, path))
      return true;
  return false;
}

bool pawl_box_may_place(const struct pawl_build_box *box, const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *tree = pawl_path_real(box->tree);
  PAWL_CLEANUP(pawl_free_pointer) char *top = pawl_path_real(box->top);
  if (!tree || !top || *name == '/') return false;
  const char *path = tree;
  for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/') {
    const char *part = pawl_arena_printf(box->arena, "%.*s", (int)strcspn(p, "/"), p);
    if (!*part || !strcmp(part, ".")) continue;
    if (!strcasecmp(part, ".git")) return false;
    if (!strcmp(part, "..")) {
      PAWL_CLEANUP(pawl_free_pointer) char *above = pawl_path_folder(path);
      path = pawl_arena_copy(box->arena, above);
    } else {
      path = pawl_arena_printf(box->arena, "%s/%s", path, part);
    }
    if (!pawl_path_holds(top, path) || pawl_box_is_hidden(box, path)) return false;
    if (p[strcspn(p, "/")] && is_link(path)) return false;
  }
  return true;
}

/* Replaces each `folder`. `name` NULL: the paths in it become relative. */
static const char *rename_folder(const char *text, const char *folder, const char *name,
                                 struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  for (const char *found; (found = strstr(text, folder)); text = found + strlen(folder)) {
    pawl_text_add_bytes(&out, text, (size_t)(found - text));
    if (name)
      pawl_text_add(&out, name);
    else if (found[strlen(folder)] == '/')
      found++;
    else
      pawl_text_add(&out, ".");
  }
  pawl_text_add(&out, text);
  return pawl_arena_copy(arena, pawl_text_string(&out));
}

const char *pawl_box_plain(const struct pawl_build_box *box, const char *text) {
  for (size_t i = 0; box->moved && i < box->views.count; i++)
    if (box->views.items[i].use == PAWL_VIEW_WRITE && box->views.items[i].target)
      text = rename_folder(text, box->views.items[i].target, PAWL_BOX_BUILD, box->arena);
  return text;
}

const char *pawl_box_words(const struct pawl_build_box *box, const char *text) {
  const char *folder =
      box->copy ? pawl_arena_printf(box->arena, "%s%s", box->copy, box->tree + strlen(box->top))
                : pawl_box_seen(box, box->tree);
  if (!box->moved && !box->copy) return text;
  return rename_folder(pawl_box_plain(box, text), folder, NULL, box->arena);
}
