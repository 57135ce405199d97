/* SPDX-License-Identifier: Apache-2.0 */
#include "build/named_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/file.h"
#include "build/code_elf.h"
#include "build/file_table.h"
#include "build/git.h"
#include "build/python_names.h"
#include "build/reads.h"
#include "build/tree_walk.h"

#define MOST_FILES 256
#define TEXT_LIMIT ((size_t)4 << 20) /* pawl looks for names only in smaller files */
#define LONGEST_NAME 255

struct named_files {
  const char *tree;
  const char *folder; /* the folder of the file that pawl reads now */
  bool script;
  struct pawl_arena *arena;
  struct pawl_words compiled, *out;
  uint64_t *tried; /* the hashes of the paths that pawl has looked for; 0: a free slot */
  size_t tried_count, slot_count;
};

static bool put_tried(uint64_t *slots, size_t count, uint64_t hash) {
  size_t i = hash & (count - 1);
  while (slots[i] && slots[i] != hash) i = (i + 1) & (count - 1);
  const bool fresh = !slots[i];
  slots[i] = hash;
  return fresh;
}

/* Returns whether pawl looks for this path for the first time. */
static bool is_fresh(struct named_files *find, const char *path) {
  const uint64_t hash = (pawl_hash_bytes(path, strlen(path)).low + 2 * find->script) | 1;
  if (2 * (find->tried_count + 1) > find->slot_count) {
    const size_t count = find->slot_count ? 2 * find->slot_count : 1024;
    uint64_t *slots = pawl_alloc(count, sizeof *slots);
    for (size_t i = 0; i < find->slot_count; i++)
      if (find->tried[i]) put_tried(slots, count, find->tried[i]);
    pawl_free(find->tried);
    find->tried = slots, find->slot_count = count;
  }
  const bool fresh = put_tried(find->tried, find->slot_count, hash);
  find->tried_count += fresh;
  return fresh;
}

static bool has_path(const struct pawl_words *paths, const char *path) {
  for (size_t i = 0; i < paths->count; i++)
    if (!strcmp(paths->items[i], path)) return true;
  return false;
}

/* git's folder and pawl's own hold no input. */
static bool is_of_tree(const struct named_files *find, const char *path) {
  if (!pawl_path_holds(find->tree, path)) return false;
  const char *below = path + strlen(find->tree);
  return *below && !strstr(below, "/.git/") && !strstr(below, "/.pawl/");
}

static void add_file(struct named_files *find, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = pawl_is_regular(path) ? pawl_path_real(path) : NULL;
  if (real && find->out->count < MOST_FILES && is_of_tree(find, real) &&
      !has_path(find->out, real) && !has_path(&find->compiled, real))
    pawl_words_add(find->out, find->arena, real);
}

/* Adds the files of a folder that a name ends with, or the modules of a package. */
static void named_files_add_folder(struct named_files *find, const char *path, const char *ending) {
  struct dirent **entries = NULL;
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = pawl_is_folder(path) ? pawl_path_real(path) : NULL;
  const int count = real && is_of_tree(find, real) ? scandir(real, &entries, NULL, alphasort) : 0;
  for (int i = 0; i < count; i++) {
    if (pawl_ends_with(entries[i]->d_name, ending))
      add_file(find, pawl_arena_printf(find->arena, "%s/%s", real, entries[i]->d_name));
    free(entries[i]);
  }
  free(entries);
}

static void try_name(struct named_files *find, const char *folder, const char *name) {
  const char *path = pawl_arena_printf(find->arena, "%s/%s", folder, name);
  if (!is_fresh(find, path)) return;
  if (strpbrk(name, "./")) add_file(find, path);
  if (pawl_ends_with(name, "/")) named_files_add_folder(find, path, "");
  if (!find->script) return;
  char *module = pawl_arena_copy(find->arena, path);
  for (char *p = module + strlen(folder); *p; p++)
    if (*p == '.') *p = '/';
  add_file(find, pawl_arena_printf(find->arena, "%s.py", module));
  named_files_add_folder(find, module, ".py");
}

/* Looks for each run of letters in the text as a path from the tree and from the file's own
   folder. */
