/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/ratchet.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "gate/baseline_fields.h"
#include "gate/between_runs.h"
#include "gate/outcome_verdict.h"
#include "gate/result_interval.h"
#include "gate/row_match.h"
#include "gate/two_sample.h"
#include "model/gate_rules.h"

const char *pawl_ratchet_change_name(enum pawl_ratchet_change change) {
  static const char *const names[] = {"kept", "new", "improved"};
  return names[change];
}

/* Returns an entry's side: its processes beside a run with processes, else its samples. */
static struct pawl_sample_side entry_side(const struct pawl_baseline_entry *entry,
                                          bool by_process) {
  return (struct pawl_sample_side){
      .median_ms = entry->median_ms,
      .mean_ms = NAN,
      .ci_low = by_process ? entry->process_ci_95_low : entry->ci_95_low,
      .ci_high = by_process ? entry->process_ci_95_high : entry->ci_95_high,
      .fastest_least = NAN,
      .fastest_greatest = entry->process_fastest_ms,
      .samples_ms = entry->samples_ms,
      .sample_count = entry->sample_count,
      .by_process = by_process,
      .thinned = !isnan(entry->ci_95_low)};
}

struct ratchet_job {
  const struct pawl_baseline *baseline;
  const struct pawl_results *results;
  const char *hardware; /* the hardware of the results */
  const struct pawl_ratchet_options *options;
  struct pawl_bootstrap_plans *plans;
  struct pawl_arena *arena;
};

static const struct pawl_gate_spec *ratchet_gate(const struct ratchet_job *job,
                                                 const struct pawl_ratchet_row *row) {
  return row->limits ? row->limits : &job->options->gate;
}

/* Returns whether the change removes the case of a refused row, as the policy allows. */
static bool is_removed(const struct ratchet_job *job, const struct pawl_result *result) {
  const struct pawl_acceptances *all = &job->options->acceptances;
  for (size_t i = 0; i < all->removed_count && result->outcome == PAWL_OUTCOME_UNSUPPORTED; i++)
    if (pawl_text_equal(all->removed[i]->name, result->config.name)) return true;
  return false;
}

/* An entry always has a time, so only the candidate's outcome can decide. */
static bool outcome_decides(const struct pawl_baseline_entry *entry,
                            const struct pawl_result *result, struct pawl_arena *arena,
                            struct pawl_comparison *out) {
  if (!entry) return pawl_outcome_verdict(NULL, result, arena, out);
  struct pawl_result as_result;
  pawl_result_init(&as_result);
  as_result.performance.median_ms = entry->median_ms;
  return pawl_outcome_verdict(&as_result, result, arena, out);
}

static void ratchet_decide(struct pawl_comparison *item, enum pawl_verdict verdict,
                           const char *reason) {
  item->verdict = verdict;
  item->reason = reason;
}

/* Returns the paired verdict on a kernel and case, or NULL. */
static const struct pawl_paired_test *find_paired(const struct ratchet_job *job,
                                                  const char *kernel_name, const char *case_name) {
  for (size_t i = 0; i < job->options->paired_count; i++) {
    const struct pawl_paired_test *paired = &job->options->paired[i];
    if (pawl_text_equal(paired->kernel_name, kernel_name) &&
        pawl_text_equal(paired->case_name, case_name))
      return paired;
  }
  return NULL;
}

/* Returns whether the entry's time is of the older flush, which left dirty lines. */
static bool is_older_flush(const struct pawl_ratchet_row *row) {
  return pawl_result_flushed_clean(row->result) && !row->entry->clean_flush;
}

