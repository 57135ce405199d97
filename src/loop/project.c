/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/project.h"

#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "base/parallel.h"
#include "device/backends.h"
#include "device/cpu/topology.h"
#include "loop/run.h"
#include "measure/block.h"
#include "model/dtype.h"

struct pawl_project_operator {
  struct pawl_project_operator *next;
  struct pawl_oracle oracle;
  bool gpu_considered; /* whether the GPU can answer has been found out */
};

struct pawl_time_spent pawl_project_spent(const struct pawl_project *project) {
  struct pawl_time_spent sum = {0};
  for (const struct pawl_project_operator *item = project->operators; item; item = item->next) {
    const struct pawl_time_spent *spent = &item->oracle.spent;
    sum.start += spent->start, sum.inputs += spent->inputs, sum.expected += spent->expected;
    sum.calls += spent->calls, sum.hashing += spent->hashing, sum.compare += spent->compare;
  }
  return sum;
}

const char *pawl_project_path(struct pawl_project *project, const char *relative) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(project->suite.folder, relative);
  return pawl_arena_copy(&project->arena, path);
}

static const char *home_path(struct pawl_project *project, const char *relative) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(project->home, relative);
  return pawl_arena_copy(&project->arena, path);
}

static pawl_status find_home(struct pawl_project *project, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  project->home = pawl_arena_copy(&project->arena, home);
  project->include_dir = home_path(project, "include");
  project->worker_program = home_path(project, "libexec/pawl/pawl-worker");
  if (pawl_file_exists(project->worker_program)) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE, "pawl's own files are not at '%s': set PAWL_HOME to where it is installed",
                   home);
}

/* What a killed run left beside a tracked file does not make the tree dirty. */
static void read_git(struct pawl_project *project) {
  pawl_file_remove_leftovers(pawl_project_path(project, PAWL_BASELINE_PATH));
  pawl_file_remove_leftovers(project->suite.path);
  struct pawl_error err = {0};
  if (pawl_git_read(project->suite.folder, &project->arena, &project->git, &err) != PAWL_OK)
    project->git_reason = pawl_arena_copy(&project->arena, err.message);
  else if (!project->git.commit)
    project->git_reason = "this repository has no commit yet: commit the kernels first";
}

pawl_status pawl_project_open(struct pawl_project *project, const struct pawl_project_options *options,
                              struct pawl_error *err) {
  *project = (struct pawl_project){.options = *options, .gpu_lost = options->gpu_lost, .tree_lock = {-1}};
  PAWL_TRY(find_home(project, err));
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(options->folder, options->suite);
  PAWL_TRY(pawl_suite_read(path, &project->arena, &project->suite, err));
  project->cache_folder = options->cache_folder ? options->cache_folder : pawl_project_path(project, ".pawl");
  PAWL_TRY(pawl_make_folders(project->cache_folder, err));
  read_git(project);
  return PAWL_OK;
}

void pawl_project_close(struct pawl_project *project) {
  if (!project) return;
  pawl_project_unlock_clocks(project);
  for (struct pawl_project_operator *item = project->operators, *next; item; item = next) {
    next = item->next;
    pawl_oracle_release(&item->oracle);
    pawl_free(item);
  }
  for (struct pawl_project *tree = project->trees, *next; tree; tree = next) {
    next = tree->next;
    pawl_project_close(tree);
    pawl_free(tree);
  }
  pawl_lock_release(&project->tree_lock);
  pawl_arena_clear(&project->arena);
  *project = (struct pawl_project){.tree_lock = {-1}};
}

/* --device N or UUID chooses among the GPUs; the CPU is always the one there is. */
static const struct pawl_device *choose(const struct pawl_device *devices, int count, int32_t kind,
                                        const char *wanted) {
  int64_t index;
  if (!wanted || kind == PAWL_CPU) return &devices[0];
  for (int i = 0; i < count; i++) {
    if (devices[i].uuid && !strcmp(devices[i].uuid, wanted)) return &devices[i];
    if (pawl_parse_i64(wanted, &index) && devices[i].index == index) return &devices[i];
  }
  return NULL;
}

