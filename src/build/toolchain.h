/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler of a source, its dialect, and its default flags. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "build/inputs.h"
#include "build/words.h"

enum pawl_language { PAWL_LANGUAGE_C = 1, PAWL_LANGUAGE_CXX, PAWL_LANGUAGE_CUDA };

/* By the ending: .c .S .s; .cc .cpp .cxx .C; .cu. PAWL_CONFIG for any other. */
pawl_status pawl_language_of(const char *source, enum pawl_language *out, struct pawl_error *err);

struct pawl_compiler {
  const char *path;
  const char *version; /* one line, "cc (Debian 12.2.0-14) 12.2.0" */
  bool nvcc;           /* takes nvcc's options, whatever the language of the source */
};

#define PAWL_KNOWN_COMPILERS 8 /* most */

/* Compilers that have told their version, and files that pawl has read: in one command pawl asks
   each compiler once. Several threads may share it. */
struct pawl_known_compilers {
  pthread_mutex_t lock;
  struct pawl_arena arena;
  struct pawl_compiler items[PAWL_KNOWN_COMPILERS];
  const char *names[PAWL_KNOWN_COMPILERS]; /* by which they were found */
  size_t count;
  struct pawl_known_inputs inputs;
};
void pawl_known_compilers_init(struct pawl_known_compilers *known);
void pawl_known_compilers_clear(struct pawl_known_compilers *known);

/* `name` NULL: cc, c++ or nvcc by the language. `known` NULL: it is asked anew. PAWL_UNAVAILABLE
 * with what to install.
 */
pawl_status pawl_compiler_find(const char *name, enum pawl_language language,
                               struct pawl_known_compilers *known, struct pawl_arena *arena,
                               struct pawl_compiler *out, struct pawl_error *err);

/* The flags of a kernel that gives none of its own: optimised for this machine's CPU, or for
 * `cuda_arch`. */
void pawl_default_flags(const struct pawl_compiler *compiler, enum pawl_language language,
                        struct pawl_arena *arena, struct pawl_words *flags);
/* Flags that every build needs: position-independent code, and -gencode when the flags name no
 * architecture. */
void pawl_required_flags(const struct pawl_compiler *compiler, const struct pawl_words *flags,
                         const char *cuda_arch, struct pawl_arena *arena, struct pawl_words *out);

/* Hashes the other things that decide a compiler's output: the CPU behind -march=native, and the
   variables that compilers read. */
struct pawl_hash pawl_compile_environment(void);
