/* SPDX-License-Identifier: Apache-2.0 */
#include "build/toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "build/tools.h"

pawl_status pawl_language_of(const char *source, enum pawl_language *out, struct pawl_error *err) {
  static const struct {
    const char *ending;
    enum pawl_language language;
  } endings[] = {{".c", PAWL_LANGUAGE_C},     {".s", PAWL_LANGUAGE_C},
                 {".S", PAWL_LANGUAGE_C},     {".cc", PAWL_LANGUAGE_CXX},
                 {".cpp", PAWL_LANGUAGE_CXX}, {".cxx", PAWL_LANGUAGE_CXX},
                 {".C", PAWL_LANGUAGE_CXX},   {".cu", PAWL_LANGUAGE_CUDA}};
  for (size_t i = 0; i < PAWL_COUNT(endings); i++) {
    if (pawl_ends_with(source, endings[i].ending)) {
      *out = endings[i].language;
      return PAWL_OK;
    }
  }
  return pawl_fail(err, PAWL_CONFIG,
                   "pawl cannot compile the source '%s': it compiles .c .cc .cpp .cxx .cu .S; for "
                   "other files use a `build` command",
                   source);
}

static bool is_nvcc(const char *path) {
  const char *slash = strrchr(path, '/');
  return pawl_starts_with(slash ? slash + 1 : path, "nvcc");
}

void pawl_known_compilers_init(struct pawl_known_compilers *known) {
  *known = (struct pawl_known_compilers){.lock = PTHREAD_MUTEX_INITIALIZER};
  pawl_known_inputs_init(&known->inputs);
}

void pawl_known_compilers_clear(struct pawl_known_compilers *known) {
  if (!known) return;
  pawl_arena_clear(&known->arena);
  pawl_known_inputs_clear(&known->inputs);
  pthread_mutex_destroy(&known->lock);
  pawl_known_compilers_init(known);
}

static bool recall(struct pawl_known_compilers *known, const char *name,
                   struct pawl_compiler *out) {
  bool found = false;
  pthread_mutex_lock(&known->lock);
  for (size_t i = 0; i < known->count && !found; i++) {
    found = !strcmp(known->names[i], name);
    if (found) *out = known->items[i];
  }
  pthread_mutex_unlock(&known->lock);
  return found;
}

static void toolchain_remember(struct pawl_known_compilers *known, const char *name,
                               const struct pawl_compiler *compiler) {
  pthread_mutex_lock(&known->lock);
  if (known->count < PAWL_KNOWN_COMPILERS) {
    known->names[known->count] = pawl_arena_copy(&known->arena, name);
    known->items[known->count++] =
        (struct pawl_compiler){pawl_arena_copy(&known->arena, compiler->path),
                               pawl_arena_copy(&known->arena, compiler->version), compiler->nvcc};
  }
  pthread_mutex_unlock(&known->lock);
}

const char *pawl_compiler_name(const char *name, enum pawl_language language) {
  const char *given = language == PAWL_LANGUAGE_C     ? getenv("CC")
                      : language == PAWL_LANGUAGE_CXX ? getenv("CXX")
                                                      : NULL;
  if (name || (given && *given)) return name ? name : given;
  return language == PAWL_LANGUAGE_C ? "cc" : language == PAWL_LANGUAGE_CXX ? "c++" : "nvcc";
}

pawl_status pawl_compiler_find(const char *name, struct pawl_known_compilers *known,
                               const struct pawl_sandbox *sandbox, struct pawl_arena *arena,
                               struct pawl_compiler *out, struct pawl_error *err) {
  if (known && recall(known, name, out)) return PAWL_OK;
  const struct pawl_tool tool = pawl_tool_probe_in(name, sandbox, arena);
  if (tool.reason) return pawl_fail(err, PAWL_UNAVAILABLE, "no compiler: %s", tool.reason);
  *out = (struct pawl_compiler){
      .path = tool.path, .version = tool.version, .nvcc = is_nvcc(tool.path)};
  if (known) toolchain_remember(known, name, out);
  return PAWL_OK;
}

void pawl_default_flags(const struct pawl_compiler *compiler, enum pawl_language language,
                        struct pawl_arena *arena, struct pawl_words *flags) {
  pawl_words_add(flags, arena, "-O3");
  if (compiler->nvcc) {
    pawl_words_add(flags, arena, "--use_fast_math");
    return;
  }
  pawl_words_add(flags, arena, "-march=native");
  pawl_words_add(flags, arena, language == PAWL_LANGUAGE_C ? "-std=gnu11" : "-std=gnu++17");
}