static void probe_device(struct pawl_project *project, int32_t kind) {
  const struct pawl_device_backend *backend = pawl_device_backend(kind);
  struct pawl_error err = {0};
  struct pawl_device *devices = NULL;
  int count = 0;
  const char *reason = NULL;
  project->device_probed[kind] = true;
  if (!backend) {
    project->device_reason[kind] = "this pawl has no support for such devices";
  } else if (backend->list(&project->arena, &devices, &count, &reason, &err) != PAWL_OK) {
    project->device_reason[kind] = pawl_arena_copy(&project->arena, err.message);
  } else if (count == 0) {
    project->device_reason[kind] = reason ? reason : "none was found";
  } else {
    const struct pawl_device *device = choose(devices, count, kind, project->options.device);
    if (device)
      project->devices[kind] = *device;
    else
      project->device_reason[kind] = pawl_arena_printf(&project->arena, "no device '%s'; %d are here: see pawl doctor",
                                                       project->options.device, count);
  }
}

const struct pawl_device *pawl_project_device(struct pawl_project *project, int32_t kind, const char **reason) {
  PAWL_ASSERT(kind == PAWL_CPU || kind == PAWL_CUDA);
  if (!project->device_probed[kind]) probe_device(project, kind);
  if (reason) *reason = project->device_reason[kind];
  return project->devices[kind].kind ? &project->devices[kind] : NULL;
}

struct pawl_build_options pawl_project_build_options(struct pawl_project *project, bool cuda) {
  struct pawl_build_options options = {.folder = project->suite.folder,
                                       .cache_folder = project->cache_folder,
                                       .include_dir = project->include_dir,
                                       .overrides = project->options.overrides,
                                       .override_count = project->options.override_count,
                                       .line_info = project->options.line_info,
                                       .timeout_seconds = 600,
                                       .log = project->options.log};
  const struct pawl_device *gpu = cuda ? pawl_project_device(project, PAWL_CUDA, NULL) : NULL;
  options.cuda_arch = gpu ? gpu->arch : project->cuda_arch;
  return options;
}

/* "attention, softmax": the operators that ship with pawl. */
static pawl_status no_such_operator(struct pawl_project *project, const char *name, struct pawl_error *err) {
  struct pawl_text known = {0};
  const char *names[64];
  size_t count = 0;
  for (size_t i = 0; i < project->suite.operator_count && count < 64; i++)
    names[count++] = project->suite.operators[i].name;
  DIR *folder = opendir(home_path(project, "lib/pawl/operators"));
  for (struct dirent *entry; folder && count < 64 && (entry = readdir(folder));) {
    if (!pawl_ends_with(entry->d_name, ".so")) continue;
    char *stem = pawl_arena_copy(&project->arena, entry->d_name);
    stem[strlen(stem) - 3] = '\0';
    names[count++] = stem;
  }
  if (folder) closedir(folder);
  for (size_t i = 0; i < count; i++) pawl_text_printf(&known, "%s%s", i ? ", " : "", names[i]);
  const char *nearest = pawl_nearest(name, names, count);
  const enum pawl_status_code status = nearest ? pawl_fail(err, PAWL_CONFIG, "%s: no operator '%s'; did you mean '%s'?",
                                                           project->suite.path, name, nearest)
                                               : pawl_fail(err, PAWL_CONFIG, "%s: no operator '%s'; there are: %s",
                                                           project->suite.path, name, pawl_text_string(&known));
  pawl_text_clear(&known);
  return status;
}

const struct pawl_operator_spec *pawl_project_operator_spec(struct pawl_project *project, const char *name,
                                                            struct pawl_project **tree) {
  *tree = project->operator_tree ? project->operator_tree : project;
  const struct pawl_operator_spec *spec = pawl_suite_operator(&(*tree)->suite, name);
  if (spec || *tree == project) return spec;
  *tree = project; /* only the working tree has it */
  return pawl_suite_operator(&project->suite, name);
}

