/* SPDX-License-Identifier: Apache-2.0 */
#include "build/plan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/hex.h"
#include "build/code_elf.h"
#include "build/ignored.h"
#include "build/outside.h"
#include "build/toolchain.h"
#include "build/tools.h"

#define MOST_FILES 512 /* the most files of a folder that pawl compares with a misspelt source */

static bool has_control_character(const char *word) {
  for (const char *p = word; *p; p++) {
    if ((unsigned char)*p < 0x20 || *p == 0x7f) return true;
  }
  return false;
}

static bool is_identifier(const char *name) {
  if (!isalpha((unsigned char)*name) && *name != '_') return false;
  for (const char *p = name; *p; p++) {
    if (!isalnum((unsigned char)*p) && *p != '_') return false;
  }
  return true;
}

pawl_status pawl_build_params(const struct pawl_param_value *params, size_t count,
                              const struct pawl_build_options *options, const char *what,
                              struct pawl_arena *arena, struct pawl_param_value **out,
                              size_t *out_count, struct pawl_error *err) {
  struct pawl_param_value *all =
      pawl_arena_alloc(arena, count + options->override_count + 1, sizeof *all);
  size_t used = 0;
  for (size_t i = 0; i < count + options->override_count; i++) {
    const struct pawl_param_value param = i < count ? params[i] : options->overrides[i - count];
    if (!is_identifier(param.name))
      return pawl_fail(err, PAWL_CONFIG,
                       "%s: '%s' is not a valid parameter name; it must be a C identifier", what,
                       param.name);
    if (has_control_character(param.value))
      return pawl_fail(
          err, PAWL_CONFIG,
          "%s: the value of the parameter '%s' contains a line break or another control character",
          what, param.name);
    size_t slot = 0;
    while (slot < used && strcmp(all[slot].name, param.name) != 0) slot++;
    all[slot] = param;
    if (slot == used) used++;
  }
  *out = all;
  *out_count = used;
  return PAWL_OK;
}

/* A command line passes through Ninja and /bin/sh, where pawl can quote any word without a line
   break. nvcc gives its words to another shell in double quotes, where '$' and '`' would have an
   effect. */
static pawl_status check_word(const char *word, bool nvcc, const char *what,
                              struct pawl_error *err) {
  if (has_control_character(word))
    return pawl_fail(err, PAWL_CONFIG,
                     "%s: '%s' contains a line break or another control character", what, word);
  if (nvcc && strpbrk(word, "$`\\"))
    return pawl_fail(err, PAWL_CONFIG,
                     "%s: '%s' contains '$', '`' or '\\', which nvcc passes to a shell; put it "
                     "into the source instead",
                     what, word);
  return PAWL_OK;
}

/* Returns the path for the compiler. It is relative inside the tree, so that worktrees share
   objects. */
static const char *tree_path(const char *path, const struct pawl_build_box *box,
                             struct pawl_arena *arena) {
  const char *tree = box->tree;
  const size_t length = strlen(tree);
  if (pawl_starts_with(path, tree) && path[length] == '/') path += length + 1;
  while (pawl_starts_with(path, "./")) path += 2;
  if (!*path) path = ".";
  if (*path == '/') path = pawl_box_seen(box, path);
  return *path == '-' ? pawl_arena_printf(arena, "./%s", path) : pawl_arena_copy(arena, path);
}

/* Returns a file of the same folder with a similar name, or NULL if there is none. */
static const char *nearest_file(const char *path, struct pawl_arena *arena) {
  const char *names[MOST_FILES];
  size_t count = 0;
  PAWL_CLEANUP(pawl_free_pointer) char *parent = pawl_path_folder(path);
  DIR *folder = opendir(parent);
  for (struct dirent *entry; folder && count < MOST_FILES && (entry = readdir(folder));)
    names[count++] = pawl_arena_copy(arena, entry->d_name);
  if (folder) closedir(folder);
  const char *slash = strrchr(path, '/');
  return pawl_nearest(slash ? slash + 1 : path, names, count);
}

/* Finds our path of a file that the suite names. Git may ignore it, so that only the user has it.
 */
