/* SPDX-License-Identifier: Apache-2.0 */
#include "build/compile.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "build/back_end.h"
#include "build/flag_inputs.h"
#include "build/ignored.h"
#include "build/object_store.h"
#include "build/reads.h"
#include "build/tree_walk.h"

#define MOST_TRIES 4
#define MARK "compiling" /* its ctime is the start of the compilers: build/inputs.h */
#define NAMED_LIMIT ((size_t)16 << 20)
#define TEXT_LIMIT ((size_t)1 << 30)

struct compilation {
  const struct pawl_build_plan *plan;
  const struct pawl_build_options *options;
  struct pawl_arena *arena;
  struct pawl_input_look look;
  struct pawl_flag_inputs flags;
  struct pawl_inputs back_end;
  struct pawl_inputs reads; /* known after the compilers have run */
  size_t
      compiled; /* the number that compilers read, which come first; the linker read the others */
  struct pawl_inputs *lists; /* the files that each unit reads, by its compiler's list */
  struct pawl_inputs last;   /* the inputs of the last build; empty: unknown */
  bool links;                /* the linker must run, whatever the objects hold */
  const char **keys;         /* one for each object; NULL: unknown */
  bool unlisted;             /* no list names all files that the compilers read */
  bool opaque;               /* the compilers may have read any file of the tree */
  bool assembler; /* an assembler runs, which may read any file of the tree but writes none there */
  const char *record, *mark;
};

/* --- changed inputs --- */

static bool begins_with_flags(const struct pawl_inputs *record, const struct pawl_inputs *flags) {
  if (record->count < flags->count) return false;
  for (size_t i = 0; i < flags->count; i++)
    if (record->items[i].kind != flags->items[i].kind ||
        strcmp(record->items[i].path, flags->items[i].path) != 0)
      return false;
  return true;
}

/* Returns whether the file has the name in its text, or has itself this name. A program has no
   names of headers. */
static bool input_may_name(const struct compilation *c, const struct pawl_input *input,
                           const char *name) {
  const struct pawl_file_facts facts = pawl_file_table_look(c->look.known->table, input->path);
  const char *slash = strrchr(input->path, '/');
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (facts.computes || facts.script || (slash && !strcmp(slash + 1, name))) return true;
  if (facts.program) return false;
  if (pawl_file_read(input->path, NAMED_LIMIT, &text, NULL) != PAWL_OK) return true;
  pawl_text_join_lines(&text);
  return text.length && memmem(text.data, text.length, name, strlen(name));
}

/* Returns whether a new file cannot matter, because no compiler looks for a file of its name. nvcc
   and compilers that are scripts look for files that no list shows. */
static bool is_unused_name(const struct compilation *c, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  /* compilers look for the first of these without a directive, and for the others by their ending
   */
  static const char *const own[] = {"stdc-predef.h", ".gch", ".pch", ".modulemap", ".pcm", ".gcm"};
  for (size_t i = 0; i < PAWL_COUNT(own); i++)
    if (strstr(path, own[i])) return false;
  for (size_t i = 0; i < c->plan->unit_count; i++) {
    const struct pawl_build_unit *unit = &c->plan->units[i];
    if (unit->nvcc) return false;
    for (size_t j = 0; j < unit->command.count; j++)
      if (strstr(unit->command.items[j], name)) return false;
  }
  for (size_t i = 0; i < c->last.count; i++) {
    const struct pawl_input *input = &c->last.items[i];
    const bool file = input->kind == PAWL_INPUT_FILE || input->kind == PAWL_INPUT_TOOL;
    if (file && input_may_name(c, input, name)) return false;
  }
  return true;
}

/* Returns whether the names below a folder are as before, but for one file that cannot matter. */
static bool names_suffice(const struct compilation *c, struct pawl_input *names) {
  if (names->kind != PAWL_INPUT_NAMES || c->flags.opaque || c->flags.assembler) return false;
  const char *path = pawl_inputs_new_file(names, &c->look, c->arena);
  if (!path || !is_unused_name(c, path)) return false;
  struct pawl_inputs one = {.items = names, .count = 1};
  pawl_inputs_take(&one, &c->look);
  return true;
}

