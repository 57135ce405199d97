/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/code_phase.h"

#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/text.h"
#include "build/code_elf.h"
#include "gate/row_match.h"
#include "loop/passed_check.h"
#include "model/gate_rules.h"
#include "project/operators.h"
#include "project/static_code.h"

#define OCCUPANCY_NOISE 0.5 /* percent */
#define NO_GPU_MEASURED "no GPU here, and the baseline has a time of one"

/* A kernel and its base, built for one architecture. */
struct code_version {
  struct code_version *next;
  const struct pawl_ready_kernel *kernel;
  struct pawl_ready_kernel candidate;
  struct pawl_arm_pair pair; /* its base is built if `paired` */
  const char *arch;
  bool same_check;
  struct pawl_code before, now;
};

struct code_phase {
  const struct pawl_run_context *run;
  const struct pawl_baseline *baseline;
  struct code_version *versions;
  struct pawl_code_changes *changes;
};

/* Finds whether the code that gives the expected values is the candidate's. With `oracle: base` the
   merge base answers, and the measured base may be other code. */
static pawl_status is_own_judge(const struct code_phase *phase, const struct code_version *version,
                                bool *out, struct pawl_error *err) {
  const struct pawl_change_base *base = &phase->run->change_base;
  struct pawl_oracle *oracle;
  PAWL_TRY(
      pawl_project_oracle(phase->run->project, version->kernel->spec->operator_name, &oracle, err));
  *out = !oracle->by_base || base->on_main;
  if (*out || !base->merge_base) return PAWL_OK;
  struct pawl_arm_pair judge;
  PAWL_TRY(pawl_arm_pair_against(phase->run, &version->pair, base->merge_base,
                                 PAWL_ANCHOR_MERGE_BASE, &judge, err));
  *out = judge.identical;
  return PAWL_OK;
}

/* Returns whether the base passed all that the candidate's check asks: the same code against the
   same operator, tolerances and shapes, run in the same way. */
static pawl_status has_same_check(const struct code_phase *phase, struct code_version *version,
                                  struct pawl_error *err) {
  struct pawl_project *project = phase->run->project, *tree;
  struct pawl_check_key ours, theirs;
  bool own_judge;
  if (!version->kernel->spec->operator_name) return PAWL_OK;
  PAWL_TRY(pawl_change_base_tree(project, version->pair.anchor, &tree, err));
  PAWL_TRY(pawl_check_key(project, &version->candidate, false, &ours, err));
  PAWL_TRY(pawl_check_key(tree, &version->pair.base, false, &theirs, err));
  PAWL_TRY(is_own_judge(phase, version, &own_judge, err));
  if (version->candidate.build.opens_files) return PAWL_OK; /* machines may have other files */
  version->same_check = own_judge && ours.known && theirs.known &&
                        !memcmp(&ours.hash, &theirs.hash, sizeof ours.hash);
  return PAWL_OK;
}

/* The machine that judges is not the one that measured. */
static void note_machine(const struct code_phase *phase, const struct code_version *version,
                         const struct pawl_baseline_entry *entry) {
  struct pawl_arena *arena = &phase->run->project->arena;
  const char *toolchain = version->candidate.build.toolchain;
  const char *times =
      !entry ? "the baseline has no time of it"
             : pawl_arena_printf(arena, "the times of the baseline are those of %s",
                                 entry->hardware ? entry->hardware : "another machine");
  pawl_strings_add(
      phase->run->notices, arena,
      pawl_arena_printf(arena,
                        "this machine judged %s without a GPU (%s): it built both versions for %s "
                        "with %s; %s",
                        version->kernel->spec->name, version->kernel->reason, version->arch,
                        toolchain ? toolchain : "its own command", times));
}

/* Builds both versions, once for all cases of the kernel, for the architecture of the entry. NULL:
   for that of the kernel's build. */