/* Judges a row by figures of two runs at different moments. */
static void judge_unpaired(const struct ratchet_job *job, struct pawl_ratchet_row *row) {
  struct pawl_comparison *item = &row->comparison;
  const struct pawl_gate_spec *gate = ratchet_gate(job, row);
  const struct pawl_two_sample_limits rule = {gate->detect * 100, gate->improve * 100};
  if (!pawl_text_equal(row->entry->hardware, job->hardware)) {
    ratchet_decide(item, PAWL_VERDICT_INCONCLUSIVE,
                   row->entry->hardware
                       ? "the results do not name their hardware"
                       : "the baseline does not name its hardware: accept a new baseline");
  } else if (row->entry->code_hash &&
             pawl_text_equal(row->entry->code_hash, row->result->code.hash)) {
    ratchet_decide(item, PAWL_VERDICT_MAINTAINED, "the machine code is the same");
    row->same_code = true;
  } else if (is_older_flush(row)) {
    ratchet_decide(item, PAWL_VERDICT_INCONCLUSIVE,
                   "the flush before the calls of the baseline left dirty lines, so its time is no "
                   "comparison: pawl run --update-baseline measures it anew");
  } else if (pawl_result_held_up(row->result)) {
    ratchet_decide(item, PAWL_VERDICT_INCONCLUSIVE,
                   "the machine was too busy: other programs held up the calls, so the time is an "
                   "upper bound");
  } else if (item->current_ci_of == PAWL_INTERVAL_PROCESSES) {
    item->verdict = pawl_between_runs_verdict(item, &rule, gate->between_runs, &item->reason);
  } else if (!item->ci_known) {
    ratchet_decide(
        item, PAWL_VERDICT_INCONCLUSIVE,
        isnan(item->baseline_ci_low)
            ? "the baseline has neither two samples nor a confidence interval"
            : "the result has neither two samples nor a median with a confidence interval");
  } else {
    item->verdict = pawl_two_sample_verdict(item, &rule);
  }
}

/* Returns half the width of an interval as a share of the time; INFINITY: there is no interval. */
static double half_width(double median, double low, double high) {
  const double width = (high - low) / 2 / median;
  return isnan(width) ? INFINITY : width;
}

/* Returns whether a time of the same machine code may replace the entry, which comes from a busy
   machine or from an older flush. Two arms with the same code do not suffice: the entry can name a
   commit whose code is not the code of its time. */
static bool is_replaceable(const struct pawl_ratchet_row *row) {
  return row->entry && row->result && (row->entry->held_up || is_older_flush(row)) &&
         (row->same_code || (row->paired && row->paired->identical)) && row->entry->code_hash &&
         pawl_text_equal(row->entry->code_hash, row->result->code.hash);
}

/* Returns whether the row's time is longer than the entry's upper bound. Load and dirty lines only
   lengthen a time. Dirty lines lengthen some kernels by nothing, so their bound has room for the
   noise between two runs. */
static bool contradicts_entry(const struct ratchet_job *job, const struct pawl_ratchet_row *row) {
  const struct pawl_baseline_entry *entry = row->entry;
  double low, high;
  pawl_result_interval(row->result, &low, &high);
  if (isnan(low)) low = row->result->performance.median_ms;
  const double bounds[] = {entry->process_ci_95_high, entry->ci_95_high, entry->median_ms};
  size_t known = 0;
  while (isnan(bounds[known])) known++; /* an entry has a median */
  return low > bounds[known] * (entry->held_up ? 1 : 1 + ratchet_gate(job, row)->detect);
}

/* Returns whether the row has a better time than a replaceable entry. */
static bool is_better_time(const struct ratchet_job *job, const struct pawl_ratchet_row *row) {
  double low, high;
  if (!is_replaceable(row) || contradicts_entry(job, row)) return false;
  if (!pawl_result_held_up(row->result)) return true;
  pawl_result_interval(row->result, &low, &high);
  return half_width(row->result->performance.median_ms, low, high) <
         half_width(row->entry->median_ms, row->entry->process_ci_95_low,
                    row->entry->process_ci_95_high);
}

