/* SPDX-License-Identifier: Apache-2.0 */
#include "build/flag_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "build/toolchain.h"
#include "build/tree_walk.h"
#include "process/process.h"

#define DEEPEST_RESPONSE 8
#define RESPONSE_LIMIT ((size_t)1 << 20)

/* The use of the folder that an option names. */
enum folder_use {
  USE_NOTHING,  /* it reads nothing there, as with a macro or an output path */
  USE_FILE,     /* it reads a file, and no folder */
  USE_HEADERS,  /* compilers look for headers below the folder */
  USE_LISTING,  /* the linker looks for libraries in the folder */
  USE_CONTENTS, /* it may read any file below the folder */
};

/* The first row whose name begins the word decides. */
static const struct {
  const char *name;
  enum folder_use use;
} option_uses[] = {
    {"-D", USE_NOTHING},
    {"-U", USE_NOTHING},
    {"-ffile-prefix-map", USE_NOTHING},
    {"-fdebug-prefix-map", USE_NOTHING},
    {"-fmacro-prefix-map", USE_NOTHING},
    {"--define-macro", USE_NOTHING},
    {"-I", USE_HEADERS},
    {"-i", USE_HEADERS}, /* -isystem, -iquote, -idirafter, -include, -imacros, -isysroot */
    {"--include", USE_HEADERS},
    {"--pre-include", USE_HEADERS},
    {"--system-include", USE_HEADERS},
    {"--sysroot", USE_HEADERS},
    {"-L", USE_LISTING},
    {"--library-path", USE_LISTING},
    {"-Wl,-L", USE_LISTING},
    {"-Wa,", USE_CONTENTS}, /* the assembler looks there for .include and .incbin */
    {"-Xassembler", USE_CONTENTS},
    {"-B", USE_CONTENTS},
    {"-fprofile", USE_CONTENTS},
    {"-fauto-profile", USE_CONTENTS},
    {"-fplugin", USE_CONTENTS},
};

struct flag_search {
  const struct pawl_build_plan *plan;
  const struct pawl_input_look *look;
  struct pawl_arena *arena;
  struct pawl_flag_inputs *out;
  const char *source; /* a folder that no flag names; NULL: the words are for the linker */
  const struct pawl_words *done; /* the command of the unit before; NULL: none */
};

static enum folder_use flag_inputs_use_of(const char *word, enum folder_use otherwise) {
  for (size_t i = 0; i < PAWL_COUNT(option_uses); i++)
    if (pawl_starts_with(word, option_uses[i].name)) return option_uses[i].use;
  return otherwise;
}

static void add_tool(struct flag_search *search, const char *path, bool compiles) {
  pawl_inputs_add(&search->out->all, search->arena, PAWL_INPUT_TOOL, path);
  if (compiles) pawl_inputs_add(&search->out->key, search->arena, PAWL_INPUT_TOOL, path);
}

static void flag_inputs_add_folder(struct flag_search *search, const char *path,
                                   enum folder_use use) {
  const char *tree = search->plan->tree;
  if (!strcmp(path, "/")) return;
  if (use == USE_LISTING)
    pawl_inputs_add(&search->out->all, search->arena, PAWL_INPUT_LISTING, path);
  const char *probe = pawl_arena_printf(search->arena, "%s/x", path);
  const bool walked = pawl_tree_visits(tree, search->look->skipped, probe);
  if (use == USE_HEADERS && !walked)
    pawl_inputs_add(&search->out->all, search->arena, PAWL_INPUT_NAMES, path);
  if (use != USE_CONTENTS) return;
  pawl_inputs_add(&search->out->all, search->arena, PAWL_INPUT_CONTENTS, path);
  pawl_inputs_add(&search->out->key, search->arena, PAWL_INPUT_CONTENTS, path);
}

static void search_words(struct flag_search *search, const struct pawl_words *words, int depth);