static pawl_status find_version(struct code_phase *phase, const struct pawl_ready_kernel *kernel,
                                const struct pawl_case *config, const char *anchor,
                                enum pawl_anchor_kind kind, const struct pawl_baseline_entry *entry,
                                struct code_version **out, struct pawl_error *err) {
  struct pawl_project *project = phase->run->project;
  const char *arch = entry ? entry->code.arch : kernel->build.cuda_arch;
  for (struct code_version *version = phase->versions; version; version = version->next) {
    *out = version;
    if (version->kernel == kernel && !strcmp(version->arch, arch) &&
        !strcmp(version->pair.anchor, anchor))
      return PAWL_OK;
  }
  struct code_version *version = pawl_arena_alloc(&project->arena, 1, sizeof *version);
  struct pawl_result before, now;
  *version = (struct code_version){
      .next = phase->versions, .kernel = kernel, .arch = pawl_arena_copy(&project->arena, arch)};
  project->devices.absent_arch = version->arch;
  PAWL_TRY(pawl_project_ready(project, kernel->spec, &version->candidate, err));
  const struct pawl_arm_pair own = {.candidate = &version->candidate, .config = config};
  PAWL_TRY(pawl_arm_pair_against(phase->run, &own, anchor, kind, &version->pair, err));
  pawl_result_init(&before);
  pawl_result_init(&now);
  if (version->pair.paired) pawl_static_code(&version->pair.base.build, &before.code);
  pawl_static_code(&version->candidate.build, &now.code);
  version->before = before.code;
  version->now = now.code;
  if (version->pair.identical) PAWL_TRY(has_same_check(phase, version, err));
  if (version->pair.paired && !version->pair.identical)
    pawl_code_changes_add(phase->run, &version->pair.base, &version->candidate, anchor,
                          !phase->run->options->code_only, phase->changes);
  note_machine(phase, version, entry);
  phase->versions = *out = version;
  return PAWL_OK;
}

/* Returns which limit of the gate the code is over, or NULL. */
static const char *broken_limit(const struct pawl_gate_spec *gate,
                                const struct code_version *version, struct pawl_arena *arena) {
  const struct pawl_code *before = &version->before, *now = &version->now;
  if (before->spill_bytes == 0 && now->spill_bytes > 0)
    return pawl_arena_printf(arena, "it spills %lld bytes, the base none", now->spill_bytes);
  if (now->occupancy_pct < gate->static_occupancy * 100 &&
      now->occupancy_pct < before->occupancy_pct - OCCUPANCY_NOISE)
    return pawl_arena_printf(arena, "its occupancy falls from %.0f %% to %.0f %%, below %.0f %%",
                             before->occupancy_pct, now->occupancy_pct,
                             gate->static_occupancy * 100);
  return NULL;
}

static struct pawl_gate_spec code_phase_gate(const struct code_phase *phase,
                                             const struct pawl_ratchet_row *row) {
  return pawl_gate_of_row(&phase->run->project->suite.gate, row->comparison.kernel_name,
                          row->comparison.config.name);
}

/* Sets the verdict of a row whose code or check is not the base's. */
static void say_code_changed(const struct code_phase *phase, const struct code_version *version,
                             struct pawl_ratchet_row *row) {
  struct pawl_arena *arena = &phase->run->project->arena;
  struct pawl_comparison *item = &row->comparison;
  const struct pawl_gate_spec gate = code_phase_gate(phase, row);
  const char *limit = version->pair.paired ? broken_limit(&gate, version, arena) : NULL;
  item->verdict = limit && gate.static_code == PAWL_STATIC_FAIL ? PAWL_VERDICT_WORSE_CODE
                                                                : PAWL_VERDICT_NEEDS_GPU;
  if (!version->pair.paired)
    item->reason = pawl_arena_printf(arena, "no GPU here, and %.12s has no machine code of it",
                                     version->pair.anchor);
  else if (version->pair.identical && version->candidate.build.opens_files)
    item->reason =
        pawl_arena_printf(arena,
                          "the machine code for %s is that of %.12s, but it can open files, and "
                          "pawl does not know all their names",
                          version->arch, version->pair.anchor);
  else if (version->pair.identical && version->same_check)
    item->reason = pawl_arena_printf(
        arena,
        "the machine code for %s is that of %.12s, but no entry of the baseline names the GPU and "
        "proves the check",
        version->arch, version->pair.anchor);
  else if (version->pair.identical)
    item->reason = pawl_arena_printf(
        arena,
        "the machine code for %s is that of %.12s, but not all of its check is: the operator, the "
        "tolerances, the shapes or the way to run it changed",
        version->arch, version->pair.anchor);
  else
    item->reason =
        pawl_arena_printf(arena, "the machine code for %s is not that of %.12s%s%s", version->arch,
                          version->pair.anchor, limit ? ": " : "", limit ? limit : "");
  row->code_before = version->pair.paired ? &version->before : NULL;
  row->code_now = &version->now;
}