static pawl_status judge_row(const struct ratchet_job *job, struct pawl_ratchet_row *row,
                             struct pawl_error *err) {
  struct pawl_comparison *item = &row->comparison;
  row->paired = find_paired(job, item->kernel_name, item->config.name);
  /* blocks judge without the row's own time, which the machine or the budget may have left out */
  const bool no_time = row->result && row->result->outcome == PAWL_OUTCOME_INCONCLUSIVE;
  if (no_time && row->paired) return pawl_paired_test_compare(row->paired, job->arena, item, err);
  if (is_removed(job, row->result)) {
    ratchet_decide(item, PAWL_VERDICT_UNSUPPORTED,
                   "this change removes the case from its suite, as the gate of the base allows");
    return PAWL_OK;
  }
  if (outcome_decides(row->entry, row->result, job->arena, item) &&
      item->verdict != PAWL_VERDICT_NEW)
    return PAWL_OK;
  if (row->paired && (row->paired->base_sample_count || !row->entry))
    return pawl_paired_test_compare(row->paired, job->arena, item, err);
  if (!row->entry) return PAWL_OK;
  const struct pawl_sample_side c = pawl_result_sample_side(row->result);
  const struct pawl_sample_side b = entry_side(row->entry, c.by_process);
  if (pawl_two_sample_compare(job->plans, &b, &c, job->arena, item, err) != PAWL_OK)
    return pawl_prefix(err, "cannot judge kernel '%s', case '%s'",
                       item->kernel_name ? item->kernel_name : "?",
                       item->config.name ? item->config.name : "?");
  if (row->paired)
    return pawl_paired_test_compare(row->paired, job->arena, item,
                                    /* Judges on the available figures. */
                                    err);
  judge_unpaired(job, row);
  return PAWL_OK;
}

/* Accepts a regression that the change accepts. It passes, and the report shows it. */
static void accept_loss(const struct ratchet_job *job, struct pawl_ratchet_row *row) {
  struct pawl_comparison *item = &row->comparison;
  const struct pawl_acceptances *all = &job->options->acceptances;
  for (size_t i = 0; i < all->count && item->verdict == PAWL_VERDICT_REGRESSION; i++) {
    const struct pawl_acceptance *one = &all->items[i];
    if (!pawl_text_equal(one->kernel_name, item->kernel_name) ||
        !pawl_text_equal(one->case_name, item->config.name) ||
        !pawl_text_equal(one->hardware, job->hardware))
      continue;
    if (!pawl_acceptance_covers(one, item, row->result ? row->result->code.hash : NULL,
                                ratchet_gate(job, row)->detect)) {
      item->reason =
          "this change accepts a smaller loss, of other machine code: accept this one, or mend it";
      return;
    }
    row->accepted = one;
    ratchet_decide(item, PAWL_VERDICT_ACCEPTED,
                   pawl_arena_printf(job->arena, "accepted here by %s: %s",
                                     one->author ? one->author : "an unknown author", one->reason));
  }
}

/* Says why a row of the same code keeps the entry in spite of its time. */
static void name_contradiction(const struct ratchet_job *job, struct pawl_ratchet_row *row) {
  struct pawl_comparison *item = &row->comparison;
  if (item->verdict != PAWL_VERDICT_MAINTAINED || !is_replaceable(row) ||
      !contradicts_entry(job, row))
    return;
  item->reason = pawl_arena_printf(
      job->arena,
      "the machine code is the same, but takes %.4g ms and so more than the upper bound that the "
      "baseline has, %.4g ms: the baseline stays; if its time is wrong, run pawl baseline accept",
      row->result->performance.median_ms, row->entry->median_ms);
}

static bool same_arch(const struct pawl_code *a, const struct pawl_code *b) {
  return a->registers >= 0 && b->registers >= 0 && pawl_text_equal(a->arch, b->arch);
}

static void find_code(const struct ratchet_job *job, struct pawl_ratchet_row *row) {
  if (!row->result || row->result->code.registers < 0) return;
  row->code_now = &row->result->code;
  row->code_before =
      row->entry && same_arch(&row->entry->code, row->code_now)
          ? &row->entry->code
          : pawl_baseline_code(job->baseline, row->result->kernel_name, row->code_now->arch);
  if (row->code_before && !same_arch(row->code_before, row->code_now)) row->code_before = NULL;
}

static void init_row(struct pawl_ratchet_row *row, const char *kernel_name,
                     const struct pawl_case *config, const struct ratchet_job *job) {
  *row = (struct pawl_ratchet_row){.change = PAWL_RATCHET_KEPT};
  pawl_comparison_init(&row->comparison);
  row->comparison.kernel_name = kernel_name;
  row->comparison.config = *config;
  if (job->options->gate.rules) {
    struct pawl_gate_spec *limits = pawl_arena_alloc(job->arena, 1, sizeof *limits);
    *limits = pawl_gate_of_row(&job->options->gate, kernel_name, config->name);
    if (limits->rules) row->limits = limits;
  }
  row->comparison.threshold = -ratchet_gate(job, row)->detect * 100;
}

struct candidates {
  struct pawl_row_set side;
  const struct pawl_baseline_entry **entries; /* one for each key of the side */
};

