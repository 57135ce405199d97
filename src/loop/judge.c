/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is judged against: anchors, their builds, the pairs, the ratchet. */
#include <string.h>

#include "base/file.h"
#include "loop/paired_bench.h"
#include "loop/run_state.h"

const char *pawl_loop_baseline_lock(const char *baseline, struct pawl_arena *arena) {
  const char *slash = strrchr(baseline, '/');
  const int length = slash ? (int)(slash - baseline) : 1;
  const char *folder = slash ? baseline : ".";
  /* By name, not through "folder/..": the first update is before there is a folder. */
  const char *upper = slash ? memrchr(baseline, '/', (size_t)length) : NULL;
  const char *ignored = upper   ? pawl_arena_printf(arena, "%.*s/.pawl", (int)(upper - baseline), baseline)
                        : slash ? ".pawl"
                                : "../.pawl";
  if (pawl_is_folder(ignored)) return pawl_arena_printf(arena, "%s/baseline.lock", ignored);
  return pawl_arena_printf(arena, "%.*s/.baseline.lock", length, folder);
}

pawl_status pawl_run_read_baseline(struct pawl_run_state *run, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  run->baseline_path = pawl_project_path(project, PAWL_BASELINE_PATH);
  if (run->lineage.merge_base && !run->options->update_baseline) {
    const char *theirs = "";
    size_t length = 0;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text ours = {0};
    struct pawl_error absent = {0};
    const enum pawl_status_code status =
        pawl_lineage_file(project, run->lineage.merge_base, PAWL_BASELINE_PATH, &theirs, &length, &absent);
    if (status != PAWL_OK && status != PAWL_NO_INPUT) return pawl_fail(err, status, "%s", absent.message);
    const bool here = pawl_file_exists(run->baseline_path);
    if (here) PAWL_TRY(pawl_file_read(run->baseline_path, PAWL_JSON_FILE_LIMIT, &ours, err));
    const bool same = ours.length == length && (!length || !memcmp(ours.data, theirs, length));
    if (!same || here != (status == PAWL_OK)) {
      struct pawl_project *tree;
      pawl_run_notice(run, pawl_arena_printf(&project->arena, "%s differs from that of %.12s, which judges",
                                             PAWL_BASELINE_PATH, run->lineage.merge_base));
      PAWL_TRY(pawl_lineage_tree(project, run->lineage.merge_base, &tree, err));
      run->baseline_path = pawl_project_path(tree, PAWL_BASELINE_PATH);
    }
  }
  return pawl_baseline_read(run->baseline_path, &project->arena, &run->baseline, err);
}

/* --- anchors --- */

