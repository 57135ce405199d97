/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the compiler of a source, its dialect, and its default flags. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "build/inputs.h"
#include "build/words.h"
#include "process/sandbox.h"

enum pawl_language { PAWL_LANGUAGE_C = 1, PAWL_LANGUAGE_CXX, PAWL_LANGUAGE_CUDA };

/* Finds the language by the ending: .c .S .s; .cc .cpp .cxx .C; .cu. Fails with PAWL_CONFIG for any
 * other. */
pawl_status pawl_language_of(const char *source, enum pawl_language *out, struct pawl_error *err);

struct pawl_compiler {
  const char *path;
  const char *version; /* one line, "cc (Debian 12.2.0-14) 12.2.0" */
  bool nvcc;           /* it takes nvcc's options, whatever the language of the source */
};

#define PAWL_KNOWN_COMPILERS 8 /* at most */

/* Remembers compilers' versions and the files that pawl has read, so one command asks each compiler
 * once. Several threads may share it. */
struct pawl_known_compilers {
  pthread_mutex_t lock;
  struct pawl_arena arena;
  struct pawl_compiler items[PAWL_KNOWN_COMPILERS];
  const char *names[PAWL_KNOWN_COMPILERS]; /* the names by which pawl found them */
  size_t count;
  struct {
    struct pawl_hash key;      /* the hash of the questions */
    struct pawl_inputs inputs; /* the answers: build/back_end.h */
  } back_ends[PAWL_KNOWN_COMPILERS];
  size_t back_end_count;
  struct pawl_known_inputs inputs;
};
void pawl_known_compilers_init(struct pawl_known_compilers *known);
void pawl_known_compilers_clear(struct pawl_known_compilers *known);

/* Returns the compiler's name. If `name` is NULL, the language decides: $CC or cc, $CXX or c++,
 * nvcc. */
const char *pawl_compiler_name(const char *name, enum pawl_language language);
/* Finds a compiler. If `known` is NULL, pawl asks the compiler again. A program that is in no row
 * of pawl_tool_specs says its version in the sandbox. PAWL_UNAVAILABLE says what to install. */
pawl_status pawl_compiler_find(const char *name, struct pawl_known_compilers *known,
                               const struct pawl_sandbox *sandbox, struct pawl_arena *arena,
                               struct pawl_compiler *out, struct pawl_error *err);

/* Adds the flags of a kernel that gives none: optimised for this machine's CPU, or for
 * `cuda_arch`. */
void pawl_default_flags(const struct pawl_compiler *compiler, enum pawl_language language,
                        struct pawl_arena *arena, struct pawl_words *flags);
/* Adds the flags that every build needs: position-independent code, and -gencode if the flags name
 * no architecture. */
void pawl_required_flags(const struct pawl_compiler *compiler, const struct pawl_words *flags,
                         const char *cuda_arch, struct pawl_arena *arena, struct pawl_words *out);

/* The variables that compilers read, by the use of their values. */
enum pawl_variable_use {
  PAWL_VARIABLE_HEADERS = 1, /* folders in which compilers look for headers */
  PAWL_VARIABLE_FOLDERS,     /* other folders in which they look for files */
  PAWL_VARIABLE_FLAGS,
  PAWL_VARIABLE_OTHER,
};
struct pawl_compiler_variable {
  const char *name; /* NULL ends the table */
  enum pawl_variable_use use;
};
extern const struct pawl_compiler_variable pawl_compiler_variables[];

/* Hashes the other things that decide a compiler's output: the CPU behind -march=native, and the
 * variables that compilers read. */
struct pawl_hash pawl_compile_environment(void);