static pawl_status find_file(struct pawl_build_box *box, const char *name, const char **path,
                             struct pawl_error *err) {
  *path = pawl_box_found(box, name);
  if (!pawl_file_absent(*path)) return PAWL_OK;
  PAWL_TRY(pawl_ignored_show(box, err));
  *path = pawl_box_found(box, name);
  return PAWL_OK;
}

static pawl_status check_source(const char *source, struct pawl_build_box *box,
                                const struct pawl_recipe *recipe,
                                const struct pawl_file_place *place, struct pawl_arena *arena,
                                struct pawl_error *err) {
  const char *path;
  PAWL_TRY(find_file(box, source, &path, err));
  if (pawl_is_regular(path) && pawl_box_holds(box, path)) return PAWL_OK;
  if (pawl_is_regular(path)) {
    pawl_fail(err, PAWL_CONFIG,
              "%s: the source '%s' is outside the repository, or a link to a file outside; move "
              "the file into the repository",
              recipe->what, path);
  } else if (pawl_file_exists(path)) {
    pawl_fail(err, PAWL_CONFIG, "%s: the source '%s' is not a regular file", recipe->what, path);
  } else {
    const char *nearest = nearest_file(path, arena);
    pawl_fail(err, PAWL_NO_INPUT, "%s: no source file '%s'%s", recipe->what, path,
              pawl_did_you_mean(nearest, arena));
  }
  return pawl_file_place_prefix(place, err);
}

struct draft {
  const struct pawl_recipe *recipe;
  const struct pawl_build_options *options;
  struct pawl_arena *arena;
  struct pawl_build_plan *plan;
  struct pawl_words toolchains; /* the distinct versions */
  struct pawl_hasher key;
  const char *linker; /* NULL: the compiler of the highest-ranking language */
  enum pawl_language linker_language;
  bool linker_nvcc;
};

static void note_toolchain(struct draft *draft, const struct pawl_compiler *compiler) {
  for (size_t i = 0; i < draft->toolchains.count; i++) {
    if (!strcmp(draft->toolchains.items[i], compiler->version)) return;
  }
  pawl_words_add(&draft->toolchains, draft->arena, compiler->version);
}

/* Declares a folder outside the repository that the suite names. */
static pawl_status declare(struct draft *draft, const char *path, struct pawl_error *err) {
  if (*path != '/') return PAWL_OK;
  return pawl_box_declare(&draft->plan->box, path, draft->recipe->what, err);
}

/* Flags may name folders of headers and libraries, as `include_dirs` does, but no other file. */
static pawl_status declare_flags(struct draft *draft, const struct pawl_words *flags,
                                 struct pawl_error *err) {
  for (size_t i = 0; i < flags->count; i++) {
    const char *folder = pawl_outside_of_flag(i ? flags->items[i - 1] : "", flags->items[i]);
    if (pawl_is_folder(folder)) PAWL_TRY(declare(draft, folder, err));
  }
  return PAWL_OK;
}

/* Makes names in the machine code relative to the tree. Tools find the sources in our tree. */
static void add_prefix_map(struct draft *draft, struct pawl_words *command) {
  const struct pawl_build_box *box = &draft->plan->box;
  const char *seen = pawl_box_seen(box, box->tree);
  const bool tools = draft->options->line_info;
  pawl_words_printf(command, draft->arena, "-f%s-prefix-map=%s/=", tools ? "macro" : "file", seen);
  if (tools && box->moved)
    pawl_words_printf(command, draft->arena, "-fdebug-prefix-map=%s=%s", seen, box->tree);
}

static enum pawl_status_code refuse_outside(const struct draft *draft, const char *kind,
                                            const char *path, struct pawl_error *err) {
  return pawl_fail(err, PAWL_FAILED,
                   "%s does not build: the %s '%s' is outside of the repository, and the suite of "
                   "the base does not name it; name it there first",
                   draft->recipe->what, kind, path);
}

/* A compiler that the suite, CC or CXX names prints its version in the sandbox, where it has its
   own path. */