/* The commit to measure against; NULL with no reason for a notice: there is none. */
static const char *find_anchor(struct pawl_run_state *run, const struct pawl_baseline_entry *entry,
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

static void say_unpaired(struct pawl_run_state *run, const struct pawl_match *match, const char *why) {
  pawl_run_notice(run, pawl_arena_printf(&run->project->arena, "%s on %s is judged unpaired: %s",
                                         match->candidate->spec->name, match->item->name, why));
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Builds the anchor's version of the kernel; a base that cannot be had is said loudly, and is no error. */
static pawl_status build_base(struct pawl_run_state *run, struct pawl_match *match, struct pawl_error *err) {
  struct pawl_project *project = run->project, *tree = NULL;
  struct pawl_error why = {0};
  if (pawl_lineage_tree(project, match->anchor, &tree, &why) != PAWL_OK) {
    say_unpaired(run, match, pawl_arena_copy(&project->arena, why.message));
    return PAWL_OK;
  }
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&tree->suite, match->candidate->spec->name);
  if (!spec || !same_text(spec->operator_name, match->candidate->spec->operator_name)) {
    say_unpaired(run, match, pawl_arena_printf(&project->arena, "%.12s has no such kernel", match->anchor));
    return PAWL_OK;
  }
  PAWL_TRY(pawl_project_ready(tree, spec, &match->base, err));
  if (match->base.outcome != PAWL_OUTCOME_OK) {
    say_unpaired(run, match,
                 pawl_arena_printf(&project->arena, "the base %.12s does not build any more: %s", match->anchor,
                                   match->base.reason));
    return PAWL_OK;
  }
  match->paired = true;
  return PAWL_OK;
}

static pawl_status match_case(struct pawl_run_state *run, const struct pawl_ready_kernel *kernel,
                              const struct pawl_case *item, struct pawl_error *err) {
  struct pawl_match *match = &run->matches[run->match_count];
  if (!pawl_run_in_shard(run, kernel->spec->name, item->name)) return PAWL_OK;
  *match = (struct pawl_match){.candidate = kernel, .item = item};
  const struct pawl_baseline_entry *entry =
      pawl_baseline_find(&run->baseline, kernel->spec->name, item->name, run->results.hardware);
  match->anchor = find_anchor(run, entry, &match->anchor_kind);
  if (!match->anchor) return PAWL_OK;
  run->match_count++;
  PAWL_TRY(build_base(run, match, err));
  match->identical = match->paired && entry && pawl_same_machine_code(&match->base, kernel);
  return PAWL_OK;
}

pawl_status pawl_run_match(struct pawl_run_state *run, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  run->matches = pawl_arena_alloc(&project->arena, run->count * (project->suite.case_count + 1), sizeof *run->matches);
  if (run->options->unpaired) return PAWL_OK;
  for (size_t i = 0; i < run->count; i++) {
    const struct pawl_ready_kernel *kernel = &run->kernels[i];
    if (kernel->outcome != PAWL_OUTCOME_OK || kernel->spec->reference) continue;
    if (!kernel->spec->operator_name) {
      struct pawl_case *item = pawl_arena_alloc(&project->arena, 1, sizeof *item);
      *item = pawl_project_command_case(project);
      PAWL_TRY(match_case(run, kernel, item, err));
      continue;
    }
    struct pawl_oracle *oracle;
    struct pawl_case *cases;
    size_t count;
    PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
    PAWL_TRY(pawl_project_cases(project, oracle, NULL, NULL, &cases, &count, err));
    for (size_t j = 0; j < count; j++) PAWL_TRY(match_case(run, kernel, &cases[j], err));
  }
  return PAWL_OK;
}

const struct pawl_match *pawl_run_find_match(const struct pawl_run_state *run, const char *kernel,
                                             const char *case_name) {
  for (size_t i = 0; i < run->match_count; i++) {
    if (!strcmp(run->matches[i].candidate->spec->name, kernel) && !strcmp(run->matches[i].item->name, case_name))
      return &run->matches[i];
  }
  return NULL;
}

/* --- pairs --- */

static struct pawl_result *find_result(struct pawl_results *results, const struct pawl_match *match) {
  for (size_t i = 0; i < results->count; i++) {
    struct pawl_result *row = &results->items[i];
    if (!strcmp(row->kernel_name, match->candidate->spec->name) && row->config.name &&
        !strcmp(row->config.name, match->item->name))
      return row;
  }
  return NULL;
}

static pawl_status make_request(struct pawl_run_state *run, const struct pawl_match *match, int comparisons,
                                struct pawl_paired_bench_request *out, struct pawl_error *err) {
  struct pawl_oracle *oracle = NULL; /* of a command */
  const char *operator_name = match->candidate->spec->operator_name;
  if (operator_name) PAWL_TRY(pawl_project_oracle(run->project, operator_name, &oracle, err));
  *out = (struct pawl_paired_bench_request){.base = &match->base,
                                            .candidate = match->candidate,
                                            .oracle = oracle,
                                            .item = match->item,
                                            .anchor = match->anchor,
                                            .anchor_kind = match->anchor_kind,
                                            .comparisons = comparisons,
                                            .confirm = run->options->update_baseline,
                                            .seed = PAWL_DEFAULT_SEED};
  return PAWL_OK;
}

/* A regression against the anchor: does the merge base have it too? Then it was not made here. */
static pawl_status find_origin(struct pawl_run_state *run, const struct pawl_match *match, int comparisons,
                               struct pawl_paired_test *paired, struct pawl_error *err) {
  const char *merge_base = run->lineage.merge_base;
  if (paired->decision != PAWL_DECISION_REGRESSION || !merge_base || run->lineage.on_main) return PAWL_OK;
  if (!strcmp(merge_base, match->anchor)) {
    paired->origin = PAWL_ORIGIN_HERE;
    return PAWL_OK;
  }
  struct pawl_match parent = *match;
  parent.anchor = merge_base;
  parent.anchor_kind = PAWL_ANCHOR_MERGE_BASE;
  parent.paired = false;
  PAWL_TRY(build_base(run, &parent, err));
  if (!parent.paired) return PAWL_OK;
  struct pawl_paired_bench_request request;
  struct pawl_paired_test against_parent;
  struct pawl_paired_bench_outcome outcome;
  PAWL_TRY(make_request(run, &parent, comparisons, &request, err));
  PAWL_TRY(pawl_paired_bench(run->project, &request, 1, &against_parent, &outcome, err));
  if (against_parent.decision == PAWL_DECISION_REGRESSION) paired->origin = PAWL_ORIGIN_HERE;
  if (against_parent.decision == PAWL_DECISION_MAINTAINED || against_parent.decision == PAWL_DECISION_IMPROVEMENT)
    paired->origin = PAWL_ORIGIN_INHERITED;
  return PAWL_OK;
}

/* What a match came to: kept where both arms did well. */
static pawl_status keep_pair(struct pawl_run_state *run, const struct pawl_match *match,
                             const struct pawl_paired_bench_request *request, const struct pawl_paired_test *paired,
                             const struct pawl_paired_bench_outcome *outcome, struct pawl_error *err) {
  struct pawl_result *row = find_result(&run->results, match);
  if (outcome->base != PAWL_OUTCOME_OK) {
    say_unpaired(run, match,
                 pawl_arena_printf(&run->project->arena, "the base %.12s fails: %s", match->anchor, outcome->reason));
    return PAWL_OK;
  }
  if (outcome->candidate != PAWL_OUTCOME_OK && row) {
    row->outcome = outcome->candidate;
    row->reason = outcome->reason;
    return PAWL_OK;
  }
  struct pawl_paired_test *kept = &run->paired[run->paired_count];
  *kept = *paired;
  PAWL_TRY(find_origin(run, match, request->comparisons, kept, err));
  run->paired_count++;
  return PAWL_OK;
}

/* A pair whose GPU is lost is not decided; arms of the same code need no GPU. */
static bool leave_pair(struct pawl_run_state *run, const struct pawl_match *match) {
  struct pawl_result *row = find_result(&run->results, match);
  if (!run->project->gpu_lost || match->candidate->spec->device != PAWL_CUDA || match->identical) return false;
  if (row && row->outcome == PAWL_OUTCOME_OK) {
    row->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    row->reason = run->project->gpu_lost;
  }
  return true;
}

static bool has_crashed(const struct pawl_paired_bench_outcome *outcomes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (outcomes[i].candidate == PAWL_OUTCOME_CRASHED || outcomes[i].base == PAWL_OUTCOME_CRASHED) return true;
  return false;
}

static bool is_measurable(struct pawl_run_state *run, const struct pawl_match *match) {
  const struct pawl_result *row = find_result(&run->results, match);
  return match->paired && (match->identical || (row && row->outcome == PAWL_OUTCOME_OK));
}

/* The same kernel against the same commit: the same two arms. A command is measured by itself. */
static bool same_arms(const struct pawl_match *a, const struct pawl_match *b) {
  return a->candidate == b->candidate && a->candidate->spec->operator_name && !strcmp(a->anchor, b->anchor);
}

/* Measures matches[first] and those after it that have the same arms; *end: the first that was not looked at. */
static pawl_status pair_kernel(struct pawl_run_state *run, size_t first, int comparisons, size_t *end,
                               struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  const size_t most = run->match_count - first;
  struct pawl_paired_bench_request *requests = pawl_arena_alloc(arena, most, sizeof *requests);
  const struct pawl_match **matches = pawl_arena_alloc(arena, most, sizeof *matches);
  size_t count = 0, at = first;
  for (; at < run->match_count && (at == first || same_arms(&run->matches[first], &run->matches[at])); at++) {
    if (leave_pair(run, &run->matches[at]) || !is_measurable(run, &run->matches[at])) continue;
    PAWL_TRY(make_request(run, &run->matches[at], comparisons, &requests[count], err));
    matches[count++] = &run->matches[at];
  }
  *end = at;
  struct pawl_paired_test *paired = pawl_arena_alloc(arena, count + 1, sizeof *paired);
  struct pawl_paired_bench_outcome *outcomes = pawl_arena_alloc(arena, count + 1, sizeof *outcomes);
  const enum pawl_status_code status = pawl_paired_bench(run->project, requests, count, paired, outcomes, err);
  const bool suspect = status == PAWL_UNAVAILABLE || (status == PAWL_OK && has_crashed(outcomes, count));
  if (suspect && pawl_loop_gpu_is_lost(run->project, run->matches[first].candidate->spec))
    return pair_kernel(run, first, comparisons, end, err); /* which leaves what needs the GPU */
  if (status != PAWL_OK) return status;
  for (size_t i = 0; i < count; i++) PAWL_TRY(keep_pair(run, matches[i], &requests[i], &paired[i], &outcomes[i], err));
  return PAWL_OK;
}

pawl_status pawl_run_pair(struct pawl_run_state *run, struct pawl_error *err) {
  int comparisons = 0; /* arms of the same code cannot raise a false alarm */
  for (size_t i = 0; i < run->match_count; i++)
    comparisons += run->matches[i].paired && !pawl_same_machine_code(&run->matches[i].base, run->matches[i].candidate);
  /* The rate of false alarms is that of all shards together, and which arms the others find identical is not known. */
  if (run->options->shards > 1) comparisons = pawl_run_units(run);
  run->paired = pawl_arena_alloc(&run->project->arena, run->match_count, sizeof *run->paired);
  for (size_t i = 0; i < run->match_count;) PAWL_TRY(pair_kernel(run, i, comparisons > 0 ? comparisons : 1, &i, err));
  return PAWL_OK;
}

/* --- the ratchet --- */

/* Only kernels are judged: references stand beside them. */
static void leave_references_out(struct pawl_run_state *run) {
  run->gated = run->results;
  run->gated.items = pawl_arena_alloc(&run->project->arena, run->results.count, sizeof *run->gated.items);
  run->gated.count = 0;
  for (size_t i = 0; i < run->results.count; i++) {
    const struct pawl_kernel_spec *spec = pawl_suite_kernel(&run->project->suite, run->results.items[i].kernel_name);
    if (spec && !spec->reference) run->gated.items[run->gated.count++] = run->results.items[i];
  }
}

static enum pawl_status_code move_baseline(void *context, struct pawl_baseline *baseline, struct pawl_arena *arena,
                                           bool *changed, struct pawl_error *err) {
  struct pawl_run_state *run = context;
  const struct pawl_ratchet_options options = {.fail_over = run->project->suite.gate.detect,
                                               .improve_over = run->project->suite.gate.improve,
                                               .between_runs = run->project->suite.gate.between_runs,
                                               .paired = run->paired,
                                               .paired_count = run->paired_count,
                                               .update = run->options->update_baseline};
  PAWL_TRY(pawl_ratchet(baseline, &run->gated, &options, arena, &run->ratchet, err));
  pawl_run_leave_other_shards_out(run);
  *changed = options.update && run->ratchet.move_count > 0;
  return PAWL_OK;
}

pawl_status pawl_run_judge(struct pawl_run_state *run, struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  leave_references_out(run);
  if (!run->options->update_baseline) { /* nothing is written: judged by the copy that was read */
    bool changed;
    return move_baseline(run, &run->baseline, arena, &changed, err);
  }
  const char *lock = pawl_loop_baseline_lock(run->baseline_path, arena);
  return pawl_baseline_update(run->baseline_path, lock, PAWL_BASELINE_LOCK_SECONDS, move_baseline, run, arena, err);
}
