/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/views.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "worker/surroundings.h"

/* A larger plug-in stays in its folder, because each start would copy it. */
#define MOST_PLUGIN_BYTES ((off_t)64 << 20)

struct views {
  struct pawl_worker *worker;
  struct pawl_sandbox_view_list list;
};

static struct pawl_sandbox_view *views_add(struct views *views, const char *source,
                                           const char *target, enum pawl_view_use use) {
  return pawl_sandbox_view_add(&views->list, source, target, use);
}

static const char *below(struct pawl_arena *arena, const char *folder, const char *name) {
  return pawl_arena_printf(arena, "%s/%s", folder, name);
}

/* A command may build its benchmark with files that git ignores, and then their times count. */
static bool copies_tree(const struct pawl_worker *worker) {
  const struct pawl_tree_files *files = pawl_surroundings_files(worker->options.surroundings);
  return files->copied && !(worker->options.driver == PAWL_DRIVER_COMMAND &&
                            files->beside.count + files->ignored.count > 0);
}

/* In a tree that is too large for copies, the process sees ignored files, but no ignored folder. */
static void hide_ignored(struct views *views) {
  struct pawl_arena *arena = &views->worker->arena;
  const struct pawl_surroundings *around = views->worker->options.surroundings;
  const struct pawl_strings *ignored = &pawl_surroundings_files(around)->ignored;
  for (size_t i = 0; i < ignored->count; i++) {
    const char *path = below(arena, around->tree, ignored->items[i]);
    if (pawl_is_folder(path))
      views_add(views, path, below(arena, PAWL_SEEN_TREE, ignored->items[i]), PAWL_VIEW_EMPTY);
  }
}

static void add_tree(struct views *views) {
  struct pawl_arena *arena = &views->worker->arena;
  const struct pawl_surroundings *around = views->worker->options.surroundings;
  if (!copies_tree(views->worker)) {
    views_add(views, around->tree, PAWL_SEEN_TREE, PAWL_VIEW_COPY);
    views_add(views, below(arena, around->tree, ".git"), PAWL_SEEN_TREE "/.git", PAWL_VIEW_EMPTY);
    if (views->worker->options.driver != PAWL_DRIVER_COMMAND) hide_ignored(views);
  } else {
    const struct pawl_tree_files *files = pawl_surroundings_files(around);
    views_add(views, around->tree, PAWL_SEEN_TREE, PAWL_VIEW_NAMES)->names = files->copied;
    for (size_t i = 0; i < files->beside.count; i++)
      views_add(views, below(arena, around->tree, files->beside.items[i]),
                below(arena, PAWL_SEEN_TREE, files->beside.items[i]), PAWL_VIEW_COPY);
  }
}

/* The process loads a copy, so that neither its path nor its times tell which version it is. */
static void add_plugin(struct views *views) {
  struct pawl_arena *arena = &views->worker->arena;
  const struct pawl_worker_options *options = &views->worker->options;
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = options->plugin ? pawl_path_real(options->plugin) : NULL;
  if (!real) return;
  const char *plugin = pawl_arena_copy(arena, real), *slash = strrchr(plugin, '/');
  const size_t others = options->files ? options->files->count : 0;
  const char **names = pawl_arena_alloc(arena, others + 2, sizeof *names);
  size_t count = 0;
  names[count++] = slash + 1;
  for (size_t i = 0; i < others; i++) {
    const char *end = strrchr(options->files->items[i].path, '/');
    if (end && strcmp(end, slash) != 0) names[count++] = end + 1;
  }
  const char *folder = pawl_arena_printf(arena, "%.*s", (int)(slash - plugin), plugin);
  struct stat info;
  off_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += stat(below(arena, folder, names[i]), &info) ? 0 : info.st_size;
  if (bytes <= MOST_PLUGIN_BYTES) {
    views_add(views, folder, PAWL_SEEN_PLUGIN, PAWL_VIEW_NAMES)->names = names;
    return;
  }
  for (size_t i = 0; i < count; i++)
    views_add(views, below(arena, folder, names[i]), below(arena, PAWL_SEEN_PLUGIN, names[i]),
              PAWL_VIEW_READ);
}

/* Returns whether the folder shows too much: the tree, or the home or a folder above it. */
static bool shows_too_much(const struct pawl_surroundings *around, const char *folder) {
  return pawl_path_holds(folder, around->tree) || pawl_path_holds(around->tree, folder) ||
         (around->user_home && pawl_path_holds(folder, around->user_home));
}

/* Shows the installation that holds this program, such as "bin/python3", by its real path. If
   it lies in the user's home, only the parts with programs and libraries are shown. */