static void find_runs(struct named_files *find, const bool of_name[256], const char *text,
                      size_t length) {
  for (size_t i = 0, end; i < length; i = end + 1) {
    if (text[i] == '%') i++; /* "%s/a.txt" names "/a.txt" */
    for (end = i; end < length && of_name[(unsigned char)text[end]];) end++;
    while (i < end && (text[i] == '/' || (text[i] == '.' && i + 1 < end && text[i + 1] == '/')))
      i++;
    const size_t size = end > i ? end - i : 0;
    if (size < 2 || size > LONGEST_NAME) continue;
    const char *name = pawl_arena_printf(find->arena, "%.*s", (int)size, text + i);
    if (!find->script && !strpbrk(name, "./")) continue;
    try_name(find, find->tree, name);
    if (strcmp(find->folder, find->tree) != 0) try_name(find, find->folder, name);
  }
}

/* A name may have any sign, as in "BM=128.cubin", so that a whole string may be a name too. */
static void find_names(void *context, const char *text, size_t length) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";
  bool of_name[256] = {false}, of_string[256] = {false};
  for (const char *p = letters; *p; p++) of_name[(unsigned char)*p] = true;
  for (int c = ' '; c < 256; c++) of_string[c] = !strchr("\"'`<>", c) && c != 127;
  find_runs(context, of_name, text, length);
  find_runs(context, of_string, text, length);
}

static void read_names(struct named_files *find, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(path);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  find->folder = pawl_arena_copy(find->arena, folder);
  if (pawl_file_read(path, TEXT_LIMIT, &text, NULL) != PAWL_OK || !text.length ||
      memchr(text.data, '\0', text.length))
    return;
  const bool python = pawl_ends_with(path, ".py");
  find->script = python || pawl_starts_with(text.data, "#!");
  find_names(find, python ? pawl_python_names(text.data, text.length, find->arena) : text.data,
             text.length);
}

void pawl_named_files_find(const char *program, const char *tree, struct pawl_arena *arena,
                           struct pawl_words *out) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(tree);
  struct named_files find = {.tree = real, .folder = real, .arena = arena, .out = out};
  if (!real) return;
  pawl_build_reads(program, arena, &find.compiled);
  if (!pawl_elf_read_constants(program, find_names, &find)) read_names(&find, program);
  for (size_t i = 0; i < out->count; i++) read_names(&find, out->items[i]);
  pawl_free(find.tried);
}

static bool opens_by_name(const char *name) {
  static const char *const openers[] = {
      "open",
      "open64",
      "openat",
      "openat64",
      "__open_2",
      "__open64_2",
      "__openat_2",
      "__openat64_2",
      "fopen",
      "fopen64",
      "freopen",
      "freopen64",
      "dlopen",
      "dlmopen",
      "syscall",
      "popen",
      "system",
      "execv",
      "execve",
      "execvp",
      "posix_spawn",
      "posix_spawnp",
      "cuModuleLoad",
      "cuLibraryLoadFromFile",
      "cuLinkAddFile",
      "cuLinkAddFile_v2",
      "cudaLibraryLoadFromFile",
      "nvrtcCompileProgram",
      "__gnu_lto_slim" /* the linker alone knows what such an object imports */};
  static const char *const streams[] = {"basic_filebuf", "basic_ifstream", "basic_fstream"};
  for (size_t i = 0; i < PAWL_COUNT(openers); i++)
    if (!strcmp(name, openers[i])) return true;
  for (size_t i = 0; i < PAWL_COUNT(streams); i++)
    if (strstr(name, streams[i])) return true;
  return false;
}

/* nvcc links the CUDA runtime into each plug-in, and the runtime opens files of its own. The
   objects of the sources then show what the kernel itself imports. */
static bool has_cuda_runtime(const struct pawl_words *reads) {
  for (size_t i = 0; i < reads->count; i++)
    if (pawl_ends_with(reads->items[i], "/libcudart_static.a")) return true;
  return false;
}

static bool links_object_of(const struct pawl_words *reads, const char *tree) {
  for (size_t i = 0; i < reads->count; i++)
    if (pawl_path_holds(tree, reads->items[i]) &&
        (pawl_ends_with(reads->items[i], ".a") || pawl_ends_with(reads->items[i], ".o")))
      return true;
  return false;
}