static pawl_status find_compiler(struct draft *draft, enum pawl_language language,
                                 struct pawl_compiler *out, struct pawl_error *err) {
  struct pawl_build_box *box = &draft->plan->box;
  const char *name = pawl_compiler_name(draft->recipe->compiler, language);
  const char *path = pawl_tool_find(name, draft->arena).path;
  const bool of_suite = path && draft->recipe->compiler && strchr(name, '/');
  if (of_suite && !pawl_box_may_show(box, path))
    return refuse_outside(draft, "compiler", name, err);
  PAWL_CLEANUP(pawl_free_pointer) char *real = path ? pawl_path_real(path) : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *place = path ? pawl_path_join(box->tree, name) : NULL;
  if (of_suite && real && box->sandbox && pawl_path_holds(box->top, place) &&
      !pawl_path_holds(box->top, real) && !pawl_outside_is_of_system(real))
    return pawl_fail(err, PAWL_CONFIG,
                     "%s: the compiler '%s' is a link to '%s' outside of the repository; name that "
                     "path",
                     draft->recipe->what, name, real);
  if (path) pawl_box_add_program(box, path);
  if (path && pawl_path_holds(box->top, path)) box->copy = NULL; /* it has its own path */
  struct pawl_build_box shown = *box;
  if (path) pawl_box_show_program(&shown, path);
  const struct pawl_sandbox sandbox = {.views = shown.views.items,
                                       .view_count = shown.views.count,
                                       .folder = box->tree,
                                       .required = box->required};
  PAWL_TRY(pawl_compiler_find(name, draft->options->compilers, box->sandbox ? &sandbox : NULL,
                              draft->arena, out, err));
  pawl_box_add_program(box, out->path);
  return PAWL_OK;
}

/* Adds the flags of the language, which are the user's or the defaults, and the flags of every
   build. */
static pawl_status add_flags(struct draft *draft, const struct pawl_compiler *compiler,
                             enum pawl_language language, struct pawl_words *command,
                             struct pawl_error *err) {
  struct pawl_words flags = {0};
  const struct pawl_recipe *recipe = draft->recipe;
  if (recipe->flags_given) {
    for (size_t i = 0; i < recipe->flags->count; i++)
      pawl_words_add(&flags, draft->arena, recipe->flags->items[i]);
  } else {
    pawl_default_flags(compiler, language, draft->arena, &flags);
  }
  for (size_t i = 0; i < flags.count; i++)
    PAWL_TRY(check_word(flags.items[i], compiler->nvcc, recipe->what, err));
  PAWL_TRY(declare_flags(draft, &flags, err));
  pawl_words_append(command, draft->arena, &flags);
  pawl_required_flags(compiler, &flags, draft->options->cuda_arch, draft->arena, command);
  if (draft->options->line_info && compiler->nvcc) {
    pawl_words_add(command, draft->arena, "-lineinfo");
    pawl_words_add(command, draft->arena, "-Xcompiler"); /* the code of its host */
  }
  if (draft->options->line_info) /* build/line_table.h reads this version */
    pawl_words_add(command, draft->arena, "-gdwarf-4");
  for (const char *const *flag = draft->options->check_flags; flag && *flag; flag++)
    pawl_words_add(command, draft->arena, *flag);
  return PAWL_OK;
}

/* nvcc splits the values of its options at commas, except at commas after a backslash. */
static const char *nvcc_value(const char *value, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (const char *p = value; *p; p++) {
    if (*p == ',') pawl_text_add(&text, "\\");
    pawl_text_add_bytes(&text, p, 1);
  }
  return pawl_arena_copy(arena, pawl_text_string(&text));
}

/* In the name of a folder, quotes protect commas, but a backslash does not. */
static void add_include_folder(const struct pawl_compiler *compiler, const char *folder,
                               struct pawl_arena *arena, struct pawl_words *command) {
  const bool quoted = compiler->nvcc && strchr(folder, ',');
  pawl_words_printf(command, arena, quoted ? "-I\"%s\"" : "-I%s", folder);
}

