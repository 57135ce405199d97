/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "build/build_command.h"
#include "build/build_seal.h"
#include "build/command_inputs.h"
#include "build/compile.h"
#include "build/identity.h"
#include "build/named_files.h"
#include "build/ninja.h"
#include "build/plan.h"
#include "build/reads.h"
#include "build/tree_copy.h"
#include "device/backends.h"

#define FALLBACK_ARCH "sm_80"
#define LOOK_SECONDS 0.1 /* between two looks at the jobs */
#define HIDDEN "a build sees only the repository, the compiler's folders and 'include_dirs'"

/* Fills absolute paths and defaults into the options that the caller gave. */
static pawl_status complete_options(const struct pawl_build_options *given,
                                    const struct pawl_recipe *recipe, struct pawl_arena *arena,
                                    struct pawl_build_options *out, struct pawl_error *err) {
  struct pawl_build_options options = *given;
  PAWL_CLEANUP(pawl_free_pointer) char *tree = pawl_path_real(given->folder);
  if (!tree)
    return pawl_fail(err, PAWL_NO_INPUT, "%s: no folder '%s'", recipe->what, given->folder);
  PAWL_CLEANUP(pawl_free_pointer) char *build = pawl_path_join(given->cache_folder, "build");
  PAWL_TRY(pawl_make_folders(build, err));
  PAWL_CLEANUP(pawl_free_pointer) char *cache = pawl_path_real(given->cache_folder);
  if (!cache)
    return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make the folder '%s'", given->cache_folder);
  options.folder = pawl_arena_copy(arena, tree);
  options.cache_folder = pawl_arena_copy(arena, cache);
  if (given->include_dir) {
    PAWL_CLEANUP(pawl_free_pointer) char *include = pawl_path_real(given->include_dir);
    if (!include)
      return pawl_fail(err, PAWL_NO_INPUT, "no folder of headers '%s'", given->include_dir);
    options.include_dir = pawl_arena_copy(arena, include);
  }
  if (!options.cuda_arch && !recipe->cuda)
    options.cuda_arch = FALLBACK_ARCH; /* nothing uses it then */
  if (!options.cuda_arch) {
    struct pawl_device *devices = NULL;
    int count = 0;
    const char *reason;
    const struct pawl_device_backend *backend = pawl_device_backend(PAWL_CUDA);
    const bool listed =
        backend && backend->list(NULL, arena, &devices, &count, &reason, NULL) == PAWL_OK;
    options.cuda_arch = listed && count > 0 && devices[0].arch ? devices[0].arch : FALLBACK_ARCH;
  }
  *out = options;
  return PAWL_OK;
}

/* The files that a plug-in reads when it runs decide what it computes, and how fast. */
static void add_named_files(const char *plugin, const char *tree, char hash[PAWL_HASH_TEXT]) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, hash);
  const bool any = pawl_named_files_hash(plugin, tree, &hasher);
  const struct pawl_hash both = pawl_hasher_finish(&hasher);
  if (any) pawl_hash_format(both, hash);
}

/* Adds the identity. If pawl cannot read it from the plug-in, the build fails. */
static pawl_status identify(const struct pawl_recipe *recipe,
                            const struct pawl_build_options *options, struct pawl_arena *arena,
                            struct pawl_build_result *result, const char **diagnostics,
                            struct pawl_error *err) {
  char hash[PAWL_HASH_TEXT];
  /* the machine code holds the parameters of sources, but a build command may use them for files
     beside it */
  const bool compiled = recipe->kind == PAWL_FROM_SOURCES;
  const char *tree = options->folder;
  const struct pawl_input_look look = pawl_input_look_make(
      &options->compilers->inputs, options->cache_folder, NULL, options->seal_key);
  const struct pawl_code_origin origin = {result->toolchain, recipe->params,
                                          compiled ? 0 : recipe->param_count, tree,
                                          look.known->table};
  struct pawl_error cause = {0};
  const enum pawl_status_code status = pawl_code_identity(result->plugin, &origin, hash, &cause);
  if (status == PAWL_BAD_DATA || status == PAWL_FAILED) {
    *diagnostics = pawl_arena_copy(arena, cause.message);
    return pawl_fail(err, PAWL_FAILED, "%s did not build: %s", recipe->what, cause.message);
  }
  if (status != PAWL_OK) return pawl_fail(err, status, "%s", cause.message);
  add_named_files(result->plugin, tree, hash);
  result->code_hash = pawl_arena_copy(arena, hash);
  result->opens_files = pawl_opens_files(result->plugin, tree);
  if (!recipe->cuda) return PAWL_OK;
  return pawl_device_functions(result->plugin, arena, &result->functions, &result->function_count,
                               err);
}

