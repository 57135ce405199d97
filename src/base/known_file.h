/* SPDX-License-Identifier: Apache-2.0 */
/* Detects changes of files that a run makes once and uses several times. */
#pragma once

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
  const struct pawl_seal_key *key; /* must outlive this struct */
  struct pawl_known_file *items;
  size_t count;
};

/* Records the files as they are now, in the arena. */
const struct pawl_known_files *pawl_known_files_take(const char *const *paths, size_t count,
                                                     const struct pawl_seal_key *key,
                                                     struct pawl_arena *arena);
/* Returns the path of the first file that has other contents now or is no regular file, or NULL. If
 * a file has the same times, this takes microseconds; otherwise pawl reads it again. */
const char *pawl_known_files_changed(const struct pawl_known_files *files);