static pawl_status operator_options(struct pawl_project *project, const char *name, struct pawl_oracle_options *out,
                                    struct pawl_error *err) {
  *out = (struct pawl_oracle_options){
      .name = name, .driver = PAWL_DRIVER_PLUGIN, .timeout_seconds = 600, .log = project->options.log};
  out->cache_folder = pawl_arena_printf(&project->arena, "%s/oracle", project->cache_folder);
  struct pawl_project *source;
  const struct pawl_operator_spec *spec = pawl_project_operator_spec(project, name, &source);
  out->folder = source->suite.folder;
  if (!spec) {
    out->plugin = home_path(project, pawl_arena_printf(&project->arena, "lib/pawl/operators/%s.so", name));
    return pawl_file_exists(out->plugin) ? PAWL_OK : no_such_operator(project, name, err);
  }
  if (spec->kind == PAWL_FROM_PROTOCOL) {
    out->driver = PAWL_DRIVER_PROTOCOL;
    const char **argv = pawl_arena_alloc(&project->arena, spec->protocol.count + 1, sizeof *argv);
    memcpy(argv, spec->protocol.items, spec->protocol.count * sizeof *argv);
    out->argv = argv;
    return PAWL_OK;
  }
  struct pawl_build_result built = {0};
  const char *diagnostics = NULL;
  const struct pawl_build_options options =
      pawl_project_build_options(source, false); /* in the tree whose operator it is */
  const enum pawl_status_code status = pawl_build_operator(spec, &options, &project->arena, &built, &diagnostics, err);
  if (status == PAWL_FAILED && diagnostics) pawl_log_info(project->options.log, "%s", diagnostics);
  if (status != PAWL_OK) return status;
  out->plugin = built.plugin;
  return PAWL_OK;
}

/* check: {OPERATOR: {oracle: reference NAME}}: the answers of a kernel or reference of the suite are the expected ones.
 */
static pawl_status use_reference(struct pawl_project *project, struct pawl_oracle *oracle, struct pawl_error *err) {
  static const char prefix[] = "reference ";
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, oracle->info.name);
  if (!check || !check->oracle || !pawl_starts_with(check->oracle, prefix)) return PAWL_OK;
  const char *name = check->oracle + sizeof prefix - 1;
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&project->suite, name);
  if (!spec) return pawl_fail(err, PAWL_CONFIG, "%s: no reference '%s' to be the oracle", project->suite.path, name);
  struct pawl_ready_kernel *kernel = pawl_arena_alloc(&project->arena, 1, sizeof *kernel);
  PAWL_TRY(pawl_project_ready(project, spec, kernel, err));
  if (kernel->outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "the oracle, reference '%s', cannot be had: %s", name, kernel->reason);
  pawl_oracle_use_reference(oracle, &kernel->worker);
  return PAWL_OK;
}

/* Once a CUDA kernel wants the operator's answers. */
static struct pawl_oracle *with_gpu(struct pawl_project *project, struct pawl_project_operator *item) {
  bool wanted = false;
  for (size_t i = 0; i < project->suite.kernel_count; i++) {
    const struct pawl_kernel_spec *kernel = &project->suite.kernels[i];
    const bool same = kernel->operator_name && !strcmp(kernel->operator_name, item->oracle.info.name);
    wanted = wanted || (same && kernel->device == PAWL_CUDA);
  }
  if (project->cuda_ready && wanted && !item->gpu_considered) {
    item->gpu_considered = true;
    pawl_project_use_gpu_oracle(project, &item->oracle);
  }
  return &item->oracle;
}

pawl_status pawl_project_oracle(struct pawl_project *project, const char *name, struct pawl_oracle **oracle,
                                struct pawl_error *err) {
  for (struct pawl_project_operator *item = project->operators; item; item = item->next) {
    if (strcmp(item->oracle.info.name, name) != 0) continue;
    *oracle = with_gpu(project, item);
    return PAWL_OK;
  }
  struct pawl_oracle_options options;
  PAWL_TRY(operator_options(project, name, &options, err));
  struct pawl_project_operator *item = pawl_alloc(1, sizeof *item);
  const enum pawl_status_code status = pawl_oracle_init(&item->oracle, &options, err);
  if (status != PAWL_OK) {
    pawl_free(item);
    return status;
  }
  item->next = project->operators;
  project->operators = item;
  PAWL_TRY(use_reference(project, &item->oracle, err));
  if (strcmp(item->oracle.info.name, name) != 0)
    return pawl_fail(err, PAWL_CONFIG, "%s: the operator '%s' calls itself '%s'; use one name", project->suite.path,
                     name, item->oracle.info.name);
  *oracle = with_gpu(project, item);
  return PAWL_OK;
}

static pawl_status absent(const struct pawl_kernel_spec *spec, struct pawl_project *project,
                          struct pawl_ready_kernel *out, const char *reason, struct pawl_error *err) {
  if (!spec->optional)
    return pawl_fail(err, PAWL_UNAVAILABLE, "kernel '%s': %s; 'optional: true' lets the others go on without it",
                     spec->name, reason);
  out->outcome = PAWL_OUTCOME_ABSENT;
  out->reason = pawl_arena_copy(&project->arena, reason);
  return PAWL_OK;
}