static bool is_relocatable(const struct pawl_words *command) {
  static const char *const options[] = {"-rdc=true", "--relocatable-device-code=true", "-dc",
                                        "--device-c"};
  for (size_t i = 0; i < command->count; i++) {
    for (size_t j = 0; j < PAWL_COUNT(options); j++)
      if (!strcmp(command->items[i], options[j])) return true;
    const bool apart = !strcmp(command->items[i], "-rdc") ||
                       !strcmp(command->items[i], "--relocatable-device-code");
    if (apart && i + 1 < command->count && !strcmp(command->items[i + 1], "true")) return true;
  }
  return false;
}

/* In relocatable code nvcc derives names from an external C++ function of the file. Without such a
   function it uses its process number, so each build has other names. pawl gives each file such a
   function. */
static pawl_status add_unit_function(struct draft *draft, struct pawl_build_unit *unit,
                                     struct pawl_error *err) {
  struct pawl_arena *arena = draft->arena;
  struct pawl_build_box *box = &draft->plan->box;
  static const char text[] =
      "#if defined PAWL_UNIT && defined __cplusplus\n"
      "__attribute__((visibility(\"hidden\"))) void PAWL_UNIT(void) {}\n#endif\n";
  const char *header = pawl_arena_printf(arena, "%s/build/unit.h", draft->options->cache_folder);
  char digits[PAWL_HASH_TEXT];
  if (!is_relocatable(&unit->command)) return PAWL_OK;
  if (!pawl_is_regular(header)) PAWL_TRY(pawl_file_write(header, text, sizeof text - 1, err));
  pawl_hash_format(pawl_hash_bytes(unit->source, strlen(unit->source)), digits);
  pawl_words_add(&unit->command, arena, "-include");
  pawl_box_add_file(box, header, "/pawl/unit.h");
  pawl_words_add(&unit->command, arena, pawl_box_seen(box, header));
  pawl_words_printf(&unit->command, arena, "-DPAWL_UNIT=pawl_unit_%s", digits);
  return PAWL_OK;
}

static pawl_status plan_unit(struct draft *draft, size_t index, struct pawl_build_unit *unit,
                             struct pawl_error *err) {
  const struct pawl_recipe *recipe = draft->recipe;
  struct pawl_arena *arena = draft->arena;
  const char *source = recipe->sources->items[index];
  const struct pawl_file_place place =
      recipe->source_places ? recipe->source_places[index] : (struct pawl_file_place){0};
  struct pawl_build_box *box = &draft->plan->box;
  enum pawl_language language;
  struct pawl_compiler compiler;
  PAWL_TRY(pawl_language_of(source, &language, err));
  PAWL_TRY(check_source(source, box, recipe, &place, arena, err));
  PAWL_TRY(find_compiler(draft, language, &compiler, err));
  note_toolchain(draft, &compiler);
  if (language >= draft->linker_language) {
    draft->linker = compiler.path, draft->linker_language = language,
    draft->linker_nvcc = compiler.nvcc;
  }
  unit->source = tree_path(source, box, arena);
  unit->nvcc = compiler.nvcc;
  PAWL_TRY(check_word(unit->source, compiler.nvcc, recipe->what, err));
  pawl_words_add(&unit->command, arena, pawl_box_seen(box, compiler.path));
  PAWL_TRY(add_flags(draft, &compiler, language, &unit->command, err));
  if (!compiler.nvcc) add_prefix_map(draft, &unit->command);
  for (size_t i = 0; i < recipe->include_dirs->count; i++) {
    PAWL_TRY(check_word(recipe->include_dirs->items[i], compiler.nvcc, recipe->what, err));
    PAWL_TRY(declare(draft, recipe->include_dirs->items[i], err));
    add_include_folder(&compiler, tree_path(recipe->include_dirs->items[i], box, arena), arena,
                       &unit->command);
  }
  if (draft->options->include_dir)
    add_include_folder(&compiler, tree_path(draft->options->include_dir, box, arena), arena,
                       &unit->command);
  if (compiler.nvcc) PAWL_TRY(add_unit_function(draft, unit, err));
  for (size_t i = 0; i < recipe->param_count; i++) {
    PAWL_TRY(check_word(recipe->params[i].value, compiler.nvcc, recipe->what, err));
    const char *value = recipe->params[i].value;
    pawl_words_printf(&unit->command, arena, "-D%s=%s", recipe->params[i].name,
                      compiler.nvcc ? nvcc_value(value, arena) : value);
  }
  pawl_words_hash(&unit->command, &draft->key);
  pawl_hasher_add_string(&draft->key, unit->source);
  return PAWL_OK;
}

