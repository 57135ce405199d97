/* SPDX-License-Identifier: Apache-2.0 */
#include "project/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/progress.h"
#include "device/cpu/topology.h"
#include "import/import.h"
#include "project/surroundings.h"

static pawl_status absent(const struct pawl_kernel_spec *spec, struct pawl_arena *arena,
                          struct pawl_ready_kernel *out, const char *reason,
                          struct pawl_error *err) {
  if (!spec->optional)
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "kernel '%s': %s; with 'optional: true' pawl runs the other kernels without it", spec->name,
        reason);
  out->outcome = PAWL_OUTCOME_ABSENT;
  out->reason = pawl_arena_copy(arena, reason);
  return PAWL_OK;
}

static const char *const *arguments(const struct pawl_strings *strings, struct pawl_arena *arena) {
  const char **argv = pawl_arena_alloc(arena, strings->count + 1, sizeof *argv);
  memcpy(argv, strings->items, strings->count * sizeof *argv);
  return argv;
}

static pawl_status fail_parse(const struct pawl_project *project,
                              const struct pawl_kernel_spec *spec, struct pawl_error *err) {
  const char *names[32] = {PAWL_PARSE_WALL};
  size_t count = 1;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text known = {0};
  for (size_t i = 0; i < pawl_importer_count; i++)
    if (pawl_import_reader(pawl_importers[i].name).read) names[count++] = pawl_importers[i].name;
  for (size_t i = 0; i < count; i++) pawl_text_printf(&known, "%s%s", i ? ", " : "", names[i]);
  const char *nearest = pawl_nearest(spec->parse, names, count);
  return pawl_fail(err, PAWL_CONFIG, "%s:%d: kernel '%s' has an unknown 'parse: %s'; %s%s%s",
                   project->suite.path, spec->line, spec->name, spec->parse,
                   nearest ? "did you mean '" : "the formats are ",
                   nearest ? nearest : pawl_text_string(&known), nearest ? "'?" : "");
}

/* An importer reads a command's output; "wall" times the command itself. */
static pawl_status find_reader(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_benchmarks_reader *out, struct pawl_error *err) {
  *out = (struct pawl_benchmarks_reader){0};
  if (!pawl_kernel_is_harness(spec)) return PAWL_OK;
  if (project->options.find_reader) *out = project->options.find_reader(spec->parse);
  if (out->read) return PAWL_OK;
  return fail_parse(project, spec, err);
}

/* A command may have a build step in its own tree. */
static struct pawl_kernel_spec build_part(const struct pawl_kernel_spec *spec) {
  struct pawl_kernel_spec part = *spec;
  if (spec->kind == PAWL_FROM_COMMAND && spec->build_command.count) part.kind = PAWL_FROM_BUILD;
  return part;
}

int pawl_measure_threads(const struct pawl_measure_spec *spec) {
  if (spec->threads > 0) return spec->threads;
  return spec->cpus.count ? (int)spec->cpus.count : pawl_cpu_count();
}

/* Chooses the CPUs for kernels and the order in which their threads take them. */
static pawl_status choose_cpus(const struct pawl_measure_spec *spec, struct pawl_arena *arena,
                               struct pawl_worker_options *worker, struct pawl_error *err) {
  const struct pawl_cpus ours = pawl_cpus_of_process(arena);
  for (size_t i = 0; i < spec->cpus.count; i++) {
    size_t found = 0;
    while (found < ours.count && ours.numbers[found] != spec->cpus.numbers[i]) found++;
    if (found < ours.count) continue;
    return pawl_fail(err, PAWL_CONFIG,
                     "pawl may not run on CPU %d of measure.cpus; it may run on %s",
                     spec->cpus.numbers[i], pawl_cpus_text(&ours, arena));
  }
  worker->cpus = spec->cpus;
  if (spec->placement != PAWL_PLACEMENT_APART) return PAWL_OK;
  const struct pawl_cpus order =
      pawl_cpu_order_by_core(spec->cpus.count ? &spec->cpus : &ours, PAWL_CPU_FOLDER, arena);
  worker->placement = pawl_cpus_text(&order, arena);
  return PAWL_OK;
}