static void views_add_installation(struct views *views, const char *program) {
  static const char *const parts[] = {"bin", "lib", "lib64", "libexec"};
  struct pawl_arena *arena = &views->worker->arena;
  const struct pawl_surroundings *around = views->worker->options.surroundings;
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(program);
  PAWL_CLEANUP(pawl_free_pointer) char *prefix = pawl_path_folder(folder);
  const char *name = strrchr(folder, '/');
  const bool installed = name && (!strcmp(name, "/bin") || !strcmp(name, "/sbin"));
  const bool of_home = around->user_home && pawl_path_holds(around->user_home, folder);
  if (pawl_path_holds("/usr", program) || pawl_path_holds(around->tree, program)) return;
  if (!installed || shows_too_much(around, prefix)) {
    const bool narrow = of_home || shows_too_much(around, folder);
    views_add(views, pawl_arena_copy(arena, narrow ? program : folder), NULL, PAWL_VIEW_READ);
  } else if (!of_home) {
    views_add(views, pawl_arena_copy(arena, prefix), NULL, PAWL_VIEW_READ);
  } else {
    for (size_t i = 0; i < PAWL_COUNT(parts); i++)
      views_add(views, below(arena, pawl_arena_copy(arena, prefix), parts[i]), NULL,
                PAWL_VIEW_READ);
  }
}

/* Only the user's tree has a virtual environment, which both versions use. */
static const char *in_user_tree(struct views *views, const char *path) {
  const struct pawl_surroundings *around = views->worker->options.surroundings;
  if (pawl_file_exists(path) || !pawl_path_holds(around->tree, path)) return path;
  return pawl_arena_printf(&views->worker->arena, "%s%s", around->user_tree,
                           path + strlen(around->tree));
}

/* A program of the tree may be a link to one outside, such as that of a virtual environment. */
static void views_add_program(struct views *views) {
  const struct pawl_worker_options *options = &views->worker->options;
  const char *name = options->argv ? options->argv[0] : NULL;
  if (!name) return;
  PAWL_CLEANUP(pawl_free_pointer)
  char *program = strchr(name, '/') && options->folder ? pawl_path_join(options->folder, name)
                                                       : pawl_process_find(name);
  const char *path = program ? in_user_tree(views, program) : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *real = path ? pawl_path_real(path) : NULL;
  if (!real) return;
  if (program[0] == '/' && !strchr(name, '/')) views_add_installation(views, program);
  views_add_installation(views, real);
}

/* A server imports from a virtual environment where the user has it, so its processes see it there
   too. */
static void add_environment(struct views *views) {
  const char *environment;
  if (views->worker->options.fork_servers &&
      pawl_worker_outside_program(views->worker, &environment) && environment)
    views_add(views, environment, NULL, PAWL_VIEW_READ);
}

/* A path in the user's tree is at the same place in the tree of either version. A path in the
   user's home is also at the same place below the process's own home. */
static void add_allowed(struct views *views) {
  struct pawl_arena *arena = &views->worker->arena;
  const struct pawl_surroundings *around = views->worker->options.surroundings;
  for (size_t i = 0; i < around->allowed.count; i++) {
    const char *path = around->allowed.items[i], *home = around->user_home;
    if (pawl_path_holds(around->user_tree, path)) {
      views_add(views, path,
                pawl_arena_printf(arena, PAWL_SEEN_TREE "%s", path + strlen(around->user_tree)),
                PAWL_VIEW_COPY);
      continue;
    }
    views_add(views, path, NULL, PAWL_VIEW_COPY);
    if (home && pawl_path_holds(home, path))
      views_add(views, path, pawl_arena_printf(arena, PAWL_SANDBOX_HOME "%s", path + strlen(home)),
                PAWL_VIEW_COPY);
  }
}

static void add_own_files(struct views *views) {
  static const char *const folders[] = {"libexec/pawl", "lib/pawl", "share/pawl"};
  struct pawl_arena *arena = &views->worker->arena;
  static const char *const named[] = {"PAWL_WORKER", "PAWL_CUDA_LIBRARY", "PAWL_NVML_LIBRARY",
                                      "PAWL_CUPTI_LIBRARY"};
  for (size_t i = 0; i < PAWL_COUNT(folders); i++)
    views_add(views, below(arena, views->worker->options.surroundings->pawl_home, folders[i]), NULL,
              PAWL_VIEW_READ);
  for (size_t i = 0; i < PAWL_COUNT(named); i++) {
    const char *given = getenv(named[i]);
    if (given && *given == '/')
      views_add(views, pawl_arena_copy(arena, given), NULL, PAWL_VIEW_READ);
  }
}