static bool is_library_path(const char *library) {
  return strchr(library, '/') || pawl_ends_with(library, ".a") || pawl_ends_with(library, ".o") ||
         pawl_ends_with(library, ".so") || strstr(library, ".so.");
}

/* The suite may name a library of the machine, but a file of the repository must not lead out of
   the repository. */
static pawl_status show_library(struct draft *draft, const char *library, const char *path,
                                struct pawl_error *err) {
  struct pawl_build_box *box = &draft->plan->box;
  if (pawl_box_holds(box, path)) return PAWL_OK;
  if (*library != '/')
    return pawl_fail(err, PAWL_CONFIG,
                     "%s: the library '%s' is outside the repository; name its absolute path",
                     draft->recipe->what, path);
  if (!pawl_box_may_show(box, path)) return refuse_outside(draft, "library", library, err);
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  if (real) pawl_box_add_file(box, real, pawl_arena_copy(draft->arena, library));
  return PAWL_OK;
}

/* pawl copies a shared library that the suite gives by path beside the plug-in, which finds it by
   $ORIGIN. So the plug-in does not depend on its tree. finish_paths sets the paths in the build
   folder. */
static pawl_status plan_library(struct draft *draft, const char *library, struct pawl_words *link,
                                struct pawl_error *err) {
  struct pawl_build_plan *plan = draft->plan;
  struct pawl_arena *arena = draft->arena;
  PAWL_TRY(check_word(library, draft->linker_nvcc, draft->recipe->what, err));
  if (*library == '-') {
    pawl_words_add(link, arena, library);
    return PAWL_OK;
  }
  if (!is_library_path(library)) {
    pawl_words_printf(link, arena, "-l%s", library);
    return PAWL_OK;
  }
  const char *path;
  PAWL_TRY(find_file(&plan->box, library, &path, err));
  if (!pawl_file_exists(path))
    return pawl_fail(err, PAWL_NO_INPUT, "%s: no library '%s'", draft->recipe->what, path);
  PAWL_TRY(show_library(draft, library, path, err));
  const char *relative = tree_path(library, &plan->box, arena);
  if (!strstr(library, ".so")) {
    pawl_words_add(link, arena, relative);
    pawl_words_add(&plan->link_inputs, arena, relative);
    return PAWL_OK;
  }
  const char *name;
  PAWL_TRY(pawl_elf_soname(path, arena, &name, err));
  for (size_t i = 0; i < plan->copy_count; i++) {
    if (!strcmp(plan->copies[i].name, name))
      return pawl_fail(err, PAWL_CONFIG, "%s: two libraries have the name '%s'",
                       draft->recipe->what, name);
  }
  plan->copies[plan->copy_count++] = (struct pawl_library_copy){.from = relative, .name = name};
  pawl_words_printf(link, arena, "-l:%s", name);
  return PAWL_OK;
}