/* Returns the first output line of a compiler or linker that names an error. The lines before it
   give the place. */
static const char *first_error(const char *diagnostics) {
  for (const char *line = diagnostics; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    if (pawl_starts_with(line, "collect2:"))
      continue; /* this line only reports that the linker failed */
    if (memmem(line, length, "error:", 6) || memmem(line, length, "undefined reference", 19) ||
        memmem(line, length, "cannot find", 11) || memmem(line, length, "ptxas error", 11) ||
        memmem(line, length, "ptxas fatal", 11))
      return line;
    const char *assembler =
        memmem(line, length, "Error: ", 7); /* the name of a temporary file precedes it */
    if (assembler) return assembler;
  }
  return diagnostics;
}

/* Executes the plan. */
static pawl_status run_plan(const struct pawl_recipe *recipe,
                            const struct pawl_build_options *options,
                            const struct pawl_build_plan *plan, struct pawl_arena *arena,
                            struct pawl_build_result *result, const char **diagnostics,
                            struct pawl_error *err) {
  struct pawl_ninja_outcome outcome;
  PAWL_TRY(pawl_compile(plan, recipe->what, options, arena, &outcome, err));
  if (!outcome.built) {
    *diagnostics = outcome.diagnostics;
    const char *words = first_error(outcome.diagnostics);
    const char *line = pawl_arena_printf(arena, "%.*s", (int)strcspn(words, "\n"), words);
    const bool hidden = pawl_box_hides(&plan->box, line);
    const bool missing = hidden || strstr(line, "No such file") || strstr(line, "not found");
    const char *link = missing ? pawl_box_hidden_link(&plan->box) : NULL;
    const char *hint = link ? link : hidden ? HIDDEN : NULL;
    if (hint) *diagnostics = pawl_arena_printf(arena, "%s%s\n", outcome.diagnostics, hint);
    return pawl_fail(err, PAWL_FAILED, "%s does not build: %s%s%s", recipe->what, line,
                     hint ? "; " : "", hint ? hint : "");
  }
  if (*outcome.diagnostics)
    pawl_log_info(options->log, "%s: %s", recipe->what, outcome.diagnostics);
  result->compiles = outcome.compiles;
  result->cache_hits = outcome.cache_hits;
  return PAWL_OK;
}

/* Waits for another build in the same folder, until the jobs are to end. */
static pawl_status lock_folder(const struct pawl_build_options *options, const char *path,
                               struct pawl_lock *out, struct pawl_error *err) {
  double left = pawl_budget_limit(options->timeout_seconds);
  for (;;) {
    if (pawl_jobs_are_stopping(options->jobs)) left = 0;
    const enum pawl_status_code status =
        pawl_lock_acquire(out, path, fmin(left, LOOK_SECONDS), err);
    left -= LOOK_SECONDS;
    if (status != PAWL_TRY_AGAIN || !(left > 0)) return status;
  }
}