/* Returns the entries of this hardware, or with `unsaid` those where one side does not name its
   hardware. */
static struct candidates pick_entries(const struct ratchet_job *job, bool unsaid) {
  const size_t count = job->baseline->count;
  struct pawl_row_key *keys = pawl_arena_alloc(job->arena, count + 1, sizeof *keys);
  struct candidates out = {.entries = pawl_arena_alloc(job->arena, count + 1, sizeof(void *))};
  size_t picked = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_baseline_entry *entry = &job->baseline->entries[i];
    const bool same = pawl_text_equal(entry->hardware, job->hardware);
    if (unsaid ? same || (entry->hardware && job->hardware) : !same) continue;
    keys[picked] = (struct pawl_row_key){entry->kernel_name, &entry->config};
    out.entries[picked++] = entry;
  }
  out.side = (struct pawl_row_set){keys, picked, "the baseline", unsaid};
  return out;
}

static struct pawl_row_set result_keys(const struct ratchet_job *job) {
  struct pawl_row_key *keys = pawl_arena_alloc(job->arena, job->results->count + 1, sizeof *keys);
  for (size_t i = 0; i < job->results->count; i++)
    keys[i] =
        (struct pawl_row_key){job->results->items[i].kernel_name, &job->results->items[i].config};
  return (struct pawl_row_set){keys, job->results->count, "the results file", false};
}

static const char *missing_reason(const struct ratchet_job *job,
                                  const struct pawl_baseline_entry *entry) {
  const char *shape = pawl_shape_key(&entry->config, job->arena);
  for (size_t i = 0; i < job->results->count; i++) {
    const struct pawl_result *result = &job->results->items[i];
    if (!pawl_text_equal(result->kernel_name, entry->kernel_name)) continue;
    if (pawl_text_equal(result->config.name, entry->case_name))
      return pawl_arena_printf(job->arena,
                               "the shape of the case changed from %s to %s: accept a new baseline",
                               shape, pawl_shape_key(&result->config, job->arena));
    if (*shape && strcmp(pawl_shape_key(&result->config, job->arena), shape) == 0)
      return pawl_arena_printf(job->arena,
                               "the baseline has it, but the results do not; '%s' has the same "
                               "shape: is it the new name?",
                               result->config.name ? result->config.name : "?");
  }
  return "the baseline has it, but the results do not";
}

/* Returns the entry of the result's name with another shape, or NULL. */
static const struct pawl_baseline_entry *other_shape(const struct ratchet_job *job,
                                                     const struct pawl_result *result) {
  return result->config.name ? pawl_baseline_find(job->baseline, result->kernel_name,
                                                  result->config.name, job->hardware)
                             : NULL;
}

/* Returns whether a case of the entry's name has another shape, if rows follow the shapes of the
   judge's cases. */
static bool is_outdated(const struct ratchet_job *job, const struct pawl_baseline_entry *entry) {
  if (!job->options->follows_shapes) return false;
  const struct pawl_paired_test *paired = find_paired(job, entry->kernel_name, entry->case_name);
  if (paired && paired->config) return !pawl_shapes_agree(paired->config, &entry->config);
  for (size_t i = 0; i < job->results->count; i++) {
    const struct pawl_result *result = &job->results->items[i];
    if (pawl_text_equal(result->kernel_name, entry->kernel_name) &&
        pawl_text_equal(result->config.name, entry->case_name))
      return !pawl_shapes_agree(&result->config, &entry->config);
  }
  return false;
}

/* Names the new shape that the row follows. */
static void say_new_shape(const struct ratchet_job *job, const struct pawl_baseline_entry *entry,
                          struct pawl_comparison *item) {
  if (item->verdict != PAWL_VERDICT_NEW) return;
  item->reason = pawl_arena_printf(
      job->arena, "the shape of the case changed from %s to %s: the baseline has another case",
      pawl_shape_key(&entry->config, job->arena), pawl_shape_key(&item->config, job->arena));
}

