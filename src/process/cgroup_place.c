/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where this process may make control groups. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/cgroup.h"
#include "process/cgroup_files.h"

/* The order is that of the folders of version 1. */
static const char *const controllers[PAWL_CGROUP_FOLDERS] = {"pids", "memory", "freezer"};

const char *pawl_bounds_name(unsigned bounds) {
  static const char *const names[] = {"none", "processes", "memory", "processes and memory"};
  return names[bounds & (PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY)];
}

void pawl_cgroup_place_release(struct pawl_cgroup_place *place) {
  if (!place) return;
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++) pawl_free(place->folders[i]);
  *place = (struct pawl_cgroup_place){0};
}

/* Returns whether a list, with commas or blanks between its words, has this word. */
static bool cgroup_place_has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *p = list; (p = strstr(p, word)); p += length) {
    const bool begins = p == list || strchr(", ", p[-1]),
               ends = !p[length] || strchr(", \n", p[length]);
    if (begins && ends) return true;
  }
  return false;
}

/* Finds our path in the hierarchy of a controller. NULL names the hierarchy of version 2. Lines are
   "NUMBER:CONTROLLERS:PATH". */
static bool cgroup_place_own_path(const char *groups, const char *controller, char out[PATH_MAX]) {
  for (const char *line = groups; line && *line; line = strchr(line, '\n'), line += line != NULL) {
    char names[256] = "";
    int at = 0;
    if (sscanf(line, "0::%n", &at) == 0 && at > 0) {
      if (!controller) return sscanf(line + at, "%4095[^\n]", out) == 1;
    } else if (sscanf(line, "%*d:%255[^:]:%n", names, &at) == 1 && at > 0 && controller) {
      if (cgroup_place_has_word(names, controller))
        return sscanf(line + at, "%4095[^\n]", out) == 1;
    }
  }
  return false;
}

/* Finds which part of the hierarchy is mounted where. The later of two mounts hides the earlier.
 */
static bool find_mount(const char *mounts, const char *controller, char root[PATH_MAX],
                       char at[PATH_MAX]) {
  bool found = false;
  for (const char *line = mounts; line && *line; line = strchr(line, '\n'), line += line != NULL) {
    char one[PATH_MAX], other[PATH_MAX], options[1024] = "";
    const char *end = strchr(line, '\n'), *rest = strstr(line, " - ");
    if (!rest || (end && rest > end) || sscanf(line, "%*d %*d %*s %4095s %4095s", one, other) != 2)
      continue;
    const bool second = sscanf(rest, " - cgroup2 %*s %1023s", options) == 1;
    const bool first = !second && sscanf(rest, " - cgroup %*s %1023s", options) == 1;
    if (controller ? !first || !cgroup_place_has_word(options, controller) : !second) continue;
    memcpy(root, one, sizeof one);
    memcpy(at, other, sizeof other);
    found = true;
  }
  return found;
}

/* Returns our folder in the hierarchy, and its mount point in `at`. A container may show a part of
   the hierarchy that does not contain us. */
static char *own_folder(const char *groups, const char *mounts, const char *controller,
                        char at[PATH_MAX]) {
  char path[PATH_MAX], root[PATH_MAX];
  if (!cgroup_place_own_path(groups, controller, path) || !find_mount(mounts, controller, root, at))
    return NULL;
  const size_t length = strcmp(root, "/") ? strlen(root) : 0;
  if (strncmp(path, root, length) != 0 || (path[length] && path[length] != '/')) return NULL;
  char *folder = pawl_path_join(at, path + length + (path[length] == '/'));
  const size_t end = strlen(folder);
  if (end > 1 && folder[end - 1] == '/') folder[end - 1] = '\0';
  if (pawl_is_folder(folder)) return folder;
  pawl_free(folder);
  return NULL;
}

static bool may_make(const char *folder) {
  PAWL_CLEANUP(pawl_free_pointer) char *procs = pawl_path_join(folder, "cgroup.procs");
  return access(folder, W_OK | X_OK) == 0 && access(procs, W_OK) == 0;
}

