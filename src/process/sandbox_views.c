/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the root folder of a child that sees only some files. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "base/text.h"
#include "process/sandbox.h"
#include "process/sandbox_paths.h"

#define MOST_LINKS 40 /* as the system */

/* Programs need these parts of a system. None of them holds a secret. */
static const char *const of_system[] = {"/usr",
                                        "/bin",
                                        "/sbin",
                                        "/lib",
                                        "/lib32",
                                        "/lib64",
                                        "/libx32",
                                        "/nix/store",
                                        "/gnu/store",
                                        "/sys",
                                        "/etc/OpenCL",
                                        "/etc/alternatives",
                                        "/etc/group",
                                        "/etc/host.conf",
                                        "/etc/hosts",
                                        "/etc/ld.so.cache",
                                        "/etc/ld.so.conf",
                                        "/etc/ld.so.conf.d",
                                        "/etc/localtime",
                                        "/etc/nsswitch.conf",
                                        "/etc/os-release",
                                        "/etc/passwd",
                                        "/etc/protocols",
                                        "/etc/services",
                                        "/etc/vulkan"};

void pawl_sandbox_each_system(void (*each)(void *context, const char *path), void *context) {
  for (size_t i = 0; i < PAWL_COUNT(of_system); i++) each(context, of_system[i]);
}

/* --- paths --- */

/* Returns the part of the path behind the folder: "" or "/more". NULL: it is not in the folder. */
static const char *views_rest(const char *path, const char *folder) {
  const size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
  const bool within =
      !strncmp(path, folder, length) && (path[length] == '/' || path[length] == '\0');
  return within ? path + length : NULL;
}

struct pawl_sandbox_view *pawl_sandbox_view_add(struct pawl_sandbox_view_list *list,
                                                const char *source, const char *target,
                                                enum pawl_view_use use) {
  if (list->count == list->capacity) {
    const size_t capacity = list->capacity ? 2 * list->capacity : 32;
    struct pawl_sandbox_view *items = pawl_arena_alloc(list->arena, capacity, sizeof *items);
    if (list->count) memcpy(items, list->items, list->count * sizeof *items);
    list->items = items, list->capacity = capacity;
  }
  list->items[list->count] =
      (struct pawl_sandbox_view){.source = source, .target = target, .use = use};
  return &list->items[list->count++];
}

/* Replaces the longest of the folders `from` that holds the path. NULL: none does. */
static const char *views_translate(const struct pawl_sandbox_view *views, size_t count,
                                   const char *path, bool to_child, struct pawl_arena *arena) {
  const char *best = NULL;
  size_t longest = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_sandbox_view *view = &views[i];
    if (!view->source || view->use == PAWL_VIEW_EMPTY) continue;
    const char *target = view->target ? view->target : view->source;
    const char *from = to_child ? view->source : target, *to = to_child ? target : view->source;
    const char *rest = views_rest(path, from);
    if (!rest || (best && strlen(from) <= longest)) continue;
    longest = strlen(from);
    best = pawl_arena_printf(arena, "%s%s", to, rest);
  }
  return best;
}

const char *pawl_sandbox_seen(const struct pawl_sandbox_view *views, size_t count, const char *path,
                              struct pawl_arena *arena) {
  return views_translate(views, count, path, true, arena);
}

const char *pawl_sandbox_unseen(const struct pawl_sandbox_view *views, size_t count,
                                const char *path, struct pawl_arena *arena) {
  const char *found = views_translate(views, count, path, false, arena);
  return found ? found : path;
}

/* Returns whether an overlay would hide another file system. mountinfo escapes odd characters, so a
   mount point with them is not found, and the sandbox shows it empty. */
bool pawl_sandbox_has_mount_below(const char *folder) {
  FILE *file = fopen("/proc/self/mountinfo", "re");
  char *line = NULL;
  size_t capacity = 0;
  bool found = !file;
  while (file && !found && getline(&line, &capacity, file) > 0) {
    char at[4096];
    const char *rest;
    found =
        sscanf(line, "%*d %*d %*s %*s %4095s", at) == 1 && (rest = views_rest(at, folder)) && *rest;
  }
  free(line); /* allocated by getline */
  if (file) fclose(file);
  return found;
}

