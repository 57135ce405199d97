/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares a sandbox before the child exists. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "process/landlock.h"
#include "process/sandbox.h"
#include "process/sandbox_paths.h"

#define MOST_READABLE 4096 /* rules of about 2 us each */

struct path_list {
  const char **items;
  size_t count, capacity;
};

static const char *real_path(struct pawl_sandbox_plan *plan, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = path ? pawl_path_real(path) : NULL;
  return real ? pawl_arena_copy(&plan->arena, real) : NULL;
}

static bool sandbox_plan_is_below(const char *path, const char *folder) {
  const size_t length = strlen(folder);
  return !strncmp(path, folder, length) && path[length] == '/';
}

static bool is_covered(const struct pawl_sandbox_plan *plan, const char *folder) {
  for (int i = 0; i < plan->overlay_count; i++) {
    if (!strcmp(folder, plan->overlays[i].path) ||
        sandbox_plan_is_below(folder, plan->overlays[i].path))
      return true;
  }
  return false;
}

/* Redirects writes below the folder, if an overlay is possible there. */
static void add_overlay(struct pawl_sandbox_plan *plan, const char *path) {
  const char *folder = real_path(plan, path);
  if (!folder || !strcmp(folder, "/") || is_covered(plan, folder)) return;
  if (strpbrk(folder, ",:\\\"") || !pawl_is_folder(folder) || pawl_sandbox_has_mount_below(folder))
    return;
  const int i = plan->overlay_count++;
  plan->overlays[i].path = folder;
  plan->overlays[i].upper = pawl_arena_printf(&plan->arena, "%s/upper%d", PAWL_SANDBOX_MEMORY, i);
  plan->overlays[i].work = pawl_arena_printf(&plan->arena, "%s/work%d", PAWL_SANDBOX_MEMORY, i);
  plan->overlays[i].options =
      pawl_arena_printf(&plan->arena, "lowerdir=%s,upperdir=%s,workdir=%s,userxattr", folder,
                        plan->overlays[i].upper, plan->overlays[i].work);
}

/* Lists the device files that code under test writes to: the usual ones and those of GPUs. */
static const char *const *find_devices(struct pawl_sandbox_plan *plan) {
  static const char *const usual[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                      "/dev/urandom", "/dev/tty",  "/dev/ptmx", "/dev/pts"};
  const char **devices = NULL;
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < PAWL_COUNT(usual); i++) {
    devices = pawl_grow(devices, count, &capacity, sizeof *devices);
    devices[count++] = usual[i];
  }
  DIR *folder = opendir("/dev");
  for (const struct dirent *entry; folder && (entry = readdir(folder));) {
    if (!pawl_starts_with(entry->d_name, "nvidia") && strcmp(entry->d_name, "dri") != 0) continue;
    devices = pawl_grow(devices, count, &capacity, sizeof *devices);
    devices[count++] = pawl_arena_printf(&plan->arena, "/dev/%s", entry->d_name);
  }
  if (folder) closedir(folder);
  const char **kept = pawl_arena_alloc(&plan->arena, count + 1, sizeof *kept);
  memcpy(kept, devices, count * sizeof *kept);
  pawl_free(devices);
  return kept;
}

/* Returns 2 if the path is a hidden folder, 1 if one lies below the path, else 0. */
static int hides(const struct pawl_sandbox_plan *plan, const char *path) {
  int most = 0;
  for (const char **hidden = plan->hidden; *hidden; hidden++) {
    if (!strcmp(*hidden, path)) return 2;
    if (sandbox_plan_is_below(*hidden, path)) most = 1;
  }
  return most;
}

static void sandbox_plan_append(struct path_list *list, const char *path) {
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = path;
}

/* Lists all below `folder` ("": the root) except hidden folders. Returns false if the list is too
   long. */
static bool list_others(struct pawl_sandbox_plan *plan, const char *folder, struct path_list *out) {
  DIR *entries = opendir(*folder ? folder : "/");
  bool all = true;
  for (const struct dirent *entry; all && entries && (entry = readdir(entries));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    const char *path = pawl_arena_printf(&plan->arena, "%s/%s", folder, entry->d_name);
    const int hidden = hides(plan, path);
    if (hidden == 1) all = list_others(plan, path, out);
    if (!hidden) sandbox_plan_append(out, path);
    all = all && out->count < MOST_READABLE;
  }
  if (entries) closedir(entries);
  return all;
}