/* Compares with the record of the last build, and adds a new file that cannot matter to it. */
static bool is_up_to_date(struct compilation *c) {
  struct pawl_inputs record = {0};
  bool anew = false;
  if (c->flags.unlisted) return false;
  if (!pawl_inputs_read(&record, c->arena, c->record) || !begins_with_flags(&record, &c->flags.all))
    return false;
  c->last = record;
  for (size_t i = 0; i < 2 * record.count; i++) { /* the inputs that need a walk come last */
    struct pawl_input *input = &record.items[i % record.count];
    if (pawl_input_walks(input) != (i >= record.count)) continue;
    const struct pawl_inputs one = {.items = input, .count = 1};
    const char *changed = pawl_inputs_changed(&one, &c->look);
    if (!changed) continue;
    anew = true;
    if (names_suffice(c, input)) continue;
    pawl_log_detail(c->options->log, "'%s' has changed", changed);
    return false;
  }
  return !anew || pawl_inputs_write(&record, c->record, NULL) == PAWL_OK;
}

static bool holds_file(const struct pawl_inputs *inputs, const char *path) {
  for (size_t i = 0; i < inputs->count; i++)
    if (!strcmp(inputs->items[i].path, path)) return true;
  return false;
}

/* Lists the changed files. Returns false if it cannot list all, because another input has changed,
   or because the compilers may have read any file of the tree. *names: files came or went. */
static bool list_changed(const struct compilation *c, struct pawl_inputs *files, bool *names) {
  *names = false;
  for (size_t i = 0; i < c->last.count; i++) {
    const struct pawl_inputs one = {.items = &c->last.items[i], .count = 1};
    const struct pawl_input *input = one.items;
    if (input->kind == PAWL_INPUT_CONTENTS) return false;
    if (!pawl_inputs_changed(&one, &c->look)) continue;
    if (input->kind == PAWL_INPUT_NAMES)
      *names = true;
    else if (input->kind == PAWL_INPUT_FILE)
      pawl_inputs_add(files, c->arena, PAWL_INPUT_FILE, input->path);
    else
      return false;
  }
  return c->last.count && !c->opaque;
}

/* Reads the compiler's list of the files that a unit reads. Returns false if there is none. */
static bool read_list(struct compilation *c, size_t i) {
  c->lists[i] = (struct pawl_inputs){0};
  return pawl_depfile_read(c->plan, c->plan->units[i].deps, &c->lists[i], c->arena);
}

/* Finds the units whose objects are current. The linker must run again unless only compilers read
   the changed files. */
static void find_current(struct compilation *c) {
  struct pawl_inputs files = {0};
  bool names;
  const bool listed = list_changed(c, &files, &names);
  size_t compiled = 0;
  for (size_t i = 0; i < c->plan->unit_count; i++) c->plan->units[i].current = false;
  c->links = true;
  if (!listed) return;
  bool *read = pawl_arena_alloc(c->arena, files.count + 1, sizeof *read);
  bool known = true;
  for (size_t i = 0; i < c->plan->unit_count; i++) {
    struct pawl_build_unit *unit = &c->plan->units[i];
    read_list(c, i);
    unit->current = c->lists[i].count && pawl_is_regular(unit->object) && !names;
    known &= c->lists[i].count > 0;
    for (size_t j = 0; j < files.count; j++) {
      if (!holds_file(&c->lists[i], files.items[j].path)) continue;
      unit->current = false;
      compiled += !read[j];
      read[j] = true;
    }
  }
  c->links = !known || compiled < files.count;
}

/* --- paths that lead out of the folders that a walk visits --- */