static bool names_architecture(const struct pawl_words *flags) {
  static const char *const options[] = {"-arch", "--gpu-architecture", "-gencode",
                                        "--generate-code"};
  for (size_t i = 0; i < flags->count; i++) {
    for (size_t j = 0; j < PAWL_COUNT(options); j++) {
      if (pawl_starts_with(flags->items[i], options[j])) return true;
    }
  }
  return false;
}

void pawl_required_flags(const struct pawl_compiler *compiler, const struct pawl_words *flags,
                         const char *cuda_arch, struct pawl_arena *arena, struct pawl_words *out) {
  if (!compiler->nvcc) {
    pawl_words_add(out, arena, "-fPIC");
    /* otherwise code could tell the base, whose files are new, from the candidate */
    pawl_words_add(out, arena, "-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\"");
    pawl_words_add(out, arena, "-Wno-builtin-macro-redefined");
    return;
  }
  pawl_words_add(out, arena, "-Xcompiler");
  pawl_words_add(out, arena, "-fPIC");
  /* code identity and static metrics read the machine code */
  pawl_words_add(out, arena, "-no-compress");
  const char *number = pawl_starts_with(cuda_arch, "sm_") ? cuda_arch + 3 : cuda_arch;
  if (!names_architecture(flags))
    pawl_words_printf(out, arena, "-gencode=arch=compute_%s,code=sm_%s", number, number);
}

/* Reads the first line of /proc/cpuinfo for each key that differs between instruction sets. */
static void hash_cpu(struct pawl_hasher *hasher) {
  static const char *const keys[] = {"vendor_id",       "cpu family", "model\t", "flags",
                                     "CPU implementer", "CPU part",   "Features"};
  FILE *file = fopen("/proc/cpuinfo", "re");
  char *line = NULL;
  size_t capacity = 0;
  while (file && getline(&line, &capacity, file) > 0 &&
         *line != '\n') { /* only the paragraph of the first processor */
    for (size_t i = 0; i < PAWL_COUNT(keys); i++) {
      if (pawl_starts_with(line, keys[i])) pawl_hasher_add_string(hasher, line);
    }
  }
  free(line);
  if (file) fclose(file);
}

const struct pawl_compiler_variable pawl_compiler_variables[] = {
    {"CPATH", PAWL_VARIABLE_HEADERS},
    {"C_INCLUDE_PATH", PAWL_VARIABLE_HEADERS},
    {"CPLUS_INCLUDE_PATH", PAWL_VARIABLE_HEADERS},
    {"LIBRARY_PATH", PAWL_VARIABLE_FOLDERS},
    {"COMPILER_PATH", PAWL_VARIABLE_FOLDERS},
    {"GCC_EXEC_PREFIX", PAWL_VARIABLE_FOLDERS},
    {"NVCC_PREPEND_FLAGS", PAWL_VARIABLE_FLAGS},
    {"NVCC_APPEND_FLAGS", PAWL_VARIABLE_FLAGS},
    {"NVCC_CCBIN", PAWL_VARIABLE_FLAGS},
    {"CCC_OVERRIDE_OPTIONS", PAWL_VARIABLE_FLAGS},
    {"LD_RUN_PATH", PAWL_VARIABLE_OTHER},
    {"LDEMULATION", PAWL_VARIABLE_OTHER},
    {"LD_LIBRARY_PATH", PAWL_VARIABLE_OTHER},
    {"LD_PRELOAD", PAWL_VARIABLE_OTHER},
    {"CCC_ADD_ARGS", PAWL_VARIABLE_OTHER},
    {"HIPCC_COMPILE_FLAGS_APPEND", PAWL_VARIABLE_OTHER},
    {"HIPCC_LINK_FLAGS_APPEND", PAWL_VARIABLE_OTHER},
    {"HIP_CLANG_PATH", PAWL_VARIABLE_OTHER},
    {"HIP_DEVICE_LIB_PATH", PAWL_VARIABLE_OTHER},
    {"HIP_PATH", PAWL_VARIABLE_OTHER},
    {"ROCM_PATH", PAWL_VARIABLE_OTHER},
    {"HIP_PLATFORM", PAWL_VARIABLE_OTHER},
    {NULL, 0}};

struct pawl_hash pawl_compile_environment(void) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  hash_cpu(&hasher);
  for (const struct pawl_compiler_variable *v = pawl_compiler_variables; v->name; v++) {
    const char *value = getenv(v->name);
    pawl_hasher_add_string(&hasher, value ? value : "");
  }
  return pawl_hasher_finish(&hasher);
}
