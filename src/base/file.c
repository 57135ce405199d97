/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

void pawl_close(int *fd) {
  if (!fd || *fd < 0) return;
  close(*fd);
  *fd = -1;
}

/* Reads to the end. `expected` is the size of most files: the text then grows once. */
static pawl_status read_all(int fd, const char *path, size_t expected, size_t limit,
                            struct pawl_text *out, struct pawl_error *err) {
  for (size_t room = expected + 1;;) {
    const ssize_t got = read(fd, pawl_text_room(out, room), room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return pawl_fail_errno(err, errno, "cannot read '%s'", path);
    if (got == 0) return PAWL_OK;
    if ((size_t)got > limit - out->length)
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' is larger than the limit of %zu MiB", path,
                       limit >> 20);
    out->length += (size_t)got;
    room = (size_t)got < room ? room - (size_t)got : 65536;
  }
}

pawl_status pawl_file_read(const char *path, size_t limit, struct pawl_text *out,
                           struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close)
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  struct stat info;
  if (fstat(fd, &info))
    return pawl_fail_errno(err, errno, "cannot read the properties of '%s'", path);
  if (!S_ISREG(info.st_mode))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a regular file", path);
  if ((uint64_t)info.st_size > limit) {
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is %lld MiB, larger than the limit of %zu MiB", path,
                     (long long)info.st_size >> 20, limit >> 20);
  }
  struct pawl_text text = {0};
  const enum pawl_status_code status = read_all(fd, path, (size_t)info.st_size, limit, &text, err);
  if (status != PAWL_OK) {
    pawl_text_clear(&text);
    return status;
  }
  pawl_text_clear(out);
  pawl_text_add_bytes(&text, "", 0); /* makes data a string even if the file is empty */
  *out = text;
  return PAWL_OK;
}

bool pawl_file_exists(const char *path) { return !access(path, F_OK); }

bool pawl_file_absent(const char *path) {
  struct stat info;
  return stat(path, &info) && errno == ENOENT;
}

bool pawl_is_folder(const char *path) {
  struct stat info;
  return !stat(path, &info) && S_ISDIR(info.st_mode);
}

bool pawl_is_regular(const char *path) {
  struct stat info;
  return !stat(path, &info) && S_ISREG(info.st_mode);
}

/* Removes the entry `name` of the folder and everything below it. Returns 0 or an errno. */
static int remove_at(int folder_fd, const char *name) {
  if (!unlinkat(folder_fd, name, 0) || errno == ENOENT) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;
  const int fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  DIR *folder = fdopendir(fd);
  if (!folder) {
    const int number = errno;
    close(fd);
    return number;
  }
  int number = 0;
  for (struct dirent *entry; !number && (entry = readdir(folder));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    number = remove_at(dirfd(folder), entry->d_name);
  }
  closedir(folder);
  if (!number && unlinkat(folder_fd, name, AT_REMOVEDIR) && errno != ENOENT) number = errno;
  return number;
}

pawl_status pawl_remove_tree(const char *path, struct pawl_error *err) {
  const int number = remove_at(AT_FDCWD, path);
  return number ? pawl_fail_errno(err, number, "cannot remove '%s'", path) : PAWL_OK;
}

bool pawl_next_folder(const char **list, const char **folder, size_t *length) {
  *folder = *list + strspn(*list, ":");
  *length = strcspn(*folder, ":");
  *list = *folder + *length;
  return *length > 0;
}

char *pawl_path_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  const size_t length = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
  char *folder = pawl_alloc(length + 1, 1);
  memcpy(folder, slash ? path : ".", length);
  return folder;
}

bool pawl_path_holds(const char *folder, const char *path) {
  const size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
  return !strncmp(path, folder, length) && (path[length] == '/' || path[length] == '\0');
}

char *pawl_path_join(const char *dir, const char *name) {
  struct pawl_text path = {0};
  if (name[0] != '/' && strcmp(dir, ".") != 0) {
    pawl_text_add(&path, dir);
    if (!pawl_ends_with(dir, "/")) pawl_text_add(&path, "/");
  }
  pawl_text_add(&path, name);
  return path.data;
}

char *pawl_path_real(const char *path) {
  char *resolved = realpath(path, NULL);
  if (!resolved) return NULL;
  struct pawl_text copy = {0};
  pawl_text_add(&copy, resolved);
  free(resolved);
  return copy.data;
}

char *pawl_home(void) {
  const char *given = getenv("PAWL_HOME");
  if (given && *given) return pawl_path_join(".", given);
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_path_real("/proc/self/exe");
  PAWL_CLEANUP(pawl_free_pointer) char *bin = pawl_path_folder(program ? program : "/usr/bin/pawl");
  return pawl_path_folder(bin);
}