static struct pawl_path_use path_use(const struct compilation *c, const struct pawl_inputs *reads,
                                     size_t count) {
  struct pawl_path_use use = {0};
  for (size_t i = 0; i < c->plan->unit_count; i++)
    pawl_text_path_use(pawl_words_join(&c->plan->units[i].command, c->arena), &use);
  for (size_t i = 0; i < count; i++) {
    const struct pawl_file_facts facts =
        pawl_file_table_look(c->look.known->table, reads->items[i].path);
    use.above |= facts.paths.above, use.hidden |= facts.paths.hidden;
  }
  return use;
}

/* Returns the folder of the files that an assembler or a script may have read. */
static const char *opaque_folder(const struct compilation *c, const struct pawl_inputs *reads,
                                 size_t count) {
  const bool whole = !c->assembler || path_use(c, reads, count).above;
  return whole ? c->plan->box.top : c->plan->tree;
}

/* --- objects of earlier builds --- */

/* Returns whether only the preprocessor looks at the word. Debug information may hold all
 * macros. */
static bool is_of_preprocessor(const char *word) {
  static const char *const options[] = {"-D", "-U"};
  for (size_t i = 0; i < PAWL_COUNT(options); i++)
    if (pawl_starts_with(word, options[i]) && word[2]) return true;
  return false;
}

/* Adds the words of the command, without the paths of object and tree, which no object holds. */
static void hash_command(const struct pawl_build_unit *unit, struct pawl_hasher *hasher) {
  bool macros = unit->nvcc;
  for (size_t i = 0; i < unit->command.count; i++)
    macros |= pawl_starts_with(unit->command.items[i], "-g");
  for (size_t i = 0; i + 1 < unit->command.count; i++) {
    const char *word = unit->command.items[i];
    if (!pawl_starts_with(word, "-ffile-prefix-map=") && (macros || !is_of_preprocessor(word)))
      pawl_hasher_add_string(hasher, word);
  }
}

static bool has_compiled_form(const struct compilation *c, const char *header) {
  static const char *const endings[] = {".gch", ".pch"};
  for (size_t i = 0; i < PAWL_COUNT(endings); i++)
    if (!pawl_file_absent(pawl_arena_printf(c->arena, "%s%s", header, endings[i]))) return true;
  return false;
}

/* Returns whether the folder of headers that a word names, relative to the tree, holds a compiled
   form of a header that the unit reads. */
static bool holds_compiled_form(const struct compilation *c, const char *word,
                                const struct pawl_inputs *reads) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(c->plan->tree, pawl_box_real(&c->plan->box, word));
  for (size_t i = 0; i < reads->count; i++) {
    const char *name = strrchr(reads->items[i].path, '/');
    if (name && has_compiled_form(c, pawl_arena_printf(c->arena, "%s%s", folder, name)))
      return true;
  }
  return false;
}

/* Compiled headers and modules have contents that the preprocessor's output does not show. */
static bool reads_compiled_headers(const struct compilation *c, const struct pawl_build_unit *unit,
                                   const struct pawl_inputs *reads) {
  static const char *const options[] = {"-fmodule",     "-fcxx-modules", "-fbuiltin-module",
                                        "-include-pch", "-fpch",         "-fprebuilt-module"};
  static const char *const folders[] = {"-I", "-isystem", "-iquote", "-idirafter"};
  for (size_t i = 0; i < reads->count; i++)
    if (has_compiled_form(c, reads->items[i].path)) return true;
  for (size_t i = 0; i + 1 < unit->command.count; i++) {
    const char *word = unit->command.items[i];
    for (size_t j = 0; j < PAWL_COUNT(options); j++)
      if (pawl_starts_with(word, options[j])) return true;
    for (size_t j = 0; j < PAWL_COUNT(folders); j++) {
      const char *rest = word + strlen(folders[j]);
      if (pawl_starts_with(word, folders[j]) &&
          holds_compiled_form(c, *rest ? rest : unit->command.items[i + 1], reads))
        return true;
    }
  }
  return false;
}