static pawl_status say_proven(const struct code_phase *phase, const struct code_version *version,
                              const struct pawl_ready_kernel *kernel, struct pawl_ratchet_row *row,
                              struct pawl_error *err) {
  struct pawl_arena *arena = &phase->run->project->arena;
  struct pawl_paired_test *test = pawl_arena_alloc(arena, 1, sizeof *test);
  const struct pawl_gate_spec gate = code_phase_gate(phase, row);
  *test = (struct pawl_paired_test){.kernel_name = kernel->spec->name,
                                    .case_name = row->comparison.config.name,
                                    .config = &row->comparison.config,
                                    .anchor = version->pair.anchor,
                                    .anchor_kind = version->pair.anchor_kind,
                                    .identical = true,
                                    .code_hash = version->candidate.build.code_hash,
                                    .p = NAN,
                                    .e_value = NAN,
                                    .block_sd = NAN,
                                    .detectable = NAN,
                                    .confirmed_slowdown = NAN,
                                    .policy = pawl_gate_policy(&gate, 1)};
  PAWL_TRY(pawl_paired_test_judge(test, err));
  row->paired = test;
  row->code_before = row->code_now = &version->now;
  PAWL_TRY(pawl_paired_test_compare(test, arena, &row->comparison, err));
  row->comparison.reason = pawl_arena_printf(
      arena, "no GPU needed: the machine code for %s and its check are those of %.12s",
      version->arch, version->pair.anchor);
  return PAWL_OK;
}

/* Shows how the code of a row that the baseline does not have differs from that of the revision
   asked for, or of the merge base. */
static pawl_status compare_unrecorded(struct code_phase *phase,
                                      const struct pawl_ready_kernel *kernel,
                                      struct pawl_ratchet_row *row, struct pawl_error *err) {
  enum pawl_anchor_kind kind;
  const char *anchor = pawl_arm_pair_anchor(phase->run, NULL, &kind);
  struct code_version *version;
  row->comparison.verdict = PAWL_VERDICT_NEEDS_GPU;
  row->comparison.reason = "no GPU here, and the baseline does not have it";
  if (!anchor || !kernel->build.cuda_arch) return PAWL_OK;
  PAWL_TRY(find_version(phase, kernel, &row->comparison.config, anchor, kind, NULL, &version, err));
  say_code_changed(phase, version, row);
  return PAWL_OK;
}

/* Judges the row against each entry of the baseline, whatever its hardware. The first version that
   differs decides. */
static pawl_status judge_by_code(struct code_phase *phase, const struct pawl_ready_kernel *kernel,
                                 struct pawl_ratchet_row *row, struct pawl_error *err) {
  struct pawl_comparison *item = &row->comparison;
  struct code_version *version = NULL;
  bool recorded = false, proven = true;
  for (size_t i = 0; i < phase->baseline->count && proven; i++) {
    const struct pawl_baseline_entry *entry = &phase->baseline->entries[i];
    enum pawl_anchor_kind kind;
    if (!pawl_text_equal(entry->kernel_name, kernel->spec->name) ||
        !pawl_text_equal(entry->case_name, item->config.name))
      continue;
    recorded = true;
    const char *anchor = pawl_arm_pair_anchor(phase->run, entry, &kind);
    proven = anchor && entry->code.arch && pawl_shapes_agree(&entry->config, &item->config);
    if (!proven) continue;
    PAWL_TRY(find_version(phase, kernel, &item->config, anchor, kind, entry, &version, err));
    if (!row->entry) row->entry = entry;
    proven = version->pair.identical && version->same_check;
    if (!proven) say_code_changed(phase, version, row);
  }
  if (!recorded && kernel->spec->optional) return PAWL_OK; /* nothing of it was ever measured */
  if (recorded && proven) return say_proven(phase, version, kernel, row, err);
  if (!recorded) return compare_unrecorded(phase, kernel, row, err);
  if (item->verdict != PAWL_VERDICT_UNSUPPORTED) return PAWL_OK;
  item->verdict = PAWL_VERDICT_NEEDS_GPU;
  item->reason =
      "no GPU here, and the baseline has another shape of the case, or names no architecture or "
      "commit";
  return PAWL_OK;
}

static const struct pawl_ready_kernel *find_only_code(const struct pawl_built *built,
                                                      const char *name) {
  for (size_t i = 0; i < built->count; i++) {
    const struct pawl_ready_kernel *kernel = &built->kernels[i];
    if (pawl_kernel_is_only_code(kernel) && pawl_text_equal(kernel->spec->name, name))
      return kernel;
  }
  return NULL;
}

/* Returns whether a row of the kernel became slower or faster. */
static bool is_other_time(const struct pawl_ratchet_report *ratchet, const char *kernel) {
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_comparison *item = &ratchet->rows[i].comparison;
    if (pawl_text_equal(item->kernel_name, kernel) &&
        (item->verdict == PAWL_VERDICT_REGRESSION || item->verdict == PAWL_VERDICT_IMPROVEMENT ||
         item->verdict == PAWL_VERDICT_ACCEPTED))
      return true;
  }
  return false;
}