bool pawl_opens_files(const char *program, const char *tree) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(tree);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(program);
  struct pawl_words reads = {0};
  bool opens = false;
  if (!pawl_elf_imports(program, opens_by_name, &opens) || !opens) return false;
  pawl_build_reads(program, &arena, &reads);
  if (!real || !has_cuda_runtime(&reads) || links_object_of(&reads, real)) return true;
  for (size_t i = 0;; i++) {
    const char *object = pawl_arena_printf(&arena, "%s/%zu.o", folder, i);
    if (!pawl_file_exists(object)) return i == 0;
    if (!pawl_elf_imports(object, opens_by_name, &opens) || opens) return true;
  }
}

static bool compiles_by_name(const char *name) { return !strcmp(name, "nvrtcCompileProgram"); }

/* Sources are inputs of the build, and data only of a kernel that compiles when it runs. pawl's own
   files and hidden files are no data of a kernel. */
static bool is_data(const char *path, bool compiles) {
  static const char *const endings[] = {
      ".c",  ".h",  ".cc", ".cpp", ".cxx", ".hh",   ".hpp", ".cu", ".cuh",  ".inl", ".inc",
      ".s",  ".S",  ".py", ".pyi", ".sh",  ".rs",   ".go",  ".md", ".rst",  ".svg", ".png",
      ".mk", ".js", ".ts", ".css", ".tex", ".html", ".f90", ".jl", ".cmake"};
  if (*path == '.' || strstr(path, "/.") || !strcmp(path, "pawl.yaml") ||
      !strcmp(path, "perf/baseline.json") || pawl_starts_with(path, "perf/out/"))
    return false;
  for (size_t i = 0; i < PAWL_COUNT(endings) && !compiles; i++)
    if (pawl_ends_with(path, endings[i])) return false;
  return true;
}

static void hash_file(const char *path, struct pawl_hasher *hasher) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct stat info = {0};
  struct pawl_hash hash = {0, 0};
  if (pawl_file_read(path, (size_t)PAWL_LARGEST_INPUT, &text, NULL) == PAWL_OK)
    hash = pawl_hash_bytes(pawl_text_string(&text), text.length);
  else if (!stat(path, &info))
    hash = pawl_file_signature(&info);
  pawl_hasher_add(hasher, &hash, sizeof hash);
}

struct data_walk {
  struct pawl_hash sum; /* a sum, because the walk has no order */
  bool compiles;
};

static void add_walked(void *context, const struct pawl_tree_item *item) {
  struct data_walk *walk = context;
  struct stat info;
  if (!is_data(item->path, walk->compiles) || fstatat(item->folder, item->name, &info, 0) ||
      !S_ISREG(info.st_mode))
    return;
  pawl_file_sum_add(&walk->sum, item->path, &info);
}

/* Adds all data of the tree. git's index has the hashes of the tracked files, so that pawl reads
   only the changed and the new files. Outside a repository the files' times stand for them. */
static void hash_data(const char *tree, bool compiles, struct pawl_hasher *hasher) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  if (pawl_git_states(tree, &list, NULL) != PAWL_OK) {
    struct data_walk walk = {{0, 0}, compiles};
    pawl_tree_walk(tree, (const char *const[]){NULL}, false, add_walked, &walk);
    pawl_hasher_add(hasher, &walk.sum, sizeof walk.sum);
    return;
  }
  for (size_t at = 0; at < list.length; at += strlen(list.data + at) + 1) {
    const char *line = list.data + at, *tab = strchr(line, '\t');
    const char *name = *line != '?' && tab ? tab + 1 : line + strcspn(line, " ") + 1;
    if (!is_data(name, compiles)) continue;
    pawl_hasher_add_string(hasher, line);
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(tree, name);
    if (*line != 'H' && pawl_is_regular(path)) hash_file(path, hasher);
  }
}

bool pawl_named_files_hash(const char *program, const char *tree, struct pawl_hasher *hasher) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(tree);
  struct pawl_words files = {0};
  pawl_named_files_find(program, tree, &arena, &files);
  for (size_t i = 0; i < files.count; i++) {
    pawl_hasher_add_string(hasher, files.items[i] + strlen(real));
    hash_file(files.items[i], hasher);
  }
  const bool opens = real && pawl_opens_files(program, real);
  bool compiles = false;
  if (opens && pawl_elf_imports(program, compiles_by_name, &compiles))
    hash_data(real, compiles, hasher);
  return opens || files.count > 0;
}