static const char *const *arguments(struct pawl_project *project, const struct pawl_strings *strings) {
  const char **argv = pawl_arena_alloc(&project->arena, strings->count + 1, sizeof *argv);
  memcpy(argv, strings->items, strings->count * sizeof *argv);
  return argv;
}

/* What a command wrote is read by an importer; "wall" times the command itself. */
static pawl_status find_reader(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_times_reader *out, struct pawl_error *err) {
  *out = (struct pawl_times_reader){0};
  if (!strcmp(spec->parse, "wall")) return PAWL_OK;
  if (project->options.find_reader) *out = project->options.find_reader(spec->parse);
  if (out->read) return PAWL_OK;
  return pawl_fail(err, PAWL_CONFIG, "%s:%d: kernel '%s' has 'parse: %s', which is not known; 'wall' times the command",
                   project->suite.path, spec->line, spec->name, spec->parse);
}

/* A command may be built first, in its own tree. */
static struct pawl_kernel_spec build_part(const struct pawl_kernel_spec *spec) {
  struct pawl_kernel_spec part = *spec;
  if (spec->kind == PAWL_FROM_COMMAND && spec->build_command.count) part.kind = PAWL_FROM_BUILD;
  return part;
}

int pawl_project_threads(const struct pawl_project *project) {
  const struct pawl_measure_spec *spec = &project->suite.measure;
  if (spec->threads > 0) return spec->threads;
  return spec->cpus.count ? (int)spec->cpus.count : pawl_cpu_count();
}

/* The CPUs that kernels run on, and the order in which their threads take them. */
static pawl_status choose_cpus(struct pawl_project *project, struct pawl_worker_options *worker,
                               struct pawl_error *err) {
  const struct pawl_measure_spec *spec = &project->suite.measure;
  const struct pawl_cpus ours = pawl_cpus_of_process(&project->arena);
  for (size_t i = 0; i < spec->cpus.count; i++) {
    size_t found = 0;
    while (found < ours.count && ours.numbers[found] != spec->cpus.numbers[i]) found++;
    if (found < ours.count) continue;
    return pawl_fail(err, PAWL_CONFIG, "CPU %d of measure.cpus is not one that pawl may run on; these are %s",
                     spec->cpus.numbers[i], pawl_cpus_text(&ours, &project->arena));
  }
  worker->cpus = spec->cpus;
  if (spec->placement != PAWL_PLACEMENT_APART) return PAWL_OK;
  const struct pawl_cpus order =
      pawl_cpu_order_by_core(spec->cpus.count ? &spec->cpus : &ours, PAWL_CPU_FOLDER, &project->arena);
  worker->placement = pawl_cpus_text(&order, &project->arena);
  return PAWL_OK;
}

pawl_status pawl_project_ready(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_ready_kernel *out, struct pawl_error *err) {
  *out = (struct pawl_ready_kernel){.spec = spec, .build = {.compiles = -1, .cache_hits = -1}};
  const char *reason = NULL;
  const bool here = pawl_project_device(project, spec->device, &reason) != NULL;
  if (!here && spec->device != PAWL_CUDA) return absent(spec, project, out, reason, err);
  const struct pawl_kernel_spec part = build_part(spec);
  if (part.kind == PAWL_FROM_SOURCES || part.kind == PAWL_FROM_BUILD) {
    const struct pawl_build_options options = pawl_project_build_options(project, spec->device == PAWL_CUDA);
    const enum pawl_status_code status =
        pawl_build_kernel(&part, &options, &project->arena, &out->build, &out->diagnostics, err);
    /* without a GPU its code is still built, where nvcc is: for its metrics, and for the compiler's words */
    if (!here && status == PAWL_UNAVAILABLE) { /* a tool is missing too */
      reason = pawl_arena_printf(&project->arena, "%s; %s", reason, err->message);
      return absent(spec, project, out, reason, err);
    }
    if (!here && status == PAWL_FAILED) return absent(spec, project, out, reason, err);
    if (status == PAWL_UNAVAILABLE) {
      reason = pawl_arena_copy(&project->arena, err->message);
      return absent(spec, project, out, reason, err);
    }
    if (status == PAWL_FAILED) {
      out->outcome = PAWL_OUTCOME_BUILD;
      out->reason = pawl_arena_copy(&project->arena, err->message);
      return PAWL_OK;
    }
    if (status != PAWL_OK) return status;
  }
  if (!here) return absent(spec, project, out, reason, err);
  project->cuda_ready = project->cuda_ready || spec->device == PAWL_CUDA;
  out->worker = (struct pawl_worker_options){.role = PAWL_ROLE_KERNEL,
                                             .name = spec->name,
                                             .plugin = out->build.plugin,
                                             .folder = project->suite.folder,
                                             .memory_limit = project->suite.measure.memory_limit,
                                             .deterministic = spec->deterministic,
                                             .cuda = spec->device == PAWL_CUDA,
                                             .gpu = spec->device == PAWL_CUDA ? project->devices[PAWL_CUDA].uuid : NULL,
                                             .timeout_seconds = project->suite.measure.timeout_seconds};
  PAWL_TRY(choose_cpus(project, &out->worker, err));
  out->worker.driver = spec->kind == PAWL_FROM_PROTOCOL  ? PAWL_DRIVER_PROTOCOL
                       : spec->kind == PAWL_FROM_COMMAND ? PAWL_DRIVER_COMMAND
                                                         : PAWL_DRIVER_PLUGIN;
  if (spec->kind == PAWL_FROM_PROTOCOL) out->worker.argv = arguments(project, &spec->protocol);
  if (spec->kind == PAWL_FROM_COMMAND) {
    out->worker.argv = arguments(project, &spec->command);
    out->worker.plugin = NULL;
    out->build.code_hash = NULL; /* of a file that it may use: the same file does not make the same command */
    PAWL_TRY(find_reader(project, spec, &out->worker.reader, err));
  }
  return PAWL_OK;
}