/* Returns the list in the arena, NULL-terminated, and frees it. */
static const char **sandbox_plan_keep(struct pawl_sandbox_plan *plan, struct path_list *list) {
  const char **kept = pawl_arena_alloc(&plan->arena, list->count + 1, sizeof *kept);
  if (list->count) memcpy(kept, list->items, list->count * sizeof *kept);
  pawl_free(list->items);
  *list = (struct path_list){0};
  return kept;
}

/* Landlock can only allow. To hide a folder, this allows everything beside it and beside its
   parents. */
static const char *const *find_readable(struct pawl_sandbox_plan *plan) {
  struct path_list found = {0};
  const bool all = hides(plan, "") && list_others(plan, "", &found);
  const char **kept = sandbox_plan_keep(plan, &found);
  return all ? kept : NULL;
}

struct readable_search {
  struct pawl_sandbox_plan *plan;
  struct path_list found;
};

static void add_readable(void *context, const char *path) {
  struct readable_search *search = context;
  const char *real = real_path(search->plan, path);
  const int hidden = real ? hides(search->plan, real) : 2;
  if (!hidden) sandbox_plan_append(&search->found, real);
  /* A folder with too many entries beside a hidden folder is closed as a whole. */
  if (hidden == 1 && !list_others(search->plan, real, &search->found)) search->found.count = 0;
}

/* The child reads only the system and its views. */
static void find_views(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted) {
  struct readable_search search = {.plan = plan};
  struct path_list changeable = {0};
  pawl_sandbox_each_system(add_readable, &search);
  for (size_t i = 0; i < wanted->view_count; i++) {
    const struct pawl_sandbox_view *view = &wanted->views[i];
    const char *real = view->use == PAWL_VIEW_EMPTY ? NULL : real_path(plan, view->source);
    if (!real) continue;
    if (view->use == PAWL_VIEW_READ)
      add_readable(&search, real);
    else
      sandbox_plan_append(&changeable, real);
  }
  plan->readable = sandbox_plan_keep(plan, &search.found);
  plan->changeable = sandbox_plan_keep(plan, &changeable);
}

static const char *make_scratch(struct pawl_sandbox_plan *plan) {
  const char *path;
  return pawl_make_temporary("scratch", &plan->arena, &path) ? path : NULL;
}

static const char **find_hidden(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted) {
  struct path_list found = {0};
  for (size_t i = 0; i < PAWL_SANDBOX_HIDDEN; i++) {
    const char *real = real_path(plan, wanted->hidden[i]);
    if (real) sandbox_plan_append(&found, real);
  }
  for (size_t i = 0; i < wanted->view_count; i++) {
    const char *real =
        wanted->views[i].use == PAWL_VIEW_EMPTY ? real_path(plan, wanted->views[i].source) : NULL;
    if (real) sandbox_plan_append(&found, real);
  }
  return sandbox_plan_keep(plan, &found);
}

void pawl_sandbox_plan_init(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted,
                            bool namespaces) {
  *plan = (struct pawl_sandbox_plan){.namespaces = namespaces};
  plan->folder = real_path(plan, wanted->folder ? wanted->folder : ".");
  plan->hidden = find_hidden(plan, wanted);
  plan->shared = real_path(plan, wanted->shared);
  plan->devices = find_devices(plan);
  snprintf(plan->user_map, sizeof plan->user_map, "%u %u 1", geteuid(), geteuid());
  snprintf(plan->group_map, sizeof plan->group_map, "%u %u 1", getegid(), getegid());
  if (namespaces && wanted->views) {
    pawl_sandbox_plan_root(plan, wanted);
  } else if (namespaces) {
    add_overlay(plan, "/tmp");
    add_overlay(plan, getenv("HOME"));
    add_overlay(plan, plan->folder);
  } else if (pawl_landlock_available()) {
    plan->scratch = make_scratch(plan);
    if (wanted->views)
      find_views(plan, wanted);
    else
      plan->readable = find_readable(plan);
  }
}

void pawl_sandbox_plan_release(struct pawl_sandbox_plan *plan) {
  if (plan) pawl_arena_clear(&plan->arena);
}
