/* SPDX-License-Identifier: Apache-2.0 */
#include "build/identity.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "build/code_elf.h"
#include "build/words.h"
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

static bool is_of_system(const char *path) {
  static const char *const folders[] = {"/usr/", "/lib/", "/lib32/", "/lib64/", "/opt/", "/nix/"};
  for (size_t i = 0; i < PAWL_COUNT(folders); i++)
    if (pawl_starts_with(path, folders[i])) return true;
  return false;
}

struct libraries {
  const struct pawl_code_origin *origin;
  struct pawl_hasher *hasher;
  struct pawl_arena arena;
  struct pawl_words paths; /* as the loader finds them */
  const char *built;       /* the folder of the plug-in, with all links followed */
};

/* Finds the file of the own tree that lies where this one does. Returns a zero hash if it has
   none. */
static struct pawl_hash own_content(const struct libraries *libraries, const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text folder = {0};
  pawl_text_printf(&folder, "%s", libraries->origin->tree);
  for (;;) {
    for (const char *part = path; (part = strchr(part, '/')); part++) {
      PAWL_CLEANUP(pawl_free_pointer)
      char *own = pawl_path_join(pawl_text_string(&folder), part + 1);
      if (pawl_is_regular(own)) return pawl_file_table_look(libraries->origin->files, own).hash;
    }
    PAWL_CLEANUP(pawl_free_pointer) char *git = pawl_path_join(pawl_text_string(&folder), ".git");
    char *slash = strrchr(folder.data, '/');
    if (pawl_file_exists(git) || !slash || slash == folder.data) return (struct pawl_hash){0, 0};
    folder.length = (size_t)(slash - folder.data), *slash = '\0';
  }
}

/* Returns a folder of a list of the loader as an absolute path. */
static const char *expand_folder(const char *folder, size_t length, const char *program,
                                 struct pawl_arena *arena) {
  static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
  for (size_t i = 0; i < PAWL_COUNT(words); i++) {
    const size_t word = strlen(words[i]);
    if (length < word || memcmp(folder, words[i], word) != 0) continue;
    PAWL_CLEANUP(pawl_free_pointer) char *origin = pawl_path_folder(program);
    return pawl_arena_printf(arena, "%s%.*s", origin, (int)(length - word), folder + word);
  }
  return pawl_arena_printf(arena, "%.*s", (int)length, folder);
}

/* A base's plug-in lies in the cache of the change, so a search path such as $ORIGIN/../../../lib
   finds the libraries of the change. The worker sees the libraries of the base. So the files of the
   own tree count that have a library's name and lie in a folder of the list. The folder of the
   plug-in is of no tree: pawl has put copies of libraries there. */
static void hash_search_path(struct libraries *libraries, const char *list, const char *program) {
  const char *folder;
  for (size_t length; list && pawl_next_folder(&list, &folder, &length);) {
    const char *whole = expand_folder(folder, length, program, &libraries->arena);
    PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(whole);
    if (real && libraries->built && !strcmp(real, libraries->built)) continue;
    for (size_t i = 0; i < libraries->paths.count; i++) {
      const char *name = strrchr(libraries->paths.items[i], '/');
      const struct pawl_hash own = own_content(
          libraries, pawl_arena_printf(&libraries->arena, "%s%s", real ? real : whole, name));
      pawl_hasher_add(libraries->hasher, &own, sizeof own);
    }
  }
}

/* A build id stands for the system's library. Other libraries may keep their id in a change. */
static pawl_status hash_library(struct libraries *libraries, const char *path,
                                struct pawl_error *err) {
  const struct pawl_code_origin *origin = libraries->origin;
  const char *build_id;
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  if (real) path = real;
  PAWL_TRY(pawl_elf_build_id(path, &libraries->arena, &build_id, err));
  pawl_hasher_add_string(libraries->hasher, build_id);
  if (is_of_system(path)) return PAWL_OK;
  const struct pawl_hash content = pawl_file_table_look(origin->files, path).hash;
  pawl_hasher_add(libraries->hasher, &content, sizeof content);
  if (origin->tree) hash_search_path(libraries, pawl_elf_run_path(path, &libraries->arena), path);
  return PAWL_OK;
}

static pawl_status hash_all_libraries(struct libraries *libraries, const char *plugin,
                                      const char *list, struct pawl_error *err) {
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    PAWL_CLEANUP(pawl_free_pointer) char *path = mapped_path(line, strcspn(line, "\n"));
    if (path) pawl_words_add(&libraries->paths, &libraries->arena, path);
  }
  if (libraries->origin->tree) {
    hash_search_path(libraries, pawl_elf_run_path(plugin, &libraries->arena), plugin);
    hash_search_path(libraries, getenv("LD_LIBRARY_PATH"), plugin);
  }
  for (size_t i = 0; i < libraries->paths.count; i++)
    PAWL_TRY(hash_library(libraries, libraries->paths.items[i], err));
  return PAWL_OK;
}

/* Asks the dynamic loader for the files that it would map, without running any of them. */
static pawl_status hash_libraries(const char *plugin, const struct pawl_code_origin *origin,
                                  struct pawl_hasher *hasher, struct pawl_error *err) {
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
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(plugin);
  PAWL_CLEANUP(pawl_free_pointer) char *built = pawl_path_real(folder);
  struct libraries libraries = {.origin = origin, .hasher = hasher, .built = built};
  const enum pawl_status_code status =
      hash_all_libraries(&libraries, plugin, pawl_text_string(&list), err);
  pawl_arena_clear(&libraries.arena);
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
  if (status == PAWL_OK) status = hash_libraries(plugin, origin, &hasher, err);
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  if (status == PAWL_OK) pawl_hash_format(hash, out);
  return status;
}