pawl_status pawl_project_kernels(struct pawl_project *project, char *const *names, int count,
                                 const struct pawl_kernel_spec ***out, size_t *out_count, struct pawl_error *err) {
  const size_t all = project->suite.kernel_count;
  const struct pawl_kernel_spec **kernels = pawl_arena_alloc(&project->arena, all + (size_t)count, sizeof *kernels);
  const char **known = pawl_arena_alloc(&project->arena, all, sizeof *known);
  for (size_t i = 0; i < all; i++) known[i] = project->suite.kernels[i].name;
  for (size_t i = 0; count == 0 && i < all; i++) kernels[i] = &project->suite.kernels[i];
  for (int i = 0; i < count; i++) {
    kernels[i] = pawl_suite_kernel(&project->suite, names[i]);
    if (kernels[i]) continue;
    const char *nearest = pawl_nearest(names[i], known, all);
    return pawl_fail(err, PAWL_USAGE, "no kernel '%s' in '%s'%s%s%s", names[i], project->suite.path,
                     nearest ? "; did you mean '" : "; pawl list shows them", nearest ? nearest : "",
                     nearest ? "'?" : "");
  }
  *out = kernels;
  *out_count = count ? (size_t)count : all;
  return PAWL_OK;
}

struct pawl_case pawl_project_command_case(const struct pawl_project *project) {
  for (size_t i = 0; i < project->suite.case_count; i++) {
    if (!project->suite.cases[i].operator_name) return project->suite.cases[i];
  }
  return pawl_measure_command_problem().item;
}

pawl_status pawl_project_cases(struct pawl_project *project, const struct pawl_oracle *oracle, const char *only,
                               const char *assignments, struct pawl_case **out, size_t *count, struct pawl_error *err) {
  const struct pawl_suite *suite = &project->suite;
  struct pawl_case *cases = pawl_arena_alloc(&project->arena, suite->case_count + 1, sizeof *cases);
  size_t found = 0;
  for (size_t i = 0; i < suite->case_count; i++) {
    struct pawl_case item = suite->cases[i];
    if (!item.operator_name || strcmp(item.operator_name, oracle->info.name) != 0) continue;
    if (only && strcmp(only, item.name) != 0) continue;
    if (assignments) PAWL_TRY(pawl_case_set(&item, assignments, &project->arena, err));
    if (pawl_case_resolve(&item, &oracle->info, &project->arena, &cases[found], err) != PAWL_OK) {
      pawl_prefix(err, "%s", assignments ? "--set" : suite->path);
      return assignments ? err->code = PAWL_USAGE : err->code;
    }
    found++;
  }
  if (!found && assignments && !only) {
    struct pawl_case item = {.name = "set", .operator_name = oracle->info.name};
    PAWL_TRY(pawl_case_set(&item, assignments, &project->arena, err));
    PAWL_TRY(pawl_case_resolve(&item, &oracle->info, &project->arena, &cases[found++], err));
  }
  *out = cases;
  *count = found;
  return PAWL_OK;
}
