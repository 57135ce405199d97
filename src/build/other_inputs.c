/* SPDX-License-Identifier: Apache-2.0 */
#include "build/other_inputs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/file.h"
#include "build/code_elf.h"
#include "build/file_table.h"
#include "build/named_files.h"
#include "build/tree_walk.h"

#define TEXT_LIMIT ((size_t)4 << 20) /* a larger table of constants has no names */
#define LONGEST_PATH 255
#define LOADER_CACHE "/etc/ld.so.cache" /* it changes with each installed library */

extern char **environ;

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Adds each variable whose name ends in the text. The linker may keep a name as the end of a longer
   string. */
static void add_named_variables(const char *text, size_t length, struct pawl_hasher *hasher) {
  for (char **variable = environ; *variable; variable++) {
    const size_t size = strcspn(*variable, "=");
    const char *at = text, *end = text + length;
    if (size < 2) continue;
    while ((at = memmem(at, (size_t)(end - at), *variable, size)) && at + size < end &&
           is_of_name(at[size]))
      at++;
    if (at) pawl_hasher_add_string(hasher, *variable);
  }
}

static void add_signature(const char *path, struct pawl_hasher *hasher) {
  static const char *const changing[] = {"/proc/", "/sys/", "/dev/", "/run/", "/pawl/"};
  struct stat info;
  for (size_t i = 0; i < PAWL_COUNT(changing); i++)
    if (pawl_starts_with(path, changing[i])) return;
  if (stat(path, &info) || !S_ISREG(info.st_mode)) return;
  const struct pawl_hash signature = pawl_file_signature(&info);
  pawl_hasher_add_string(hasher, path);
  pawl_hasher_add(hasher, &signature, sizeof signature);
}

/* Adds each file of an absolute path. */
static void add_paths(const char *text, size_t length, struct pawl_hasher *hasher) {
  char path[LONGEST_PATH + 1];
  for (size_t i = 0, end; i < length; i = end + 1) {
    const char *slash = memchr(text + i, '/', length - i);
    if (!slash) return;
    i = end = (size_t)(slash - text);
    while (end < length && (is_of_name(text[end]) || (text[end] && strchr("/.-+", text[end]))))
      end++;
    if (end - i > LONGEST_PATH || (i && is_of_name(text[i - 1]))) continue;
    memcpy(path, slash, end - i);
    path[end - i] = '\0';
    add_signature(path, hasher);
  }
}

void pawl_named_inputs_hash(const char *text, size_t length, struct pawl_hasher *hasher) {
  if (length > TEXT_LIMIT) return;
  add_named_variables(text, length, hasher);
  add_paths(text, length, hasher);
}

static void add_text(void *context, const char *text, size_t length) {
  pawl_named_inputs_hash(text, length, context);
}

struct file_walk {
  struct pawl_hash sum; /* a sum, because the walk has no order */
};

static void add_walked_file(void *context, const struct pawl_tree_item *item) {
  struct file_walk *walk = context;
  struct stat info;
  if (item->type == DT_DIR || pawl_ends_with(item->name, ".pyc"))
    return; /* the first import writes it and its folder */
  if (fstatat(item->folder, item->name, &info, 0)) return;
  pawl_file_sum_add(&walk->sum, item->path, &info);
}

void pawl_outside_files_hash(const struct pawl_strings *allowed, bool is_python,
                             struct pawl_hasher *hasher) {
  struct file_walk walk = {{0, 0}};
  for (size_t i = 0; allowed && i < allowed->count; i++) {
    add_signature(allowed->items[i], hasher);
    pawl_tree_walk(allowed->items[i], (const char *const[]){NULL}, true, add_walked_file, &walk);
  }
  const char *list = is_python ? getenv("PYTHONPATH") : NULL, *folder;
  for (size_t size; list && pawl_next_folder(&list, &folder, &size);) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
    pawl_text_add_bytes(&path, folder, size);
    pawl_tree_walk(path.data, (const char *const[]){NULL}, false, add_walked_file, &walk);
  }
  pawl_hasher_add(hasher, &walk.sum, sizeof walk.sum);
}

void pawl_other_inputs_hash(const char *program, const char *tree,
                            const struct pawl_strings *allowed, struct pawl_hasher *hasher) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!program) return;
  const bool is_plugin = pawl_elf_read_constants(program, add_text, hasher);
  if (!is_plugin && pawl_file_read(program, TEXT_LIMIT, &text, NULL) == PAWL_OK)
    add_text(hasher, pawl_text_string(&text), text.length);
  if (is_plugin && !pawl_opens_files(program, tree)) return;
  if (is_plugin) add_signature(LOADER_CACHE, hasher);
  pawl_outside_files_hash(allowed, !is_plugin, hasher);
}
