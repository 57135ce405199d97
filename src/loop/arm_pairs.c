/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/arm_pairs.h"

#include <string.h>

#include "base/budget.h"
#include "base/text.h"
#include "build/git.h"
#include "build/reads.h"
#include "gate/row_match.h"
#include "measure/flush.h"
#include "project/operators.h"
#include "project/surroundings.h"
#include "worker/surroundings.h"

/* A loss that a change accepted was measured on its branch, and a squash merge drops the branch's
   commits. The commit that brought the entry to main then replaces them. */
static const char *commit_of_entry(const struct pawl_run_context *run,
                                   const struct pawl_baseline_entry *entry) {
  struct pawl_project *project = run->project;
  const char *tip = run->change_base.merge_base ? run->change_base.merge_base : project->git.commit;
  if (!entry->reason || !tip || pawl_git_is_ancestor(project->git.root, entry->git_commit, tip))
    return entry->git_commit;
  const struct pawl_git_change merged = pawl_git_introduction(
      project->git.root, tip, pawl_suite_path(&project->paths, PAWL_BASELINE_PATH),
      entry->git_commit, &project->arena);
  return merged.commit ? merged.commit : entry->git_commit;
}

const char *pawl_arm_pair_anchor(const struct pawl_run_context *run,
                                 const struct pawl_baseline_entry *entry,
                                 enum pawl_anchor_kind *kind) {
  if (run->options->anchor) {
    *kind = PAWL_ANCHOR_REVISION;
    return run->options->anchor;
  }
  if (entry && entry->git_commit) {
    *kind = PAWL_ANCHOR_BASELINE;
    return commit_of_entry(run, entry);
  }
  if (entry || !run->change_base.merge_base || run->change_base.on_main) return NULL;
  *kind = PAWL_ANCHOR_MERGE_BASE;
  return run->change_base.merge_base;
}

void pawl_arm_pairs_foresee(const struct pawl_run_context *run,
                            const struct pawl_baseline *baseline) {
  const char *commit = run->options->anchor;
  struct pawl_project *tree;
  struct pawl_error ignored;
  for (size_t i = 0; i < baseline->count && !run->options->anchor; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (!pawl_suite_kernel(&run->project->suite, entry->kernel_name)) continue;
    if (entry->reason || !entry->git_commit || !pawl_git_is_commit(entry->git_commit)) return;
    /* The hardware is not known yet, so the entries must agree. */
    if (commit && strcmp(commit, entry->git_commit) != 0) return;
    commit = entry->git_commit;
  }
  if (commit && !run->options->unpaired)
    (void)!pawl_change_base_tree(run->project, commit, &tree, &ignored);
}

void pawl_arm_pair_note_unpaired(const struct pawl_run_context *run,
                                 const struct pawl_arm_pair *pair, const char *why) {
  struct pawl_arena *arena = &run->project->arena;
  pawl_strings_add(run->notices, arena,
                   pawl_arena_printf(arena, "unpaired verdict for %s on %s: %s",
                                     pair->candidate->spec->name, pair->config->name, why));
}

/* Returns why the commit of an entry cannot be the anchor, or NULL if it can. The commit of the
   working tree is the change itself, so an entry that names it needs its machine code. */
static const char *reject_anchor(const struct pawl_run_context *run,
                                 const struct pawl_arm_pair *pair,
                                 const struct pawl_baseline_entry *entry) {
  if (pair->anchor_kind != PAWL_ANCHOR_BASELINE) return NULL;
  struct pawl_arena *arena = &run->project->arena;
  const char *head = run->project->git.commit, *built = pair->base.build.code_hash;
  if (!pawl_git_is_commit(pair->anchor))
    return pawl_arena_printf(
        arena, "the baseline has '%s', a short form of a commit; write all digits", pair->anchor);
  if (head && !strcmp(pair->anchor, head) && entry->code_hash && built &&
      strcmp(entry->code_hash, built) != 0)
    return pawl_arena_printf(arena,
                             "the baseline names this commit, %.12s, but has the hash of other "
                             "machine code; record the baseline again",
                             pair->anchor);
  return NULL;
}

static void note_once(const struct pawl_run_context *run, const char *note) {
  for (size_t i = 0; i < run->notices->count; i++)
    if (!strcmp(run->notices->items[i], note)) return;
  pawl_strings_add(run->notices, &run->project->arena, note);
}

