/* SPDX-License-Identifier: Apache-2.0 */
#include "build/identity.h"

#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/file.h"
#include "build/code_elf.h"
#include "build/file_table.h"
#include "process/process.h"

#define LOADER_SECONDS 20.0
#define CONTENT_LIMIT ((size_t)16 << 20) /* the times of a larger library stand for its content */

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

static bool is_of_system(const char *path) {
  static const char *const folders[] = {"/usr/", "/lib/", "/lib32/", "/lib64/", "/opt/", "/nix/"};
  for (size_t i = 0; i < PAWL_COUNT(folders); i++)
    if (pawl_starts_with(path, folders[i])) return true;
  return false;
}

static struct pawl_hash library_content(const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct stat info;
  if (pawl_file_read(path, CONTENT_LIMIT, &text, NULL) == PAWL_OK)
    return pawl_hash_bytes(pawl_text_string(&text), text.length);
  return stat(path, &info) ? (struct pawl_hash){0, 0} : pawl_file_signature(&info);
}

/* Finds the library of a tree that lies where this library does. Returns false if it has none. */
static bool find_own_library(const char *path, const char *tree, struct pawl_hash *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text folder = {0};
  pawl_text_printf(&folder, "%s", tree);
  for (;;) {
    for (const char *part = path; (part = strchr(part, '/')); part++) {
      PAWL_CLEANUP(pawl_free_pointer)
      char *own = pawl_path_join(pawl_text_string(&folder), part + 1);
      if (!pawl_is_regular(own)) continue;
      *out = library_content(own);
      return true;
    }
    PAWL_CLEANUP(pawl_free_pointer) char *git = pawl_path_join(pawl_text_string(&folder), ".git");
    char *slash = strrchr(folder.data, '/');
    if (pawl_file_exists(git) || !slash || slash == folder.data) return false;
    folder.length = (size_t)(slash - folder.data), *slash = '\0';
  }
}

/* A build id stands for the system's library. Other libraries may keep their id in a change. A
   base's plug-in lies in the cache of the change, so a search path such as $ORIGIN/../../../lib
   finds the library of the change, and the base's own library makes the difference. */
static pawl_status hash_library(const char *path, const char *tree, struct pawl_hasher *hasher,
                                struct pawl_arena *arena, struct pawl_error *err) {
  const char *build_id;
  PAWL_TRY(pawl_elf_build_id(path, arena, &build_id, err));
  pawl_hasher_add_string(hasher, build_id);
  if (is_of_system(path)) return PAWL_OK;
  const struct pawl_hash content = library_content(path);
  struct pawl_hash own;
  pawl_hasher_add(hasher, &content, sizeof content);
  if (tree && find_own_library(path, tree, &own) && !pawl_hash_equal(own, content))
    pawl_hasher_add(hasher, &own, sizeof own);
  return PAWL_OK;
}

/* Asks the dynamic loader for the files that it would map, without running any of them. */
static pawl_status hash_libraries(const char *plugin, const char *tree, struct pawl_hasher *hasher,
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
    PAWL_CLEANUP(pawl_free_pointer) char *real = path ? pawl_path_real(path) : NULL;
    if (path) status = hash_library(real ? real : path, tree, hasher, &arena, err);
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
  if (status == PAWL_OK) status = hash_libraries(plugin, origin->tree, &hasher, err);
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  if (status == PAWL_OK) pawl_hash_format(hash, out);
  return status;
}
