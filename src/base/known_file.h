/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a run has made and uses again and again: whether they are still what they were. */
#ifndef PAWL_BASE_KNOWN_FILE_H
#define PAWL_BASE_KNOWN_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/seal.h"

struct pawl_known_file {
  const char *path;
  struct stat info;
  struct pawl_seal seal;
};

struct pawl_known_files {
  const struct pawl_seal_key *key; /* outlives them */
  struct pawl_known_file *items;
  size_t count;
};

/* The files as they are now; everything lives in the arena. */
const struct pawl_known_files *pawl_known_files_take(const char *const *paths, size_t count,
                                                     const struct pawl_seal_key *key,
                                                     struct pawl_arena *arena);
/* The path of the first that has other contents now, or is no regular file; NULL: none. A look at a
   file that nobody has touched takes some microseconds; one with another time or place is read. */
const char *pawl_known_files_changed(const struct pawl_known_files *files);

#endif