/* Returns the next pair of a kernel that pawl measured, each kernel once, or NULL. */
static const struct pawl_arm_pair *next_measured(const struct pawl_arm_pairs *pairs, size_t *next) {
  while (*next < pairs->count) {
    const size_t i = (*next)++;
    const struct pawl_arm_pair *pair = &pairs->items[i];
    const bool again = i && pairs->items[i - 1].candidate == pair->candidate &&
                       !strcmp(pairs->items[i - 1].anchor, pair->anchor);
    if (pair->paired && !again && pair->candidate->build.plugin && pair->base.build.plugin)
      return pair;
  }
  return NULL;
}

/* Returns the next measured pair whose GPU code differs, or NULL. */
static const struct pawl_arm_pair *next_changed(const struct pawl_arm_pairs *pairs, size_t *next) {
  const struct pawl_arm_pair *pair;
  do pair = next_measured(pairs, next);
  while (pair && (pair->candidate->spec->device != PAWL_CUDA || pair->identical));
  return pair;
}

/* Where the GPU's code is the same, the report shows the difference of the CPU's code. */
static void begin_listings(const struct pawl_arm_pairs *pairs, struct pawl_listings *out) {
  const struct pawl_arm_pair *pair;
  for (size_t next = 0; (pair = next_changed(pairs, &next));) {
    const char *base = pair->base.build.plugin, *candidate = pair->candidate->build.plugin;
    const bool same = pawl_elf_same_device_code(base, candidate);
    for (int gpu = !same; gpu < 2; gpu++) {
      pawl_listings_add(out, base, gpu);
      pawl_listings_add(out, candidate, gpu);
    }
  }
  pawl_listings_begin(out);
}

void pawl_code_phase_begin(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                           struct pawl_code_changes *out) {
  const int quarter = pawl_cpu_count() / 4; /* two compilers each, on half of the CPUs */
  const struct pawl_arm_pair *pair;
  begin_listings(pairs, &run->project->listings);
  for (size_t next = 0; (pair = next_changed(pairs, &next));)
    pawl_code_changes_begin_lines(run, &pair->base, pair->candidate, pair->anchor,
                                  quarter ? quarter : 1, out);
}

static void list_measured(const struct code_phase *phase, const struct pawl_arm_pairs *pairs,
                          const struct pawl_ratchet_report *ratchet) {
  struct pawl_project *project = phase->run->project;
  const struct pawl_arm_pair *pair;
  const int64_t begin = pawl_clock_ns();
  bool lines = false;
  if (!project->listings.count && !pawl_budget_is_over()) begin_listings(pairs, &project->listings);
  for (size_t next = 0; (pair = next_measured(pairs, &next));)
    lines = lines || is_other_time(ratchet, pair->candidate->spec->name);
  pawl_listings_await(&project->listings);
  if (!lines) pawl_jobs_stop(project->listings.jobs); /* nobody wants the builds with lines */
  if (project->listings.count)
    pawl_log_detail(project->options.log, "pawl waited %.2f s for %zu lists of instructions",
                    pawl_seconds_since(begin), project->listings.count);
  for (size_t next = 0; (pair = next_measured(pairs, &next));)
    pawl_code_changes_add(phase->run, &pair->base, pair->candidate, pair->anchor,
                          is_other_time(ratchet, pair->candidate->spec->name), phase->changes);
}

/* Returns whether this run measures kernels of a GPU, or knows that it lost the GPU. A suite
   without such kernels looks for no GPU. */
static bool measures_gpu(struct pawl_project *project) {
  if (project->devices.gpu_lost) return true;
  for (size_t i = 0; i < project->suite.kernel_count; i++)
    if (project->suite.kernels[i].device == PAWL_CUDA)
      return pawl_devices_find(&project->devices, PAWL_CUDA, NULL) != NULL;
  return false;
}

/* Returns whether the entry has the time of a GPU: it has its machine code, or the kernel is one of
   a GPU, here or in the merge base. The hardware does not tell, because a CPU kernel has that of
   the machine's GPU. */
static bool is_of_gpu(const struct code_phase *phase, const struct pawl_baseline_entry *entry) {
  const struct pawl_change_base *base = &phase->run->change_base;
  struct pawl_project *project = phase->run->project, *tree;
  struct pawl_error ignored;
  if (entry->code.arch) return true;
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&project->suite, entry->kernel_name);
  if ((!spec || spec->device != PAWL_CUDA) && base->merge_base && !base->on_main &&
      pawl_change_base_tree(project, base->merge_base, &tree, &ignored) == PAWL_OK)
    spec = pawl_suite_kernel(&tree->suite, entry->kernel_name);
  return spec && spec->device == PAWL_CUDA;
}