/* Returns whether compilers see files of the user's tree in that of another version. */
static bool sees_user_files(const struct compilation *c) {
  const struct pawl_build_box *box = &c->plan->box;
  bool sees = false;
  for (size_t i = 0; i < box->views.count && strcmp(box->top, box->user_top) != 0; i++)
    sees |= box->views.items[i].use != PAWL_VIEW_EMPTY &&
            pawl_path_holds(box->user_top, box->views.items[i].source) &&
            box->views.items[i].target &&
            pawl_starts_with(box->views.items[i].target, PAWL_BOX_TREE "/");
  return sees;
}

/* Returns the key of a unit's object. It covers the command, the programs that it starts, the
   preprocessed source, and all that the preprocessor does not show. Returns NULL if the unit does
   not compile or its inputs are unknown: then pawl compiles it, and keeps no object. */
static const char *object_key(struct compilation *c, size_t unit_index) {
  const struct pawl_build_unit *unit = &c->plan->units[unit_index];
  const struct pawl_inputs *reads = &c->lists[unit_index];
  struct pawl_inputs key = c->flags.key;
  const bool listed = read_list(c, unit_index);
  /* an assembler writes no list, and a list does not name the compiled form of a header */
  const bool hides = c->flags.unlisted || (!listed && !pawl_ends_with(unit->source, ".s")) ||
                     reads_compiled_headers(c, unit, reads);
  c->unlisted |= hides;
  if (hides || !listed) return NULL;
  for (size_t i = 0; i < c->back_end.count; i++)
    if (c->back_end.items[i].kind == PAWL_INPUT_TOOL)
      pawl_inputs_add(&key, c->arena, PAWL_INPUT_TOOL, c->back_end.items[i].path);
  for (size_t i = 0; unit->nvcc && i < reads->count; i++)
    pawl_inputs_add(&key, c->arena, PAWL_INPUT_FILE, reads->items[i].path);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!unit->nvcc && pawl_file_read(unit->text, TEXT_LIMIT, &text, NULL) != PAWL_OK) return NULL;
  if (!c->opaque && pawl_text_reads_by_assembler(&text)) c->opaque = c->assembler = true;
  if (c->opaque && sees_user_files(c)) {
    c->unlisted = true; /* it may have read any of these */
    return NULL;
  }
  if (c->opaque)
    pawl_inputs_add(&key, c->arena, PAWL_INPUT_CONTENTS, opaque_folder(c, reads, reads->count));
  pawl_inputs_take(&key, &c->look);
  const struct pawl_hash inputs = pawl_inputs_hash(&key), machine = pawl_compile_environment();
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  hash_command(unit, &hasher);
  pawl_words_hash(&c->plan->environment, &hasher);
  pawl_hasher_add_string(&hasher, c->plan->toolchain);
  pawl_hasher_add(&hasher, &machine, sizeof machine);
  pawl_hasher_add(&hasher, &inputs, sizeof inputs);
  pawl_hasher_add(&hasher, pawl_text_string(&text), text.length);
  char *digits = pawl_arena_alloc(c->arena, PAWL_HASH_TEXT, 1);
  pawl_hash_format(pawl_hasher_finish(&hasher), digits);
  return digits;
}

/* Takes the objects that an earlier build of this or another tree kept. */
static pawl_status recall_objects(struct compilation *c, struct pawl_ninja_outcome *outcome,
                                  struct pawl_error *err) {
  PAWL_TRY(pawl_ninja_list(c->plan, c->options, c->arena, outcome, err));
  for (size_t i = 0; i < c->plan->unit_count; i++) {
    struct pawl_build_unit *unit = &c->plan->units[i];
    c->keys[i] = unit->current ? NULL : object_key(c, i);
    unit->kept =
        unit->current || (c->keys[i] && pawl_object_recall(c->options, c->keys[i], unit->object));
  }
  return PAWL_OK;
}

/* Keeps the objects. No input has changed since pawl computed their keys. */
static void keep_objects(const struct compilation *c) {
  for (size_t i = 0; i < c->plan->unit_count; i++)
    if (c->keys[i] && !c->plan->units[i].kept)
      pawl_object_keep(c->options, c->keys[i], c->plan->units[i].object);
}

