/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/bisect.h"

#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/entropy.h"
#include "base/text.h"
#include "build/git.h"
#include "pairs/bisect_ahead.h"
#include "project/base_oracle.h"
#include "project/operators.h"
#include "stats/describe.h"

#define MOST_VISITS 20 /* the most for one commit, disturbed ones too */
#define REFUTED 6.0    /* the evidence of a test that does not show the change */
#define MOST_REFUTED 3 /* then no single commit has the change */
#define MOST_MERGES 8  /* merges inside merges */

static bool shows_change(const struct pawl_paired_test *test) {
  return test->decision == PAWL_DECISION_REGRESSION || test->decision == PAWL_DECISION_IMPROVEMENT;
}

/* Returns whether the limits exclude "no change", which is enough to begin a search: the find needs
   its own proof. */
static bool leans_to_change(const struct pawl_paired_test *test) {
  return test->decision == PAWL_DECISION_INCONCLUSIVE &&
         (test->slowdown.low > 0 || test->slowdown.high < 0);
}

/* --- the ends of a line --- */

static const char *no_change(struct pawl_bisect_job *job, const struct pawl_paired_test *test) {
  if (test->identical) return "both ends have the same machine code";
  return pawl_arena_printf(&job->project->arena, "the gate says %s between the ends%s%s",
                           pawl_decision_name(test->decision), test->reason ? ": " : "",
                           test->reason ? test->reason : "");
}

/* Returns the noise of the blocks by their median absolute deviation. The likelihood of blocks
   allows for a few disturbed ones, which would make the standard deviation too large. */
static double bisect_noise(const struct pawl_paired_test *test) {
  double *ratios = pawl_alloc(test->block_count + 1, sizeof *ratios);
  size_t count = 0;
  for (size_t i = 0; i < test->block_count; i++)
    if (!test->blocks[i].spoiled)
      ratios[count++] = log(test->blocks[i].candidate_ms / test->blocks[i].base_ms);
  const double noise = pawl_robust_deviation(ratios, count);
  pawl_free(ratios);
  return noise;
}

/* Finds out whether the time differs between the ends. *why: NULL if it does. */
static pawl_status time_changes(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                                struct pawl_paired_test *test, const char **why,
                                struct pawl_error *err) {
  const char *wrong;
  PAWL_TRY(pawl_bisect_test(job, &line->places[0], &line->places[line->count], test, &wrong, err));
  line->change = log1p(test->slowdown.estimate);
  line->sd = bisect_noise(test);
  const bool differs = shows_change(test) || leans_to_change(test);
  *why = wrong ? wrong : differs ? NULL : no_change(job, test);
  return PAWL_OK;
}

static pawl_status correctness_changes(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                                       const char **why, struct pawl_error *err) {
  const char *first, *last = NULL;
  PAWL_TRY(pawl_bisect_check(job, &line->places[0], &first, err));
  if (first)
    return pawl_fail(err, PAWL_FAILED, "the good commit %.12s fails the check: %s",
                     line->places[0].commit, first);
  PAWL_TRY(pawl_bisect_check(job, &line->places[line->count], &last, err));
  *why = last ? NULL : "both ends pass the check";
  return PAWL_OK;
}

static void registers_change(const struct pawl_bisect_line *line, const char **why) {
  const long long first = pawl_bisect_registers(&line->places[0]),
                  last = pawl_bisect_registers(&line->places[line->count]);
  *why = first < 0 || last < 0 ? "pawl knows the registers of GPU kernels only"
         : first == last       ? "both ends use as many registers"
                               : NULL;
}

/* Finds out whether the ends differ in the property that the search follows. *why: NULL if they
   do. An open kind becomes the property that differs. */
static pawl_status ends_differ(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                               const char **why, struct pawl_error *err) {
  struct pawl_bisect_report *report = job->report;
  const bool open = report->kind == PAWL_BISECT_UNKNOWN;
  pawl_bisect_build_together(job, line, (const size_t[]){0, line->count}, 2);
  PAWL_TRY(pawl_bisect_need(job, &line->places[0], err));
  PAWL_TRY(pawl_bisect_need(job, &line->places[line->count], err));
  if (open || report->kind == PAWL_BISECT_TIME) {
    struct pawl_paired_test test;
    PAWL_TRY(time_changes(job, line, &test, why, err));
    if (isnan(report->change) && isfinite(test.slowdown.estimate))
      report->change = test.slowdown.estimate, report->change_low = test.slowdown.low,
      report->change_high = test.slowdown.high;
    if (!*why || !open || !job->oracle) {
      report->kind = PAWL_BISECT_TIME;
      return PAWL_OK;
    }
    const char *correct = NULL;
    PAWL_TRY(correctness_changes(job, line, &correct, err));
    report->kind = correct ? PAWL_BISECT_TIME : PAWL_BISECT_WRONG;
    if (!correct) *why = NULL;
    return PAWL_OK;
  }
  if (report->kind == PAWL_BISECT_WRONG) return correctness_changes(job, line, why, err);
  registers_change(line, why);
  return PAWL_OK;
}