static pawl_status build_sources(const struct pawl_recipe *recipe,
                                 const struct pawl_build_options *options, struct pawl_arena *arena,
                                 struct pawl_build_result *result, const char **diagnostics,
                                 struct pawl_error *err) {
  struct pawl_build_plan plan;
  PAWL_TRY(pawl_build_plan_make(recipe, options, arena, &plan, err));
  PAWL_TRY(pawl_make_folders(plan.folder, err));
  PAWL_CLEANUP(pawl_free_pointer) char *lock_path = pawl_path_join(plan.folder, "lock");
  PAWL_CLEANUP(pawl_lock_release) struct pawl_lock lock = {.fd = -1};
  PAWL_TRY(lock_folder(options, lock_path, &lock, err));
  result->plugin = plan.plugin;
  result->toolchain = plan.toolchain;
  if (recipe->cuda) result->cuda_arch = options->cuda_arch;
  result->command = pawl_box_plain(&plan.box, pawl_words_join(&plan.units[0].command, arena));
  pawl_log_detail(options->log, "%s: %s", recipe->what, result->command);
  PAWL_TRY(pawl_build_trust(&plan, recipe->what, options, arena, err));
  const enum pawl_status_code status =
      run_plan(recipe, options, &plan, arena, result, diagnostics, err);
  if (status != PAWL_OK && status != PAWL_FAILED) return status;
  PAWL_TRY(pawl_build_seal(
      &plan, options, status == PAWL_OK ? err : NULL)); /* the objects without an error are good */
  if (status != PAWL_OK) return status;
  result->files = pawl_build_files(&plan, options->seal_key, arena);
  return identify(recipe, options, arena, result, diagnostics, err);
}

/* Returns params and facts for a build script as environment variables. */
static struct pawl_words command_environment(const struct pawl_recipe *recipe,
                                             const struct pawl_build_box *box,
                                             const struct pawl_build_options *options,
                                             struct pawl_arena *arena) {
  struct pawl_words environment = {0};
  for (size_t i = 0; i < recipe->param_count; i++)
    pawl_words_printf(&environment, arena, "PAWL_PARAM_%s=%s", recipe->params[i].name,
                      recipe->params[i].value);
  pawl_words_printf(&environment, arena, "PAWL_INCLUDE_DIR=%s",
                    options->include_dir ? pawl_box_seen(box, options->include_dir) : "");
  pawl_words_printf(&environment, arena, "PAWL_CUDA_ARCH=%s", options->cuda_arch);
  pawl_words_add(&environment, arena, "SOURCE_DATE_EPOCH=0");
  pawl_box_add_variables(box, &environment);
  return environment;
}

/* The folder of one command, tree and set of params. All sets of params share `lock`, because they
   build in one place. */
static void command_folders(const struct pawl_recipe *recipe,
                            const struct pawl_build_options *options, struct pawl_arena *arena,
                            const char **folder, const char **lock) {
  char key[PAWL_HASH_TEXT], shared[PAWL_HASH_TEXT];
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, options->folder);
  pawl_hash_format(pawl_hasher_finish(&hasher), shared);
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, options->folder);
  pawl_hasher_add_string(&hasher, recipe->build_output);
  for (size_t i = 0; i < recipe->build_command->count; i++)
    pawl_hasher_add_string(&hasher, recipe->build_command->items[i]);
  for (size_t i = 0; i < recipe->param_count; i++) {
    pawl_hasher_add_string(&hasher, recipe->params[i].name);
    pawl_hasher_add_string(&hasher, recipe->params[i].value);
  }
  pawl_hash_format(pawl_hasher_finish(&hasher), key);
  *folder = pawl_arena_printf(arena, "%s/build/%s", options->cache_folder, key);
  *lock = pawl_arena_printf(arena, "%s/build/%s.lock", options->cache_folder, shared);
}

/* Returns the absolute path of the output of the command. */
static const char *command_output(const struct pawl_recipe *recipe,
                                  const struct pawl_build_options *options, const char *made,
                                  struct pawl_arena *arena) {
  if (made) return pawl_arena_printf(arena, "%s/made", made);
  PAWL_CLEANUP(pawl_free_pointer)
  char *output = pawl_path_join(options->folder, recipe->build_output);
  return pawl_arena_copy(arena, output);
}

/* Runs the command in its other arguments, then keeps the file $1 as $2, because a sandbox loses
   all other files. */
static const char keep_output[] =
    "out=$1 kept=$2; shift 2; \"$@\" || exit; [ ! -f \"$out\" ] || cp -fL -- \"$out\" \"$kept\"";

