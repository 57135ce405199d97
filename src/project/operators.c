/* SPDX-License-Identifier: Apache-2.0 */
#include "project/operators.h"

#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "check/matrix.h"
#include "project/gpu_oracle.h"
#include "project/kernels.h"
#include "project/surroundings.h"

#define SET_NAME "set" /* the name of a shape that no case has */

/* Returns the first kernel, case or check of the suite that names the operator. */
static const struct pawl_file_place *operators_place_of(const struct pawl_suite *suite,
                                                        const char *name) {
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *kernel = &suite->kernels[i];
    if (kernel->operator_name && !strcmp(kernel->operator_name, name))
      return &kernel->operator_place;
  }
  for (size_t i = 0; i < suite->case_count; i++) {
    const struct pawl_case *config = &suite->cases[i];
    if (config->operator_name && !strcmp(config->operator_name, name))
      return &config->operator_place;
  }
  const struct pawl_check_spec *check = pawl_suite_check(suite, name);
  return check ? &check->place : NULL;
}

/* The error lists the operators that ship with pawl. */
static pawl_status no_such_operator(const struct pawl_suite *suite, const char *home,
                                    const char *name, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text known = {0};
  const char *names[64];
  size_t count = 0;
  for (size_t i = 0; i < suite->operator_count && count < 64; i++)
    names[count++] = suite->operators[i].name;
  DIR *folder = opendir(pawl_arena_printf(&arena, "%s/lib/pawl/operators", home));
  for (struct dirent *entry; folder && count < 64 && (entry = readdir(folder));) {
    if (!pawl_ends_with(entry->d_name, ".so")) continue;
    char *stem = pawl_arena_copy(&arena, entry->d_name);
    stem[strlen(stem) - 3] = '\0';
    names[count++] = stem;
  }
  if (folder) closedir(folder);
  for (size_t i = 0; i < count; i++) pawl_text_printf(&known, "%s%s", i ? ", " : "", names[i]);
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest)
    pawl_fail(err, PAWL_CONFIG, "no operator '%s'; did you mean '%s'?", name, nearest);
  else
    pawl_fail(err, PAWL_CONFIG, "no operator '%s'; choose one of: %s", name,
              pawl_text_string(&known));
  const struct pawl_file_place *place = operators_place_of(suite, name);
  return place && place->file ? pawl_file_place_prefix(place, err)
                              : pawl_prefix(err, "%s", suite->path);
}

/* Returns the name of entry i of the suite's kernels, cases and checks, in this order. */
static const char *operator_named(const struct pawl_suite *suite, size_t i) {
  if (i < suite->kernel_count) return suite->kernels[i].operator_name;
  i -= suite->kernel_count;
  return i < suite->case_count ? suite->cases[i].operator_name
                               : suite->checks[i - suite->case_count].operator_name;
}

pawl_status pawl_operators_check(const struct pawl_suite *suite, const char *home,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  for (size_t i = 0; i < suite->kernel_count + suite->case_count + suite->check_count; i++) {
    const char *name = operator_named(suite, i);
    if (!name || pawl_suite_operator(suite, name)) continue;
    if (!pawl_file_exists(pawl_arena_printf(&arena, "%s/lib/pawl/operators/%s.so", home, name)))
      return no_such_operator(suite, home, name, err);
  }
  return PAWL_OK;
}

/* Returns whether the fork server of the kernels may start the operator too. Without such a kernel
 * nothing shares the import. Without a sandbox a reference of a change could reach the server, and
 * through it the judge. */
static bool operator_may_fork(const struct pawl_suite *suite, const char *const *argv) {
  bool shares = false;
  for (size_t i = 0; i < suite->kernel_count; i++)
    shares = shares || (suite->kernels[i].kind == PAWL_FROM_PROTOCOL &&
                        suite->kernels[i].device == PAWL_CUDA);
  return shares && suite->measure.isolation != PAWL_ISOLATE_OFF && argv[0] && argv[1] &&
         pawl_ends_with(argv[1], ".py");
}

