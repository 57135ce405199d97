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

/* Returns whether an overlay would hide another file system. mountinfo escapes odd characters, so a
   mount point with them is not found, and the sandbox shows it empty. */
static bool has_mount_below(const char *folder) {
  FILE *file = fopen("/proc/self/mountinfo", "re");
  char *line = NULL;
  size_t capacity = 0;
  bool found = !file;
  while (file && !found && getline(&line, &capacity, file) > 0) {
    char at[4096];
    found = sscanf(line, "%*d %*d %*s %*s %4095s", at) == 1 && sandbox_plan_is_below(at, folder);
  }
  free(line); /* allocated by getline */
  if (file) fclose(file);
  return found;
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
  if (strpbrk(folder, ",:\\\"") || !pawl_is_folder(folder) || has_mount_below(folder)) return;
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
  for (int i = 0; i < PAWL_SANDBOX_HIDDEN; i++) {
    const char *hidden = plan->hidden[i];
    if (hidden && !strcmp(hidden, path)) return 2;
    if (hidden && sandbox_plan_is_below(hidden, path)) most = 1;
  }
  return most;
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
    if (hidden) continue;
    out->items = pawl_grow(out->items, out->count, &out->capacity, sizeof *out->items);
    out->items[out->count++] = path;
    all = out->count < MOST_READABLE;
  }
  if (entries) closedir(entries);
  return all;
}

/* Landlock can only allow. To hide a folder, this allows everything beside it and beside its
   parents. */
static const char *const *find_readable(struct pawl_sandbox_plan *plan) {
  struct path_list found = {0};
  const bool all = hides(plan, "") && list_others(plan, "", &found);
  const char **kept = all ? pawl_arena_alloc(&plan->arena, found.count + 1, sizeof *kept) : NULL;
  if (kept) memcpy(kept, found.items, found.count * sizeof *kept);
  pawl_free(found.items);
  return kept;
}

static const char *make_scratch(struct pawl_sandbox_plan *plan) {
  const char *folder = getenv("TMPDIR");
  char *path = pawl_arena_printf(&plan->arena, "%s/pawl-scratch-XXXXXX",
                                 folder && *folder ? folder : "/tmp");
  return mkdtemp(path);
}

void pawl_sandbox_plan_init(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted,
                            bool namespaces) {
  *plan = (struct pawl_sandbox_plan){.namespaces = namespaces};
  plan->folder = real_path(plan, wanted->folder ? wanted->folder : ".");
  for (int i = 0; i < PAWL_SANDBOX_HIDDEN; i++)
    plan->hidden[i] = real_path(plan, wanted->hidden[i]);
  plan->shared = real_path(plan, wanted->shared);
  plan->devices = find_devices(plan);
  snprintf(plan->user_map, sizeof plan->user_map, "%u %u 1", geteuid(), geteuid());
  snprintf(plan->group_map, sizeof plan->group_map, "%u %u 1", getegid(), getegid());
  if (namespaces) {
    add_overlay(plan, "/tmp");
    add_overlay(plan, getenv("HOME"));
    add_overlay(plan, plan->folder);
  } else if (pawl_landlock_available()) {
    plan->scratch = make_scratch(plan);
    plan->readable = find_readable(plan);
  }
}

void pawl_sandbox_plan_release(struct pawl_sandbox_plan *plan) {
  if (plan) pawl_arena_clear(&plan->arena);
}