static pawl_status run_command(const struct pawl_recipe *recipe, const struct pawl_build_box *box,
                               const struct pawl_build_options *options, const char *folder,
                               const char *output, struct pawl_arena *arena,
                               const char **diagnostics, struct pawl_error *err) {
  struct pawl_words argv = {0};
  const struct pawl_words environment = command_environment(recipe, box, options, arena);
  const struct pawl_strings *given = recipe->build_command;
  if (!given->count)
    return pawl_fail(err, PAWL_CONFIG, "%s has an empty build command", recipe->what);
  const char *const keep[] = {
      "/bin/sh", "-c", keep_output, "sh", recipe->build_output, pawl_box_seen(box, output)};
  for (size_t i = 0; box->sandbox && i < PAWL_COUNT(keep); i++)
    pawl_words_add(&argv, arena, keep[i]);
  const char *program = given->items[0];
  if (strchr(program, '/')) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(options->folder, program);
    program = pawl_box_seen(box, pawl_arena_copy(arena, path));
  }
  pawl_words_add(&argv, arena, program);
  for (size_t i = 1; i < given->count; i++) pawl_words_add(&argv, arena, given->items[i]);
  const char *log = pawl_arena_printf(arena, "%s/output.log", folder);
  struct pawl_exit how = {0};
  const struct pawl_build_command command = {
      box,          argv.items, environment.items, options->folder, log, options->timeout_seconds,
      options->jobs};
  PAWL_TRY(pawl_build_command_run(&command, &how, err));
  if (!how.timed_out && how.status == 0) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text ended = {0};
  PAWL_TRY(pawl_build_output_read(log, PAWL_DIAGNOSTICS_LIMIT, &words, err));
  pawl_exit_describe(&how, &ended);
  const char *ignored = pawl_tree_ignored(box, pawl_text_string(&words), arena);
  *diagnostics = pawl_arena_printf(
      arena, "%s%s %s\n%s%s", pawl_box_words(box, pawl_text_string(&words)),
      pawl_box_words(box, program), ended.data, ignored ? ignored : "", ignored ? "\n" : "");
  return pawl_fail(err, PAWL_FAILED, "%s does not build: its build command %s", recipe->what,
                   ended.data);
}

/* Copies the output to its place in the tree, as if the command had written there. */
static pawl_status place_output(const struct pawl_recipe *recipe, const struct pawl_build_box *box,
                                const char *output, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(box->tree, recipe->build_output);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(path);
  if (!pawl_box_may_place(box, recipe->build_output))
    return pawl_fail(err, PAWL_CONFIG,
                     "%s: `output` is '%s': it leads out of the repository, through a link, or "
                     "into a folder of git's or pawl's own",
                     recipe->what, recipe->build_output);
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_TRY(pawl_file_clear_place(path, err));
  return pawl_copy_file(output, path, err);
}

static void remove_made(const char **folder) {
  if (*folder && pawl_remove_tree(*folder, NULL) != PAWL_OK) {
    /* a leftover folder does no harm */
  }
}

/* The user's command builds in the tree. pawl copies its output out of the tree, because the next
   set of params overwrites it. In a sandbox the command leaves its output in a new folder, whose
   name and contents do not tell which version it builds. */