/* Returns whether a build read a file of the user's tree that `base`, a checkout in it, lacks. */
static bool reads_more_than(const char *base, const struct pawl_surroundings *around,
                            const char *plugin) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_words reads = {0};
  pawl_build_reads(plugin, &arena, &reads);
  for (size_t i = 0; i < reads.count; i++) {
    const char *path = reads.items[i];
    bool own = !pawl_path_holds(around->user_tree, path);
    for (size_t j = 0; j < around->own.count; j++)
      own |= pawl_path_holds(around->own.items[j], path); /* other checkouts are there */
    if (!own && !pawl_file_exists(
                    pawl_arena_printf(&arena, "%s%s", base, path + strlen(around->user_tree))))
      return true;
  }
  return false;
}

/* Says once for each kernel that files took part which no commit has. */
static void note_ignored(const struct pawl_run_context *run, const struct pawl_arm_pair *pair,
                         const char *base) {
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_surroundings *around = pawl_project_surroundings(run->project);
  if (!reads_more_than(base, around, pair->base.build.plugin) &&
      !reads_more_than(base, around, pair->candidate->build.plugin))
    return; /* and git need not list what it ignores */
  const struct pawl_strings *ignored = &pawl_surroundings_files(around)->ignored;
  struct pawl_strings files = {0};
  pawl_build_reads_ignored(pair->base.build.plugin, around->user_tree, ignored, arena, &files);
  pawl_build_reads_ignored(pair->candidate->build.plugin, around->user_tree, ignored, arena,
                           &files);
  if (!files.count) return;
  note_once(run,
            pawl_arena_printf(
                arena,
                "the builds of %s read '%s'%s, which git ignores: both versions have the "
                "working tree's",
                pair->candidate->spec->name, files.items[0],
                files.count > 1 ? pawl_arena_printf(arena, " and %zu more", files.count - 1) : ""));
}

/* Builds the anchor's version of the kernel. A base that pawl cannot get is a loud notice and no
   error. */
static pawl_status build_base(const struct pawl_run_context *run, struct pawl_arm_pair *pair,
                              struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  struct pawl_project *tree = NULL;
  struct pawl_error why = {0};
  if (pawl_change_base_tree(run->project, pair->anchor, &tree, &why) != PAWL_OK) {
    pawl_arm_pair_note_unpaired(run, pair, pawl_arena_copy(arena, why.message));
    return PAWL_OK;
  }
  const struct pawl_kernel_spec *spec =
      pawl_suite_kernel(&tree->suite, pair->candidate->spec->name);
  if (!spec || !pawl_text_equal(spec->operator_name, pair->candidate->spec->operator_name)) {
    pawl_arm_pair_note_unpaired(
        run, pair, pawl_arena_printf(arena, "%.12s does not have this kernel", pair->anchor));
    return PAWL_OK;
  }
  const enum pawl_status_code status = pawl_project_ready(tree, spec, &pair->base, err);
  if (pawl_budget_ended(status)) return PAWL_OK; /* the row says that it is not measured */
  if (status != PAWL_OK) return status;
  note_ignored(run, pair, pawl_project_surroundings(tree)->tree);
  const bool only_code = pawl_kernel_is_only_code(&pair->base);
  const bool runs = pair->base.outcome == PAWL_OUTCOME_OK;
  /* without its GPU, a side has machine code alone and cannot run beside the other */
  pair->paired = (runs || only_code) && only_code == pawl_kernel_is_only_code(pair->candidate);
  if (!pair->paired)
    pawl_arm_pair_note_unpaired(run, pair,
                                pawl_arena_printf(arena,
                                                  runs ? "the base %.12s is no kernel of a GPU"
                                                  : only_code ? "the base %.12s needs a GPU: %s"
                                                              : "the base %.12s does not build: %s",
                                                  pair->anchor, pair->base.reason));
  return PAWL_OK;
}

pawl_status pawl_arm_pair_against(const struct pawl_run_context *run,
                                  const struct pawl_arm_pair *pair, const char *anchor,
                                  enum pawl_anchor_kind kind, struct pawl_arm_pair *out,
                                  struct pawl_error *err) {
  *out = (struct pawl_arm_pair){
      .candidate = pair->candidate, .config = pair->config, .anchor = anchor, .anchor_kind = kind};
  PAWL_TRY(build_base(run, out, err));
  out->identical = out->paired && pawl_same_machine_code(&out->base, out->candidate);
  return PAWL_OK;
}

/* Says once per kernel that the rebuilt base is other machine code than the baseline recorded. If
   the compiler is that of the entry, a library or a variable has changed the code. Nothing then
   proves the entry's time, so pawl times both versions. */