pawl_status pawl_project_build_kernel(struct pawl_project *project,
                                      const struct pawl_kernel_spec *spec,
                                      struct pawl_ready_kernel *out, struct pawl_error *err) {
  *out = (struct pawl_ready_kernel){.spec = spec, .build = {.compiles = -1, .cache_hits = -1}};
  const char *reason = NULL;
  const bool here = pawl_devices_find(&project->devices, spec->device, &reason) != NULL;
  if (!here && project->devices.misconfigured[spec->device])
    return pawl_fail(err, PAWL_CONFIG, "%s", reason);
  if (!here && spec->device != PAWL_CUDA) return absent(spec, &project->arena, out, reason, err);
  const struct pawl_kernel_spec part = build_part(spec);
  if (part.kind == PAWL_FROM_SOURCES || part.kind == PAWL_FROM_BUILD) {
    const struct pawl_build_options options =
        pawl_project_build_options(project, spec->device == PAWL_CUDA);
    const enum pawl_status_code status =
        pawl_build_kernel(&part, &options, &project->arena, &out->build, &out->diagnostics, err);
    /* Without a GPU pawl still builds its code where nvcc is present. It needs the metrics, and a
       missing device excuses no compiler error. */
    if (!here && status == PAWL_UNAVAILABLE) { /* a tool is missing too */
      reason = pawl_arena_printf(&project->arena, "%s; %s", reason, err->message);
      return absent(spec, &project->arena, out, reason, err);
    }
    if (status == PAWL_UNAVAILABLE) {
      reason = pawl_arena_copy(&project->arena, err->message);
      return absent(spec, &project->arena, out, reason, err);
    }
    if (status == PAWL_FAILED) {
      out->outcome = PAWL_OUTCOME_BUILD;
      out->reason = pawl_arena_copy(&project->arena, err->message);
      return PAWL_OK;
    }
    if (status != PAWL_OK) return status;
    if (part.kind == PAWL_FROM_BUILD)
      project->surroundings = NULL; /* it leaves files in the tree */
  }
  if (!here && project->options.judges_code && out->build.plugin) {
    out->outcome = PAWL_OUTCOME_ABSENT;
    out->reason = pawl_arena_copy(&project->arena, reason);
    return PAWL_OK;
  }
  /* no code hash: a command may use a file, but that file does not make the command */
  if (spec->kind == PAWL_FROM_COMMAND) out->build.code_hash = NULL;
  const bool program = spec->kind == PAWL_FROM_PROTOCOL || spec->kind == PAWL_FROM_COMMAND;
  if (here && program && !spec->reference) /* nobody judges a reference */
    pawl_program_code_find(project, spec, &out->program);
  return here ? PAWL_OK : absent(spec, &project->arena, out, reason, err);
}

/* Returns whether a fork server may start the process: a Python script on a GPU. On a CPU, forked
   processes share the random layout that the system gives each new program, which shows in times.
   Only the sandbox keeps code under test from the server. */
static bool may_fork(const struct pawl_kernel_spec *spec, const char *const *argv,
                     const struct pawl_measure_spec *measure) {
  return spec->device == PAWL_CUDA && argv[0] && argv[1] && pawl_ends_with(argv[1], ".py") &&
         (spec->reference || measure->isolation != PAWL_ISOLATE_OFF);
}

void pawl_kernel_foresee(struct pawl_project *project, const struct pawl_kernel_spec *spec) {
  const struct pawl_measure_spec *measure = &project->suite.measure;
  const bool driver = getenv("PAWL_CUDA_LIBRARY") || pawl_file_exists("/dev/nvidiactl");
  if (spec->kind != PAWL_FROM_PROTOCOL || spec->reference || !driver) return;
  const struct pawl_strings words = pawl_kernel_command(project, spec);
  const struct pawl_worker_options worker = {.argv = arguments(&words, &project->arena),
                                             .folder = project->suite.folder,
                                             .surroundings = pawl_project_surroundings(project),
                                             .isolate = measure->isolation,
                                             .log = project->options.log,
                                             .fork_servers = pawl_project_fork_servers(project)};
  if (may_fork(spec, worker.argv, measure)) pawl_fork_servers_begin(&worker, false);
}

