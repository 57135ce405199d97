/* SPDX-License-Identifier: Apache-2.0 */
#include "build/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define DEEPEST 100

struct tree_walk {
  const char *root;
  const char *const *skipped;
  bool hidden;
  void (*visit)(void *context, const struct pawl_tree_item *item);
  void *context;
  struct pawl_text path;
};

static bool is_skipped(const char *root, const char *const *skipped, const char *path,
                       size_t length) {
  const size_t root_length = strlen(root);
  for (; *skipped; skipped++) {
    const char *below = *skipped + root_length + 1;
    if (pawl_starts_with(*skipped, root) && (*skipped)[root_length] == '/' &&
        strlen(below) == length && !strncmp(below, path, length))
      return true;
  }
  return false;
}

bool pawl_tree_visits(const char *root, const char *const *skipped, const char *path) {
  const size_t root_length = strlen(root);
  if (!pawl_starts_with(path, root) || path[root_length] != '/') return false;
  const char *below = path + root_length + 1;
  for (const char *part = below, *end; (end = strchr(part, '/')); part = end + 1)
    if (*part == '.' || is_skipped(root, skipped, below, (size_t)(end - below))) return false;
  return true;
}

static unsigned char type_of(int folder, const struct dirent *item) {
  struct stat info;
  if (item->d_type != DT_UNKNOWN) return item->d_type;
  return fstatat(folder, item->d_name, &info, AT_SYMLINK_NOFOLLOW) ? DT_REG : IFTODT(info.st_mode);
}

/* git and pawl write into their own folders, which no build sees. */
static bool may_enter(const struct tree_walk *walk, const char *name) {
  return *name != '.' || (walk->hidden && strcmp(name, ".git") != 0 && strcmp(name, ".pawl") != 0);
}

static void walk_folder(struct tree_walk *walk, int fd, int depth) {
  DIR *folder = fdopendir(fd);
  if (!folder) {
    close(fd);
    return;
  }
  const size_t length = walk->path.length;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (length) pawl_text_add_bytes(&walk->path, "/", 1);
    pawl_text_add_bytes(&walk->path, entry->d_name, strlen(entry->d_name));
    const struct pawl_tree_item item = {dirfd(folder), entry->d_name, walk->path.data,
                                        type_of(dirfd(folder), entry)};
    const bool enter = item.type == DT_DIR && may_enter(walk, item.name) && depth < DEEPEST &&
                       !is_skipped(walk->root, walk->skipped, walk->path.data, walk->path.length);
    if (item.type != DT_DIR || enter) walk->visit(walk->context, &item);
    const int below =
        enter ? openat(item.folder, item.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
              : -1;
    if (below >= 0) walk_folder(walk, below, depth + 1);
    walk->path.length = length;
    walk->path.data[length] = '\0';
  }
  closedir(folder);
}

void pawl_tree_walk(const char *root, const char *const *skipped, bool hidden,
                    void (*visit)(void *context, const struct pawl_tree_item *item),
                    void *context) {
  struct tree_walk walk = {
      .root = root, .skipped = skipped, .hidden = hidden, .visit = visit, .context = context};
  const int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) walk_folder(&walk, fd, 0);
  pawl_text_clear(&walk.path);
}