static void judge_other_code(const struct pawl_run_context *run, struct pawl_arm_pair *pair,
                             const struct pawl_baseline_entry *entry) {
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_build_result *built = &pair->base.build;
  if (pair->anchor_kind != PAWL_ANCHOR_BASELINE || !entry->code_hash || !built->code_hash ||
      !strcmp(entry->code_hash, built->code_hash))
    return;
  const bool same =
      entry->toolchain && built->toolchain && strstr(entry->toolchain, built->toolchain);
  if (same) pair->identical = false;
  const char *note = pawl_arena_printf(
      arena,
      same ? "the base of %s, built again from %.12s with the same compiler, is other machine code "
             "than the baseline has; the time of the baseline may be that of other code: record it "
             "again"
           : "the base of %s, built again from %.12s with another compiler (%s), is other machine "
             "code "
             "than the baseline has; both versions of this run have the compiler of this machine",
      pair->candidate->spec->name, pair->anchor, built->toolchain ? built->toolchain : "unknown");
  note_once(run, note);
}

/* Says once for each kernel why pawl measures a program that the change does not seem to touch. */
static void note_program(const struct pawl_run_context *run, const struct pawl_arm_pair *pair) {
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_program_code *base = &pair->base.program, *now = &pair->candidate->program;
  const char *name = pair->candidate->spec->name, *note;
  const char *why = base->why ? base->why : now->why;
  if (!pair->paired || pair->identical) return;
  if (!why && base->hash && now->hash) why = pawl_program_code_reader(base, now);
  const char *file = why ? NULL : pawl_program_code_difference(base, now, arena);
  if (!why && !file) return;
  if (why)
    note = pawl_arena_printf(arena,
                             "pawl measures %s, because it cannot prove that its code is that of "
                             "%.12s: %s",
                             name, pair->anchor, why);
  else
    note = pawl_arena_printf(arena,
                             "pawl measures %s: '%s' is not that of %.12s, and a program may read "
                             "any file",
                             name, file, pair->anchor);
  note_once(run, note);
}

struct finding {
  const struct pawl_run_context *run;
  const struct pawl_baseline *baseline;
  const char *hardware;
  struct pawl_arm_pairs *pairs;
};

/* The previous case usually has the same kernel and anchor, and so the same base. */
static bool reuse_base(const struct pawl_arm_pairs *pairs, struct pawl_arm_pair *pair) {
  const struct pawl_arm_pair *last = pairs->count ? &pairs->items[pairs->count - 1] : NULL;
  if (!last || last->candidate != pair->candidate || strcmp(last->anchor, pair->anchor) != 0)
    return false;
  if (!last->base.spec || last->base.outcome != PAWL_OUTCOME_OK) return false;
  pair->base = last->base;
  pair->paired = true;
  return true;
}

static pawl_status add_pair(const struct finding *finding, const struct pawl_ready_kernel *kernel,
                            const struct pawl_case *config, struct pawl_error *err) {
  const struct pawl_run_context *run = finding->run;
  if (!pawl_selection_has(&run->options->selection, &run->project->suite, kernel->spec->name,
                          config->name))
    return PAWL_OK;
  const struct pawl_baseline_entry *entry =
      pawl_baseline_find(finding->baseline, kernel->spec->name, config->name, finding->hardware);
  if (entry && !pawl_shapes_agree(&entry->config, config))
    entry = NULL; /* the entry's case has other shapes */
  struct pawl_arm_pair pair = {.candidate = kernel, .config = config};
  pair.anchor = pawl_arm_pair_anchor(run, entry, &pair.anchor_kind);
  if (!pair.anchor) return PAWL_OK;
  if (!reuse_base(finding->pairs, &pair)) PAWL_TRY(build_base(run, &pair, err));
  const char *rejected = pair.paired ? reject_anchor(run, &pair, entry) : NULL;
  if (rejected) {
    pawl_arm_pair_note_unpaired(run, &pair, rejected);
    pair.paired = false;
  }
  pair.identical = pair.paired && pawl_same_machine_code(&pair.base, kernel);
  if (pair.paired && entry) judge_other_code(run, &pair, entry);
  note_program(run, &pair);
  /* a first entry needs a time, and an entry from a busy machine or an older flush a better one */
  const struct pawl_device *device =
      pawl_devices_find(&run->project->devices, kernel->spec->device, NULL);
  const bool older = entry && !entry->clean_flush &&
                     pawl_measure_flushes_clean(device, &run->project->suite.measure);
  pair.needs_time = run->options->update_baseline && (!entry || entry->held_up || older);
  finding->pairs->items[finding->pairs->count++] = pair;
  return PAWL_OK;
}