/* Adds a pair of equal machine code without a result or an entry. */
static pawl_status add_unmeasured(const struct ratchet_job *job,
                                  const struct pawl_paired_test *paired,
                                  struct pawl_ratchet_report *report, struct pawl_error *err) {
  for (size_t i = 0; i < report->count; i++)
    if (report->rows[i].paired == paired) return PAWL_OK;
  struct pawl_ratchet_row *row = &report->rows[report->count++];
  init_row(row, paired->kernel_name, paired->config, job);
  row->paired = paired;
  return pawl_paired_test_compare(paired, job->arena, &row->comparison, err);
}

static pawl_status make_rows(const struct ratchet_job *job, struct pawl_ratchet_report *report,
                             struct pawl_error *err) {
  const struct pawl_row_set results = result_keys(job);
  const struct candidates same = pick_entries(job, false), unsaid = pick_entries(job, true);
  struct pawl_row_match pairs, unsaid_pairs;
  PAWL_TRY(pawl_match_rows(&same.side, &results, true, job->arena, &pairs, err));
  PAWL_TRY(pawl_match_rows(&unsaid.side, &results, true, job->arena, &unsaid_pairs, err));
  report->rows =
      pawl_arena_alloc(job->arena, results.count + same.side.count + job->options->paired_count + 1,
                       sizeof *report->rows);
  for (size_t i = 0; i < results.count; i++) {
    const struct pawl_result *result = &job->results->items[i];
    const size_t entry = pairs.partner[i], other = unsaid_pairs.partner[i];
    const struct pawl_baseline_entry *old =
        entry == PAWL_NO_MATCH ? other_shape(job, result) : NULL;
    if (old && !job->options->follows_shapes) continue; /* the entry has the row */
    struct pawl_ratchet_row *row = &report->rows[report->count++];
    init_row(row, result->kernel_name, &result->config, job);
    row->result = result;
    if (entry != PAWL_NO_MATCH) row->entry = same.entries[entry];
    if (entry == PAWL_NO_MATCH && other != PAWL_NO_MATCH) row->entry = unsaid.entries[other];
    PAWL_TRY(judge_row(job, row, err));
    if (old) say_new_shape(job, old, &row->comparison);
  }
  for (size_t i = 0; i < report->count; i++) find_code(job, &report->rows[i]);
  for (size_t i = 0; i < same.side.count; i++) {
    if (pairs.left_taken[i] || is_outdated(job, same.entries[i])) continue;
    struct pawl_ratchet_row *row = &report->rows[report->count++];
    init_row(row, same.entries[i]->kernel_name, &same.entries[i]->config, job);
    row->entry = same.entries[i];
    row->comparison.baseline_ms = row->entry->median_ms;
    row->paired = find_paired(job, row->entry->kernel_name, row->entry->case_name);
    if (row->paired)
      PAWL_TRY(pawl_paired_test_compare(row->paired, job->arena, &row->comparison, err));
    else
      ratchet_decide(&row->comparison, PAWL_VERDICT_MISSING, missing_reason(job, row->entry));
  }
  for (size_t i = 0; i < job->options->paired_count; i++) {
    const struct pawl_paired_test *paired = &job->options->paired[i];
    if (paired->identical && paired->config) PAWL_TRY(add_unmeasured(job, paired, report, err));
  }
  return PAWL_OK;
}

/* Returns whether a row may move the baseline. A paired improvement needs new blocks that by
   themselves estimate a speed-up beyond `improve`. A verdict is a draw, and the best of many
   draws is too good. */
static bool may_move(const struct ratchet_job *job, const struct pawl_ratchet_row *row) {
  if (!row->entry || !row->result) return false;
  if (!row->paired) return true;
  const double speedup = 1 / (1 + row->paired->confirmed_slowdown) - 1;
  return speedup > ratchet_gate(job, row)->improve; /* NaN: not confirmed */
}

static enum pawl_ratchet_change ratchet_change_of(const struct ratchet_job *job,
                                                  const struct pawl_ratchet_row *row) {
  const enum pawl_verdict verdict = row->comparison.verdict;
  const bool timed = row->result && pawl_result_timed(row->result) &&
                     verdict != PAWL_VERDICT_BROKEN && verdict != PAWL_VERDICT_UNSUPPORTED;
  if (verdict == PAWL_VERDICT_IMPROVEMENT && may_move(job, row)) return PAWL_RATCHET_IMPROVED;
  return (!row->entry || is_better_time(job, row)) && timed && verdict != PAWL_VERDICT_REGRESSION &&
                 verdict != PAWL_VERDICT_ACCEPTED
             ? PAWL_RATCHET_NEW
             : PAWL_RATCHET_KEPT;
}

