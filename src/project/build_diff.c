/* SPDX-License-Identifier: Apache-2.0 */
#include "project/build_diff.h"

#include "project/build_lines.h"
#include "project/static_change.h"

/* Lists the instructions of both builds and compares them. */
static pawl_status compare_code(const char *base_plugin, const char *candidate_plugin, bool gpu,
                                struct pawl_listings *listings, struct pawl_arena *arena,
                                struct pawl_code_diff *out, struct pawl_error *err) {
  struct pawl_machine_code base, candidate;
  PAWL_TRY(pawl_disassemble(base_plugin, gpu, listings, arena, &base, err));
  PAWL_TRY(pawl_disassemble(candidate_plugin, gpu, listings, arena, &candidate, err));
  pawl_code_diff(&base, &candidate, arena, out);
  return PAWL_OK;
}

void pawl_build_diff_begin(struct pawl_project *base_tree, const struct pawl_ready_kernel *base,
                           struct pawl_project *tree, const struct pawl_ready_kernel *candidate,
                           struct pawl_build_thread lines[2]) {
  struct pawl_project *const trees[] = {base_tree, tree};
  const struct pawl_ready_kernel *const builds[] = {base, candidate};
  const bool differ = !pawl_same_machine_code(base, candidate);
  for (int i = 0; i < 2; i++) {
    lines[i] = (struct pawl_build_thread){0};
    const bool gpu = builds[i]->spec->device == PAWL_CUDA;
    if (builds[i]->build.plugin && (gpu || differ))
      pawl_listings_add(&tree->listings, builds[i]->build.plugin, gpu);
  }
  pawl_listings_begin(&tree->listings);
  for (int i = 0; i < 2 && differ; i++)
    pawl_build_lines_begin(trees[i], builds[i], 0, NULL, &lines[i]);
}

void pawl_build_diff(const struct pawl_ready_kernel *base,
                     const struct pawl_ready_kernel *candidate, struct pawl_listings *listings,
                     struct pawl_arena *arena, struct pawl_build_diff *out) {
  const char *before = base->build.plugin, *now = candidate->build.plugin;
  struct pawl_error why = {0};
  *out =
      (struct pawl_build_diff){.identical = pawl_same_machine_code(base, candidate),
                               .facts = pawl_static_change(&base->build, &candidate->build, arena),
                               .is_host = candidate->spec->device != PAWL_CUDA};
  if (out->identical) return;
  if (!before || !now) {
    out->missing = "pawl did not build both versions from source";
    return;
  }
  enum pawl_status_code status = PAWL_OK;
  if (!out->is_host) status = compare_code(before, now, true, listings, arena, &out->code, &why);
  const bool none = !candidate->build.function_count && !base->build.function_count;
  if (!out->is_host && status != PAWL_OK && none) status = PAWL_OK; /* no GPU code to list */
  if (status == PAWL_OK && !out->code.count) {
    out->is_host = true;
    status = compare_code(before, now, false, listings, arena, &out->code, &why);
  }
  if (status != PAWL_OK) out->missing = pawl_arena_copy(arena, why.message);
  out->line = pawl_code_diff_line(&out->code, arena);
}

/* Reads the lines of both builds: of the GPU's code, or of the CPU's. */
static pawl_status read_sources(struct pawl_project *const trees[2],
                                const struct pawl_ready_kernel *const builds[2], bool gpu,
                                double seconds, struct pawl_code_source out[2],
                                struct pawl_error *err) {
  for (int i = 0; i < 2; i++)
    PAWL_TRY(pawl_build_lines(trees[i], builds[i], gpu, seconds, &out[i], err));
  return PAWL_OK;
}

void pawl_build_diff_add_lines(struct pawl_project *base_tree, const struct pawl_ready_kernel *base,
                               struct pawl_project *tree, const struct pawl_ready_kernel *candidate,
                               double seconds, struct pawl_build_diff *diff) {
  struct pawl_project *const trees[] = {base_tree, tree};
  const struct pawl_ready_kernel *const builds[] = {base, candidate};
  const bool gpu = candidate->spec->device == PAWL_CUDA;
  struct pawl_code_source host[2], *sources = diff->sources;
  struct pawl_error why = {0};
  if (diff->identical) return;
  enum pawl_status_code status = read_sources(trees, builds, gpu, seconds, sources, &why);
  diff->has_sources = status == PAWL_OK;
  if (gpu && diff->is_host) {
    sources = host;
    status = read_sources(trees, builds, false, seconds, sources, &why);
  }
  if (status != PAWL_OK) {
    diff->no_lines = pawl_arena_copy(&tree->arena, why.message);
    return;
  }
  pawl_code_lines(diff->code.items, diff->code.count, &sources[0], &sources[1], &tree->arena,
                  &diff->code.lines);
  const char *place = pawl_code_diff_place(&diff->code, &tree->arena);
  if (place && diff->line)
    diff->line = pawl_arena_printf(&tree->arena, "%s; most of it at %s", diff->line, place);
}

void pawl_build_diff_text(const struct pawl_build_diff *diff, struct pawl_text *out) {
  if (diff->identical) {
    pawl_text_add(out, "the machine code is the same\n");
    return;
  }
  if (diff->facts) pawl_text_printf(out, "%s\n", diff->facts);
  if (diff->missing) pawl_text_printf(out, "no list of instructions: %s\n", diff->missing);
  if (!diff->missing && !diff->code.count)
    pawl_text_add(out,
                  "the instructions are the same; registers, constants, data or libraries "
                  "differ\n");
  if (diff->no_lines) pawl_text_printf(out, "no source lines: %s\n", diff->no_lines);
  if (out->length) pawl_text_add(out, "\n");
  pawl_code_diff_text(&diff->code, out);
}

json_t *pawl_build_diff_to_json(const struct pawl_build_diff *diff) {
  json_t *out = json_object();
  pawl_json_set_bool(out, "identical", diff->identical);
  pawl_json_set_string(out, "code_of", diff->is_host ? "cpu" : "gpu");
  pawl_json_set_string(out, "facts", diff->facts);
  pawl_json_set_string(out, "line", diff->line);
  pawl_json_set_string(out, "missing", diff->missing);
  pawl_json_set_string(out, "no_lines", diff->no_lines);
  pawl_json_set(out, "lines", pawl_code_lines_to_json(&diff->code));
  pawl_json_set(out, "functions", pawl_code_diff_to_json(&diff->code));
  return out;
}
