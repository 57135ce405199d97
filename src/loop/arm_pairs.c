/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/arm_pairs.h"

#include <string.h>

#include "build/git.h"
#include "loop/operators.h"

/* The commit to measure against; NULL: there is none. */
static const char *find_anchor(const struct pawl_run_context *run, const struct pawl_baseline_entry *entry,
                               enum pawl_anchor_kind *kind) {
  if (run->options->anchor) {
    *kind = PAWL_ANCHOR_REVISION;
    return run->options->anchor;
  }
  if (entry && entry->git_commit) {
    *kind = PAWL_ANCHOR_BASELINE;
    return entry->git_commit;
  }
  if (entry || !run->lineage.merge_base || run->lineage.on_main) return NULL;
  *kind = PAWL_ANCHOR_MERGE_BASE;
  return run->lineage.merge_base;
}

void pawl_arm_pair_note_unpaired(struct pawl_run_context *run, const struct pawl_arm_pair *pair, const char *why) {
  struct pawl_arena *arena = &run->project->arena;
  pawl_strings_add(&run->notices, arena,
                   pawl_arena_printf(arena, "unpaired verdict for %s on %s: %s", pair->candidate->spec->name,
                                     pair->config->name, why));
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Why the commit of an entry cannot be the anchor; NULL: it can. The commit of the working tree is the change itself,
   so an entry that names it must have its machine code. */
static const char *reject_anchor(const struct pawl_run_context *run, const struct pawl_arm_pair *pair,
                                 const struct pawl_baseline_entry *entry) {
  if (pair->anchor_kind != PAWL_ANCHOR_BASELINE) return NULL;
  struct pawl_arena *arena = &run->project->arena;
  const char *head = run->project->git.commit, *built = pair->base.build.code_hash;
  if (!pawl_git_is_commit(pair->anchor))
    return pawl_arena_printf(arena, "the baseline has '%s', a short form of a commit; write all digits", pair->anchor);
  if (head && !strcmp(pair->anchor, head) && entry->code_hash && built && strcmp(entry->code_hash, built) != 0)
    return pawl_arena_printf(arena,
                             "the baseline names this commit, %.12s, but has the hash of other machine code; record "
                             "the baseline again",
                             pair->anchor);
  return NULL;
}

/* Builds the anchor's version of the kernel; a base that cannot be had is said loudly, and is no error. */
static pawl_status build_base(struct pawl_run_context *run, struct pawl_arm_pair *pair, struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  struct pawl_project *tree = NULL;
  struct pawl_error why = {0};
  if (pawl_lineage_tree(run->project, pair->anchor, &tree, &why) != PAWL_OK) {
    pawl_arm_pair_note_unpaired(run, pair, pawl_arena_copy(arena, why.message));
    return PAWL_OK;
  }
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&tree->suite, pair->candidate->spec->name);
  if (!spec || !same_text(spec->operator_name, pair->candidate->spec->operator_name)) {
    pawl_arm_pair_note_unpaired(run, pair, pawl_arena_printf(arena, "%.12s does not have this kernel", pair->anchor));
    return PAWL_OK;
  }
  PAWL_TRY(pawl_project_ready(tree, spec, &pair->base, err));
  pair->paired = pair->base.outcome == PAWL_OUTCOME_OK;
  if (!pair->paired)
    pawl_arm_pair_note_unpaired(
        run, pair, pawl_arena_printf(arena, "the base %.12s does not build: %s", pair->anchor, pair->base.reason));
  return PAWL_OK;
}

pawl_status pawl_arm_pair_against(struct pawl_run_context *run, const struct pawl_arm_pair *pair, const char *anchor,
                                  enum pawl_anchor_kind kind, struct pawl_arm_pair *out, struct pawl_error *err) {
  *out = (struct pawl_arm_pair){
      .candidate = pair->candidate, .config = pair->config, .anchor = anchor, .anchor_kind = kind};
  return build_base(run, out, err);
}

struct finding {
  struct pawl_run_context *run;
  const struct pawl_baseline *baseline;
  const char *hardware;
  struct pawl_arm_pairs *pairs;
};

static pawl_status add_pair(const struct finding *finding, const struct pawl_ready_kernel *kernel,
                            const struct pawl_case *config, struct pawl_error *err) {
  if (!pawl_run_has(finding->run, kernel->spec->name, config->name)) return PAWL_OK;
  const struct pawl_baseline_entry *entry =
      pawl_baseline_find(finding->baseline, kernel->spec->name, config->name, finding->hardware);
  struct pawl_arm_pair pair = {.candidate = kernel, .config = config};
  pair.anchor = find_anchor(finding->run, entry, &pair.anchor_kind);
  if (!pair.anchor) return PAWL_OK;
  PAWL_TRY(build_base(finding->run, &pair, err));
  const char *rejected = pair.paired ? reject_anchor(finding->run, &pair, entry) : NULL;
  if (rejected) {
    pawl_arm_pair_note_unpaired(finding->run, &pair, rejected);
    pair.paired = false;
  }
  pair.identical = pair.paired && entry && pawl_same_machine_code(&pair.base, kernel);
  finding->pairs->items[finding->pairs->count++] = pair;
  return PAWL_OK;
}

/* The cases of a kernel; of a command, its own. */
static pawl_status find_cases(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                              struct pawl_case **cases, size_t *count, struct pawl_error *err) {
  if (spec->operator_name) {
    struct pawl_oracle *oracle;
    PAWL_TRY(pawl_project_oracle(project, spec->operator_name, &oracle, err));
    return pawl_project_cases(project, oracle, NULL, NULL, cases, count, err);
  }
  *cases = pawl_arena_alloc(&project->arena, 1, sizeof **cases);
  **cases = pawl_command_case(&project->suite);
  *count = 1;
  return PAWL_OK;
}

pawl_status pawl_arm_pairs_find(struct pawl_run_context *run, const struct pawl_ready_kernel *kernels, size_t count,
                                const struct pawl_baseline *baseline, const char *hardware, struct pawl_arm_pairs *out,
                                struct pawl_error *err) {
  struct pawl_project *project = run->project;
  const size_t room = count * (project->suite.case_count + 1);
  struct pawl_arm_pairs pairs = {pawl_arena_alloc(&project->arena, room, sizeof *pairs.items), 0};
  const struct finding finding = {run, baseline, hardware, &pairs};
  for (size_t i = 0; i < count && !run->options->unpaired; i++) {
    struct pawl_case *cases;
    size_t case_count;
    if (kernels[i].outcome != PAWL_OUTCOME_OK || kernels[i].spec->reference) continue;
    PAWL_TRY(find_cases(project, kernels[i].spec, &cases, &case_count, err));
    for (size_t j = 0; j < case_count; j++) PAWL_TRY(add_pair(&finding, &kernels[i], &cases[j], err));
  }
  *out = pairs;
  return PAWL_OK;
}

bool pawl_arm_pairs_identical(const struct pawl_arm_pairs *pairs, const char *kernel, const char *case_name) {
  for (size_t i = 0; i < pairs->count; i++) {
    const struct pawl_arm_pair *pair = &pairs->items[i];
    if (!strcmp(pair->candidate->spec->name, kernel) && !strcmp(pair->config->name, case_name)) return pair->identical;
  }
  return false;
}