static pawl_status plan_link(struct draft *draft, struct pawl_words *libraries,
                             struct pawl_error *err) {
  const struct pawl_recipe *recipe = draft->recipe;
  struct pawl_words *link = &draft->plan->link;
  const struct pawl_compiler compiler = {.path = draft->linker, .nvcc = draft->linker_nvcc};
  pawl_words_add(link, draft->arena, pawl_box_seen(&draft->plan->box, draft->linker));
  PAWL_TRY(add_flags(draft, &compiler, draft->linker_language, link, err));
  pawl_words_add(link, draft->arena, "-shared");
  draft->plan->copies =
      pawl_arena_alloc(draft->arena, recipe->libs->count + 1, sizeof *draft->plan->copies);
  for (size_t i = 0; i < recipe->libs->count; i++)
    PAWL_TRY(plan_library(draft, recipe->libs->items[i], libraries, err));
  pawl_words_add(libraries, draft->arena, "-lm");
  /* the linker then reports a missing function before anything loads the plug-in */
  static const char *const linker_options[] = {"--trace", "-z", "defs", "-rpath", "$ORIGIN"};
  for (size_t i = 0; i < (draft->plan->copy_count ? 5 : 3); i++) {
    pawl_words_add(libraries, draft->arena, "-Xlinker");
    pawl_words_add(libraries, draft->arena,
                   linker_options[i]); /* nvcc also keeps the '$' of an option for the linker */
  }
  pawl_words_hash(link, &draft->key);
  pawl_words_hash(libraries, &draft->key);
  return PAWL_OK;
}

static void finish_paths(struct draft *draft, const struct pawl_words *libraries, const char *key) {
  struct pawl_build_plan *plan = draft->plan;
  struct pawl_arena *arena = draft->arena;
  plan->folder = pawl_arena_printf(arena, "%s/build/%s", draft->options->cache_folder, key);
  struct pawl_build_box *box = &plan->box;
  pawl_box_add_folder(box, plan->folder);
  plan->plugin = pawl_arena_printf(arena, "%s/plugin.so", plan->folder);
  plan->trace = pawl_arena_printf(arena, "%s/link.reads", plan->folder);
  plan->record = pawl_arena_printf(arena, "%s/inputs", plan->folder);
  plan->answers = pawl_arena_printf(arena, "%s/back-end", plan->folder);
  plan->linked = pawl_arena_printf(arena, "%s/plugin.so.new", plan->folder);
  for (size_t i = 0; i < plan->copy_count; i++) {
    plan->copies[i].to = pawl_arena_printf(arena, "%s/%s", plan->folder, plan->copies[i].name);
    pawl_words_add(&plan->link_inputs, arena, pawl_box_seen(box, plan->copies[i].to));
  }
  if (plan->copy_count)
    pawl_words_printf(&plan->link, arena, "-L%s", pawl_box_seen(box, plan->folder));
  pawl_words_add(&plan->link, arena, "-o");
  pawl_words_add(&plan->link, arena, pawl_box_seen(box, plan->linked));
  for (size_t i = 0; i < plan->unit_count; i++) {
    struct pawl_build_unit *unit = &plan->units[i];
    unit->object = pawl_arena_printf(arena, "%s/%zu.o", plan->folder, i);
    unit->deps = pawl_arena_printf(arena, "%s/%zu.d", plan->folder, i);
    unit->text = pawl_arena_printf(arena, "%s/%zu.i", plan->folder, i);
    pawl_words_add(&unit->command, arena, "-c");
    pawl_words_add(&unit->command, arena, unit->source);
    pawl_words_add(&unit->command, arena, "-o");
    pawl_words_add(&unit->command, arena, pawl_box_seen(box, unit->object));
    pawl_words_add(&plan->link, arena, pawl_box_seen(box, unit->object));
  }
  pawl_words_append(&plan->link, arena, libraries);
}

static void plan_environment(struct draft *draft) {
  struct pawl_build_plan *plan = draft->plan;
  struct pawl_arena *arena = draft->arena;
  pawl_words_add(&plan->environment, arena, "LC_ALL=C");
  pawl_words_add(&plan->environment, arena,
                 "SOURCE_DATE_EPOCH=0"); /* makes __DATE__ the same in every build */
  pawl_box_add_variables(&plan->box, &plan->environment);
}

static pawl_status check_arch(const char *arch, struct pawl_error *err) {
  const char *number = arch + 3;
  const size_t digits = pawl_starts_with(arch, "sm_") ? strspn(number, "0123456789") : 0;
  if (digits < 2 || digits > 4 || strspn(number + digits, "af") != strlen(number + digits) ||
      strlen(number) > digits + 1)
    return pawl_fail(err, PAWL_USAGE, "'%s' is not a CUDA architecture; write sm_80 or sm_90a",
                     arch);
  return PAWL_OK;
}

