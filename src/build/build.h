/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a kernel's sources into a plug-in with Ninja. The cache outlives the command, and
 * worktrees of the same repository share it. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/known_file.h"
#include "base/memory.h"
#include "build/build_options.h"
#include "build/cubin.h"
#include "build/words.h"
#include "model/kernel_spec.h"
#include "model/operator_spec.h"

struct pawl_build_result {
  const char *plugin; /* absolute path of the .so; NULL for a protocol or a plain command */
  /* the files that the plug-in's process loads, as pawl built them; NULL: no plug-in */
  const struct pawl_known_files *files;
  double seconds;      /* wall time */
  int compiles;        /* translation units that Ninja built; 0: all were up to date */
  int cache_hits;      /* compiles whose objects pawl had kept; -1: unknown, for a build command */
  const char *command; /* the compile command of the first source, for reports */
  const char *toolchain; /* "cc (Debian 12.2.0-14) 12.2.0"; NULL: unknown, for a build command */
  const char *cuda_arch; /* the architecture of a GPU's code, "sm_90a"; NULL: no such code */
  /* functions of the GPU's machine code; see build/cubin.h */
  struct pawl_device_function *functions;
  size_t function_count;
  /* the code's identity, build/identity.h; NULL: unknown, or pawl built nothing */
  const char *code_hash;
  bool opens_files; /* the plug-in can open files whose names pawl does not know */
};

/* Builds one kernel. A kernel of a protocol or a plain command needs no build and leaves *out
 * empty. A kernel's own build command runs in the tree, with each parameter in PAWL_PARAM_<NAME>,
 * with PAWL_INCLUDE_DIR and PAWL_CUDA_ARCH. pawl copies its output into the cache. Fails with
 * PAWL_FAILED if the code does not compile; `diagnostics` is then not NULL and has the compiler's
 * words with the source lines. Fails with PAWL_UNAVAILABLE if a tool is missing (nvcc for a CUDA
 * kernel, ninja, the compiler). A lock serialises commands that build at once. Strings live in the
 * arena. */
pawl_status pawl_build_kernel(const struct pawl_kernel_spec *spec,
                              const struct pawl_build_options *options, struct pawl_arena *arena,
                              struct pawl_build_result *out, const char **diagnostics,
                              struct pawl_error *err);

/* Does the same for a user's operator. */
pawl_status pawl_build_operator(const struct pawl_operator_spec *spec,
                                const struct pawl_build_options *options, struct pawl_arena *arena,
                                struct pawl_build_result *out, const char **diagnostics,
                                struct pawl_error *err);

/* Lists the files that the compilers of a kernel read, by the compilers' own lists. So headers
 * count that flags find, and `#include MACRO`. Returns false if a compiler cannot tell, because of
 * an error in its source or because it is an assembler. */
bool pawl_build_list_files(const struct pawl_kernel_spec *spec,
                           const struct pawl_build_options *options, struct pawl_arena *arena,
                           struct pawl_words *out);

/* Builds a kernel into the cache for a later build. Several threads may build different kernels or
 * parameters at once. Fails as pawl_build_kernel does. */
pawl_status pawl_build_ahead(const struct pawl_kernel_spec *spec,
                             const struct pawl_build_options *options, struct pawl_error *err);