static pawl_status build_by_command(const struct pawl_recipe *recipe,
                                    const struct pawl_build_options *options,
                                    struct pawl_arena *arena, struct pawl_build_result *result,
                                    const char **diagnostics, struct pawl_error *err) {
  const char *folder, *lock_path;
  command_folders(recipe, options, arena, &folder, &lock_path);
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_CLEANUP(pawl_lock_release) struct pawl_lock lock = {.fd = -1};
  PAWL_TRY(lock_folder(options, lock_path, &lock, err));
  const char *record = pawl_arena_printf(arena, "%s.inputs", lock_path);
  struct pawl_build_box box;
  pawl_box_make(&box, options, true, arena);
  pawl_box_add_path(&box);
  PAWL_CLEANUP(remove_made) const char *made = NULL;
  const char *place;
  if (box.sandbox && !pawl_make_temporary("made", arena, &place))
    return pawl_fail_errno(err, errno, "cannot make the folder '%s'", place);
  if (box.sandbox) made = place;
  if (made) pawl_box_add_folder(&box, made);
  const char *output = command_output(recipe, options, made, arena);
  pawl_command_inputs_touch(options, record);
  PAWL_TRY(run_command(recipe, &box, options, folder, output, arena, diagnostics, err));
  PAWL_TRY(pawl_command_inputs_keep(options, record, err));
  struct stat info;
  /* A link from a build could lead to a file that the build itself cannot read. */
  if ((box.sandbox ? lstat : stat)(output, &info) || !S_ISREG(info.st_mode)) {
    *diagnostics = pawl_arena_printf(arena, "the build command succeeded but made no file '%s'\n",
                                     recipe->build_output);
    return pawl_fail(err, PAWL_FAILED, "%s: its build command made no file '%s'; correct `output`",
                     recipe->what, recipe->build_output);
  }
  result->plugin = pawl_arena_printf(arena, "%s/plugin.so", folder);
  PAWL_TRY(pawl_copy_file(output, result->plugin, err));
  result->files = pawl_known_files_take(&result->plugin, 1, options->seal_key, arena);
  result->compiles = result->cache_hits = -1;
  if (recipe->cuda) result->cuda_arch = options->cuda_arch;
  struct pawl_words argv = {.items = recipe->build_command->items,
                            .count = recipe->build_command->count};
  result->command = pawl_words_join(&argv, arena);
  PAWL_TRY(identify(recipe, options, arena, result, diagnostics, err));
  return recipe->runs_in_tree && box.sandbox ? place_output(recipe, &box, output, err) : PAWL_OK;
}

/* Builds in a sandbox that the machine is expected to give. If it refuses, the plan names paths
   that no command sees. Then pawl makes another plan. */
static pawl_status build_in_sandbox(const struct pawl_recipe *recipe,
                                    const struct pawl_build_options *options,
                                    struct pawl_arena *arena, struct pawl_build_result *result,
                                    const char **words, struct pawl_error *err) {
  const bool expected = pawl_sandbox_expects_root();
  const bool compiled = recipe->kind == PAWL_FROM_SOURCES;
  const enum pawl_status_code status =
      (compiled ? build_sources : build_by_command)(recipe, options, arena, result, words, err);
  if (status != PAWL_TRY_AGAIN || !expected || pawl_sandbox_expects_root()) return status;
  if (err) *err = (struct pawl_error){0};
  *result = (struct pawl_build_result){0};
  return (compiled ? build_sources : build_by_command)(recipe, options, arena, result, words, err);
}

static pawl_status build(struct pawl_recipe *recipe, const struct pawl_param_value *params,
                         size_t param_count, const struct pawl_build_options *given,
                         struct pawl_arena *arena, struct pawl_build_result *out,
                         const char **diagnostics, struct pawl_error *err) {
  const int64_t start = pawl_clock_ns();
  struct pawl_build_options options;
  struct pawl_build_result result = {0};
  const char *words = NULL;
  enum pawl_status_code status = PAWL_OK;
  if (recipe->kind == PAWL_FROM_SOURCES || recipe->kind == PAWL_FROM_BUILD) {
    PAWL_TRY(complete_options(given, recipe, arena, &options, err));
    PAWL_TRY(pawl_build_params(params, param_count, &options, recipe->what, arena, &recipe->params,
                               &recipe->param_count, err));
    struct pawl_known_compilers own;
    pawl_known_compilers_init(&own);
    if (!options.compilers) options.compilers = &own;
    status = build_in_sandbox(recipe, &options, arena, &result, &words, err);
    pawl_known_compilers_clear(&own);
  }
  result.seconds = pawl_seconds_since(start);
  if (status == PAWL_FAILED) *diagnostics = words ? words : "";
  if (status == PAWL_OK) *out = result;
  return status;
}

static bool has_cuda_source(const struct pawl_strings *sources) {
  for (size_t i = 0; i < sources->count; i++) {
    if (pawl_ends_with(sources->items[i], ".cu")) return true;
  }
  return false;
}

static struct pawl_recipe kernel_recipe(const struct pawl_kernel_spec *spec,
                                        struct pawl_arena *arena) {
  return (struct pawl_recipe){.what = pawl_arena_printf(arena, "kernel '%s'", spec->name),
                              .kind = spec->kind,
                              .runs_in_tree = spec->command.count || spec->protocol.count,
                              .cuda = spec->device == PAWL_CUDA || has_cuda_source(&spec->sources),
                              .sources = &spec->sources,
                              .source_places = spec->source_places,
                              .include_dirs = &spec->include_dirs,
                              .flags = &spec->flags,
                              .libs = &spec->libs,
                              .build_command = &spec->build_command,
                              .flags_given = spec->flags_given,
                              .compiler = spec->compiler,
                              .build_output = spec->build_output};
}