static void search_response(struct flag_search *search, const char *path, int depth) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_words words = {0};
  if (depth < DEEPEST_RESPONSE && pawl_file_read(path, RESPONSE_LIMIT, &text, NULL) == PAWL_OK &&
      pawl_words_split(&words, search->arena, pawl_text_string(&text), path, NULL) == PAWL_OK)
    search_words(search, &words, depth + 1);
}

/* Adds the file or folder `name`, if it exists. */
static void search_name(struct flag_search *search, const char *name, size_t length,
                        enum folder_use use, int depth) {
  const bool quoted = length > 1 && *name == '"' && name[length - 1] == '"';
  const char *word =
      pawl_arena_printf(search->arena, "%.*s", (int)length - 2 * quoted, name + quoted);
  const char *joined = pawl_box_found(&search->plan->box, pawl_box_real(&search->plan->box, word));
  if (!length || (length == 1 && *name == '.')) return;
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_real(joined);
  if (!path || pawl_starts_with(path, search->plan->folder) ||
      !pawl_box_shows(&search->plan->box, path))
    return;
  if (pawl_is_folder(path)) {
    flag_inputs_add_folder(search, path, use);
  } else if (pawl_is_regular(path)) {
    add_tool(search, joined, search->source && use != USE_HEADERS && use != USE_LISTING);
    if (depth) search_response(search, path, depth);
  }
}

/* Names begin after an option of one letter, after '=', ',' or '@', also as ",-I", and after the
   options of USE_HEADERS. */
static void search_word(struct flag_search *search, const char *word, enum folder_use use,
                        int depth) {
  static const char *const joined[] = {"-isystem", "-iquote", "-idirafter", "-include", "-imacros"};
  const size_t length = strlen(word);
  const bool response = strchr(word, '@') || pawl_starts_with(word, "--options-file") ||
                        pawl_starts_with(word, "-optf");
  const int deeper = response ? depth + 1 : 0;
  search_name(search, word, length, use, 0);
  if (length > 2 && *word == '-') search_name(search, word + 2, length - 2, use, 0);
  for (size_t i = 0; i < PAWL_COUNT(joined); i++)
    if (pawl_starts_with(word, joined[i]))
      search_name(search, word + strlen(joined[i]), length - strlen(joined[i]), use, 0);
  for (const char *p = word; *p; p++) {
    if (!strchr("=,@:", *p)) continue;
    if (p[1] == '-' && p[2]) p += 2;
    search_name(search, p + 1, strlen(p + 1), use, deeper);
    search_name(search, p + 1, strcspn(p + 1, "=,@:"), use, deeper);
  }
}

