/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic writes. A writer writes a temporary file beside the old one, then renames it. It locks the
   temporary file, so that others can tell a killed writer's file from a running writer's. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

#define MAX_LINKS 40 /* the kernel's limit */
#define RANDOM_PART "XXXXXX"

pawl_status pawl_fail_write(struct pawl_error *err, int number, const char *what,
                            const char *path) {
  const enum pawl_status_code code = pawl_fail_errno(err, number, "cannot %s '%s'", what, path);
  if (err && code != PAWL_IO) err->code = PAWL_CANNOT_WRITE;
  return code == PAWL_IO ? PAWL_IO : PAWL_CANNOT_WRITE;
}

static int file_write_all(int fd, const void *data, size_t length) {
  for (size_t done = 0; done < length;) {
    const ssize_t put = write(fd, (const char *)data + done, length - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    done += (size_t)put;
  }
  return 0;
}

void pawl_sync_folder(const char *folder) {
  PAWL_CLEANUP(pawl_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) fsync(fd);
}

pawl_status pawl_sync_file_system(const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 || syncfs(fd) ? pawl_fail_write(err, errno, "sync", folder) : PAWL_OK;
}

/* Follows links to the last path, which may be absent. A write then replaces the target and keeps
   the links. Allocated. */
static char *follow_links(const char *path) {
  char *current = pawl_path_join(".", path);
  for (int i = 0; i < MAX_LINKS; i++) {
    char target[4096];
    const ssize_t length = readlink(current, target, sizeof target - 1);
    if (length < 0) break;
    target[length] = '\0';
    PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(current);
    pawl_free(current);
    current = pawl_path_join(folder, target);
  }
  return current;
}

/* Returns ".NAME.pawl-", the prefix of the temporary files of FOLDER/NAME. Allocated. */
static char *temporary_prefix(const char *path) {
  const char *slash = strrchr(path, '/');
  struct pawl_text prefix = {0};
  pawl_text_printf(&prefix, ".%s.pawl-", slash ? slash + 1 : path);
  return prefix.data;
}

/* Removes the file if its lock is free, because then its writer has ended. */
static void remove_if_abandoned(int folder, const char *name) {
  PAWL_CLEANUP(pawl_close)
  int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB)) unlinkat(folder, name, 0);
}

static void remove_leftovers(const char *folder, const char *prefix) {
  DIR *entries = opendir(folder);
  if (!entries) return;
  for (struct dirent *entry; (entry = readdir(entries));) {
    const bool ours = pawl_starts_with(entry->d_name, prefix) &&
                      strlen(entry->d_name) == strlen(prefix) + sizeof RANDOM_PART - 1;
    if (ours) remove_if_abandoned(dirfd(entries), entry->d_name);
  }
  closedir(entries);
}

void pawl_file_remove_leftovers(const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *target = follow_links(path);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(target);
  PAWL_CLEANUP(pawl_free_pointer) char *prefix = temporary_prefix(target);
  remove_leftovers(folder, prefix);
}

/* Opens a new locked file and puts its name into `name`. Returns -1 and sets errno on failure. */
static int open_temporary(const char *folder, const char *prefix, struct pawl_text *name) {
  for (;;) {
    pawl_text_clear(name);
    pawl_text_printf(name, "%s/%s" RANDOM_PART, folder, prefix);
    int fd = mkostemp(name->data, O_CLOEXEC);
    struct stat info;
    /* Another writer may have removed the file before the lock. A file system without locks does
       not report that. */
    if (fd < 0 || (flock(fd, LOCK_EX | LOCK_NB) && errno != EWOULDBLOCK) ||
        (!fstat(fd, &info) && info.st_nlink > 0))
      return fd;
    pawl_close(&fd);
  }
}

