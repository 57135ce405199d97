/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole reads, atomic writes, folders, locks. */
#ifndef PAWL_BASE_FILE_H
#define PAWL_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Reads a regular file of at most `limit` bytes whole. PAWL_NO_INPUT, PAWL_NOT_PERMITTED,
   PAWL_BAD_DATA (too large, not a regular file). */
pawl_status pawl_file_read(const char *path, size_t limit, struct pawl_text *out,
                           struct pawl_error *err);

/* Writes the whole file or leaves the old one: temporary file beside it, fsync, rename, fsync of
   the folder. Links are followed, the old file's mode is kept, and a file that may not be written
   is left alone. */
pawl_status pawl_file_write(const char *path, const void *data, size_t length,
                            struct pawl_error *err);
/* Has the names in the folder on the disk. Some file systems cannot: a rename is atomic all the
 * same. */
void pawl_sync_folder(const char *folder);
/* Fails with what could not be done to `path`, by errno `number`: what cannot be made or written is
   PAWL_CANNOT_WRITE whatever errno says, but for I/O errors. */
pawl_status pawl_fail_write(struct pawl_error *err, int number, const char *what, const char *path);
/* Before pawl writes a file of its own: removes a link, a FIFO or a device from its place. A
   repository may hold one there, pawl_file_write would go where it leads, and that is not pawl's. A
   regular file and a folder stay. */
pawl_status pawl_file_clear_place(const char *path, struct pawl_error *err);
/* The same of a regular file, too: the new one comes later, and until then there is none. Absent is
 * no error. */
pawl_status pawl_file_remove_old(const char *path, struct pawl_error *err);
/* Whether pawl_file_write could write there, asked before time is spent on what is to be written.
 */
pawl_status pawl_file_may_write(const char *path, struct pawl_error *err);
/* Removes the temporary files that killed writers of `path` left beside it. Every write does so
 * too. */
void pawl_file_remove_leftovers(const char *path);

bool pawl_file_exists(const char *path);
/* There is none: true only where that is certain, not where a folder may not be searched. */
bool pawl_file_absent(const char *path);
bool pawl_is_folder(const char *path);
bool pawl_is_regular(const char *path); /* no folder, pipe or device */
pawl_status pawl_make_folders(const char *path, struct pawl_error *err); /* like mkdir -p */
/* The same, for files that git must not see: with a .gitignore inside that ignores the whole
   folder. A folder that is there stays as it is. */
pawl_status pawl_make_ignored_folder(const char *path, struct pawl_error *err);
/* Removes a file or a folder with all in it; links are removed, not followed. Absent is no error.
 */
pawl_status pawl_remove_tree(const char *path, struct pawl_error *err);
pawl_status pawl_copy_file(const char *from, const char *to,
                           struct pawl_error *err); /* keeps the mode */

/* An advisory lock held by this process until released; a lock file names its holder, and goes with
   the lock. Waits at most wait_seconds, then PAWL_TRY_AGAIN. */
struct pawl_lock {
  int fd;     /* -1: not held */
  char *path; /* NULL: the file stays */
};
pawl_status pawl_lock_acquire(struct pawl_lock *lock, const char *path, double wait_seconds,
                              struct pawl_error *err);
void pawl_lock_release(struct pawl_lock *lock);

char *pawl_path_folder(
    const char *path); /* the folder of a path, "." where it names none; allocated */
/* dir/name, allocated; free with pawl_free. An absolute name stays as it is. */
char *pawl_path_join(const char *dir, const char *name);
/* The absolute path without links and dots, allocated; NULL when it does not exist. */
char *pawl_path_real(const char *path);
/* The folder that holds pawl's own files: $PAWL_HOME, else the install prefix seen from the running
   program (bin/pawl -> ..). Allocated, never NULL. Below it: libexec/pawl/pawl-worker,
   lib/pawl/operators, include, share/pawl. */
char *pawl_home(void);

void pawl_close(int *fd); /* for PAWL_CLEANUP; closes unless -1 */

#endif
