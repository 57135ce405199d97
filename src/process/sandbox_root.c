/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the root folder of a child that sees only some files. All of this runs between fork and
   exec, and uses async-signal-safe calls only. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/sandbox.h"
#include "process/sandbox_paths.h"

#define WHOLE_TREE 0x8000u   /* AT_RECURSIVE, which some C libraries lack */
#define EMPTY_PATH 0x1000u   /* AT_EMPTY_PATH */
#define CLONE_TREE 1u        /* OPEN_TREE_CLONE */
#define FROM_EMPTY_PATH 0x4u /* MOVE_MOUNT_F_EMPTY_PATH */
#define FLAG_READ_ONLY 1ul
#define FLAG_NOSUID 2ul
#define FLAG_NODEV 4ul
#define DETACH 2
#define LIMITS "size=50%,mode=0755" /* a share of the memory, the default of tmpfs */

bool pawl_sandbox_mount_at(const char *type, const char *path, unsigned long flags,
                           const char *options) {
  return syscall(SYS_mount, type, path, type, flags, options) == 0;
}

/* Makes the file or folder that a mount covers. One that exists is good. */
static bool make_target(const struct pawl_sandbox_step *step) {
  struct stat info;
  if (stat(step->target, &info) == 0) return true;
  if (!pawl_sandbox_make_parents(step->target)) return false;
  /* The parents of "/x/" and of "/x/." are the folder itself. */
  if (!step->file) return mkdir(step->target, 0755) == 0 || errno == EEXIST;
  const int fd = open(step->target, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static bool root_bind(const struct pawl_sandbox_step *step) {
  struct mount_attr attributes = {.attr_set =
                                      MOUNT_ATTR_NOSUID | (step->writable ? 0 : MOUNT_ATTR_RDONLY)};
  const int fd =
      (int)syscall(SYS_open_tree, AT_FDCWD, step->source, CLONE_TREE | WHOLE_TREE | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = syscall(SYS_mount_setattr, fd, "", EMPTY_PATH | WHOLE_TREE, &attributes,
                            sizeof attributes) == 0 &&
                    make_target(step) &&
                    syscall(SYS_move_mount, fd, "", AT_FDCWD, step->target, FROM_EMPTY_PATH) == 0;
  close(fd);
  return done;
}

/* The folder of the overlay's option `name`, which ends at a comma. */
static bool make_layer(char *path, const char *options, const char *name, mode_t mode) {
  const char *begin = strstr(options, name);
  if (!begin) return false;
  begin += strlen(name);
  const size_t length = strcspn(begin, ",");
  if (length >= PATH_MAX) return false;
  memcpy(path, begin, length);
  path[length] = '\0';
  return mkdir(path, mode) == 0 && chmod(path, mode) == 0;
}

/* The upper layer has all of these, so its size says nothing of what the lower one has. */
static bool make_in_layer(const char *layer, const char *const *names) {
  char path[PATH_MAX];
  for (; *names; names++) {
    if (!pawl_sandbox_join(path, layer, *names) || !pawl_sandbox_make_parents(path)) return false;
    if (mkdir(path, 0755) && errno != EEXIST) return false;
  }
  return true;
}

/* Where no overlay is possible, the folder stays readable. */
static bool root_overlay(const struct pawl_sandbox_step *step) {
  struct stat info;
  char upper[PATH_MAX], work[PATH_MAX];
  const bool mounted =
      make_target(step) && stat(step->source, &info) == 0 &&
      make_layer(upper, step->options, "upperdir=", info.st_mode & 07777) &&
      make_layer(work, step->options, "workdir=", 0700) && make_in_layer(upper, step->names) &&
      chdir(step->source) == 0 &&
      pawl_sandbox_mount_at("overlay", step->target, FLAG_NOSUID | FLAG_NODEV, step->options);
  if (chdir("/")) return false;
  return mounted || root_bind(step);
}

/* An absent target needs nothing above it, nor does one below a file. */
static bool root_empty(const struct pawl_sandbox_step *step) {
  struct stat info;
  if (lstat(step->target, &info)) return errno == ENOENT || errno == ENOTDIR;
  if (S_ISDIR(info.st_mode))
    return pawl_sandbox_mount_at("tmpfs", step->target, FLAG_NOSUID | FLAG_NODEV | FLAG_READ_ONLY,
                                 "size=4k,mode=0555");
  const struct pawl_sandbox_step nothing = {
      .kind = STEP_BIND, .source = "/dev/null", .target = step->target, .file = true};
  return root_bind(&nothing);
}

static bool take_step(const struct pawl_sandbox_step *step) {
  switch (step->kind) {
    case STEP_LINK:
      return pawl_sandbox_make_parents(step->target) &&
             (symlink(step->source, step->target) == 0 || errno == EEXIST || errno == EROFS);
    case STEP_OVERLAY: return root_overlay(step);
    case STEP_EMPTY: return root_empty(step);
    case STEP_NAMES:
      return make_target(step) &&
             pawl_sandbox_mount_at("tmpfs", step->target, FLAG_NOSUID | FLAG_NODEV, LIMITS) &&
             pawl_sandbox_copy_names(step);
    case STEP_BIND: return root_bind(step);
  }
  return false;
}

/* Folders that take writes, which end with the child. */
static bool mount_memory(void) {
  static const char *const folders[] = {"/tmp", PAWL_SANDBOX_MEMORY, PAWL_SANDBOX_HOME};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const struct pawl_sandbox_step step = {.target = folders[i]};
    if (!make_target(&step) ||
        !pawl_sandbox_mount_at("tmpfs", folders[i], FLAG_NOSUID | FLAG_NODEV, LIMITS))
      return false;
  }
  return chmod("/tmp", 01777) == 0;
}

bool pawl_sandbox_build_root(const struct pawl_sandbox_plan *plan) {
  /* /tmp is in every system, and the old root hides what lies below it only until it moves. */
  if (!pawl_sandbox_mount_at("tmpfs", "/tmp", FLAG_NOSUID | FLAG_NODEV, LIMITS) || chdir("/tmp") ||
      mkdir("." PAWL_SANDBOX_OLD_ROOT, 0755) ||
      syscall(SYS_pivot_root, ".", "." PAWL_SANDBOX_OLD_ROOT) || chdir("/"))
    return false;
  umask(0);
  bool done =
      mkdir("/proc", 0755) == 0 && mkdir(PAWL_SANDBOX_LAYERS, 0755) == 0 &&
      pawl_sandbox_mount_at("tmpfs", PAWL_SANDBOX_LAYERS, FLAG_NOSUID | FLAG_NODEV, LIMITS) &&
      mount_memory();
  for (size_t i = 0; done && i < plan->step_count; i++) done = take_step(&plan->steps[i]);
  umask(022);
  return done;
}

bool pawl_sandbox_close_root(void) {
  struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
  return syscall(SYS_umount2, PAWL_SANDBOX_OLD_ROOT, DETACH) == 0 &&
         syscall(SYS_umount2, PAWL_SANDBOX_LAYERS, DETACH) == 0 &&
         rmdir(PAWL_SANDBOX_OLD_ROOT) == 0 && rmdir(PAWL_SANDBOX_LAYERS) == 0 &&
         syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &read_only, sizeof read_only) == 0;
}