/* The list of mounts tells a source the name of the build's folder. So the name also depends on
   random digits, which no source can know. */
static pawl_status add_secret(struct draft *draft, struct pawl_error *err) {
  const char *path =
      pawl_arena_printf(draft->arena, "%s/build/names", draft->options->cache_folder);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  unsigned char drawn[16];
  if (pawl_file_absent(path)) { /* another build may draw at once, and the first link stays */
    char digits[2 * sizeof drawn + 1];
    PAWL_TRY(pawl_entropy(drawn, sizeof drawn, err));
    pawl_hex_format(drawn, sizeof drawn, digits);
    const char *own = pawl_arena_printf(draft->arena, "%s-%s", path, digits);
    PAWL_TRY(pawl_file_write(own, digits, sizeof digits - 1, err));
    /* some file systems have no links */
    if (link(own, path) && errno != EEXIST) (void)!rename(own, path);
    unlink(own);
  }
  PAWL_TRY(pawl_file_read(path, 2 * sizeof drawn, &text, err));
  pawl_hasher_add_string(&draft->key, pawl_text_string(&text));
  return PAWL_OK;
}

static pawl_status make_draft(struct draft *draft, struct pawl_error *err) {
  const struct pawl_recipe *recipe = draft->recipe;
  struct pawl_build_plan *plan = draft->plan;
  const struct pawl_hash environment = pawl_compile_environment();
  pawl_hasher_add(&draft->key, &environment, sizeof environment);
  pawl_hasher_add_string(&draft->key, plan->tree);
  PAWL_TRY(add_secret(draft, err));
  const char *ninja = pawl_tool_find("ninja", draft->arena).path;
  if (ninja) pawl_box_add_program(&plan->box, ninja);
  plan->unit_count = recipe->sources->count;
  plan->units = pawl_arena_alloc(draft->arena, plan->unit_count, sizeof *plan->units);
  for (size_t i = 0; i < plan->unit_count; i++) PAWL_TRY(plan_unit(draft, i, &plan->units[i], err));
  struct pawl_words libraries = {0};
  PAWL_TRY(plan_link(draft, &libraries, err));
  pawl_words_hash(&draft->toolchains, &draft->key);
  struct pawl_hasher key = draft->key;
  char text[PAWL_HASH_TEXT];
  pawl_hash_format(pawl_hasher_finish(&key), text);
  draft->key.state = NULL;
  finish_paths(draft, &libraries, text);
  plan_environment(draft);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text toolchain = {0};
  for (size_t i = 0; i < draft->toolchains.count; i++)
    pawl_text_printf(&toolchain, "%s%s", i ? "; " : "", draft->toolchains.items[i]);
  plan->toolchain = pawl_arena_copy(draft->arena, pawl_text_string(&toolchain));
  return PAWL_OK;
}

pawl_status pawl_build_plan_make(const struct pawl_recipe *recipe,
                                 const struct pawl_build_options *options, struct pawl_arena *arena,
                                 struct pawl_build_plan *out, struct pawl_error *err) {
  PAWL_ASSERT(recipe->kind == PAWL_FROM_SOURCES && options->cuda_arch);
  if (!recipe->sources->count)
    return pawl_fail(err, PAWL_CONFIG, "%s has no sources", recipe->what);
  if (strchr(options->folder, '\n'))
    return pawl_fail(err, PAWL_CONFIG,
                     "'%s' has a line break in its name, which Ninja does not support: rename it",
                     options->folder);
  PAWL_TRY(check_arch(options->cuda_arch, err));
  struct pawl_build_plan plan = {.tree = options->folder};
  pawl_box_make(&plan.box, options, false, arena);
  struct draft draft = {.recipe = recipe, .options = options, .arena = arena, .plan = &plan};
  pawl_hasher_init(&draft.key);
  const enum pawl_status_code status = make_draft(&draft, err);
  if (draft.key.state) pawl_hasher_finish(&draft.key);
  if (status == PAWL_OK) *out = plan;
  return status;
}
