/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/bisect_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/text.h"
#include "model/gate_rules.h"
#include "pairs/bench.h"
#include "project/check_kernel.h"
#include "project/static_code.h"

/* --- commits --- */

void *pawl_bisect_grow(struct pawl_bisect_job *job, const void *items, size_t count, size_t size) {
  void *grown = pawl_arena_alloc(&job->project->arena, count + 1, size);
  if (count) memcpy(grown, items, count * size);
  return grown;
}

static void bisect_skip(struct pawl_bisect_job *job, struct pawl_bisect_place *place,
                        const char *reason) {
  struct pawl_bisect_report *report = job->report;
  place->reason = pawl_arena_copy(&job->project->arena, reason);
  report->skips = pawl_bisect_grow(job, report->skips, report->skip_count, sizeof *report->skips);
  report->skips[report->skip_count++] = (struct pawl_bisect_skip){place->commit, place->reason};
  pawl_log_info(job->project->options.log, "%.12s is left out: %s", place->commit, reason);
}

/* Whether a commit that fails like this is left out. Any other failure ends the search. */
static bool is_of_the_commit(enum pawl_status_code status) {
  return status == PAWL_FAILED || status == PAWL_USAGE || status == PAWL_CONFIG ||
         status == PAWL_NO_INPUT;
}

/* Builds the kernel of a commit, once. Its `reason` says why the commit is left out. */
static pawl_status bisect_build(struct pawl_bisect_job *job, struct pawl_bisect_place *place,
                                struct pawl_error *err) {
  if (place->built || place->reason) return PAWL_OK;
  struct pawl_arena *arena = &job->project->arena;
  struct pawl_error own = {0};
  const struct pawl_version version = {
      pawl_arena_printf(arena, "%s@%.12s", job->options->kernel, place->commit),
      job->options->kernel, NULL, place->commit};
  struct pawl_built_version *built = pawl_arena_alloc(arena, 1, sizeof *built);
  const enum pawl_status_code status =
      pawl_version_build(job->project, &version, job->options->kernel, built, &own);
  if (is_of_the_commit(status)) {
    bisect_skip(job, place, own.message);
    return PAWL_OK;
  }
  if (status != PAWL_OK) return pawl_fail(err, status, "%s", own.message);
  if (!pawl_text_equal(built->ready.spec->operator_name,
                       job->oracle ? job->oracle->info.name : NULL)) {
    bisect_skip(job, place, "its kernel has another operator");
    return PAWL_OK;
  }
  place->built = built;
  return PAWL_OK;
}

pawl_status pawl_bisect_need(struct pawl_bisect_job *job, struct pawl_bisect_place *place,
                             struct pawl_error *err) {
  PAWL_TRY(bisect_build(job, place, err));
  if (!place->reason) return PAWL_OK;
  return pawl_fail(err, PAWL_FAILED, "commit %.12s cannot be an end of the search: %s",
                   place->commit, place->reason);
}

struct pawl_bisect_line pawl_bisect_line_make(struct pawl_bisect_job *job, const char *from,
                                              const struct pawl_strings *commits) {
  struct pawl_arena *arena = &job->project->arena;
  const size_t count = commits->count;
  struct pawl_bisect_line line = {
      .places = pawl_arena_alloc(arena, count + 1, sizeof *line.places),
      .count = count,
      .evidence = pawl_arena_alloc(arena, count + 1, sizeof *line.evidence),
      .prior = pawl_arena_alloc(arena, count + 1, sizeof *line.prior),
      .weights = pawl_arena_alloc(arena, count + 1, sizeof *line.weights),
      .testable = pawl_arena_alloc(arena, count + 1, sizeof *line.testable)};
  for (size_t i = 0; i <= count; i++) {
    line.places[i] = (struct pawl_bisect_place){.commit = i ? commits->items[i - 1] : from};
    line.testable[i] = true;
  }
  return line;
}

struct pawl_bisect_line pawl_bisect_line_part(struct pawl_bisect_job *job,
                                              const struct pawl_bisect_line *line, size_t from,
                                              size_t to) {
  struct pawl_strings commits = {0};
  for (size_t i = from + 1; i <= to; i++)
    pawl_strings_add(&commits, &job->project->arena, line->places[i].commit);
  struct pawl_bisect_line part = pawl_bisect_line_make(job, line->places[from].commit, &commits);
  for (size_t i = from; i <= to; i++) {
    part.places[i - from].built = line->places[i].built;
    part.places[i - from].reason = line->places[i].reason;
    part.testable[i - from] = line->testable[i];
  }
  return part;
}