static pawl_status operator_options(struct pawl_project *project, const char *name,
                                    struct pawl_oracle_options *out, struct pawl_error *err) {
  *out = (struct pawl_oracle_options){
      .worker = {.name = name,
                 .driver = PAWL_DRIVER_PLUGIN,
                 .isolate = project->suite.measure.isolation,
                 .timeout_seconds = pawl_operator_timeout(&project->suite.measure)},
      .seal_key = pawl_project_seal_key(project),
      .log = project->options.log};
  PAWL_TRY(pawl_oracle_folder(&project->paths, &out->cache_folder, err));
  struct pawl_project *source;
  const struct pawl_operator_spec *spec = pawl_project_operator_spec(project, name, &source);
  out->worker.folder = source->suite.folder;
  out->worker.surroundings = pawl_project_surroundings(source);
  if (!spec) {
    out->worker.plugin = pawl_home_path(
        &project->paths, pawl_arena_printf(&project->arena, "lib/pawl/operators/%s.so", name));
    return pawl_file_exists(out->worker.plugin)
               ? PAWL_OK
               : no_such_operator(&project->suite, project->paths.home, name, err);
  }
  if (spec->kind == PAWL_FROM_PROTOCOL) {
    out->worker.driver = PAWL_DRIVER_PROTOCOL;
    const char **argv = pawl_arena_alloc(&project->arena, spec->protocol.count + 1, sizeof *argv);
    memcpy(argv, spec->protocol.items, spec->protocol.count * sizeof *argv);
    out->worker.argv = argv;
    if (operator_may_fork(&project->suite, argv))
      out->worker.fork_servers = pawl_project_fork_servers(project);
    return PAWL_OK;
  }
  struct pawl_build_result built = {0};
  const char *diagnostics = NULL;
  const struct pawl_build_options options =
      pawl_project_build_options(source, false); /* builds in the operator's own tree */
  const enum pawl_status_code status =
      pawl_build_operator(spec, &options, &project->arena, &built, &diagnostics, err);
  if (status == PAWL_FAILED && diagnostics) pawl_log_info(project->options.log, "%s", diagnostics);
  if (status != PAWL_OK) return status;
  out->worker.plugin = built.plugin;
  out->worker.files = built.files;
  out->worker.code_hash = built.code_hash;
  return PAWL_OK;
}

/* check: {OPERATOR: {oracle: reference NAME}} takes the expected answers from a reference of the
   suite. In a change the merge base's reference answers, because the change may edit its own. */
static pawl_status use_reference(struct pawl_project *project, struct pawl_oracle *oracle,
                                 struct pawl_error *err) {
  static const char prefix[] = "reference ";
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, oracle->info.name);
  struct pawl_project *tree = project->operators.tree;
  oracle->by_base = check && check->oracle && !strcmp(check->oracle, PAWL_ORACLE_BASE);
  if (!check || !check->oracle || !pawl_starts_with(check->oracle, prefix)) return PAWL_OK;
  const char *name = check->oracle + sizeof prefix - 1;
  const struct pawl_kernel_spec *spec = tree ? pawl_suite_kernel(&tree->suite, name) : NULL;
  if (!spec) {
    tree = project;
    spec = pawl_suite_kernel(&project->suite, name);
  }
  if (!spec)
    return pawl_fail(err, PAWL_CONFIG, "%s: no reference '%s' for the oracle", project->suite.path,
                     name);
  struct pawl_ready_kernel *kernel = pawl_arena_alloc(&project->arena, 1, sizeof *kernel);
  PAWL_TRY(pawl_project_ready(tree, spec, kernel, err));
  if (kernel->outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot use the oracle, reference '%s': %s", name,
                     kernel->reason);
  pawl_oracle_use_reference(oracle, &kernel->worker, "reference");
  return PAWL_OK;
}

/* Starts the GPU oracle when a CUDA kernel needs the operator's answers. */
static struct pawl_oracle *with_gpu(struct pawl_project *project,
                                    struct pawl_started_operator *item) {
  bool wanted = false;
  for (size_t i = 0; i < project->suite.kernel_count; i++) {
    const struct pawl_kernel_spec *kernel = &project->suite.kernels[i];
    const bool same =
        kernel->operator_name && !strcmp(kernel->operator_name, item->oracle.info.name);
    wanted = wanted || (same && kernel->device == PAWL_CUDA);
  }
  if (project->devices.cuda_ready && wanted && !item->gpu_considered) {
    item->gpu_considered = true;
    pawl_gpu_oracle_use(project, &item->oracle);
  }
  return &item->oracle;
}