void pawl_ratchet_count(struct pawl_ratchet_report *report, enum pawl_verdict verdict) {
  report->counts[verdict == PAWL_VERDICT_NO_DIFFERENCE ? PAWL_VERDICT_MAINTAINED : verdict]++;
}

size_t pawl_ratchet_totals(const struct pawl_ratchet_report *report,
                           struct pawl_ratchet_total out[PAWL_VERDICTS]) {
  size_t count = 0;
  for (int i = 0; i < PAWL_VERDICTS; i++) {
    const enum pawl_verdict verdict = (enum pawl_verdict)i;
    if (report->counts[i] == 0) continue;
    size_t place = count++;
    for (; place &&
           pawl_verdict_precedence(verdict) < pawl_verdict_precedence(out[place - 1].verdict);
         place--)
      out[place] = out[place - 1];
    out[place] =
        (struct pawl_ratchet_total){verdict, report->counts[i], pawl_verdict_total_word(verdict)};
  }
  return count;
}

enum pawl_verdict pawl_ratchet_verdict(const struct pawl_ratchet_report *report) {
  enum pawl_verdict worst = PAWL_VERDICT_UNSUPPORTED;
  for (size_t i = 0; i < report->count; i++) {
    const enum pawl_verdict verdict = report->rows[i].comparison.verdict;
    if (pawl_verdict_precedence(verdict) < pawl_verdict_precedence(worst)) worst = verdict;
  }
  return worst;
}

/* Returns whether main had every regression before this change. */
static bool all_inherited(const struct pawl_ratchet_report *report) {
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_ratchet_row *row = &report->rows[i];
    const bool inherited = row->paired && row->paired->origin == PAWL_ORIGIN_INHERITED;
    if (pawl_verdict_fails(row->comparison.verdict) && !inherited) return false;
  }
  return true;
}

size_t pawl_ratchet_unrecorded(const struct pawl_ratchet_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_ratchet_row *row = &report->rows[i];
    count += !row->entry && row->change == PAWL_RATCHET_KEPT &&
             row->comparison.verdict == PAWL_VERDICT_INCONCLUSIVE;
  }
  return count;
}

enum pawl_status_code pawl_ratchet_status(const struct pawl_ratchet_report *report, bool strict) {
  const enum pawl_verdict worst = pawl_ratchet_verdict(report);
  if (worst == PAWL_VERDICT_REGRESSION && all_inherited(report)) return PAWL_UNDECIDED;
  if (pawl_verdict_fails(worst)) return PAWL_FAILED;
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_ratchet_row *row = &report->rows[i];
    const bool fails = row->limits ? row->limits->inconclusive == PAWL_INCONCLUSIVE_FAIL : strict;
    if (row->comparison.verdict == PAWL_VERDICT_NEEDS_GPU) return PAWL_UNDECIDED;
    if (row->comparison.verdict == PAWL_VERDICT_INCONCLUSIVE && fails) return PAWL_UNDECIDED;
  }
  return PAWL_OK;
}

/* Counts each block as a process with only its median. */
static void set_processes(struct pawl_result *result, const struct pawl_paired_test *paired,
                          struct pawl_arena *arena) {
  result->processes =
      pawl_arena_alloc(arena, paired->confirmation_count + 1, sizeof *result->processes);
  result->process_count = 0;
  for (size_t i = 0; i < paired->confirmation_count; i++)
    if (!paired->confirmation[i].spoiled)
      result->processes[result->process_count++] =
          (struct pawl_process_samples){&paired->confirmation[i].candidate_ms, 1};
}

/* Makes the new entry of a row, with the measurements of its confirmation. */
static pawl_status make_entry(const struct ratchet_job *job, const struct pawl_ratchet_row *row,
                              struct pawl_baseline_entry *out, struct pawl_error *err) {
  struct pawl_result result = *row->result;
  const struct pawl_paired_test *paired = row->paired;
  if (paired && row->change == PAWL_RATCHET_IMPROVED) {
    struct pawl_performance *figures = &result.performance;
    const double ratio = figures->median_ms / paired->confirmed_ms;
    figures->median_ms = paired->confirmed_ms;
    figures->ci_95_low = figures->ci_95_high = NAN; /* computed from the samples */
    figures->samples_ms = paired->confirmed_samples_ms;
    figures->sample_count = paired->confirmed_sample_count;
    figures->throughput_gflops *= ratio;
    figures->bandwidth_gb_s *= ratio;
    set_processes(&result, paired, job->arena);
  }
  return pawl_baseline_entry_make(&result, job->results, NULL, job->plans, job->arena, out, err);
}