/* --- finds --- */

static struct pawl_bisect_find *add_find(struct pawl_bisect_job *job,
                                         const struct pawl_bisect_line *line,
                                         const struct pawl_bisection_range *range) {
  struct pawl_bisect_report *report = job->report;
  const char *commit = line->places[range->last].commit;
  const struct pawl_git_commit facts =
      pawl_git_commit_facts(job->project->git.root, commit, &job->project->arena);
  report->finds = pawl_bisect_grow(job, report->finds, report->find_count, sizeof *report->finds);
  struct pawl_bisect_find *find = &report->finds[report->find_count++];
  *find = (struct pawl_bisect_find){
      .after = line->places[range->after].commit,
      .commit = commit,
      .commits = range->last - range->after,
      .probability = range->probability,
      .author = facts.author,
      .subject = facts.subject,
      .change = NAN,
      .change_low = NAN,
      .change_high = NAN,
      .before_ms = NAN,
      .after_ms = NAN,
      .registers_before = pawl_bisect_registers(&line->places[range->after]),
      .registers_after = pawl_bisect_registers(&line->places[range->last])};
  return find;
}

static void take_figures(const struct pawl_paired_test *test, struct pawl_bisect_find *find) {
  struct pawl_comparison item;
  pawl_comparison_init(&item);
  pawl_paired_test_figures(test, &item);
  find->change = test->slowdown.estimate;
  find->change_low = test->slowdown.low;
  find->change_high = test->slowdown.high;
  find->before_ms = item.baseline_ms;
  find->after_ms = item.current_ms;
}

/* The gate's own test between the two ends of the range proves the find. *refuted: the test shows
   no change there, or one of the other direction, so the search goes on. */
static pawl_status prove_time(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                              const struct pawl_bisection_range *range, bool last_chance,
                              bool *refuted, struct pawl_error *err) {
  struct pawl_paired_test test;
  const char *wrong;
  PAWL_TRY(pawl_bisect_need(job, &line->places[range->after], err));
  PAWL_TRY(pawl_bisect_need(job, &line->places[range->last], err));
  PAWL_TRY(pawl_bisect_test(job, &line->places[range->after], &line->places[range->last], &test,
                            &wrong, err));
  const bool proven = !wrong && shows_change(&test) && test.slowdown.estimate * line->change > 0;
  *refuted = !proven && !last_chance &&
             (wrong || test.decision != PAWL_DECISION_INCONCLUSIVE || test.identical);
  if (*refuted) {
    for (size_t k = range->after + 1; k <= range->last; k++) line->prior[k] -= REFUTED;
    return PAWL_OK;
  }
  struct pawl_bisect_find *find = add_find(job, line, range);
  find->proven = proven;
  take_figures(&test, find);
  if (!proven)
    find->reason = wrong                                         ? wrong
                   : test.decision == PAWL_DECISION_INCONCLUSIVE ? no_change(job, &test)
                                                                 : "the change came in several "
                                                                   "small steps";
  return PAWL_OK;
}

/* Checks both ends of the range again. */
static pawl_status prove_wrong(struct pawl_bisect_job *job, const struct pawl_bisect_line *line,
                               const struct pawl_bisection_range *range,
                               struct pawl_bisect_find *find, struct pawl_error *err) {
  const char *before;
  PAWL_TRY(pawl_bisect_check(job, &line->places[range->after], &before, err));
  PAWL_TRY(pawl_bisect_check(job, &line->places[range->last], &find->reason, err));
  find->proven = !before && find->reason;
  if (!find->proven)
    find->reason =
        before ? "the commit before it fails the check too" : "it passed the check the second time";
  return PAWL_OK;
}