static struct pawl_started_operator *find_started(const struct pawl_project *project,
                                                  const char *name) {
  struct pawl_started_operator *item = project->operators.started;
  while (item && strcmp(item->oracle.info.name, name) != 0) item = item->next;
  return item;
}

static pawl_status start_operator(struct pawl_project *project, const char *name,
                                  const struct pawl_oracle_options *options,
                                  struct pawl_oracle **oracle, struct pawl_error *err) {
  struct pawl_started_operator *item = pawl_alloc(1, sizeof *item);
  const enum pawl_status_code status = pawl_oracle_init(&item->oracle, options, err);
  if (status != PAWL_OK) {
    pawl_free(item);
    return status;
  }
  item->next = project->operators.started;
  project->operators.started = item;
  PAWL_TRY(use_reference(project, &item->oracle, err));
  if (strcmp(item->oracle.info.name, name) != 0)
    return pawl_fail(err, PAWL_CONFIG,
                     "%s: the operator '%s' has the name '%s' in its own code; use one name",
                     project->suite.path, name, item->oracle.info.name);
  *oracle = with_gpu(project, item);
  return PAWL_OK;
}

pawl_status pawl_project_oracle(struct pawl_project *project, const char *name,
                                struct pawl_oracle **oracle, struct pawl_error *err) {
  struct pawl_started_operator *item = find_started(project, name);
  if (item) {
    *oracle = with_gpu(project, item);
    return PAWL_OK;
  }
  struct pawl_oracle_options options;
  PAWL_TRY(operator_options(project, name, &options, err));
  return start_operator(project, name, &options, oracle, err);
}

struct pawl_time_spent pawl_operators_spent(const struct pawl_operators *operators) {
  struct pawl_time_spent sum = {0};
  for (const struct pawl_started_operator *item = operators->started; item; item = item->next) {
    const struct pawl_time_spent *spent = &item->oracle.spent;
    sum.start += spent->start, sum.inputs += spent->inputs, sum.expected += spent->expected;
    sum.calls += spent->calls, sum.hashing += spent->hashing, sum.compare += spent->compare;
  }
  return sum;
}

/* Returns whether an earlier case has the shape of cases[count]. The shape then belongs to neither
 * case and gets a name of its own. */
static bool share_shape(struct pawl_case *cases, size_t count) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_case_key(&cases[count], &shape);
  for (size_t i = 0; i < count; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text other = {0};
    pawl_case_key(&cases[i], &other);
    if (strcmp(pawl_text_string(&shape), pawl_text_string(&other)) != 0) continue;
    cases[i].name = SET_NAME;
    return true;
  }
  return false;
}

pawl_status pawl_operator_cases(const struct pawl_suite *suite,
                                const struct pawl_operator_info *info, const char *only,
                                const char *assignments, struct pawl_arena *arena,
                                struct pawl_case **out, size_t *count, struct pawl_error *err) {
  struct pawl_case *cases = pawl_arena_alloc(arena, suite->case_count + 1, sizeof *cases);
  size_t found = 0;
  for (size_t i = 0; i < suite->case_count; i++) {
    struct pawl_case config = suite->cases[i];
    if (!config.operator_name || strcmp(config.operator_name, info->name) != 0) continue;
    if (only && strcmp(only, config.name) != 0) continue;
    if (assignments) PAWL_TRY(pawl_case_set(&config, assignments, arena, err));
    if (pawl_case_resolve(&config, info, arena, &cases[found], err) != PAWL_OK) {
      if (!assignments) return err->code; /* the error names the place in the file */
      pawl_prefix(err, "--set");
      return err->code = PAWL_USAGE;
    }
    if (!assignments || !share_shape(cases, found)) found++;
  }
  if (!found && assignments && !only) {
    struct pawl_case config = {.name = SET_NAME, .operator_name = info->name};
    PAWL_TRY(pawl_case_set(&config, assignments, arena, err));
    PAWL_TRY(pawl_case_resolve(&config, info, arena, &cases[found++], err));
  }
  *out = cases;
  *count = found;
  return PAWL_OK;
}

