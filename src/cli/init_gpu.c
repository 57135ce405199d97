/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/init_gpu.h"

#include <string.h>

#include "base/file.h"
#include "device/backends.h"

#define SUITE_LIMIT ((size_t)1 << 20)

bool pawl_init_has_gpu(const char *arch) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_device gpu;
  struct pawl_error ignored;
  return pawl_device_find(PAWL_CUDA, NULL, &arena, &gpu, &ignored) == PAWL_OK && gpu.arch &&
         pawl_starts_with(gpu.arch, arch);
}

pawl_status pawl_init_add_kernels(const char *suite, const char *kernels, struct pawl_error *err) {
  static const char section[] = "\nkernels:\n";
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text before = {0}, added = {0}, after = {0};
  PAWL_TRY(pawl_file_read(suite, SUITE_LIMIT, &before, err));
  PAWL_TRY(pawl_file_read(kernels, SUITE_LIMIT, &added, err));
  const char *found = strstr(pawl_text_string(&before), section);
  if (!found) return pawl_fail(err, PAWL_BAD_DATA, "'%s' has no section 'kernels'", suite);
  const size_t head = (size_t)(found - before.data) + sizeof section - 1;
  pawl_text_add_bytes(&after, before.data, head);
  pawl_text_add_bytes(&after, pawl_text_string(&added), added.length);
  pawl_text_add_bytes(&after, before.data + head, before.length - head);
  return pawl_file_write(suite, after.data, after.length, err);
}