/* Makes the moves in `moved`, a copy of the baseline with room for them. */
static pawl_status make_moves(const struct ratchet_job *job,
                              const struct pawl_ratchet_report *report, struct pawl_baseline *moved,
                              struct pawl_error *err) {
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_ratchet_row *row = &report->rows[i];
    if (row->change == PAWL_RATCHET_KEPT) continue;
    const bool replaces = row->entry != NULL; /* by a gain, or by a better time */
    struct pawl_baseline_entry fresh;
    PAWL_TRY(make_entry(job, row, &fresh, err));
    const struct pawl_baseline_entry *there =
        replaces ? NULL
                 : pawl_baseline_find(moved, fresh.kernel_name, fresh.case_name, fresh.hardware);
    if (there &&
        (!job->options->follows_shapes || pawl_shapes_agree(&there->config, &fresh.config)))
      return pawl_fail(err, PAWL_BAD_DATA, "two results are for kernel '%s', case '%s'",
                       fresh.kernel_name ? fresh.kernel_name : "", fresh.case_name);
    const size_t place = replaces ? (size_t)(row->entry - job->baseline->entries)
                         : there  ? (size_t)(there - moved->entries)
                                  : moved->count;
    pawl_baseline_put(moved, place, &fresh,
                      row->change == PAWL_RATCHET_IMPROVED ? PAWL_MOVE_IMPROVEMENT : PAWL_MOVE_NEW);
  }
  return PAWL_OK;
}

static pawl_status run_ratchet(struct pawl_baseline *baseline, const struct ratchet_job *job,
                               const struct pawl_ratchet_options *options,
                               struct pawl_ratchet_report *out, struct pawl_error *err) {
  struct pawl_ratchet_report report = {0};
  PAWL_TRY(make_rows(job, &report, err));
  PAWL_TRY(pawl_ratchet_discover(&report, job->arena, err));
  for (size_t i = 0; i < report.count; i++) {
    accept_loss(job, &report.rows[i]);
    name_contradiction(job, &report.rows[i]);
    report.rows[i].change = ratchet_change_of(job, &report.rows[i]);
    pawl_ratchet_count(&report, report.rows[i].comparison.verdict);
  }
  struct pawl_baseline moved = pawl_baseline_copy(baseline, job->results->count, job->arena);
  PAWL_TRY(make_moves(job, &report, &moved, err));
  report.moves = moved.moves + baseline->move_count;
  report.move_count = moved.move_count - baseline->move_count;
  if (options->update && job->results->dirty)
    report.update_refused = "the results come from a dirty tree: commit first, then measure again";
  if (report.update_refused) {
    report.move_count = 0;
  } else if (options->update && report.move_count > 0) {
    *baseline = moved;
  }
  *out = report;
  return PAWL_OK;
}

pawl_status pawl_ratchet(struct pawl_baseline *baseline, const struct pawl_results *results,
                         const struct pawl_ratchet_options *options, struct pawl_arena *arena,
                         struct pawl_ratchet_report *out, struct pawl_error *err) {
  if (!(options->gate.detect >= 0 && options->gate.improve >= 0))
    return pawl_fail(err, PAWL_USAGE,
                     "cannot ratchet with detect %g and improve %g: both must be 0 or greater",
                     options->gate.detect, options->gate.improve);
  PAWL_CLEANUP(pawl_bootstrap_plans_release) struct pawl_bootstrap_plans plans = {0};
  /* the rows point to the old entries, whatever *baseline becomes */
  struct pawl_baseline *original = pawl_arena_alloc(arena, 1, sizeof *original);
  *original = *baseline;
  const struct ratchet_job job = {original, results, pawl_baseline_hardware(results),
                                  options,  &plans,  arena};
  return run_ratchet(baseline, &job, options, out, err);
}