/* --- measurements --- */

static bool bisect_same_code(const struct pawl_bisect_place *a, const struct pawl_bisect_place *b) {
  return a->built && b->built && pawl_same_machine_code(&a->built->ready, &b->built->ready);
}

static pawl_status bisect_measure(struct pawl_bisect_job *job, const struct pawl_bisect_place *base,
                                  const struct pawl_bisect_place *candidate, int max_blocks,
                                  struct pawl_paired_test *test,
                                  struct pawl_paired_bench_outcome *outcome,
                                  struct pawl_error *err) {
  const struct pawl_gate_spec gate =
      pawl_gate_of_row(&job->project->suite.gate, job->options->kernel, job->config.name);
  const struct pawl_paired_bench_request request = {.identical = bisect_same_code(base, candidate),
                                                    .base = &base->built->ready,
                                                    .candidate = &candidate->built->ready,
                                                    .oracle = job->oracle,
                                                    .config = &job->config,
                                                    .anchor = base->commit,
                                                    .anchor_kind = PAWL_ANCHOR_REVISION,
                                                    .comparisons = 1,
                                                    .detect = (gate.tolerate + gate.detect) / 2,
                                                    .max_blocks = max_blocks,
                                                    .seed = job->seed++,
                                                    .input_seed = PAWL_DEFAULT_SEED};
  PAWL_TRY(pawl_paired_bench(job->project, &request, 1, test, outcome, err));
  job->report->blocks += test->block_count;
  if (outcome->base == PAWL_OUTCOME_OK) return PAWL_OK;
  return pawl_fail(err, PAWL_FAILED, "commit %.12s fails on case '%s': %s", base->commit,
                   job->config.name, outcome->reason);
}

pawl_status pawl_bisect_test(struct pawl_bisect_job *job, const struct pawl_bisect_place *base,
                             const struct pawl_bisect_place *candidate,
                             struct pawl_paired_test *test, const char **wrong,
                             struct pawl_error *err) {
  struct pawl_paired_bench_outcome outcome;
  *wrong = NULL;
  if (pawl_bisect_kept_test(&job->kept, base->commit, candidate->commit, &job->project->arena,
                            test)) {
    job->report->blocks += test->block_count;
    return PAWL_OK;
  }
  PAWL_TRY(bisect_measure(job, base, candidate, 0, test, &outcome, err));
  const bool undecided =
      test->decision == PAWL_DECISION_INCONCLUSIVE || test->decision == PAWL_DECISION_CONTINUE;
  if (undecided || outcome.candidate != PAWL_OUTCOME_OK) PAWL_TRY(pawl_budget_need(err));
  if (outcome.candidate != PAWL_OUTCOME_OK) {
    *wrong = outcome.reason;
    return PAWL_OK;
  }
  return pawl_bisect_keep_test(&job->kept, base->commit, candidate->commit, test, err);
}

/* Takes a few more blocks of a commit beside the line's first one. */
static pawl_status add_blocks(struct pawl_bisect_job *job, struct pawl_bisect_line *line, size_t at,
                              struct pawl_error *err) {
  struct pawl_bisect_place *first = &line->places[0], *place = &line->places[at];
  if (!place->visits)
    place->ratio_count = pawl_bisect_kept_ratios(&job->kept, first->commit, place->commit,
                                                 place->ratios, PAWL_BISECT_MOST_BLOCKS);
  if (place->visits++ || !place->ratio_count) {
    struct pawl_paired_test test;
    struct pawl_paired_bench_outcome outcome;
    PAWL_TRY(bisect_measure(job, first, place, PAWL_BISECTION_BLOCKS, &test, &outcome, err));
    if (outcome.candidate != PAWL_OUTCOME_OK) {
      PAWL_TRY(pawl_budget_need(err));
      bisect_skip(job, place, outcome.reason ? outcome.reason : "it fails");
      return PAWL_OK;
    }
    for (size_t i = 0; i < test.block_count && place->ratio_count < PAWL_BISECT_MOST_BLOCKS; i++) {
      const struct pawl_paired_block *block = &test.blocks[i];
      if (!block->spoiled)
        place->ratios[place->ratio_count++] = log(block->candidate_ms / block->base_ms);
    }
    PAWL_TRY(pawl_bisect_keep_ratios(&job->kept, first->commit, place->commit, place->ratios,
                                     place->ratio_count, err));
  } else {
    job->report->blocks += place->ratio_count;
  }
  double scratch[PAWL_BISECT_MOST_BLOCKS];
  line->evidence[at] =
      pawl_bisection_evidence(place->ratios, place->ratio_count, line->change, line->sd, scratch);
  return PAWL_OK;
}

