/* SPDX-License-Identifier: Apache-2.0 */
#include "build/identity.h"

#include <link.h>
#include <string.h>

#include "build/code_elf.h"
#include "process/process.h"

#define LOADER_SECONDS 20.0

static int find_interpreter(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type == PT_INTERP)
      *(const char **)context = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  }
  return 1; /* the first object is the program itself, and no other matters */
}

/* Returns the path in a line "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f...)", or
   NULL if it has none. */
static char *mapped_path(const char *line, size_t length) {
  const char *arrow = memmem(line, length, " => /", 5);
  const char *end = arrow ? memrchr(line, '(', length) : NULL;
  if (!arrow || !end || end < arrow + 6) return NULL;
  struct pawl_text path = {0};
  pawl_text_add_bytes(&path, arrow + 4, (size_t)(end - 1 - (arrow + 4)));
  return path.data;
}

/* Asks the dynamic loader for the files that it would map, without running any of them. */
static pawl_status hash_libraries(const char *plugin, struct pawl_hasher *hasher,
                                  struct pawl_error *err) {
  const char *loader = NULL;
  dl_iterate_phdr(find_interpreter, &loader);
  if (!loader)
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "this program has no dynamic loader, so pawl cannot find the libraries of '%s'", plugin);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  const struct pawl_process_options options = {
      .argv = (const char *const[]){loader, "--list", plugin, NULL},
      .environment = (const char *const[]){"LC_ALL=C", "LD_PRELOAD", NULL},
      .drop_secrets = true,
      .die_with_parent = true};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_process_run(&options, LOADER_SECONDS, (size_t)1 << 20, &list, &words, &how, err));
  if (how.timed_out || how.status != 0) {
    const char *why = pawl_text_string(&words);
    return pawl_fail(err, PAWL_FAILED, "cannot load the libraries of '%s': %.*s", plugin,
                     (int)strcspn(why, "\n"), why);
  }
  struct pawl_arena arena = {0};
  enum pawl_status_code status = PAWL_OK;
  for (const char *line = pawl_text_string(&list); *line && status == PAWL_OK;) {
    const size_t length = strcspn(line, "\n");
    PAWL_CLEANUP(pawl_free_pointer) char *path = mapped_path(line, length);
    const char *build_id;
    if (path && (status = pawl_elf_build_id(path, &arena, &build_id, err)) == PAWL_OK)
      pawl_hasher_add_string(hasher, build_id);
    line += length + (line[length] == '\n');
  }
  pawl_arena_clear(&arena);
  return status;
}

pawl_status pawl_code_identity(const char *plugin, const struct pawl_code_origin *origin,
                               char out[PAWL_HASH_TEXT], struct pawl_error *err) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, origin->toolchain);
  for (size_t i = 0; i < origin->param_count; i++) {
    pawl_hasher_add_string(&hasher, origin->params[i].name);
    pawl_hasher_add_string(&hasher, origin->params[i].value);
  }
  enum pawl_status_code status = pawl_elf_hash_code(plugin, &hasher, err);
  if (status == PAWL_OK) status = hash_libraries(plugin, &hasher, err);
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  if (status == PAWL_OK) pawl_hash_format(hash, out);
  return status;
}
