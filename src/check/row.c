/* SPDX-License-Identifier: Apache-2.0 */
#include "check/row.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

/* Combined by exclusive or, it gives other contents at the same addresses. */
#define OTHER_SEED 0x9e3779b97f4a7c15u

/* A row while it runs. */
struct row_trial {
  struct pawl_check_subject *subject;
  struct pawl_problem *problem;
  struct pawl_tolerance tolerance;
  struct pawl_check_row *row;
  bool decided;     /* the row has its outcome */
  bool only_values; /* it is wrong, but wrote nowhere else and nothing after its return */
};

void pawl_check_subject_release(struct pawl_check_subject *subject) {
  if (!subject) return;
  pawl_worker_free(subject->worker);
  subject->worker = NULL;
}

void pawl_check_subject_leave(struct pawl_check_subject *subject) {
  if (!subject->options->shutdown || !subject->worker) return;
  pawl_worker_rest(subject->worker);
  pawl_shutdown_add(subject->options->shutdown, subject->worker);
  subject->worker = NULL;
}

static void row_decide(struct row_trial *trial, enum pawl_outcome outcome, const char *context,
                       const char *reason) {
  trial->row->outcome = outcome;
  trial->row->reason = pawl_arena_printf(trial->subject->arena, "%s%s", context, reason);
  trial->decided = true;
}

/* Turns a failed request into the row's outcome. PAWL_OK when the kernel is to blame. Releases a
 * worker that has died. */
static pawl_status take_failure(struct row_trial *trial, enum pawl_status_code status,
                                const struct pawl_error *failure, struct pawl_error *err) {
  struct pawl_check_subject *subject = trial->subject;
  if (status == PAWL_UNDECIDED) {
    row_decide(trial, PAWL_OUTCOME_UNSUPPORTED, "", failure->message);
    return PAWL_OK;
  }
  if (status != PAWL_FAILED) {
    if (err) *err = *failure;
    return status;
  }
  const bool hung = subject->worker && pawl_worker_cause(subject->worker) == PAWL_CAUSE_TIMEOUT;
  row_decide(trial, hung ? PAWL_OUTCOME_HUNG : PAWL_OUTCOME_CRASHED, "", failure->message);
  if (subject->worker && pawl_worker_cause(subject->worker) != PAWL_CAUSE_REPORTED)
    pawl_check_subject_release(subject);
  return PAWL_OK;
}

/* Reads the kernel's own description: its operator, and whether it is deterministic. */
static pawl_status row_describe(struct row_trial *trial, struct pawl_error *err) {
  struct pawl_check_subject *subject = trial->subject;
  const char *wanted = subject->options->oracle->info.name;
  struct pawl_kernel_info info = {0};
  struct pawl_error failure = {0};
  const enum pawl_status_code status =
      pawl_worker_describe_kernel(subject->worker, subject->arena, &info, &failure);
  if (status != PAWL_OK) return take_failure(trial, status, &failure, err);
  json_decref(info.environment);
  subject->deterministic = info.deterministic;
  if (info.operator_name && strcmp(info.operator_name, wanted) != 0)
    return pawl_fail(err, PAWL_CONFIG, "kernel '%s' computes operator '%s', not '%s'",
                     subject->options->worker->name, info.operator_name, wanted);
  return PAWL_OK;
}

pawl_status pawl_check_subject_launch(struct pawl_check_subject *subject, struct pawl_error *err) {
  struct pawl_worker_options options = *subject->options->worker;
  options.tensors = &subject->options->oracle->tensors;
  options.expected = NULL;
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status = pawl_worker_launch(&subject->worker, &options, err);
  subject->options->oracle->spent.start += pawl_seconds_since(begin);
  subject->owes_hello = status == PAWL_OK;
  return status;
}

/* A process that cannot start leaves no worker behind. */
static pawl_status row_greet(struct pawl_check_subject *subject, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status = pawl_worker_greet(subject->worker, err);
  subject->options->oracle->spent.start += pawl_seconds_since(begin);
  subject->owes_hello = false;
  if (status == PAWL_OK) return PAWL_OK;
  pawl_worker_free(subject->worker);
  subject->worker = NULL;
  return status;
}

static pawl_status ensure_worker(struct row_trial *trial, struct pawl_error *err) {
  struct pawl_check_subject *subject = trial->subject;
  struct pawl_error failure = {0};
  if (subject->worker && !subject->owes_hello) return PAWL_OK;
  enum pawl_status_code status =
      subject->worker ? PAWL_OK : pawl_check_subject_launch(subject, &failure);
  if (status == PAWL_OK) status = row_greet(subject, &failure);
  return status == PAWL_OK ? row_describe(trial, err) : take_failure(trial, status, &failure, err);
}

