/* SPDX-License-Identifier: Apache-2.0 */
#include "build/outside.h"

#include <string.h>

#include "base/count.h"
#include "base/file.h"

const char *pawl_outside_of_flag(const char *before, const char *flag) {
  static const char *const options[] = {"-I", "-isystem", "-iquote", "-idirafter", "-L"};
  const char *folder = "";
  for (size_t i = 0; i < PAWL_COUNT(options); i++) {
    if (!strcmp(before, options[i]))
      folder = flag;
    else if (pawl_starts_with(flag, options[i]))
      folder = flag + strlen(options[i]);
  }
  return folder;
}

bool pawl_outside_is_of_system(const char *path) {
  static const char *const folders[] = {"/usr",   "/bin",       "/sbin",     "/lib",
                                        "/lib64", "/nix/store", "/gnu/store"};
  for (size_t i = 0; i < PAWL_COUNT(folders); i++)
    if (pawl_path_holds(folders[i], path)) return true;
  return false;
}

static void outside_add(struct pawl_strings *out, struct pawl_arena *arena, const char *path) {
  for (size_t i = 0; i < out->count; i++)
    if (!strcmp(out->items[i], path)) return;
  PAWL_CLEANUP(pawl_free_pointer) char *real = *path == '/' ? pawl_path_real(path) : NULL;
  if (*path == '/' && !pawl_outside_is_of_system(real ? real : path))
    pawl_strings_add(out, arena, path);
}

static void add_lists(struct pawl_strings *out, struct pawl_arena *arena,
                      const struct pawl_strings *folders, const struct pawl_strings *flags,
                      const struct pawl_strings *libraries) {
  for (size_t i = 0; i < folders->count; i++) outside_add(out, arena, folders->items[i]);
  for (size_t i = 0; i < libraries->count; i++) outside_add(out, arena, libraries->items[i]);
  for (size_t i = 0; i < flags->count; i++)
    outside_add(out, arena, pawl_outside_of_flag(i ? flags->items[i - 1] : "", flags->items[i]));
}

struct pawl_strings pawl_outside_of(const struct pawl_suite *suite, struct pawl_arena *arena) {
  struct pawl_strings out = {0};
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    add_lists(&out, arena, &spec->include_dirs, &spec->flags, &spec->libs);
    if (spec->compiler) outside_add(&out, arena, spec->compiler);
  }
  for (size_t i = 0; i < suite->operator_count; i++) {
    const struct pawl_operator_spec *spec = &suite->operators[i];
    add_lists(&out, arena, &spec->include_dirs, &spec->flags, &spec->libs);
  }
  return out;
}

bool pawl_outside_holds(const struct pawl_strings *outside, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  for (size_t i = 0; real && i < outside->count; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *named = pawl_path_real(outside->items[i]);
    if (named && pawl_path_holds(named, real)) return true;
  }
  return false;
}