/* Returns whether the option's folder, file or macro is the next word. */
static bool takes_next_word(const char *word) {
  static const char *const more[] = {
      "-isystem",  "-iquote",  "-idirafter",   "-include",           "-imacros",
      "-isysroot", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-include-pch"};
  for (size_t i = 0; i < PAWL_COUNT(option_uses); i++)
    if (!strcmp(word, option_uses[i].name)) return true;
  for (size_t i = 0; i < PAWL_COUNT(more); i++)
    if (!strcmp(word, more[i])) return true;
  return false;
}

/* Returns whether the unit before has this word at this place. Its use depends only on the word
   and on the one before. */
static bool is_done(const struct flag_search *search, const struct pawl_words *words, size_t i) {
  const struct pawl_words *done = search->done;
  return done && i && i < done->count && !strcmp(done->items[i], words->items[i]) &&
         !strcmp(done->items[i - 1], words->items[i - 1]);
}

static void search_words(struct flag_search *search, const struct pawl_words *words, int depth) {
  /* These options name programs, or files that name programs. */
  static const char *const programs[] = {"-fplugin", "-wrapper", "-load",  "-specs",
                                         "--specs",  "-B",       "-ccbin", "--compiler-bindir"};
  /* These options leave the headers of the system out of the list. */
  static const char *const listings[] = {"-MM", "-Wp,-MM", "--user-dependencies",
                                         "--write-user-dependencies",
                                         "--generate-nonsystem-dependencies"};
  enum folder_use before = USE_FILE;
  for (size_t i = 0; i < words->count; i++) {
    const char *word = words->items[i];
    const enum folder_use use =
        flag_inputs_use_of(word, *word == '-' || *word == '@' ? USE_FILE : before);
    for (size_t j = 0; j < PAWL_COUNT(listings); j++)
      if (pawl_starts_with(word, listings[j])) search->out->unlisted = true;
    for (size_t j = 0; j < PAWL_COUNT(programs); j++)
      if (pawl_starts_with(word, programs[j])) search->out->opaque = true;
    before = takes_next_word(word) ? use : USE_FILE;
    if (!depth && is_done(search, words, i)) continue;
    if (i && !strcmp(words->items[i - 1], "--options-file")) search_response(search, word, depth);
    const bool source = search->source && !strcmp(word, search->source);
    if (use != USE_NOTHING && !source) search_word(search, word, use, depth);
  }
}

static void search_variables(struct flag_search *search) {
  for (const struct pawl_compiler_variable *v = pawl_compiler_variables; v->name; v++) {
    const char *value = getenv(v->name), *list = value, *folder;
    const enum folder_use use = v->use == PAWL_VARIABLE_HEADERS ? USE_HEADERS : USE_LISTING;
    struct pawl_words words = {0};
    if (!value || v->use == PAWL_VARIABLE_OTHER) continue;
    if (v->use != PAWL_VARIABLE_FLAGS)
      for (size_t length; pawl_next_folder(&list, &folder, &length);)
        search_name(search, folder, length, use, 0);
    else if (pawl_words_split(&words, search->arena, value, v->name, NULL) == PAWL_OK)
      search_words(search, &words, 0);
  }
}

/* Adds the programs that the compilers start, searched as the compilers do. */
static void add_tools(struct flag_search *search, const char *compiler, bool nvcc) {
  static const char *const on_path[] = {"as", "ld", "gcc", "g++", "cc", "c++"};
  static const char *const of_nvcc[] = {"ptxas",    "fatbinary",    "nvlink",
                                        "cudafe++", "nvcc.profile", "../nvvm/bin/cicc"};
  for (size_t i = 0; i < PAWL_COUNT(on_path); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_process_find(on_path[i]);
    if (path) add_tool(search, path, true);
  }
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(compiler);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(real ? real : compiler);
  for (size_t i = 0; nvcc && i < PAWL_COUNT(of_nvcc); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, of_nvcc[i]);
    add_tool(search, path, true);
  }
  add_tool(search, compiler, true);
  /* if a compiler is a script of the tree, it may read its flags from any file there */
  if (real && pawl_tree_visits(search->plan->tree, search->look->skipped, real) &&
      pawl_file_table_look(search->look->known->table, real).script)
    search->out->opaque = true;
}

void pawl_flag_inputs_find(const struct pawl_build_plan *plan, const struct pawl_input_look *look,
                           struct pawl_arena *arena, struct pawl_flag_inputs *out) {
  *out = (struct pawl_flag_inputs){0};
  struct flag_search search = {.plan = plan, .look = look, .arena = arena, .out = out};
  for (size_t i = 0; i < plan->unit_count; i++) {
    const struct pawl_build_unit *unit = &plan->units[i];
    const char *compiler = unit->command.items[0];
    search.source = unit->source;
    if (!search.done || strcmp(search.done->items[0], compiler) != 0)
      add_tools(&search, pawl_box_real(&plan->box, compiler), unit->nvcc);
    search_words(&search, &unit->command, 0);
    search.done = &unit->command;
    if (pawl_ends_with(unit->source, ".s") || pawl_ends_with(unit->source, ".S"))
      out->assembler = true;
  }
  search.done = NULL;
  search_variables(&search);
  search.source = NULL;
  search_words(&search, &plan->link, 0);
  for (size_t i = 0; i < plan->copy_count; i++)
    search_name(&search, plan->copies[i].from, strlen(plan->copies[i].from), USE_LISTING, 0);
  pawl_inputs_add(&out->all, arena, PAWL_INPUT_NAMES, plan->tree);
  pawl_inputs_add(&out->all, arena, PAWL_INPUT_LISTING, "/usr/local/include");
}
