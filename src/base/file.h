/* SPDX-License-Identifier: Apache-2.0 */
/* Whole reads, atomic writes, folders, locks and paths. A returned path is allocated: free it with
 * pawl_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Reads a whole regular file of at most `limit` bytes. Fails with PAWL_NO_INPUT,
   PAWL_NOT_PERMITTED, or PAWL_BAD_DATA if it is too large or not a regular file. */
pawl_status pawl_file_read(const char *path, size_t limit, struct pawl_text *out,
                           struct pawl_error *err);

/* Writes the whole file or leaves the old one: writes a temporary file beside it, syncs it, renames
   it and syncs the folder. Follows links and keeps the old file's mode. Fails if the old file is
   read-only. */
pawl_status pawl_file_write(const char *path, const void *data, size_t length,
                            struct pawl_error *err);
/* Does the same for contents that are too large for memory. */
struct pawl_file_contents {
  /* writes them to `fd`, which belongs to the caller; `path` is for errors */
  pawl_status (*fill)(void *context, int fd, const char *path, struct pawl_error *err);
  void *context;
};
pawl_status pawl_file_write_by(const char *path, const struct pawl_file_contents *contents,
                               struct pawl_error *err);
/* Does the same without the syncs: a power cut may leave an empty or a torn file. Use it for files
 * that a seal covers, or that no later command reads. */
pawl_status pawl_file_write_unsynced(const char *path, const void *data, size_t length,
                                     struct pawl_error *err);
/* Syncs the names in the folder to the disk. If the file system cannot, nothing happens, because a
 * rename is atomic there too. */
void pawl_sync_folder(const char *folder);
/* Syncs the whole file system of the folder, after many unsynced writes. */
pawl_status pawl_sync_file_system(const char *folder, struct pawl_error *err);
/* Fails with "cannot WHAT 'path'" and the text of the errno `number`. The status is
   PAWL_CANNOT_WRITE, or PAWL_IO for errors of the device. */
pawl_status pawl_fail_write(struct pawl_error *err, int number, const char *what, const char *path);
/* Removes a link, a FIFO or a device from the place of a file that pawl wants to write. Without
   this call, pawl_file_write would write through a link that a repository holds. Leaves a regular
   file and a folder alone. */
pawl_status pawl_file_clear_place(const char *path, struct pawl_error *err);
/* Removes a regular file too, if pawl writes the new one later. An absent file is no error. */
pawl_status pawl_file_remove_old(const char *path, struct pawl_error *err);
/* Fails if pawl_file_write could not write there. Ask before the work that makes the contents. */
pawl_status pawl_file_may_write(const char *path, struct pawl_error *err);
/* Removes the temporary files that killed writers of `path` left beside it. Every write does so
   too. */
void pawl_file_remove_leftovers(const char *path);

bool pawl_file_exists(const char *path);
/* Returns true only if the file is certainly absent, not if pawl may not search a folder. */
bool pawl_file_absent(const char *path);
bool pawl_is_folder(const char *path);
bool pawl_is_regular(const char *path); /* not a folder, pipe or device */
pawl_status pawl_make_folders(const char *path, struct pawl_error *err); /* like mkdir -p */
/* Makes the folders too, and a .gitignore inside that hides the whole folder from git. Leaves an
   existing .gitignore as it is. */
pawl_status pawl_make_ignored_folder(const char *path, struct pawl_error *err);
/* Returns the folder for temporary files: $TMPDIR, or /tmp. */
const char *pawl_temporary_place(void);
/* Makes a new folder there that only this user may enter. `path`, in the arena, is
 * "PLACE/pawl-NAME-" and drawn letters. Returns false with errno if it cannot; `path` then says
 * what failed. */
bool pawl_make_temporary(const char *name, struct pawl_arena *arena, const char **path);
/* Removes a file, or a folder with its contents. Does not follow links. An absent file is no
 * error. */
pawl_status pawl_remove_tree(const char *path, struct pawl_error *err);
/* keeps the mode */
pawl_status pawl_copy_file(const char *from, const char *to, struct pawl_error *err);

/* An advisory lock of this process. The lock file holds the process's number, and pawl_lock_release
   removes it. Acquiring waits at most wait_seconds, then fails with PAWL_TRY_AGAIN. */
struct pawl_lock {
  int fd;     /* -1: not locked */
  char *path; /* NULL: the file stays after the release */
};
pawl_status pawl_lock_acquire(struct pawl_lock *lock, const char *path, double wait_seconds,
                              struct pawl_error *err);
void pawl_lock_release(struct pawl_lock *lock);

/* Takes the next folder of a list such as PATH, which ':' separates. Skips empty parts. Returns
 * false at the end. */
bool pawl_next_folder(const char **list, const char **folder, size_t *length);
char *pawl_path_folder(const char *path); /* Returns the folder of a path, or "." if it has none. */
/* Returns dir/name, or `name` if it is absolute. */
char *pawl_path_join(const char *dir, const char *name);
/* Returns whether the path is the folder or lies below it. It compares the names alone: both are
   absolute, without "." and "..". */
bool pawl_path_holds(const char *folder, const char *path);
/* Returns the absolute path without links and dots, or NULL if it does not exist. */
char *pawl_path_real(const char *path);
/* Returns the folder with pawl's own files: $PAWL_HOME, else the install prefix of the running
   program (bin/pawl -> ..). Below it are libexec/pawl/pawl-worker, lib/pawl/operators, include and
   share/pawl. */
char *pawl_home(void);

void pawl_close(int *fd); /* closes unless -1; for PAWL_CLEANUP */