/* --- steps --- */

struct step_list {
  struct pawl_sandbox_plan *plan;
  size_t capacity;
};

static struct pawl_sandbox_step *add_step(struct step_list *list, int kind, const char *source,
                                          const char *target) {
  struct pawl_sandbox_plan *plan = list->plan;
  if (plan->step_count == list->capacity) {
    const size_t capacity = list->capacity ? 2 * list->capacity : 64;
    struct pawl_sandbox_step *steps = pawl_arena_alloc(&plan->arena, capacity, sizeof *steps);
    if (plan->step_count) memcpy(steps, plan->steps, plan->step_count * sizeof *steps);
    plan->steps = steps, list->capacity = capacity;
  }
  struct pawl_sandbox_step *step = &plan->steps[plan->step_count++];
  *step = (struct pawl_sandbox_step){
      .kind = (typeof(step->kind))kind, .source = source, .target = target};
  return step;
}

/* Shows the file or folder at the real path `source`. */
static struct pawl_sandbox_step *add_bind(struct step_list *list, const char *source,
                                          const char *target) {
  struct pawl_arena *arena = &list->plan->arena;
  struct pawl_sandbox_step *step =
      add_step(list, STEP_BIND, pawl_arena_printf(arena, PAWL_SANDBOX_OLD_ROOT "%s", source),
               pawl_arena_copy(arena, target));
  step->file = !pawl_is_folder(source);
  return step;
}

/* A link such as /bin stays a link. A link out of /etc shows its target's contents. */
static void add_system_path(void *context, const char *path) {
  struct step_list *list = context;
  struct pawl_arena *arena = &list->plan->arena;
  struct stat info;
  char link[PATH_MAX];
  if (lstat(path, &info)) return;
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  if (!real) return;
  if (!S_ISLNK(info.st_mode) || pawl_starts_with(path, "/etc/")) {
    add_bind(list, real, path);
  } else if (views_rest(real, "/usr")) {
    const ssize_t length = readlink(path, link, sizeof link - 1);
    if (length < 0) return;
    link[length] = '\0';
    add_step(list, STEP_LINK, pawl_arena_copy(arena, link), pawl_arena_copy(arena, path));
  }
}

static void add_devices(struct step_list *list) {
  static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                         {"/proc/self/fd/0", "/dev/stdin"},
                                         {"/proc/self/fd/1", "/dev/stdout"},
                                         {"/proc/self/fd/2", "/dev/stderr"}};
  for (const char *const *device = list->plan->devices; *device; device++) {
    PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(*device);
    /* A read-only mount takes writes to a device, but root may not change the mode of its file. */
    if (real) add_bind(list, real, *device);
  }
  for (size_t i = 0; i < PAWL_COUNT(links); i++)
    add_step(list, STEP_LINK, links[i][0], links[i][1]);
}

/* The empty folders in this one, relative. */
static const char *const *empty_folders(const struct step_list *list,
                                        const struct pawl_sandbox *wanted, const char *target) {
  const char **names = pawl_arena_alloc(&list->plan->arena, wanted->view_count + 1, sizeof *names);
  size_t count = 0;
  for (size_t i = 0; i < wanted->view_count; i++) {
    const struct pawl_sandbox_view *view = &wanted->views[i];
    const char *rest = view->use == PAWL_VIEW_EMPTY
                           ? views_rest(view->target ? view->target : view->source, target)
                           : NULL;
    if (rest && *rest) names[count++] = pawl_arena_copy(&list->plan->arena, rest + 1);
  }
  return names;
}

/* The overlay names its lower folder ".", so that no list of mounts tells the folder's path. */
static void add_copy(struct step_list *list, const struct pawl_sandbox *wanted, const char *source,
                     const char *target) {
  struct pawl_sandbox_plan *plan = list->plan;
  struct pawl_sandbox_step *step = add_bind(list, source, target);
  if (step->file || pawl_sandbox_has_mount_below(source)) return;
  step->kind = STEP_OVERLAY;
  step->names = empty_folders(list, wanted, target);
  step->options = pawl_arena_printf(&plan->arena,
                                    "lowerdir=.,upperdir=" PAWL_SANDBOX_LAYERS
                                    "/upper%zu,workdir=" PAWL_SANDBOX_LAYERS "/work%zu,userxattr",
                                    plan->step_count, plan->step_count);
}