static void find_first(struct pawl_cgroup_place *out, const char *groups, const char *mounts) {
  char at[PATH_MAX];
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++) {
    char *folder = own_folder(groups, mounts, controllers[i], at);
    if (folder && may_make(folder)) {
      out->folders[i] = folder;
      continue;
    }
    if (!*out->reason && folder)
      snprintf(out->reason, sizeof out->reason, "pawl may not make groups in '%.100s'", folder);
    pawl_free(folder);
  }
  out->bounds =
      (out->folders[0] ? PAWL_BOUNDS_PROCESSES : 0u) | (out->folders[1] ? PAWL_BOUNDS_MEMORY : 0u);
  out->version = out->bounds ? 1 : 0;
}

/* Returns the resources that groups below this folder can bound. With `own`, switches controllers
   on, which the system refuses if processes live in the group itself, unless it is the root. */
static unsigned bounds_in(const char *folder, bool own) {
  char text[PAWL_CGROUP_TEXT];
  if (own) {
    pawl_cgroup_write(folder, "cgroup.subtree_control", "+pids");
    pawl_cgroup_write(folder, "cgroup.subtree_control", "+memory");
  }
  if (!pawl_cgroup_read(folder, "cgroup.subtree_control", text)) return PAWL_BOUNDS_NONE;
  return (cgroup_place_has_word(text, "pids") ? PAWL_BOUNDS_PROCESSES : 0u) |
         (cgroup_place_has_word(text, "memory") ? PAWL_BOUNDS_MEMORY : 0u);
}

/* Returns whether a process beside this group would escape a limit of the group. */
static bool sets_a_limit(const char *folder) {
  static const char *const files[] = {"memory.max", "memory.high", "memory.swap.max", "pids.max",
                                      "cpu.max"};
  char text[PAWL_CGROUP_TEXT];
  for (size_t i = 0; i < PAWL_COUNT(files); i++)
    if (pawl_cgroup_read(folder, files[i], text) && !pawl_starts_with(text, "max")) return true;
  return pawl_cgroup_read(folder, "cpuset.cpus", text) && *text && *text != '\n';
}

static void find_second(struct pawl_cgroup_place *out, const char *groups, const char *mounts) {
  char at[PATH_MAX];
  char *folder = own_folder(groups, mounts, NULL, at);
  for (bool own = true; folder; own = false) {
    if (!may_make(folder))
      snprintf(out->reason, sizeof out->reason, "pawl may not make groups in '%.100s'", folder);
    else if ((out->bounds = bounds_in(folder, own)))
      break;
    else
      snprintf(out->reason, sizeof out->reason, "'%.100s' gives its groups no controllers", folder);
    const bool last = !strcmp(folder, at) || sets_a_limit(folder);
    char *above = last ? NULL : pawl_path_folder(folder);
    pawl_free(folder);
    folder = above;
  }
  out->folders[0] = folder;
  out->version = folder ? 2 : 0;
}

void pawl_cgroup_find(struct pawl_cgroup_place *out, const char *groups, const char *mounts) {
  *out = (struct pawl_cgroup_place){0};
  find_first(out, groups, mounts);
  if (!out->version) { /* where controllers are of version 1, its reason helps more */
    char reason[sizeof out->reason];
    memcpy(reason, out->reason, sizeof reason);
    pawl_cgroup_place_release(out);
    find_second(out, groups, mounts);
    if (*reason) memcpy(out->reason, reason, sizeof reason);
  }
  if (out->bounds == (PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY))
    *out->reason = '\0';
  else if (!*out->reason)
    snprintf(out->reason, sizeof out->reason,
             "this system shows no control groups of pids and memory");
}

static struct pawl_cgroup_place here;

static void look_once(void) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text groups = {0}, mounts = {0};
  pawl_cgroup_read_all("/proc/self/cgroup", &groups);
  pawl_cgroup_read_all("/proc/self/mountinfo", &mounts);
  pawl_cgroup_find(&here, pawl_text_string(&groups), pawl_text_string(&mounts));
  pawl_cgroup_sweep(&here);
}

const struct pawl_cgroup_place *pawl_cgroup_here(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look_once);
  return &here;
}