pawl_status pawl_build_kernel(const struct pawl_kernel_spec *spec,
                              const struct pawl_build_options *options, struct pawl_arena *arena,
                              struct pawl_build_result *out, const char **diagnostics,
                              struct pawl_error *err) {
  struct pawl_recipe recipe = kernel_recipe(spec, arena);
  return build(&recipe, spec->params, spec->param_count, options, arena, out, diagnostics, err);
}

bool pawl_build_list_files(const struct pawl_kernel_spec *spec,
                           const struct pawl_build_options *given, struct pawl_arena *arena,
                           struct pawl_words *out) {
  struct pawl_recipe recipe = kernel_recipe(spec, arena);
  struct pawl_build_options options;
  struct pawl_build_plan plan;
  struct pawl_ninja_outcome outcome;
  struct pawl_inputs reads = {0};
  struct pawl_error why = {0}; /* the build reports it */
  PAWL_CLEANUP(pawl_lock_release) struct pawl_lock lock = {.fd = -1};
  pawl_sandbox_has_root(); /* only then the first plan names the right paths */
  if (complete_options(given, &recipe, arena, &options, &why) != PAWL_OK ||
      pawl_build_params(spec->params, spec->param_count, &options, recipe.what, arena,
                        &recipe.params, &recipe.param_count, &why) != PAWL_OK ||
      pawl_build_plan_make(&recipe, &options, arena, &plan, &why) != PAWL_OK ||
      pawl_make_folders(plan.folder, &why) != PAWL_OK ||
      lock_folder(&options, pawl_arena_printf(arena, "%s/lock", plan.folder), &lock, &why) !=
          PAWL_OK)
    return false;
  for (size_t i = 0; i < plan.unit_count; i++) { /* the seal covers the lists of the build */
    plan.units[i].deps = pawl_arena_printf(arena, "%s/%zu.list", plan.folder, i);
    plan.units[i].text = pawl_arena_printf(arena, "%s/%zu.list.i", plan.folder, i);
  }
  bool listed = pawl_ninja_list(&plan, &options, arena, &outcome, &why) == PAWL_OK;
  for (size_t i = 0; i < plan.unit_count; i++) {
    listed &= pawl_depfile_read(&plan, plan.units[i].deps, &reads, arena);
    unlink(plan.units[i].deps);
    unlink(plan.units[i].text);
  }
  for (size_t i = 0; i < reads.count; i++) pawl_words_add(out, arena, reads.items[i].path);
  return listed;
}

pawl_status pawl_build_operator(const struct pawl_operator_spec *spec,
                                const struct pawl_build_options *options, struct pawl_arena *arena,
                                struct pawl_build_result *out, const char **diagnostics,
                                struct pawl_error *err) {
  struct pawl_recipe recipe = {.what = pawl_arena_printf(arena, "operator '%s'", spec->name),
                               .kind = spec->kind,
                               .runs_in_tree = spec->protocol.count,
                               .cuda = has_cuda_source(&spec->sources),
                               .sources = &spec->sources,
                               .source_places = spec->source_places,
                               .include_dirs = &spec->include_dirs,
                               .flags = &spec->flags,
                               .libs = &spec->libs,
                               .build_command = &spec->build_command,
                               .flags_given = spec->flags_given,
                               .build_output = spec->build_output};
  struct pawl_build_options plain = *options; /* only kernels get -D */
  plain.overrides = NULL;
  plain.override_count = 0;
  return build(&recipe, NULL, 0, &plain, arena, out, diagnostics, err);
}

pawl_status pawl_build_ahead(const struct pawl_kernel_spec *spec,
                             const struct pawl_build_options *options, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_build_result result = {0};
  const char *diagnostics = NULL;
  return pawl_build_kernel(spec, options, &arena, &result, &diagnostics, err);
}