static void add_names(struct step_list *list, const char *source, const char *target,
                      const struct pawl_sandbox_view *view) {
  struct pawl_sandbox_step *step = add_bind(list, source, target);
  step->kind = STEP_NAMES;
  step->names = view->names;
  step->dated = view->dated;
}

/* Adds the links on the way to the path, so that the child resolves paths as we do. A link inside
   of a view is there already. */
static void add_links(struct step_list *list, const char *path) {
  struct pawl_arena *arena = &list->plan->arena;
  const char *at = "", *rest = path;
  for (int links = 0; *rest && links < MOST_LINKS;) {
    rest += strspn(rest, "/");
    const int length = (int)strcspn(rest, "/");
    const char *name = pawl_arena_printf(arena, "%.*s", length, rest), *next;
    char link[PATH_MAX];
    rest += length;
    if (!*name || !strcmp(name, ".")) continue;
    if (!strcmp(name, "..")) {
      const char *slash = strrchr(at, '/');
      at = pawl_arena_printf(arena, "%.*s", slash ? (int)(slash - at) : 0, at);
      continue;
    }
    next = pawl_arena_printf(arena, "%s/%s", at, name);
    const ssize_t got = readlink(next, link, sizeof link - 1);
    if (got < 0) {
      at = next;
      continue;
    }
    link[got] = '\0';
    add_step(list, STEP_LINK, pawl_arena_copy(arena, link), next);
    rest = pawl_arena_printf(arena, "%s/%s", link, rest);
    if (*link == '/') at = "";
    links++;
  }
}

static void add_view(struct step_list *list, const struct pawl_sandbox *wanted,
                     const struct pawl_sandbox_view *view) {
  struct pawl_arena *arena = &list->plan->arena;
  if (view->use == PAWL_VIEW_EMPTY) {
    add_step(list, STEP_EMPTY, NULL,
             pawl_arena_copy(arena, view->target ? view->target : view->source));
    return;
  }
  PAWL_CLEANUP(pawl_free_pointer) char *real = view->source ? pawl_path_real(view->source) : NULL;
  if (!real) return;
  const bool linked = !view->target && strcmp(real, view->source);
  if (linked) add_links(list, view->source);
  const char *target = linked ? real : view->target ? view->target : view->source;
  if (view->use == PAWL_VIEW_NAMES)
    add_names(list, real, target, view);
  else if (view->use == PAWL_VIEW_COPY)
    add_copy(list, wanted, real, target);
  else
    add_bind(list, real, target)->writable = view->use == PAWL_VIEW_WRITE;
}

/* Gives the hidden folders that lie in a view an empty folder there. */
static void add_hidden(struct step_list *list, const struct pawl_sandbox *wanted) {
  struct pawl_arena *arena = &list->plan->arena;
  for (size_t i = 0; i < PAWL_SANDBOX_HIDDEN; i++) {
    PAWL_CLEANUP(pawl_free_pointer)
    char *real = wanted->hidden[i] ? pawl_path_real(wanted->hidden[i]) : NULL;
    const char *seen =
        real ? pawl_sandbox_seen(wanted->views, wanted->view_count, real, arena) : NULL;
    if (seen) add_step(list, STEP_EMPTY, NULL, seen);
  }
}

void pawl_sandbox_plan_root(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted) {
  struct step_list list = {.plan = plan};
  plan->root = true;
  pawl_sandbox_each_system(add_system_path, &list);
  add_devices(&list);
  for (size_t i = 0; i < wanted->view_count; i++) add_view(&list, wanted, &wanted->views[i]);
  add_hidden(&list, wanted);
  const char *folder = plan->folder;
  plan->folder =
      folder ? pawl_sandbox_seen(wanted->views, wanted->view_count, folder, &plan->arena) : NULL;
  if (!plan->folder) plan->folder = "/";
  if (!plan->shared) return;
  const char *seen =
      pawl_sandbox_seen(wanted->views, wanted->view_count, plan->shared, &plan->arena);
  add_bind(&list, plan->shared, seen ? seen : plan->shared)->writable = true;
  plan->shared = seen ? seen : plan->shared;
}