static pawl_status prove(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                         const struct pawl_bisection_range *range, bool last_chance, bool *refuted,
                         struct pawl_error *err) {
  *refuted = false;
  if (job->report->kind == PAWL_BISECT_TIME)
    return prove_time(job, line, range, last_chance, refuted, err);
  struct pawl_bisect_find *find = add_find(job, line, range);
  find->proven = job->report->kind == PAWL_BISECT_REGISTERS;
  return find->proven ? PAWL_OK : prove_wrong(job, line, range, find, err);
}

/* --- the search --- */

static void say_progress(struct pawl_bisect_job *job, const struct pawl_bisect_line *line,
                         size_t at) {
  const struct pawl_bisect_place *place = &line->places[at];
  const struct pawl_bisection search = {line->count, line->evidence, line->prior, line->testable};
  if (place->reason) return;
  pawl_bisection_weights(&search, line->weights);
  const struct pawl_bisection_range range = pawl_bisection_range(&search, line->weights);
  const double evidence = line->evidence[at];
  const char *answer = evidence == 0        ? "same machine code as a measured commit"
                       : fabs(evidence) < 1 ? "undecided"
                       : evidence > 0       ? "changed"
                                            : "unchanged";
  pawl_log_info(job->project->options.log, "%.12s: %s; %.0f %% for %.12s", place->commit, answer,
                100 * range.probability, line->places[range.last].commit);
}

/* Asks commits until a range is probable enough. *between: a commit whose speed lies between those
   of the ends, so that there are several changes; 0: there is none. */
static pawl_status narrow(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                          struct pawl_bisection_range *range, size_t *between,
                          struct pawl_error *err) {
  const struct pawl_bisection search = {line->count, line->evidence, line->prior, line->testable};
  *between = 0;
  for (;;) {
    pawl_bisection_weights(&search, line->weights);
    *range = pawl_bisection_range(&search, line->weights);
    const size_t next = pawl_bisection_next(&search, line->weights);
    if (range->probability >= PAWL_BISECTION_ENOUGH || !next) return PAWL_OK;
    struct pawl_bisect_place *place = &line->places[next];
    if (place->ratio_count >= PAWL_BISECT_MOST_BLOCKS) {
      *between = next;
      return PAWL_OK;
    }
    if (place->decided) return PAWL_OK; /* facts contradict each other */
    if (place->visits >= MOST_VISITS)
      return pawl_fail(err, PAWL_TRY_AGAIN,
                       "other processes disturb the blocks of commit %.12s; stop them, or set "
                       "gate: {busy: count}",
                       place->commit);
    PAWL_TRY(pawl_budget_need(err));
    pawl_bisect_build_ahead(job, line, next);
    PAWL_TRY(pawl_bisect_visit(job, line, next, err));
    say_progress(job, line, next);
  }
}

static pawl_status search_line(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                               int merges, const char **why, struct pawl_error *err);

/* Searches a side of a merge, and appends its finds. A side that cannot be searched has none. */
static pawl_status search_side(struct pawl_bisect_job *job, const char *before, const char *side,
                               int merges, struct pawl_error *err) {
  struct pawl_arena *arena = &job->project->arena;
  const char *root = job->project->git.root, *from, *why = NULL;
  struct pawl_strings commits;
  PAWL_TRY(pawl_git_merge_base(root, before, side, arena, &from, err));
  PAWL_TRY(pawl_git_first_parents(root, from, side, arena, &commits, err));
  if (!commits.count) return PAWL_OK;
  struct pawl_bisect_line line = pawl_bisect_line_make(job, from, &commits);
  const enum pawl_status_code status = search_line(job, &line, merges + 1, &why, err);
  return status == PAWL_FAILED ? PAWL_OK : status;
}

/* The find came to the line by a merge, on the side of that parent. */
static void name_side(struct pawl_bisect_find *find, const struct pawl_bisect_find *merge,
                      size_t parent) {
  find->merge = merge->commit;
  find->merge_subject = merge->subject;
  find->merge_parent = parent;
}

/* A merge changes the kernel by one of its sides, or by all together. Looks for the culprit on the
   sides. */
