/* SPDX-License-Identifier: Apache-2.0 */
/* From a kernel's sources to a plug-in, by Ninja, in a cache that outlives the command
   and that worktrees of the same repository share. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/known_file.h"
#include "base/memory.h"
#include "build/build_options.h"
#include "build/cubin.h"
#include "model/kernel_spec.h"
#include "model/operator_spec.h"

struct pawl_build_result {
  const char *plugin; /* absolute path of the .so; NULL for a protocol or a plain command */
  const struct pawl_known_files
      *files;          /* that the plug-in's process loads, as they were built; NULL: no plug-in */
  double seconds;      /* wall time */
  int compiles;        /* translation units that Ninja had to build; 0: all up to date */
  int cache_hits;      /* compiles whose objects pawl had kept; -1: unknown, of a build command */
  const char *command; /* the compile command of the first source, for reports */
  const char *toolchain; /* "cc (Debian 12.2.0-14) 12.2.0"; NULL: unknown, of a build command */
  const char *cuda_arch; /* that a GPU's code was built for: "sm_90a"; NULL: no such code */
  struct pawl_device_function
      *functions; /* functions of the GPU's machine code; see build/cubin.h */
  size_t function_count;
  const char *code_hash; /* identity of the code, build/identity.h; NULL: nothing was built, or it
                            is unknown */
};

/* Builds one kernel; one of a protocol or a plain command needs no build and leaves *out empty. A
   kernel's own build command runs in the tree, with each parameter in PAWL_PARAM_<NAME>, with
   PAWL_INCLUDE_DIR and PAWL_CUDA_ARCH; its output is copied into the cache. PAWL_FAILED: the code
   does not compile, `diagnostics` (never NULL on that) holds the compiler's words with the source
   lines; PAWL_UNAVAILABLE: a tool is missing (nvcc for a CUDA kernel, ninja, the compiler). Two
   commands may build at once: a lock serialises them. Strings live in the arena. */
pawl_status pawl_build_kernel(const struct pawl_kernel_spec *spec,
                              const struct pawl_build_options *options, struct pawl_arena *arena,
                              struct pawl_build_result *out, const char **diagnostics,
                              struct pawl_error *err);

/* The same for a user's operator. */
pawl_status pawl_build_operator(const struct pawl_operator_spec *spec,
                                const struct pawl_build_options *options, struct pawl_arena *arena,
                                struct pawl_build_result *out, const char **diagnostics,
                                struct pawl_error *err);

/* Whether a macro may change what the compiler sees: its own list of the files that it reads
   (-M) decides, so that headers which flags find count, and `#include MACRO`. True too where the
   compiler cannot say. */
bool pawl_build_reads_macro(const struct pawl_kernel_spec *spec,
                            const struct pawl_build_options *options, const char *macro);

/* Builds it into the cache, for whoever builds it next: a failure is met there again. Several
   threads may do so at once, of different kernels or parameters. */
void pawl_build_ahead(const struct pawl_kernel_spec *spec,
                      const struct pawl_build_options *options);