/* A kernel has its operator's cases and a command its own case. A harness's benchmarks are unknown
   before it runs. */
static pawl_status arm_pairs_find_cases(struct pawl_project *project,
                                        const struct pawl_kernel_spec *spec,
                                        struct pawl_case **cases, size_t *count,
                                        struct pawl_error *err) {
  if (spec->operator_name) {
    struct pawl_oracle *oracle;
    PAWL_TRY(pawl_project_oracle(project, spec->operator_name, &oracle, err));
    return pawl_operator_cases(&project->suite, &oracle->info, NULL, NULL, &project->arena, cases,
                               count, err);
  }
  *cases = pawl_arena_alloc(&project->arena, 1, sizeof **cases);
  **cases = pawl_command_case(&project->suite);
  *count = !pawl_kernel_is_harness(spec);
  return PAWL_OK;
}

pawl_status pawl_arm_pairs_find(const struct pawl_run_context *run,
                                const struct pawl_ready_kernel *kernels, size_t count,
                                const struct pawl_baseline *baseline, const char *hardware,
                                struct pawl_arm_pairs *out, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  const size_t room = count * (project->suite.case_count + 1);
  struct pawl_arm_pairs pairs = {pawl_arena_alloc(&project->arena, room, sizeof *pairs.items), 0};
  const struct finding finding = {run, baseline, hardware, &pairs};
  for (size_t i = 0; i < count && !run->options->unpaired; i++) {
    struct pawl_case *cases;
    size_t case_count;
    if (kernels[i].outcome != PAWL_OUTCOME_OK || kernels[i].spec->reference) continue;
    const enum pawl_status_code status =
        arm_pairs_find_cases(project, kernels[i].spec, &cases, &case_count, err);
    if (pawl_budget_ended(status)) break;
    if (status != PAWL_OK) return status;
    for (size_t j = 0; j < case_count; j++)
      PAWL_TRY(add_pair(&finding, &kernels[i], &cases[j], err));
  }
  *out = pairs;
  return PAWL_OK;
}

pawl_status pawl_arm_pairs_add_benchmarks(const struct pawl_run_context *run,
                                          const struct pawl_ready_kernel *kernels, size_t count,
                                          const struct pawl_results *results,
                                          const struct pawl_baseline *baseline,
                                          struct pawl_arm_pairs *pairs, struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  struct pawl_arm_pairs all = {
      pawl_arena_alloc(arena, pairs->count + results->count + 1, sizeof *all.items), pairs->count};
  const struct finding finding = {run, baseline, results->hardware, &all};
  if (pairs->count) memcpy(all.items, pairs->items, pairs->count * sizeof *all.items);
  for (size_t i = 0; i < count && !run->options->unpaired; i++) {
    const struct pawl_kernel_spec *spec = kernels[i].spec;
    if (!pawl_kernel_is_harness(spec) || spec->reference) continue;
    for (size_t j = 0; j < results->count; j++) {
      const struct pawl_result *row = &results->items[j];
      if (strcmp(row->kernel_name, spec->name) != 0 || row->outcome != PAWL_OUTCOME_OK) continue;
      struct pawl_case *config =
          pawl_arena_alloc(arena, 1, sizeof *config); /* a copy, because the rows may move */
      *config = row->config;
      PAWL_TRY(add_pair(&finding, &kernels[i], config, err));
    }
  }
  *pairs = all;
  return PAWL_OK;
}

bool pawl_arm_pair_times_candidate(const struct pawl_arm_pair *pair) {
  const struct pawl_kernel_spec *spec = pair->candidate->spec;
  return pair->paired && spec->operator_name && spec->device == PAWL_CUDA &&
         pair->candidate->outcome == PAWL_OUTCOME_OK && !pair->identical;
}

const struct pawl_arm_pair *pawl_arm_pairs_of(const struct pawl_arm_pairs *pairs,
                                              const char *kernel, const char *case_name) {
  for (size_t i = 0; i < pairs->count; i++) {
    const struct pawl_arm_pair *pair = &pairs->items[i];
    if (!strcmp(pair->candidate->spec->name, kernel) && !strcmp(pair->config->name, case_name))
      return pair;
  }
  return NULL;
}

bool pawl_arm_pairs_leave_out(const struct pawl_arm_pairs *pairs, const char *kernel,
                              const char *case_name) {
  const struct pawl_arm_pair *pair = pawl_arm_pairs_of(pairs, kernel, case_name);
  return pair && pair->identical && !pair->needs_time;
}