/* Replaces the file `target` and gives it `mode`. */
static pawl_status replace(const char *target, const struct pawl_file_contents *contents,
                           mode_t mode, bool synced, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(target);
  PAWL_CLEANUP(pawl_free_pointer) char *prefix = temporary_prefix(target);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
  remove_leftovers(folder, prefix);
  PAWL_CLEANUP(pawl_close) int fd = open_temporary(folder, prefix, &name);
  if (fd < 0) return pawl_fail_write(err, errno, "write", target);
  enum pawl_status_code status = contents->fill(contents->context, fd, target, err);
  int number = 0;
  if (status == PAWL_OK && (fchmod(fd, mode) || (synced && fsync(fd)) || rename(name.data, target)))
    number = errno;
  if (number) status = pawl_fail_write(err, number, "write", target);
  if (status != PAWL_OK) unlink(name.data);
  if (status == PAWL_OK && synced) pawl_sync_folder(folder);
  return status;
}

/* Writes to /dev/stdout or a pipe, where there is no file to replace. */
static pawl_status write_into(const char *path, const struct pawl_file_contents *contents,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_WRONLY | O_CLOEXEC);
  return fd < 0 ? pawl_fail_write(err, errno, "write", path)
                : contents->fill(contents->context, fd, path, err);
}

pawl_status pawl_file_may_write(const char *path, struct pawl_error *err) {
  struct stat info;
  const bool there = !stat(path, &info);
  if (!there && errno != ENOENT) return pawl_fail_write(err, errno, "write", path);
  if (there && S_ISDIR(info.st_mode))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write '%s': it is a folder", path);
  PAWL_CLEANUP(pawl_free_pointer) char *target = follow_links(path);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(target);
  const bool replaced = !there || S_ISREG(info.st_mode);
  if ((there && access(path, W_OK)) || (replaced && access(folder, W_OK | X_OK)))
    return pawl_fail_write(err, errno, "write", path);
  return PAWL_OK;
}

static pawl_status file_write(const char *path, const struct pawl_file_contents *contents,
                              bool synced, struct pawl_error *err) {
  PAWL_TRY(pawl_file_may_write(path, err));
  struct stat info;
  const bool there = !stat(path, &info);
  const mode_t mask = umask(0);
  umask(mask);
  PAWL_CLEANUP(pawl_free_pointer) char *target = follow_links(path);
  return there && !S_ISREG(info.st_mode)
             ? write_into(path, contents, err)
             : replace(target, contents, there ? info.st_mode & 0777 : 0666 & ~mask, synced, err);
}

/* A text in memory. */
struct file_text {
  const void *data;
  size_t length;
};

static pawl_status fill_with_text(void *context, int fd, const char *path, struct pawl_error *err) {
  const struct file_text *text = context;
  const int number = file_write_all(fd, text->data, text->length);
  return number ? pawl_fail_write(err, number, "write", path) : PAWL_OK;
}

static pawl_status file_write_text(const char *path, const void *data, size_t length, bool synced,
                                   struct pawl_error *err) {
  struct file_text text = {data, length};
  const struct pawl_file_contents contents = {fill_with_text, &text};
  return file_write(path, &contents, synced, err);
}

pawl_status pawl_file_write(const char *path, const void *data, size_t length,
                            struct pawl_error *err) {
  return file_write_text(path, data, length, true, err);
}

pawl_status pawl_file_write_by(const char *path, const struct pawl_file_contents *contents,
                               struct pawl_error *err) {
  return file_write(path, contents, true, err);
}

pawl_status pawl_file_write_unsynced(const char *path, const void *data, size_t length,
                                     struct pawl_error *err) {
  return file_write_text(path, data, length, false, err);
}