static pawl_status row_prepare(struct row_trial *trial, struct pawl_error *err) {
  struct pawl_check_subject *subject = trial->subject;
  const struct pawl_shape shape = pawl_case_shape(&trial->problem->config);
  const char *refusal = NULL;
  uint64_t workspace = 0;
  struct pawl_error failure = {0};
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status = pawl_worker_prepare(
      subject->worker, &shape, trial->problem->sets, trial->problem->set_count,
      subject->options->threads, subject->arena, &refusal, &workspace, &failure);
  trial->problem->oracle->spent.start += pawl_seconds_since(begin);
  if (status != PAWL_OK) return take_failure(trial, status, &failure, err);
  if (refusal) row_decide(trial, PAWL_OUTCOME_UNSUPPORTED, "", refusal);
  return PAWL_OK;
}

/* Keeps the worse errors of the row so far and of one comparison. */
static void add_errors(struct pawl_error_stats *total, const struct pawl_error_stats *now,
                       bool first) {
  if (first) {
    *total = *now;
    return;
  }
  if (!(now->max_abs_error <= total->max_abs_error)) total->max_abs_error = now->max_abs_error;
  if (!(now->max_rel_error <= total->max_rel_error)) total->max_rel_error = now->max_rel_error;
  if (!(now->mean_abs_error <= total->mean_abs_error)) total->mean_abs_error = now->mean_abs_error;
  if (!(now->rel_rms_error <= total->rel_rms_error)) total->rel_rms_error = now->rel_rms_error;
  if (now->correlation < total->correlation) total->correlation = now->correlation;
  if (now->rtol > total->rtol) total->rtol = now->rtol;
  total->wrong += now->wrong;
  total->oracle = pawl_correctness_oracle(total->oracle, now->oracle);
  if (total->passed && !now->passed) {
    total->passed = false;
    memcpy(total->reason, now->reason, sizeof total->reason);
  }
}

static pawl_status call(struct row_trial *trial, struct pawl_error *err) {
  struct pawl_error failure = {0};
  double seconds = NAN;
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status =
      pawl_worker_run(trial->subject->worker, 0, &seconds, &failure);
  trial->problem->oracle->spent.calls += pawl_seconds_since(begin);
  return status == PAWL_OK ? PAWL_OK : take_failure(trial, status, &failure, err);
}

/* The operator has no answer, and a thread of the kernel that outlived its call may have
 * overwritten the inputs. Ends the kernel's process and draws the inputs again. If the operator
 * then has an answer, the kernel is to blame, else the operator. */
static pawl_status expect_alone(struct row_trial *trial, const char *context,
                                struct pawl_error *err) {
  const struct pawl_draw_source source = trial->problem->source[0];
  pawl_check_subject_release(trial->subject);
  pawl_problem_note_inputs(trial->problem, 0); /* draws all of them */
  PAWL_TRY(pawl_problem_fill_tail(trial->problem, 0, source.distribution, source.seed,
                                  source.tail_seed, err));
  PAWL_TRY(pawl_problem_expect(trial->problem, 0, err));
  row_decide(trial, PAWL_OUTCOME_WRONG, context,
             "wrote to its inputs after an earlier call returned");
  return PAWL_OK;
}

static bool is_alive(const struct pawl_worker *worker) {
  const enum pawl_worker_cause cause = pawl_worker_cause(worker);
  return cause == PAWL_CAUSE_NONE || cause == PAWL_CAUSE_REPORTED;
}

/* Computes the expected values. */
static pawl_status row_expect(struct row_trial *trial, const char *context,
                              struct pawl_error *err) {
  struct pawl_error failure = {0};
  const enum pawl_status_code status = pawl_problem_expect(trial->problem, 0, &failure);
  if ((status == PAWL_FAILED || status == PAWL_BAD_DATA) &&
      is_alive(trial->problem->oracle->worker))
    return expect_alone(trial, context, err);
  if (status == PAWL_UNDECIDED && trial->problem->oracle->by_base) {
    row_decide(trial, PAWL_OUTCOME_UNSUPPORTED, "", failure.message);
    trial->row->unjudged = true;
    return PAWL_OK;
  }
  if (status != PAWL_OK && err)
    *err = failure; /* the first failure names the cause, not the second try */
  return status;
}

/* Calls the kernel once on the current set and compares. The answer is ready before the call, so
 * pawl compares the outputs as soon as the call returns. They must not change afterwards. `context`
 * precedes the reason. */
static pawl_status call_and_compare(struct row_trial *trial, const char *context, bool first,
                                    struct pawl_error *err) {
  struct pawl_error_stats stats;
  PAWL_TRY(row_expect(trial, context, err));
  if (trial->decided) return PAWL_OK;
  PAWL_TRY(call(trial, err));
  if (trial->decided) return PAWL_OK;
  const struct pawl_hash returned = pawl_problem_output_hash(trial->problem, 0);
  PAWL_TRY(pawl_problem_compare(trial->problem, 0, &trial->tolerance, &stats, err));
  add_errors(&trial->row->errors, &stats, first);
  const bool stable = pawl_hash_equal(returned, pawl_problem_output_hash(trial->problem, 0));
  trial->only_values = stable && !stats.passed && stats.oracle;
  if (!stats.passed)
    row_decide(trial, PAWL_OUTCOME_WRONG, context, stats.reason);
  else if (!stable)
    row_decide(trial, PAWL_OUTCOME_WRONG, context, "its outputs changed after the call returned");
  return PAWL_OK;
}

