/* SPDX-License-Identifier: Apache-2.0 */
/* Copies files into a child's own root folder. The copies have numbers of their own, which depend
   on their order alone, and so do their times, or all have one time. All of this runs between fork
   and exec, and uses async-signal-safe calls only. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/sandbox.h"
#include "process/sandbox_paths.h"

#define MOST_AT_ONCE ((size_t)1 << 30)

bool pawl_sandbox_make_parents(const char *path) {
  char folder[PATH_MAX];
  const size_t length = strlen(path);
  if (length >= sizeof folder) return false;
  memcpy(folder, path, length + 1);
  for (char *p = folder + 1; *p; p++) {
    if (*p != '/') continue;
    *p = '\0';
    if (mkdir(folder, 0755) && errno != EEXIST && errno != EROFS) return false;
    *p = '/';
  }
  return true;
}

bool pawl_sandbox_join(char *out, const char *folder, const char *name) {
  const size_t before = strlen(folder), length = strlen(name);
  if (before + 1 + length >= PATH_MAX) return false;
  memcpy(out, folder, before);
  out[before] = '/';
  memcpy(out + before + 1, name, length + 1);
  return true;
}

static bool copy_contents(int from, int to) {
  ssize_t got;
  do got = sendfile(to, from, NULL, MOST_AT_ONCE);
  while (got > 0 || (got < 0 && errno == EINTR));
  return got == 0;
}

/* A file that has gone since its name was listed, or that the user may not read, has no copy. */
static bool copy_file(const char *from, const char *to, mode_t mode) {
  const int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (in < 0) return errno == ENOENT || errno == EACCES || errno == ELOOP;
  const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  const bool done = out >= 0 && copy_contents(in, out);
  close(in);
  if (out >= 0) close(out);
  return done;
}

static bool copy_link(const char *from, const char *to) {
  char target[PATH_MAX];
  const ssize_t length = readlink(from, target, sizeof target - 1);
  if (length < 0) return errno == ENOENT;
  target[length] = '\0';
  return symlink(target, to) == 0;
}

bool pawl_sandbox_copy_names(const struct pawl_sandbox_step *step) {
  char from[PATH_MAX], to[PATH_MAX];
  struct stat info;
  const struct timespec day = {.tv_sec = PAWL_COPIES_TIME}, times[] = {day, day};
  for (const char *const *name = step->names; *name; name++) {
    if (!pawl_sandbox_join(from, step->source, *name) ||
        !pawl_sandbox_join(to, step->target, *name))
      return false;
    if (lstat(from, &info)) continue;
    const bool file = S_ISREG(info.st_mode), link = S_ISLNK(info.st_mode);
    if (!file && !link) continue;
    if (!pawl_sandbox_make_parents(to)) return false;
    if (link ? !copy_link(from, to) : !copy_file(from, to, info.st_mode & 0777)) return false;
    if (step->dated) utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
  }
  return true;
}