/* --- what a commit says --- */

static void decide(struct pawl_bisect_line *line, size_t at, bool changed) {
  line->places[at].decided = true;
  line->evidence[at] = changed ? PAWL_BISECTION_CERTAIN : -PAWL_BISECTION_CERTAIN;
}

/* Decides a commit by a built one with the same machine code. The culprit does not lie between
   two such commits. */
static bool decide_by_code(struct pawl_bisect_job *job, struct pawl_bisect_line *line, size_t at) {
  for (size_t i = 0; i <= line->count; i++) {
    const struct pawl_bisect_place *other = &line->places[i];
    if (i == at || !bisect_same_code(other, &line->places[at])) continue;
    const bool is_end = i == 0 || i == line->count;
    if (!is_end && line->evidence[i] == 0) continue;
    line->places[at].decided = true;
    if (is_end)
      decide(line, at, i == line->count);
    else
      for (size_t k = (i < at ? i : at) + 1; k <= (i < at ? at : i); k++)
        line->prior[k] -= PAWL_BISECTION_CERTAIN;
    job->report->identical++;
    return true;
  }
  return false;
}

pawl_status pawl_bisect_check(struct pawl_bisect_job *job, const struct pawl_bisect_place *place,
                              const char **reason, struct pawl_error *err) {
  const struct pawl_check_selection selection = {.check.seed = PAWL_DEFAULT_SEED};
  struct pawl_check_report report;
  PAWL_TRY(pawl_check_ready_kernel(job->project, &place->built->ready, &selection, &report, err));
  *reason = NULL;
  for (size_t i = 0; i < report.count && !*reason; i++) {
    const struct pawl_check_row *row = &report.rows[i];
    if (row->outcome == PAWL_OUTCOME_OK || row->outcome == PAWL_OUTCOME_UNSUPPORTED) continue;
    *reason = row->reason ? row->reason : "the check fails";
  }
  return PAWL_OK;
}

long long pawl_bisect_registers(const struct pawl_bisect_place *place) {
  struct pawl_code code = {.registers = -1};
  if (place->built) pawl_static_code(&place->built->ready.build, &code);
  return code.registers;
}

pawl_status pawl_bisect_visit(struct pawl_bisect_job *job, struct pawl_bisect_line *line, size_t at,
                              struct pawl_error *err) {
  struct pawl_bisect_place *place = &line->places[at];
  const bool first_visit = !place->built && !place->reason;
  const char *failure;
  PAWL_TRY(bisect_build(job, place, err));
  if (place->reason) {
    line->testable[at] = false;
    return PAWL_OK;
  }
  /* a result can depend on more than the code, such as a file that the kernel reads */
  if (job->report->kind != PAWL_BISECT_WRONG && decide_by_code(job, line, at)) return PAWL_OK;
  job->report->measured += first_visit;
  if (job->report->kind == PAWL_BISECT_REGISTERS) {
    const long long from = pawl_bisect_registers(&line->places[0]),
                    to = pawl_bisect_registers(&line->places[line->count]),
                    own = pawl_bisect_registers(place);
    decide(line, at, llabs(own - to) < llabs(own - from));
  } else if (job->report->kind == PAWL_BISECT_WRONG) {
    PAWL_TRY(pawl_bisect_check(job, place, &failure, err));
    decide(line, at, failure != NULL);
  } else {
    PAWL_TRY(add_blocks(job, line, at, err));
    if (place->reason) line->testable[at] = false;
  }
  return PAWL_OK;
}