/* --- one run of the compilers --- */

/* Hashes the contents of all objects. Returns false if one is absent. */
static bool hash_objects(const struct compilation *c, struct pawl_hash *out) {
  bool all = true;
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (size_t i = 0; all && i < c->plan->unit_count; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    all = pawl_file_read(c->plan->units[i].object, TEXT_LIMIT, &text, NULL) == PAWL_OK;
    const struct pawl_hash hash = pawl_hash_bytes(pawl_text_string(&text), text.length);
    pawl_hasher_add(&hasher, &hash, sizeof hash);
  }
  *out = pawl_hasher_finish(&hasher);
  return all;
}

static pawl_status remove_outputs(const struct pawl_build_plan *plan, struct pawl_error *err) {
  PAWL_TRY(pawl_remove_tree(plan->plugin, err));
  PAWL_TRY(pawl_remove_tree(plan->trace, err));
  for (size_t i = 0; i < plan->copy_count; i++) PAWL_TRY(pawl_remove_tree(plan->copies[i].to, err));
  return PAWL_OK;
}

/* The plug-in of the last build stays where its objects are the same, because a linker makes the
   same file of them. */
static pawl_status compile_run_once(struct compilation *c, struct pawl_ninja_outcome *outcome,
                                    struct pawl_error *err) {
  const struct pawl_build_plan *plan = c->plan;
  struct pawl_hash before, after;
  find_current(c);
  const bool stays = !c->links && pawl_is_regular(plan->plugin) && hash_objects(c, &before);
  PAWL_TRY(pawl_remove_tree(c->record, err));
  if (!stays) PAWL_TRY(remove_outputs(plan, err));
  for (size_t i = 0; i < plan->unit_count; i++) {
    const struct pawl_build_unit *unit = &plan->units[i];
    if (unit->current) continue;
    PAWL_TRY(pawl_remove_tree(unit->object, err));
    PAWL_TRY(pawl_remove_tree(unit->deps, err));
    PAWL_TRY(pawl_remove_tree(unit->text, err));
  }
  PAWL_TRY(recall_objects(c, outcome, err));
  if (!outcome->built) return remove_outputs(plan, err);
  bool kept = true;
  for (size_t i = 0; i < plan->unit_count; i++) kept &= plan->units[i].kept;
  if (stays && kept && hash_objects(c, &after) && pawl_hash_equal(before, after)) {
    outcome->compiles = outcome->cache_hits = (int)plan->unit_count;
    outcome->diagnostics = "";
    return PAWL_OK;
  }
  PAWL_TRY(remove_outputs(plan, err));
  return pawl_ninja_run(plan, c->options, c->arena, outcome, err);
}

static void collect_reads(struct compilation *c) {
  c->reads = (struct pawl_inputs){0};
  for (size_t i = 0; i < c->plan->unit_count; i++) {
    const struct pawl_build_unit *unit = &c->plan->units[i];
    PAWL_CLEANUP(pawl_free_pointer) char *source = pawl_path_join(c->plan->tree, unit->source);
    pawl_inputs_add(&c->reads, c->arena, PAWL_INPUT_FILE, source);
    for (size_t j = 0; j < c->lists[i].count; j++)
      pawl_inputs_add(&c->reads, c->arena, PAWL_INPUT_FILE, c->lists[i].items[j].path);
  }
  c->compiled = c->reads.count;
  pawl_trace_read(c->plan, &c->reads, c->arena);
  pawl_linker_scripts_read(c->plan, &c->flags.all, c->compiled, &c->reads, c->arena);
}

static bool reads_by_assembler(const struct compilation *c) {
  for (size_t i = 0; i < c->compiled; i++)
    if (pawl_file_table_look(c->look.known->table, c->reads.items[i].path).assembler) return true;
  return false;
}

enum compile_edit { EDIT_NONE, EDIT_BY_COMPILER, EDIT_ELSEWHERE, EDIT_OF_INPUT };