static pawl_status search_merge(struct pawl_bisect_job *job, size_t found, int merges,
                                struct pawl_error *err) {
  struct pawl_bisect_report *report = job->report;
  struct pawl_arena *arena = &job->project->arena;
  const char *merge = report->finds[found].commit, *side;
  const size_t before = report->find_count;
  struct pawl_error ignored;
  if (report->finds[found].commits != 1 || merges >= MOST_MERGES) return PAWL_OK;
  size_t parent = 1;
  while (report->find_count == before) {
    const char *name = pawl_arena_printf(arena, "%s^%zu", merge, ++parent);
    if (pawl_git_resolve(job->project->git.root, name, arena, &side, &ignored) != PAWL_OK) break;
    report->finds[found].merge_alone = true;
    PAWL_TRY(search_side(job, report->finds[found].after, side, merges, err));
  }
  if (report->find_count == before) return PAWL_OK;
  for (size_t i = before; i < report->find_count; i++)
    if (!report->finds[i].merge) name_side(&report->finds[i], &report->finds[found], parent);
  /* the side's finds replace the merge */
  report->find_count--;
  memmove(&report->finds[found], &report->finds[found + 1],
          (report->find_count - found) * sizeof *report->finds);
  return PAWL_OK;
}

/* Looks for further changes on both sides of a find. */
static pawl_status search_rest(struct pawl_bisect_job *job, const struct pawl_bisect_line *line,
                               const struct pawl_bisection_range *range, int merges,
                               struct pawl_error *err) {
  const char *why;
  if (range->after > 0) {
    struct pawl_bisect_line left = pawl_bisect_line_part(job, line, 0, range->after);
    PAWL_TRY(search_line(job, &left, merges, &why, err));
  }
  if (range->last < line->count) {
    struct pawl_bisect_line right = pawl_bisect_line_part(job, line, range->last, line->count);
    PAWL_TRY(search_line(job, &right, merges, &why, err));
  }
  return PAWL_OK;
}

/* A commit between the speeds of the ends has a change on each side. Takes the side with the larger
   one, or both. If noise alone put the commit there, the change may be on the other side. */
static pawl_status search_sides(struct pawl_bisect_job *job, const struct pawl_bisect_line *line,
                                size_t at, int merges, struct pawl_error *err) {
  const struct pawl_bisect_place *place = &line->places[at];
  double sum = 0;
  const char *why;
  for (size_t i = 0; i < place->ratio_count; i++) sum += place->ratios[i];
  const bool left_first = sum / (double)place->ratio_count / line->change > 0.5;
  const size_t before = job->report->find_count;
  for (int i = 0; i < 2 && (job->options->all || job->report->find_count == before); i++) {
    const bool left = left_first == (i == 0);
    struct pawl_bisect_line part = left ? pawl_bisect_line_part(job, line, 0, at)
                                        : pawl_bisect_line_part(job, line, at, line->count);
    PAWL_TRY(search_line(job, &part, merges, &why, err));
  }
  return PAWL_OK;
}

/* Searches one line, and appends its finds. *why: the ends do not differ; NULL: they do. */
static pawl_status search_line(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                               int merges, const char **why, struct pawl_error *err) {
  struct pawl_bisection_range range;
  size_t between;
  bool refuted = true;
  PAWL_TRY(ends_differ(job, line, why, err));
  if (*why) return PAWL_OK;
  const size_t found = job->report->find_count;
  for (int times = 0; refuted; times++) {
    PAWL_TRY(narrow(job, line, &range, &between, err));
    if (between) {
      PAWL_TRY(search_sides(job, line, between, merges, err));
      if (job->report->find_count > found) return PAWL_OK;
      line->testable[between] = false; /* neither side shows a change, so its blocks say nothing */
      continue;
    }
    PAWL_TRY(prove(job, line, &range, times >= MOST_REFUTED, &refuted, err));
  }
  PAWL_TRY(search_merge(job, found, merges, err));
  return job->options->all ? search_rest(job, line, &range, merges, err) : PAWL_OK;
}

/* --- the beginning --- */

static pawl_status choose_case(struct pawl_bisect_job *job, const struct pawl_kernel_spec *spec,
                               struct pawl_error *err) {
  struct pawl_project *project = job->project;
  const char *name = job->options->case_name;
  struct pawl_case *cases;
  size_t count;
  if (!spec->operator_name) {
    job->config = pawl_command_case(&project->suite);
    if (pawl_kernel_is_harness(spec)) {
      if (!name)
        return pawl_fail(err, PAWL_USAGE, "name a benchmark of '%s' with --case", spec->name);
      job->config = (struct pawl_case){.name = name};
    }
    return PAWL_OK;
  }
  PAWL_TRY(pawl_project_oracle(project, spec->operator_name, &job->oracle, err));
  PAWL_TRY(pawl_base_oracle_use(project, spec, job->oracle, err));
  PAWL_TRY(pawl_operator_cases(&project->suite, &job->oracle->info, name, NULL, &project->arena,
                               &cases, &count, err));
  if (!count)
    return pawl_fail(err, PAWL_USAGE, "kernel '%s' has no case%s%s; pawl list shows them",
                     spec->name, name ? " " : "", name ? name : "");
  job->config = cases[0];
  return PAWL_OK;
}