pawl_status pawl_file_clear_place(const char *path, struct pawl_error *err) {
  struct stat info;
  if (lstat(path, &info) || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return PAWL_OK;
  return pawl_file_remove_old(path, err);
}

pawl_status pawl_file_remove_old(const char *path, struct pawl_error *err) {
  return unlink(path) && errno != ENOENT ? pawl_fail_write(err, errno, "replace", path) : PAWL_OK;
}

pawl_status pawl_copy_file(const char *from, const char *to, struct pawl_error *err) {
  struct pawl_text text = {0};
  struct stat info = {0};
  enum pawl_status_code status = pawl_file_read(from, (size_t)1 << 30, &text, err);
  if (status == PAWL_OK && stat(from, &info))
    status = pawl_fail_errno(err, errno, "cannot read the properties of '%s'", from);
  if (status == PAWL_OK) status = pawl_file_write(to, text.data, text.length, err);
  if (status == PAWL_OK && chmod(to, info.st_mode & 0777))
    status = pawl_fail_write(err, errno, "write", to);
  pawl_text_clear(&text);
  return status;
}

pawl_status pawl_make_folders(const char *path, struct pawl_error *err) {
  if (!*path) return pawl_fail_write(err, ENOENT, "make the folder", path);
  struct pawl_text partial = {0};
  pawl_text_add(&partial, path);
  int number = 0;
  for (char *p = partial.data + 1; !number; p++) {
    if (*p && *p != '/') continue;
    const char kept = *p;
    *p = '\0';
    if (mkdir(partial.data, 0777) && errno != EEXIST) number = errno;
    *p = kept;
    if (!kept) break;
  }
  pawl_text_clear(&partial);
  if (!number && !pawl_is_folder(path)) number = ENOTDIR;
  return number ? pawl_fail_write(err, number, "make the folder", path) : PAWL_OK;
}

const char *pawl_temporary_place(void) {
  const char *place = getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

bool pawl_make_temporary(const char *name, struct pawl_arena *arena, const char **path) {
  char *folder = pawl_arena_printf(arena, "%s/pawl-%s-XXXXXX", pawl_temporary_place(), name);
  *path = folder;
  return mkdtemp(folder) != NULL;
}

pawl_status pawl_make_ignored_folder(const char *path, struct pawl_error *err) {
  static const char everything[] = "*\n";
  PAWL_TRY(pawl_make_folders(path, err));
  PAWL_CLEANUP(pawl_free_pointer) char *ignore = pawl_path_join(path, ".gitignore");
  return pawl_file_exists(ignore) ? PAWL_OK
                                  : pawl_file_write(ignore, everything, sizeof everything - 1, err);
}

static void read_holder(int fd, char *holder, size_t size) {
  const ssize_t got = pread(fd, holder, size - 1, 0);
  holder[got > 0 ? got : 0] = '\0';
}

/* Finds whether the lock's file is gone or replaced. A lock on such a file excludes nobody. */
static bool is_stale(int fd, const char *path) {
  struct stat ours, theirs;
  return fstat(fd, &ours) || stat(path, &theirs) || ours.st_ino != theirs.st_ino ||
         ours.st_dev != theirs.st_dev;
}

pawl_status pawl_lock_acquire(struct pawl_lock *lock, const char *path, double wait_seconds,
                              struct pawl_error *err) {
  const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  for (double waited = 0;; waited += 0.02) {
    PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return pawl_fail_write(err, errno, "open the lock", path);
    if (!fcntl(fd, F_OFD_SETLK, &whole)) {
      if (is_stale(fd, path)) continue;
      char pid[32];
      const int length = snprintf(pid, sizeof pid, "%ld", (long)getpid());
      /* the number only informs the processes that wait */
      if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)length, 0) < 0) {
      }
      *lock = (struct pawl_lock){.fd = fd, .path = pawl_path_join(".", path)};
      fd = -1;
      return PAWL_OK;
    }
    if (errno != EAGAIN && errno != EACCES && errno != EINTR)
      return pawl_fail_errno(err, errno, "cannot lock '%s'", path);
    if (waited >= wait_seconds) {
      char holder[32];
      read_holder(fd, holder, sizeof holder);
      return pawl_fail(err, PAWL_TRY_AGAIN,
                       "'%s' is locked by process %s; wait for it or try again later", path,
                       *holder ? holder : "(unknown)");
    }
    usleep(20000);
  }
}

void pawl_lock_release(struct pawl_lock *lock) {
  if (!lock || lock->fd < 0) return;
  /* removes the file before it unlocks */
  if (lock->path && !is_stale(lock->fd, lock->path)) unlink(lock->path);
  pawl_close(&lock->fd);
  pawl_free(lock->path);
  lock->path = NULL;
}