static bool tree_changed(const struct compilation *c, const struct pawl_snapshot *before) {
  struct pawl_snapshot after;
  const bool changed =
      pawl_snapshot_take(&after, c->plan->tree, c->mark, true, &c->look, NULL) != PAWL_OK ||
      !pawl_snapshot_equal(before, &after);
  pawl_snapshot_clear(&after);
  return changed;
}

/* Finds a change while the compilers ran. ELSEWHERE: a file came or went, or a file changed that an
   assembler may have read. BY_COMPILER: a script that compiles may have read or written a file. */
static enum compile_edit find_edit(const struct compilation *c, const struct pawl_snapshot *before,
                                   const char **path) {
  for (size_t i = 0; i < c->reads.count; i++) {
    *path = c->reads.items[i].path;
    PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(*path);
    if (!real || !pawl_snapshot_holds(before, real)) return EDIT_OF_INPUT;
  }
  const enum compile_edit elsewhere =
      c->opaque && !c->assembler ? EDIT_BY_COMPILER : EDIT_ELSEWHERE;
  *path = pawl_inputs_changed(&c->flags.all, &c->look);
  if (!*path) *path = pawl_inputs_changed(&c->back_end, &c->look);
  if (*path) return pawl_is_folder(*path) ? elsewhere : EDIT_OF_INPUT;
  *path = c->plan->tree;
  return c->opaque && tree_changed(c, before) ? elsewhere : EDIT_NONE;
}

/* Adds the names of files in hidden folders if a source may include one, because such a file may
   appear. */
static void add_hidden_names(const struct compilation *c, struct pawl_inputs *out) {
  const struct pawl_path_use use = path_use(c, &c->reads, c->compiled);
  const char *root = use.above ? c->plan->box.top : c->plan->tree;
  if (use.hidden)
    pawl_inputs_add(out, c->arena, PAWL_INPUT_ALL_NAMES, root);
  else
    pawl_inputs_add(out, c->arena, PAWL_INPUT_NAMES, root);
  if (sees_user_files(c)) pawl_inputs_add(out, c->arena, PAWL_INPUT_NAMES, c->plan->box.user_top);
}

/* Lists each folder of a header outside the tree, because another header may appear there. */
static pawl_status write_record(struct compilation *c, struct pawl_error *err) {
  struct pawl_inputs all = c->flags.all;
  for (size_t i = 0; i < c->reads.count; i++)
    pawl_inputs_add(&all, c->arena, PAWL_INPUT_FILE, c->reads.items[i].path);
  for (size_t i = 0; i < c->reads.count; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(c->reads.items[i].path);
    const char *probe = pawl_arena_printf(c->arena, "%s/x", folder);
    if (!pawl_tree_visits(c->plan->tree, c->look.skipped, probe))
      pawl_inputs_add(&all, c->arena, PAWL_INPUT_LISTING, folder);
  }
  for (size_t i = 0; i < c->back_end.count; i++)
    pawl_inputs_add(&all, c->arena, c->back_end.items[i].kind, c->back_end.items[i].path);
  if (c->opaque)
    pawl_inputs_add(&all, c->arena, PAWL_INPUT_CONTENTS, opaque_folder(c, &c->reads, c->compiled));
  add_hidden_names(c, &all);
  pawl_inputs_take(&all, &c->look);
  return pawl_inputs_write(&all, c->record, err);
}

/* The answers of the last build hold while no program and no folder of the record has changed. */
static pawl_status find_back_end(struct compilation *c, struct pawl_error *err) {
  struct pawl_inputs files = {0};
  bool names;
  c->back_end = (struct pawl_inputs){0};
  if (list_changed(c, &files, &names) && pawl_inputs_read(&c->back_end, c->arena, c->plan->answers))
    return PAWL_OK;
  c->back_end = (struct pawl_inputs){0};
  PAWL_TRY(pawl_back_end_find(c->plan, c->options, &c->look, &c->flags.all, c->arena, &c->back_end,
                              err));
  return pawl_inputs_write(&c->back_end, c->plan->answers, err);
}