/* Repeats the same inputs. A deterministic kernel must give the same bits. */
static pawl_status row_repeat(struct row_trial *trial, struct pawl_error *err) {
  const struct pawl_hash before = pawl_problem_output_hash(trial->problem, 0);
  PAWL_TRY(pawl_problem_reset(trial->problem, 0, err));
  PAWL_TRY(call(trial, err));
  if (!trial->decided && !pawl_hash_equal(before, pawl_problem_output_hash(trial->problem, 0)))
    row_decide(trial, PAWL_OUTCOME_WRONG, "",
               "is declared deterministic, but the same inputs gave different bits");
  return PAWL_OK;
}

/* Changes the contents at the same addresses, first in the second half of every input, then in the
 * first half too. A kernel that caches results by address, or by a part of the contents, gives an
 * old answer. */
static pawl_status change_contents(struct row_trial *trial, struct pawl_error *err) {
  const struct pawl_check_row *row = trial->row;
  const uint64_t seed = row->seed, other = seed ^ OTHER_SEED;
  PAWL_TRY(pawl_problem_fill_tail(trial->problem, 0, row->distribution, seed, other, err));
  PAWL_TRY(call_and_compare(
      trial, "after a change of the second half of the inputs in place: ", false, err));
  if (trial->decided) return PAWL_OK;
  PAWL_TRY(pawl_problem_fill(trial->problem, 0, row->distribution, other, err));
  return call_and_compare(trial, "after a change of the first half of the inputs in place: ", false,
                          err);
}

static pawl_status run(struct row_trial *trial, const struct pawl_check_item *item,
                       struct pawl_error *err) {
  const struct pawl_check_row *row = trial->row;
  PAWL_TRY(ensure_worker(trial, err));
  if (!trial->decided) PAWL_TRY(row_prepare(trial, err));
  if (trial->decided) return PAWL_OK;
  PAWL_TRY(pawl_problem_fill(trial->problem, 0, row->distribution, row->seed, err));
  PAWL_TRY(call_and_compare(trial, "", true, err));
  if (!trial->decided && trial->subject->deterministic) PAWL_TRY(row_repeat(trial, err));
  if (!trial->decided && item->small) PAWL_TRY(change_contents(trial, err));
  return PAWL_OK;
}

/* Returns how many times larger a distribution's inputs are than the timed distribution's; never
 * below 1. The absolute tolerance is for outputs of the timed inputs' size, so it grows by this
 * factor. */
static double input_scale(const struct pawl_operator_info *info, const char *distribution) {
  for (int i = 0; i < info->distribution_count; i++) {
    if (strcmp(info->distributions[i].name, distribution) != 0) continue;
    const double scale = info->distributions[i].scale / info->distributions[0].scale;
    return scale > 1 ? scale : 1;
  }
  return 1;
}

struct pawl_error_stats pawl_check_no_errors(void) {
  return (struct pawl_error_stats){.max_abs_error = NAN,
                                   .max_rel_error = NAN,
                                   .mean_abs_error = NAN,
                                   .correlation = NAN,
                                   .rel_rms_error = NAN};
}

pawl_status pawl_check_row_run(struct pawl_check_subject *subject,
                               const struct pawl_check_item *item, struct pawl_check_row *row,
                               struct pawl_error *err) {
  const struct pawl_check_options *options = subject->options;
  const int64_t start = pawl_clock_ns();
  PAWL_CLEANUP(pawl_problem_release) struct pawl_problem problem = {0};
  struct row_trial trial = {.subject = subject, .problem = &problem, .row = row};
  row->outcome = PAWL_OUTCOME_OK;
  row->errors = pawl_check_no_errors();
  PAWL_TRY(pawl_oracle_tolerance(options->oracle, item->config.dtype, options->spec,
                                 &trial.tolerance, err));
  trial.tolerance.atol *= input_scale(&options->oracle->info, item->distribution);
  PAWL_TRY(pawl_problem_init(&problem, options->oracle, &item->config, 1, err));
  PAWL_TRY(run(&trial, item, err));
  /* A wrong kernel may leave a thread behind, which must not disturb the next rows. On a GPU, where
     a start takes long, wrong values alone do not end the process. */
  if (row->outcome == PAWL_OUTCOME_WRONG && !(options->worker->cuda && trial.only_values))
    pawl_check_subject_release(subject);
  row->seconds = pawl_seconds_since(start);
  return PAWL_OK;
}

void pawl_check_row_say(struct pawl_log *log, const char *kernel, const struct pawl_check_row *row,
                        bool reduced) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text word = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_outcome_capitals(row->outcome, &word);
  pawl_case_key(&row->config, &shape);
  pawl_log_info(log, "%s: %s, row %zu (%s, %s): %s; repeat it: pawl check %s --row %zu%s",
                pawl_text_string(&word), kernel, row->number, pawl_text_string(&shape),
                row->distribution, row->reason, kernel, row->number, reduced ? " --reduced" : "");
}
