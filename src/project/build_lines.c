/* SPDX-License-Identifier: Apache-2.0 */
#include "project/build_lines.h"

#include "base/file.h"

static pawl_status build_with_lines(struct pawl_project *tree,
                                    const struct pawl_ready_kernel *kernel, double seconds,
                                    struct pawl_ready_kernel *out, struct pawl_error *err) {
  const struct pawl_project_options before = tree->options;
  tree->options.line_info = true;
  tree->options.line_seconds = seconds;
  const enum pawl_status_code status = pawl_project_build_kernel(tree, kernel->spec, out, err);
  tree->options.line_info = before.line_info;
  tree->options.line_seconds = before.line_seconds;
  if (out->build.plugin) return PAWL_OK;
  return status != PAWL_OK ? status
                           : pawl_fail(err, PAWL_FAILED, "'%s' does not build with line tables: %s",
                                       kernel->spec->name, out->reason ? out->reason : "no reason");
}

void pawl_build_lines_begin(struct pawl_project *tree, const struct pawl_ready_kernel *kernel,
                            double seconds, struct pawl_jobs *jobs, struct pawl_build_thread *out) {
  const struct pawl_project_options before = tree->options;
  if (kernel->spec->kind != PAWL_FROM_SOURCES) return;
  tree->options.line_info = true;
  tree->options.line_seconds = seconds;
  struct pawl_build_options options =
      pawl_project_build_options(tree, kernel->spec->device == PAWL_CUDA);
  tree->options.line_info = before.line_info;
  tree->options.line_seconds = before.line_seconds;
  options.jobs = jobs;
  pawl_build_thread_begin(kernel->spec, &options, out);
}

/* Returns the code of the n-th object of a plug-in in *out. Returns false if there is no object. */
static bool object_code(const char *plugin, int n, struct pawl_arena *arena,
                        struct pawl_hash *out) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(plugin);
  const char *object = pawl_arena_printf(arena, "%s/%d.o", folder, n);
  struct pawl_line_table table;
  if (pawl_line_table_read(object, false, arena, &table, NULL) != PAWL_OK) return false;
  *out = table.code;
  return true;
}

/* Line tables of the GPU's code move the data behind the host's code, and the linker writes other
   distances to it. Then the objects show whether the code is the same. */
static bool same_before_linking(const char *plugin, const char *other, struct pawl_arena *arena) {
  struct pawl_hash code, other_code;
  for (int n = 0;; n++) {
    const bool found = object_code(plugin, n, arena, &code);
    if (found != object_code(other, n, arena, &other_code)) return false;
    if (!found) return n > 0;
    if (!pawl_hash_equal(code, other_code)) return false;
  }
}

pawl_status pawl_build_lines(struct pawl_project *tree, const struct pawl_ready_kernel *kernel,
                             bool gpu, double seconds, struct pawl_code_source *out,
                             struct pawl_error *err) {
  struct pawl_line_table measured = {0}, table = {0};
  struct pawl_ready_kernel built = {0};
  struct pawl_error damaged;
  *out = (struct pawl_code_source){.tree = tree->paths.folder};
  const enum pawl_status_code own =
      pawl_line_table_read(kernel->build.plugin, gpu, &tree->arena, &measured, &damaged);
  out->table = measured;
  if (own == PAWL_OK && measured.count) return PAWL_OK; /* its own flags ask for them */
  if (own != PAWL_OK || kernel->spec->kind != PAWL_FROM_SOURCES)
    return pawl_fail(err, PAWL_NO_INPUT, "%s",
                     own != PAWL_OK
                         ? damaged.message
                         : "the build command writes no line table: add -lineinfo (nvcc) "
                           "or -gdwarf-4");
  PAWL_TRY(build_with_lines(tree, kernel, seconds, &built, err));
  PAWL_TRY(pawl_line_table_read(built.build.plugin, gpu, &tree->arena, &table, err));
  if (!pawl_hash_equal(measured.code, table.code) &&
      (gpu || !pawl_hash_equal(measured.layout, table.layout) ||
       !same_before_linking(kernel->build.plugin, built.build.plugin, &tree->arena)))
    return pawl_fail(err, PAWL_NO_INPUT, "line tables change the machine code of '%s'",
                     kernel->spec->name);
  if (!table.count)
    return pawl_fail(err, PAWL_NO_INPUT, "the compiler of '%s' writes no line table",
                     kernel->spec->name);
  out->table = table;
  return PAWL_OK;
}