static struct pawl_ratchet_row *find_row(const struct pawl_ratchet_report *ratchet,
                                         const struct pawl_baseline_entry *entry) {
  for (size_t i = 0; i < ratchet->count; i++)
    if (pawl_text_equal(ratchet->rows[i].comparison.kernel_name, entry->kernel_name) &&
        pawl_text_equal(ratchet->rows[i].comparison.config.name, entry->case_name))
      return &ratchet->rows[i];
  return NULL;
}

/* Adds a row for an entry that the run has no row of. Only its command knows the benchmarks of a
   harness; any other row left the suite. */
static void add_unproven(const struct code_phase *phase, const struct pawl_baseline_entry *entry,
                         struct pawl_ratchet_report *ratchet) {
  const struct pawl_kernel_spec *spec =
      pawl_suite_kernel(&phase->run->project->suite, entry->kernel_name);
  const bool only_on_gpu = spec && pawl_kernel_is_harness(spec);
  struct pawl_ratchet_row *row = &ratchet->rows[ratchet->count++];
  *row = (struct pawl_ratchet_row){.change = PAWL_RATCHET_KEPT, .entry = entry};
  pawl_comparison_init(&row->comparison);
  row->comparison.kernel_name = entry->kernel_name;
  row->comparison.config = entry->config;
  row->comparison.baseline_ms = entry->median_ms;
  row->comparison.verdict = only_on_gpu ? PAWL_VERDICT_NEEDS_GPU : PAWL_VERDICT_MISSING;
  row->comparison.reason =
      only_on_gpu ? NO_GPU_MEASURED : "the baseline has it, but the results do not";
}

/* Returns whether the row may stand: it fails, or its machine code was judged. */
static bool is_judged(const struct pawl_ratchet_row *row, const struct pawl_built *built) {
  return pawl_verdict_fails(row->comparison.verdict) ||
         find_only_code(built, row->comparison.kernel_name);
}

/* Judges each entry of a GPU that no machine code proves. Whoever removes a kernel, or makes it one
   that this machine leaves out, leaves the entry unproven. */
static void judge_unproven(const struct code_phase *phase, const struct pawl_built *built,
                           struct pawl_ratchet_report *ratchet) {
  const struct pawl_run_context *run = phase->run;
  const struct pawl_baseline *baseline = phase->baseline;
  struct pawl_ratchet_row *rows =
      pawl_arena_alloc(&run->project->arena, ratchet->count + baseline->count + 1, sizeof *rows);
  if (ratchet->count) memcpy(rows, ratchet->rows, ratchet->count * sizeof *rows);
  ratchet->rows = rows;
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    struct pawl_ratchet_row *row = find_row(ratchet, entry);
    if (!pawl_selection_has(&run->options->selection, &run->project->suite, entry->kernel_name,
                            entry->case_name) ||
        (row && is_judged(row, built)) || !is_of_gpu(phase, entry))
      continue;
    if (!row) {
      add_unproven(phase, entry, ratchet);
      continue;
    }
    row->paired = NULL; /* blocks of a CPU */
    row->comparison.verdict = PAWL_VERDICT_NEEDS_GPU;
    row->comparison.reason = NO_GPU_MEASURED;
  }
}

pawl_status pawl_code_phase(const struct pawl_run_context *run, const struct pawl_built *built,
                            const struct pawl_arm_pairs *pairs,
                            const struct pawl_baseline *baseline,
                            struct pawl_ratchet_report *ratchet, struct pawl_code_changes *changes,
                            struct pawl_error *err) {
  struct code_phase phase = {.run = run, .baseline = baseline, .changes = changes};
  list_measured(&phase, pairs, ratchet);
  for (size_t i = 0; i < ratchet->count; i++) {
    struct pawl_ratchet_row *row = &ratchet->rows[i];
    const struct pawl_ready_kernel *kernel = find_only_code(built, row->comparison.kernel_name);
    if (!kernel || row->comparison.verdict != PAWL_VERDICT_UNSUPPORTED || run->options->unpaired)
      continue;
    PAWL_TRY(judge_by_code(&phase, kernel, row, err));
  }
  if (!run->options->unpaired && !measures_gpu(run->project))
    judge_unproven(&phase, built, ratchet);
  memset(ratchet->counts, 0, sizeof ratchet->counts);
  for (size_t i = 0; i < ratchet->count; i++)
    pawl_ratchet_count(ratchet, ratchet->rows[i].comparison.verdict);
  return PAWL_OK;
}