/* The loader looks for libraries in these folders, which the user of the machine names. */
static void add_libraries(struct views *views) {
  struct pawl_arena *arena = &views->worker->arena;
  const struct pawl_surroundings *around = views->worker->options.surroundings;
  const char *list = getenv("LD_LIBRARY_PATH"), *part;
  for (size_t length; list && pawl_next_folder(&list, &part, &length);) {
    const char *folder = pawl_arena_printf(arena, "%.*s", (int)length, part);
    PAWL_CLEANUP(pawl_free_pointer) char *real = *folder == '/' ? pawl_path_real(folder) : NULL;
    if (!real || pawl_path_holds("/usr", real) || shows_too_much(around, real)) continue;
    if (strcmp(real, folder) != 0)
      views_add(views, pawl_arena_copy(arena, real), NULL, PAWL_VIEW_READ);
    views_add(views, folder, NULL, PAWL_VIEW_READ);
  }
}

/* Hides what a view of a larger folder would show, such as /opt with a repository in it. A folder
   that is a view itself stays. */
static void hide_in(struct views *views, const char *hidden, size_t shown) {
  for (size_t i = 0; i < shown; i++) {
    const struct pawl_sandbox_view view = views->list.items[i];
    if (view.use == PAWL_VIEW_NAMES || view.use == PAWL_VIEW_EMPTY) continue;
    if (!pawl_path_holds(view.source, hidden) || !strcmp(view.source, hidden)) continue;
    views_add(
        views, hidden,
        pawl_arena_printf(&views->worker->arena, "%s%s", view.target ? view.target : view.source,
                          hidden + strlen(view.source)),
        PAWL_VIEW_EMPTY);
  }
}

static void hide_trees(struct views *views) {
  const struct pawl_surroundings *around = views->worker->options.surroundings;
  const size_t shown = views->list.count;
  for (size_t i = 0; i < around->hidden.count; i++) hide_in(views, around->hidden.items[i], shown);
}

/* Puts a view of the tree or of the plug-in into the folder of copies. */
static bool copy_view(const struct pawl_sandbox_view *view, const char *target) {
  const struct pawl_sandbox_step step = {
      .source = view->source, .target = target, .names = view->names};
  if (view->use == PAWL_VIEW_EMPTY) return true;
  if (!pawl_sandbox_make_parents(target)) return false;
  if (view->use == PAWL_VIEW_NAMES) return !mkdir(target, 0700) && pawl_sandbox_copy_names(&step);
  return !symlink(view->source, target);
}

/* Without namespaces the process gets its copies in a new folder, whose name says nothing. A tree
   that is too large, or that a command builds in, stays where it is. */
static void copy_views(struct views *views) {
  struct pawl_worker *worker = views->worker;
  const char *folder;
  struct pawl_sandbox_view_list seen = {.arena = &worker->arena};
  worker->seen = NULL, worker->seen_count = 0;
  if (!copies_tree(worker)) return;
  if (!pawl_make_temporary("copies", &worker->arena, &folder)) return;
  worker->copies = folder;
  for (size_t i = 0; i < views->list.count; i++) {
    const struct pawl_sandbox_view *view = &views->list.items[i];
    if (!view->target || (!pawl_path_holds(PAWL_SEEN_TREE, view->target) &&
                          !pawl_path_holds(PAWL_SEEN_PLUGIN, view->target)))
      continue;
    const char *target = pawl_arena_printf(&worker->arena, "%s%s", folder, view->target + 5);
    if (!copy_view(view, target)) return;
    if (view->use != PAWL_VIEW_EMPTY) pawl_sandbox_view_add(&seen, view->source, target, view->use);
  }
  worker->seen = seen.items;
  worker->seen_count = seen.count;
}

void pawl_worker_find_views(struct pawl_worker *worker) {
  const struct pawl_worker_options *options = &worker->options;
  if (worker->placed) return;
  worker->placed = true;
  if (!options->surroundings || options->isolate == PAWL_ISOLATE_OFF || options->wrapper) return;
  struct views views = {.worker = worker, .list = {.arena = &worker->arena}};
  views_add(&views, "/opt", NULL, PAWL_VIEW_READ);
  add_libraries(&views);
  views_add_program(&views);
  add_own_files(&views);
  add_tree(&views);
  add_allowed(&views);
  add_environment(&views);
  add_plugin(&views);
  hide_trees(&views);
  worker->seen = views.list.items;
  worker->seen_count = views.list.count;
  /* the start of a plug-in shows whether the machine gives them: pawl_worker_launch() */
  const bool starts_now = options->driver == PAWL_DRIVER_PLUGIN;
  if (!(starts_now ? pawl_sandbox_expects_root() : pawl_sandbox_has_root())) {
    copy_views(&views);
    return;
  }
  worker->views = worker->seen;
  worker->view_count = worker->seen_count;
}