pawl_status pawl_project_ready(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_ready_kernel *out, struct pawl_error *err) {
  /* the same limits for each arm */
  const struct pawl_measure_spec *measure =
      &(project->options.parent ? project->options.parent : project)->suite.measure;
  PAWL_TRY(pawl_project_build_kernel(project, spec, out, err));
  if (out->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  project->devices.cuda_ready = project->devices.cuda_ready || spec->device == PAWL_CUDA;
  const char *hidden;
  PAWL_TRY(pawl_oracle_folder(&project->paths, &hidden, err));
  out->worker = (struct pawl_worker_options){
      .role = PAWL_ROLE_KERNEL,
      .name = spec->name,
      .plugin = out->build.plugin,
      .files = out->build.files,
      .code_hash = out->build.code_hash,
      .folder = project->suite.folder,
      .surroundings = pawl_project_surroundings(project),
      .isolate = measure->isolation,
      .hidden = {hidden, pawl_project_seal_key(project)->folder},
      .memory_limit = measure->memory_limit,
      .deterministic = spec->deterministic,
      .cuda = spec->device == PAWL_CUDA,
      .connections = spec->device == PAWL_CUDA ? measure->connections : 0,
      .gpu = spec->device == PAWL_CUDA ? project->devices.found[PAWL_CUDA].uuid : NULL,
      .timeout_seconds = measure->timeout_seconds,
      .log = project->options.log,
      .lingered = pawl_arena_alloc(&project->arena, 1, sizeof(bool))};
  PAWL_TRY(choose_cpus(measure, &project->arena, &out->worker, err));
  out->worker.driver = spec->kind == PAWL_FROM_PROTOCOL  ? PAWL_DRIVER_PROTOCOL
                       : spec->kind == PAWL_FROM_COMMAND ? PAWL_DRIVER_COMMAND
                                                         : PAWL_DRIVER_PLUGIN;
  if (spec->kind == PAWL_FROM_PROTOCOL) {
    const struct pawl_strings words = pawl_kernel_command(project, spec);
    out->worker.argv = arguments(&words, &project->arena);
    if (may_fork(spec, out->worker.argv, measure))
      out->worker.fork_servers = pawl_project_fork_servers(project);
  }
  if (spec->kind == PAWL_FROM_COMMAND) {
    out->worker.argv = arguments(&spec->command, &project->arena);
    out->worker.plugin = NULL;
    out->worker.files = NULL;
    PAWL_TRY(find_reader(project, spec, &out->worker.reader, err));
  }
  return PAWL_OK;
}

void pawl_kernel_leave(struct pawl_ready_kernel *kernel, const char *reason) {
  kernel->outcome = PAWL_OUTCOME_INCONCLUSIVE;
  kernel->reason = reason;
}

bool pawl_kernel_cannot_start(struct pawl_ready_kernel *kernel, enum pawl_status_code status,
                              const struct pawl_error *err, struct pawl_arena *arena) {
  const enum pawl_source_kind kind = kernel->spec->kind;
  const bool own_program = kind == PAWL_FROM_PROTOCOL || kind == PAWL_FROM_COMMAND;
  if (status != PAWL_UNAVAILABLE || !(kernel->spec->optional || own_program)) return false;
  kernel->outcome = kernel->spec->optional ? PAWL_OUTCOME_ABSENT : PAWL_OUTCOME_CRASHED;
  kernel->reason = pawl_arena_copy(arena, err->message);
  return true;
}

bool pawl_kernel_is_lost(struct pawl_ready_kernel *kernel, const struct pawl_devices *devices) {
  if (!devices->gpu_lost || kernel->spec->device != PAWL_CUDA || kernel->outcome != PAWL_OUTCOME_OK)
    return false;
  kernel->outcome = PAWL_OUTCOME_INCONCLUSIVE;
  kernel->reason = devices->gpu_lost;
  return true;
}

bool pawl_kernel_is_only_code(const struct pawl_ready_kernel *kernel) {
  return kernel->outcome == PAWL_OUTCOME_ABSENT && kernel->build.plugin != NULL;
}

bool pawl_same_machine_code(const struct pawl_ready_kernel *base,
                            const struct pawl_ready_kernel *candidate) {
  if (base->program.hash && candidate->program.hash)
    return pawl_program_code_same(&base->program, &candidate->program);
  return base->build.code_hash && candidate->build.code_hash &&
         !strcmp(base->build.code_hash, candidate->build.code_hash);
}

pawl_status pawl_kernel_named(const struct pawl_suite *suite, struct pawl_arena *arena,
                              const char *name, const struct pawl_kernel_spec **out,
                              struct pawl_error *err) {
  const char **known = pawl_arena_alloc(arena, suite->kernel_count + 1, sizeof *known);
  for (size_t i = 0; i < suite->kernel_count; i++) known[i] = suite->kernels[i].name;
  *out = pawl_suite_kernel(suite, name);
  if (*out) return PAWL_OK;
  const char *nearest = pawl_nearest(name, known, suite->kernel_count);
  return pawl_fail(err, PAWL_USAGE, "no kernel '%s' in '%s'%s", name, suite->path,
                   nearest ? pawl_did_you_mean(nearest, arena) : "; pawl list shows them");
}

pawl_status pawl_kernels_named(const struct pawl_suite *suite, struct pawl_arena *arena,
                               char *const *names, int count, const struct pawl_kernel_spec ***out,
                               size_t *out_count, struct pawl_error *err) {
  const size_t all = suite->kernel_count;
  const struct pawl_kernel_spec **kernels =
      pawl_arena_alloc(arena, all + (size_t)count, sizeof *kernels);
  for (size_t i = 0; count == 0 && i < all; i++) kernels[i] = &suite->kernels[i];
  for (int i = 0; i < count; i++)
    PAWL_TRY(pawl_kernel_named(suite, arena, names[i], &kernels[i], err));
  *out = kernels;
  *out_count = count ? (size_t)count : all;
  return PAWL_OK;
}

pawl_status pawl_project_build(struct pawl_project *project, char **names, int count,
                               bool *cpu_kernels, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  struct pawl_log *log = project->options.log;
  size_t spec_count;
  bool found = false;
  PAWL_TRY(
      pawl_kernels_named(&project->suite, &project->arena, names, count, &specs, &spec_count, err));
  for (size_t i = 0; i < spec_count; i++) found = found || specs[i]->device != PAWL_CUDA;
  if (cpu_kernels) *cpu_kernels = found;
  for (size_t i = 0; i < spec_count; i++) {
    struct pawl_ready_kernel kernel;
    const struct pawl_progress progress = {"building", (double)i, (double)spec_count, false};
    pawl_progress_show(log, &progress, "%s", specs[i]->name);
    PAWL_TRY(pawl_project_ready(project, specs[i], &kernel, err));
    pawl_progress_end(log);
    if (kernel.diagnostics) pawl_log_info(log, "%s", kernel.diagnostics);
  }
  return PAWL_OK;
}