static pawl_status choose_commits(struct pawl_bisect_job *job, struct pawl_strings *commits,
                                  struct pawl_error *err) {
  struct pawl_project *project = job->project;
  struct pawl_bisect_report *report = job->report;
  struct pawl_arena *arena = &project->arena;
  if (!project->git.commit) return pawl_fail(err, PAWL_NO_INPUT, "%s", project->git.reason);
  const char *root = project->git.root, *fork;
  PAWL_TRY(pawl_git_resolve(root, job->options->good, arena, &report->good, err));
  PAWL_TRY(pawl_git_resolve(root, job->options->bad, arena, &report->bad, err));
  if (!strcmp(report->good, report->bad))
    return pawl_fail(err, PAWL_USAGE, "--good and --bad are the same commit, %.12s", report->good);
  if (!pawl_git_is_ancestor(root, report->good, report->bad)) {
    PAWL_TRY(pawl_git_merge_base(root, report->good, report->bad, arena, &fork, err));
    return pawl_fail(err, PAWL_USAGE,
                     "--good %s is no ancestor of --bad %s; they part at %.12s, so try that",
                     job->options->good, job->options->bad, fork);
  }
  PAWL_TRY(pawl_git_first_parents(root, report->good, report->bad, arena, commits, err));
  report->commits = commits->count;
  return PAWL_OK;
}

static pawl_status open_kept(struct pawl_bisect_job *job, const struct pawl_kernel_spec *spec,
                             struct pawl_error *err) {
  const struct pawl_device *device = pawl_devices_find(&job->project->devices, spec->device, NULL);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
  if (device) pawl_device_identity(device, &identity);
  return pawl_bisect_kept_open(job->project, spec->name, &job->config, pawl_text_string(&identity),
                               &job->kept, err);
}

/* The budget's end is an answer: what is known so far stays for the next search. */
static enum pawl_status_code bisect_end(struct pawl_bisect_job *job, enum pawl_status_code status,
                                        const char *why) {
  struct pawl_bisect_report *report = job->report;
  if (status != PAWL_OK && !pawl_budget_ended(status)) return status;
  report->stopped = status != PAWL_OK;
  if (report->stopped)
    report->undecided = "the budget ended; the same command goes on";
  else if (!report->find_count)
    report->undecided = why ? why : "no commit shows the change";
  return PAWL_OK;
}

/* Searches from the good commit to the bad one. */
static pawl_status search_all(struct pawl_bisect_job *job, const struct pawl_kernel_spec *spec,
                              const char **why, struct pawl_error *err) {
  struct pawl_project *project = job->project;
  struct pawl_strings commits;
  PAWL_TRY(choose_commits(job, &commits, err));
  project->options.oracle_commit = job->report->good;
  PAWL_TRY(choose_case(job, spec, err));
  job->report->case_name = job->config.name;
  PAWL_TRY(open_kept(job, spec, err));
  pawl_devices_lock_clocks(&project->devices, &project->suite.measure, project->options.log);
  struct pawl_bisect_line line = pawl_bisect_line_make(job, job->report->good, &commits);
  return search_line(job, &line, 0, why, err);
}

pawl_status pawl_bisect(struct pawl_project *project, const struct pawl_bisect_options *options,
                        struct pawl_bisect_report *out, struct pawl_error *err) {
  const char *why = NULL;
  const struct pawl_kernel_spec *spec;
  PAWL_TRY(pawl_kernel_named(&project->suite, &project->arena, options->kernel, &spec, err));
  *out = (struct pawl_bisect_report){.kernel_name = options->kernel,
                                     .case_name = options->case_name,
                                     .kind = options->kind,
                                     .change = NAN,
                                     .change_low = NAN,
                                     .change_high = NAN};
  struct pawl_bisect_job job = {
      .project = project, .options = options, .report = out, .seed = options->seed};
  if (!job.seed) PAWL_TRY(pawl_entropy_seed(&job.seed, err));
  const enum pawl_status_code status = search_all(&job, spec, &why, err);
  pawl_bisect_kept_close(&job.kept);
  return bisect_end(&job, status, why);
}