pawl_status pawl_operator_shapes(const struct pawl_suite *suite, struct pawl_oracle *oracle,
                                 struct pawl_arena *arena, struct pawl_check_matrix *out,
                                 struct pawl_error *err) {
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_operator_cases(suite, &oracle->info, NULL, NULL, arena, &cases, &count, err));
  const struct pawl_check_options options = {.oracle = oracle,
                                             .spec = pawl_suite_check(suite, oracle->info.name),
                                             .cases = cases,
                                             .case_count = count};
  return pawl_check_matrix_init(out, &options, arena, err);
}

/* Asks for the shapes of the operator's cases and check, as `pawl check` does. */
static pawl_status ask_shapes(struct pawl_project *project, struct pawl_oracle *oracle,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_check_matrix_release) struct pawl_check_matrix matrix = {0};
  return pawl_operator_shapes(&project->suite, oracle, &project->arena, &matrix, err);
}

/* Identifies a question that an operator has answered: its code, and the whole suite. */
static struct pawl_hash question_key(const struct pawl_project *project, const char *name,
                                     const struct pawl_oracle_options *options) {
  const struct pawl_hash code = pawl_oracle_code(&options->worker);
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, "accepted shapes, " PAWL_VERSION);
  pawl_hasher_add_string(&hasher, name);
  pawl_hasher_add(&hasher, &code, sizeof code);
  pawl_hasher_add(&hasher, &project->suite.text, sizeof project->suite.text);
  return pawl_hasher_finish(&hasher);
}

/* An operator that has accepted these shapes before does not start again. */
static pawl_status ask_once(struct pawl_project *project, const char *name,
                            struct pawl_error *err) {
  static const char accepted[] = "accepted";
  char kept[sizeof accepted] = "";
  bool stored;
  struct pawl_oracle *oracle;
  struct pawl_oracle_options options;
  PAWL_TRY(operator_options(project, name, &options, err));
  PAWL_CLEANUP(pawl_oracle_cache_release) struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, options.cache_folder, PAWL_ORACLE_CACHE_LIMIT, options.seal_key,
                         options.log);
  const struct pawl_hash key = question_key(project, name, &options);
  if (pawl_oracle_cache_read(&cache, key, &(struct pawl_cache_piece){kept, sizeof kept}, 1) &&
      !memcmp(kept, accepted, sizeof kept))
    return PAWL_OK;
  PAWL_TRY(start_operator(project, name, &options, &oracle, err));
  PAWL_TRY(ask_shapes(project, oracle, err));
  memcpy(kept, accepted, sizeof kept);
  /* Where nothing can be stored, pawl asks again. */
  if (pawl_oracle_cache_write(&cache, key, &(struct pawl_cache_piece){kept, sizeof kept}, 1,
                              &stored, NULL) != PAWL_OK)
    pawl_log_detail(project->options.log, "cannot keep the answer of operator '%s'", name);
  return PAWL_OK;
}

/* If this machine cannot build or start an operator, the log says that its values remain
   unchecked. */
static pawl_status ask_operator(struct pawl_project *project, const char *name,
                                struct pawl_error *err) {
  struct pawl_error cause = {0};
  struct pawl_started_operator *item = find_started(project, name);
  const enum pawl_status_code status =
      item ? ask_shapes(project, &item->oracle, &cause) : ask_once(project, name, &cause);
  if (status == PAWL_OK) return PAWL_OK;
  if (status == PAWL_CONFIG || status == PAWL_NO_MEMORY) {
    *err = cause;
    return status;
  }
  pawl_log_warning(project->options.log, "cannot ask operator '%s' which values it takes: %s", name,
                   cause.message);
  return PAWL_OK;
}

pawl_status pawl_operators_ask(struct pawl_project *project, struct pawl_error *err) {
  const struct pawl_suite *suite = &project->suite;
  for (size_t i = suite->kernel_count;
       i < suite->kernel_count + suite->case_count + suite->check_count; i++) {
    const char *name = operator_named(suite, i);
    bool asked = false;
    for (size_t j = suite->kernel_count; j < i && name; j++) {
      const char *earlier = operator_named(suite, j);
      asked = asked || (earlier && !strcmp(earlier, name));
    }
    if (name && !asked) PAWL_TRY(ask_operator(project, name, err));
  }
  return PAWL_OK;
}
