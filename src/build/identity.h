/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether two builds are the same code: one source, built in two worktrees, is. No change
 * of code, constants, parameters, toolchain or linked libraries is. */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "build/file_table.h"
#include "model/kernel_spec.h"

struct pawl_code_origin {
  const char *toolchain; /* NULL: unknown */
  const struct pawl_param_value *params;
  size_t param_count;
  const char *tree;              /* the suite's folder; NULL: the plug-in is of none */
  struct pawl_file_table *files; /* remembers the contents of libraries */
};

/* Hashes the plug-in's sections (build/code_elf.h), its origin, and all libraries that the loader
 * would map with it: the build id of the system's, and the content of others, also of those that
 * the own tree of the plug-in has in the folders of the search path. Equal hashes mean the same
 * code; different hashes prove nothing. Does not run the plug-in. */
pawl_status pawl_code_identity(const char *plugin, const struct pawl_code_origin *origin,
                               char out[PAWL_HASH_TEXT], struct pawl_error *err);