static const char *views_find_program(const struct pawl_surroundings *around, const char *name) {
  for (size_t i = 0; around && i < around->programs.count; i += 2)
    if (!strcmp(around->programs.items[i], name)) return around->programs.items[i + 1];
  return NULL;
}

/* Returns whether the version has a file of its own below this folder of the user's tree. */
static bool has_files_below(const struct pawl_surroundings *around, const char *folder) {
  const char *below_tree = folder + strlen(around->user_tree) + 1;
  const size_t length = strlen(below_tree);
  for (const char *const *name = pawl_surroundings_files(around)->copied; *name; name++)
    if (!strncmp(*name, below_tree, length) && ((*name)[length] == '/' || !(*name)[length]))
      return true;
  return false;
}

/* Returns the folder of a virtual environment in the user's tree that holds the program, or NULL.
   No version may have a file in it. */
static const char *find_environment(const struct pawl_surroundings *around, const char *program) {
  if (!pawl_surroundings_files(around)->copied) return NULL;
  for (size_t i = 0; i < around->allowed.count; i++) {
    const char *folder = around->allowed.items[i];
    if (!pawl_path_holds(folder, program) || !pawl_path_holds(around->user_tree, folder) ||
        !strcmp(folder, around->user_tree) || has_files_below(around, folder))
      continue;
    PAWL_CLEANUP(pawl_free_pointer) char *mark = pawl_path_join(folder, "pyvenv.cfg");
    if (pawl_file_exists(mark)) return folder;
  }
  return NULL;
}

/* Returns the absolute path of a program that is named relative to the suite's folder, in the
   user's tree, in the arena. */
static const char *path_in_user_tree(struct pawl_worker *worker, const char *name) {
  const struct pawl_surroundings *around = worker->options.surroundings;
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_real(worker->options.folder ? worker->options.folder : ".");
  if (!folder || !pawl_path_holds(around->tree, folder)) return NULL;
  return pawl_arena_printf(&worker->arena, "%s%s/%s", around->user_tree,
                           folder + strlen(around->tree), name);
}

const char *pawl_worker_outside_program(struct pawl_worker *worker, const char **environment) {
  const struct pawl_surroundings *around = worker->options.surroundings;
  const char *name = worker->options.argv[0];
  *environment = NULL;
  if (!around || *name == '/' || !strchr(name, '/')) return views_find_program(around, name);
  const char *path = path_in_user_tree(worker, name);
  *environment = path ? find_environment(around, path) : NULL;
  return *environment ? path : NULL;
}

/* Returns the file that a wrapper of this name starts, such as a shim of pyenv; NULL: none. */
static const char *place_program(struct pawl_worker *worker, const char *name) {
  pawl_worker_find_views(worker);
  return worker->views ? views_find_program(worker->options.surroundings, name) : NULL;
}

const char *pawl_worker_seen(struct pawl_worker *worker, const char *path) {
  pawl_worker_find_views(worker);
  const char *seen = worker->seen
                         ? pawl_sandbox_seen(worker->seen, worker->seen_count, path, &worker->arena)
                         : NULL;
  return seen ? seen : path;
}

const char *pawl_worker_folder(struct pawl_worker *worker) {
  pawl_worker_find_views(worker);
  if (!worker->copies) return worker->options.folder;
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = pawl_path_real(worker->options.folder ? worker->options.folder : ".");
  return real ? pawl_worker_seen(worker, pawl_arena_copy(&worker->arena, real))
              : worker->options.folder;
}

const char *const *pawl_worker_argv(struct pawl_worker *worker) {
  const char *const *argv = worker->options.argv;
  const char *folder = worker->options.folder, *program = argv[0];
  const char *started = place_program(worker, program);
  if (!started && (!folder || program[0] == '/' || !strchr(program, '/'))) return argv;
  if (!started) {
    PAWL_CLEANUP(pawl_free_pointer) char *root = pawl_path_real(folder);
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(root ? root : folder, program);
    started = pawl_worker_seen(worker, pawl_arena_copy(&worker->arena, path));
  }
  size_t count = 0;
  while (argv[count]) count++;
  const char **copy = pawl_arena_alloc(&worker->arena, count + 1, sizeof *copy);
  memcpy(copy, argv, count * sizeof *copy);
  copy[0] = started;
  return copy;
}