static pawl_status compile_begin(struct compilation *c, struct pawl_snapshot *before,
                                 struct pawl_error *err) {
  pawl_flag_inputs_find(c->plan, &c->look, c->arena, &c->flags);
  c->opaque |= c->flags.opaque || c->flags.assembler;
  c->assembler |= c->flags.assembler;
  PAWL_TRY(pawl_snapshot_take(before, c->plan->tree, c->mark, c->opaque, &c->look, err));
  pawl_inputs_take(&c->flags.all, &c->look);
  return find_back_end(c, err);
}

static pawl_status try_once(struct compilation *c, struct pawl_ninja_outcome *outcome,
                            enum compile_edit *edit, const char **path, struct pawl_error *err) {
  struct pawl_snapshot before = {0};
  enum pawl_status_code status = compile_begin(c, &before, err);
  if (status == PAWL_OK) status = compile_run_once(c, outcome, err);
  if (status == PAWL_OK) {
    collect_reads(c);
    pawl_known_inputs_look_again(c->look.known);
    pawl_snapshot_recall_names(&before);
    *edit = find_edit(c, &before, path);
  }
  pawl_snapshot_clear(&before);
  return status;
}

/* Runs the compilers until no input changes meanwhile. If other files of the tree change all the
   time, it keeps no record, so the next build compiles again. */
static pawl_status compile_all(struct compilation *c, const char *what,
                               struct pawl_ninja_outcome *outcome, struct pawl_error *err) {
  enum compile_edit edit = EDIT_NONE;
  const char *path = NULL;
  for (int tries = 0; tries < MOST_TRIES; tries++) {
    PAWL_TRY(try_once(c, outcome, &edit, &path, err));
    const bool anew = !c->opaque && reads_by_assembler(
                                        c); /* the inputs changed, so the objects need other keys */
    if (edit == EDIT_NONE && !anew) {
      keep_objects(c);
      return outcome->built && !c->unlisted ? write_record(c, err) : PAWL_OK;
    }
    c->last.count = 0; /* the next try compiles all */
    if (edit == EDIT_BY_COMPILER) return PAWL_OK;
    if (anew) c->opaque = c->assembler = true;
    if (edit == EDIT_NONE) continue;
    pawl_log_detail(c->options->log, "%s: '%s' changed meanwhile; pawl compiles again", what, path);
  }
  if (edit != EDIT_OF_INPUT) return PAWL_OK;
  return pawl_fail(err, PAWL_TRY_AGAIN,
                   "%s: '%s' changes whenever pawl compiles it; end the program that writes there",
                   what, path);
}

pawl_status pawl_compile(const struct pawl_build_plan *plan, const char *what,
                         const struct pawl_build_options *options, struct pawl_arena *arena,
                         struct pawl_ninja_outcome *outcome, struct pawl_error *err) {
  struct pawl_build_plan own = *plan; /* for its view of the tree */
  struct compilation c = {.plan = &own, .options = options, .arena = arena};
  c.look = pawl_input_look_make(&options->compilers->inputs, options->cache_folder,
                                options->output_folder, options->seal_key);
  c.record = plan->record;
  c.mark = pawl_arena_printf(arena, "%s/" MARK, plan->folder);
  pawl_flag_inputs_find(plan, &c.look, arena, &c.flags);
  c.keys = pawl_arena_alloc(arena, plan->unit_count, sizeof *c.keys);
  c.lists = pawl_arena_alloc(arena, plan->unit_count, sizeof *c.lists);
  *outcome = (struct pawl_ninja_outcome){.built = true, .diagnostics = ""};
  if (is_up_to_date(&c)) return PAWL_OK;
  PAWL_TRY(pawl_ignored_show(&own.box, err));
  PAWL_TRY(compile_all(&c, what, outcome, err));
  return pawl_remove_tree(c.mark, err);
}
