/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/block.h"

#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "measure/guard.h"
#include "measure/harness.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure/round_ratio.h"

static void pairs_keep_samples(struct pawl_arena *arena, const struct pawl_arm_block *arm,
                               double **samples, size_t *count) {
  double *grown = pawl_arena_alloc(arena, *count + arm->count, sizeof *grown);
  if (*count) memcpy(grown, *samples, *count * sizeof *grown);
  for (size_t i = 0; i < arm->count; i++) grown[*count + i] = pawl_sample_ms(arm->seconds[i]);
  *samples = grown;
  *count += arm->count;
}

/* An autotuner chooses in each process anew. */
static void note_choices(struct pawl_paired_bench_outcome *outcome, const struct pawl_block *block,
                         struct pawl_arena *arena) {
  for (int i = 0; i < 2; i++) {
    const json_t *environment = block->arms[i].environment;
    const char *chosen = json_string_value(json_object_get(environment, PAWL_AUTOTUNED)),
               *code = json_string_value(json_object_get(environment, PAWL_MACHINE_CODE)),
               *launches = json_string_value(json_object_get(environment, PAWL_FUNCTIONS));
    if (code && launches && !outcome->launched[i])
      outcome->launched[i] = pawl_arena_printf(arena, "%s\n%s", code, launches);
    if (chosen && !outcome->chosen[i])
      outcome->chosen[i] = pawl_arena_copy(arena, chosen);
    else if (chosen && strcmp(outcome->chosen[i], chosen) != 0)
      outcome->chose_again = true;
  }
}

/* The first request of the turn runs the harness for all requests. */
static pawl_status measure_block(struct pawl_measuring *measuring, struct pawl_block *out,
                                 struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  const struct pawl_worker_options *const arms[] = {&request->base->worker,
                                                    &request->candidate->worker};
  struct pawl_shared_block *shared = measuring->shared;
  struct pawl_block *block = shared ? &shared->block : out;
  if (!shared || !shared->measured)
    PAWL_TRY(pawl_measure_block(measuring->problem, arms, 2, &measuring->plan, measuring->arena,
                                block, err));
  note_choices(&measuring->outcome, block, measuring->arena);
  if (request->own_row && measuring->phase == PAWL_JUDGING)
    pawl_result_builder_add(&measuring->builder, block, 1);
  for (int i = 0; i < 2; i++)
    json_decref(block->arms[i].environment), block->arms[i].environment = NULL;
  if (!shared) return PAWL_OK;
  shared->measured = true;
  *out =
      pawl_block_of_benchmark(block, request->config->name,
                              pawl_command_case(&measuring->project->suite).name, measuring->arena);
  return PAWL_OK;
}

/* The ratio of these two times is the ratio of the block. */
static pawl_status block_times(const struct pawl_measuring *measuring,
                               const struct pawl_block *block, double *base, double *candidate,
                               struct pawl_error *err) {
  const struct pawl_arm_block *a = &block->arms[0], *b = &block->arms[1];
  if (measuring->shared)
    return pawl_median_ratio(a->seconds, a->count, b->seconds, b->count, base, candidate, err);
  return pawl_round_ratio(a->seconds, b->seconds, a->count, measuring->plan.rounds,
                          measuring->arena, base, candidate, err);
}

/* Each sample has a round of its own where a block has more than it must have. */
static void plan_samples(struct pawl_measuring *measuring) {
  if (!measuring->more_samples) return;
  struct pawl_block_plan *plan = &measuring->plan;
  plan->samples = pawl_block_samples_next(&measuring->sampled, measuring->least_samples);
  if (plan->samples > plan->rounds) plan->rounds = plan->samples;
}

static bool pairs_block_on_gpu(const struct pawl_measuring *measuring) {
  return measuring->plan.device && measuring->plan.device->kind == PAWL_CUDA;
}

/* Asks early for fresh pairs, because the verdict may come early. Both arms make these calls after
   their timed calls, so processes that also serve the next case are in the same state. */
static int fresh_pairs_left(const struct pawl_measuring *measuring) {
  if (measuring->shared) return 0;
  const bool own = measuring->request->own_row && measuring->phase == PAWL_JUDGING;
  if (!own && pairs_block_on_gpu(measuring)) return 0;
  return pawl_fresh_pairs_left(&measuring->fresh[1], measuring->plan.device,
                               measuring->fresh_times > 1);
}

static struct pawl_time_spent spent(const struct pawl_measuring *measuring) {
  const struct pawl_oracle *oracle = measuring->request->oracle; /* NULL: the arms are commands */
  return oracle ? oracle->spent : (struct pawl_time_spent){0};
}

/* Before the other cases of the kernel are timed. */
static void say_wrong(const struct pawl_measuring *measuring, const struct pawl_arm_block *arm) {
  const struct pawl_paired_bench_request *request = measuring->request;
  if (request->says_wrong)
    pawl_bench_row_say(measuring->project->options.log, request->candidate->spec->name,
                       request->config, arm->outcome, arm->reason);
}

static void lengthen_test(struct pawl_paired_test *paired, double times) {
  for (size_t i = 0; i < paired->block_count; i++) paired->blocks[i].candidate_ms *= times;
  for (size_t i = 0; i < paired->candidate_sample_count; i++)
    paired->candidate_samples_ms[i] =
        pawl_sample_ms(paired->candidate_samples_ms[i] * 1e-3 * times);
}

/* On a CPU, all blocks count longer if the candidate's calls on new inputs take longer than the
 * base's do. Two kernels whose times depend on their data alike do not differ there. */
static void charge_candidate(struct pawl_measuring *measuring, const struct pawl_block *block,
                             double base, double candidate) {
  const double seconds[] = {base, candidate};
  for (int i = 0; i < 2; i++) {
    const struct pawl_arm_block *arm = &block->arms[i];
    struct pawl_fresh_calls *fresh = &measuring->fresh[i];
    fresh->pairs = pawl_fresh_pairs_join(measuring->arena, fresh->pairs, fresh->count,
                                         arm->fresh_seconds, arm->fresh_pairs);
    fresh->count += arm->fresh_pairs;
    fresh->seconds = seconds[i];
  }
  if (pairs_block_on_gpu(measuring) || !block->arms[1].fresh_pairs) return;
  const double times = pawl_fresh_pairs_beyond(&measuring->fresh[1], &measuring->fresh[0]);
  const double before = measuring->fresh_times > 0 ? measuring->fresh_times : 1;
  if (times == before) return;
  lengthen_test(&measuring->paired, times / before);
  lengthen_test(&measuring->again, times / before);
  measuring->fresh_times = times;
  /* more pairs change the factor a little */
  void (*say)(struct pawl_log *, const char *, ...) =
      before > 1 ? pawl_log_detail : pawl_log_warning;
  say(measuring->project->options.log,
      "'%s' on %s: calls on new inputs take longer than on inputs that it has seen, beside the "
      "base; its times count %.2f times as long",
      measuring->paired.kernel_name, measuring->paired.case_name, times);
}

pawl_status pawl_paired_block_add(struct pawl_measuring *measuring, struct pawl_paired_test *paired,
                                  uint64_t number, enum pawl_arm_order order, bool *ended,
                                  struct pawl_error *err) {
  struct pawl_arena *arena = measuring->arena;
  struct pawl_block block;
  measuring->plan.seed = measuring->request->input_seed + number;
  measuring->plan.order_seed = measuring->request->seed + number;
  measuring->plan.first_arm = order == PAWL_ORDER_CANDIDATE_FIRST;
  measuring->plan.fresh_pairs = fresh_pairs_left(measuring);
  plan_samples(measuring);
  const struct pawl_time_spent before = spent(measuring);
  PAWL_TRY(measure_block(measuring, &block, err));
  const struct pawl_time_spent now = spent(measuring);
  pawl_block_tell(measuring->project->options.log, measuring->paired.kernel_name,
                  measuring->paired.case_name, &before, &now, &block);
  measuring->outcome.base = block.arms[0].outcome;
  measuring->outcome.candidate = block.arms[1].outcome;
  for (int i = 0; i < 2 && !*ended; i++) {
    if (block.arms[i].outcome == PAWL_OUTCOME_OK) continue;
    measuring->outcome.reason = block.arms[i].reason;
    *ended = true;
  }
  if (block.arms[1].outcome == PAWL_OUTCOME_WRONG) say_wrong(measuring, &block.arms[1]);
  const char *ahead = pawl_block_ahead(&block, 1, 0);
  if (!*ended && ahead) {
    measuring->outcome.candidate = PAWL_OUTCOME_INCONCLUSIVE;
    measuring->outcome.reason = ahead;
    *ended = true;
  }
  if (*ended) return PAWL_OK;
  double base, candidate;
  PAWL_TRY(block_times(measuring, &block, &base, &candidate, err));
  charge_candidate(measuring, &block, base, candidate);
  if (measuring->more_samples)
    pawl_block_samples_add(&measuring->sampled, block.arms[0].seconds, block.arms[1].seconds,
                           block.arms[0].count, block.total_seconds - block.start_seconds);
  struct pawl_paired_block *grown = pawl_arena_alloc(arena, paired->block_count + 1, sizeof *grown);
  if (paired->block_count) memcpy(grown, paired->blocks, paired->block_count * sizeof *grown);
  struct pawl_paired_block *added = &grown[paired->block_count];
  added->base_ms = base * 1e3;
  const double times = measuring->fresh_times > 0 ? measuring->fresh_times : 1;
  added->candidate_ms = candidate * 1e3 * times;
  added->spoiled = pawl_block_spoiled(&block, arena);
  if (!added->spoiled && measuring->project->suite.gate.busy == PAWL_BUSY_REPEAT)
    added->spoiled = pawl_block_crowded(&block, arena);
  added->order = order;
  paired->blocks = grown;
  paired->block_count++;
  if (added->spoiled) return PAWL_OK;
  measuring->own_busy += block.own_busy;
  measuring->outcome.cpus_used = measuring->own_busy / (double)++measuring->own_blocks;
  for (size_t i = 0; i < block.arms[1].count; i++) block.arms[1].seconds[i] *= times;
  pairs_keep_samples(arena, &block.arms[0], &paired->base_samples_ms, &paired->base_sample_count);
  pairs_keep_samples(arena, &block.arms[1], &paired->candidate_samples_ms,
                     &paired->candidate_sample_count);
  return PAWL_OK;
}

static bool block_is_late(const struct pawl_paired_bench_request *request) {
  if (pawl_budget_is_over() || (request->stop && *request->stop)) return true;
  return request->deadline_ns && pawl_clock_ns() > request->deadline_ns;
}

/* Why blocks without an answer ended. Blocks that drift would have had one, so the time is not to
   blame. */
static const char *why_ended(const struct pawl_measuring *measuring) {
  const struct pawl_paired_bench_request *request = measuring->request;
  if (measuring->paired.drifts) return pawl_doubt_text(PAWL_DOUBT_SERIAL);
  if (pawl_budget_is_over())
    return pawl_arena_printf(&measuring->project->arena, "%s before the blocks gave an answer",
                             pawl_budget_cause());
  return request->stop && *request->stop
             ? "pawl was stopped before the blocks gave an answer"
             : "the budget of the run ended before the blocks gave an answer";
}

void pawl_paired_block_leave(struct pawl_measuring *measuring) {
  struct pawl_paired_test *paired = &measuring->paired;
  measuring->phase = PAWL_DONE;
  if (!paired->block_count) {
    measuring->outcome.candidate = PAWL_OUTCOME_INCONCLUSIVE;
    measuring->outcome.reason = pawl_budget_words();
  } else if (paired->decision == PAWL_DECISION_CONTINUE) {
    paired->decision = PAWL_DECISION_INCONCLUSIVE;
    paired->reason = why_ended(measuring);
  }
}

pawl_status pawl_paired_block_judge(struct pawl_measuring *measuring, enum pawl_arm_order order,
                                    struct pawl_error *err) {
  struct pawl_paired_test *paired = &measuring->paired;
  const struct pawl_paired_bench_request *request = measuring->request;
  bool ended = false;
  const enum pawl_status_code status =
      pawl_paired_block_add(measuring, paired, paired->block_count, order, &ended, err);
  if (pawl_budget_ended(status)) pawl_paired_block_leave(measuring);
  if (status != PAWL_OK) return pawl_budget_ended(status) ? PAWL_OK : status;
  PAWL_TRY(pawl_paired_test_judge(paired, err));
  if (ended && paired->decision == PAWL_DECISION_CONTINUE) {
    paired->decision = PAWL_DECISION_INCONCLUSIVE;
    paired->reason = measuring->outcome.reason;
  }
  if (paired->decision == PAWL_DECISION_CONTINUE && block_is_late(request)) {
    paired->decision = PAWL_DECISION_INCONCLUSIVE;
    paired->reason = why_ended(measuring);
  }
  if (paired->decision == PAWL_DECISION_IMPROVEMENT && request->confirm)
    measuring->phase = PAWL_CONFIRMING;
  else if (paired->decision != PAWL_DECISION_CONTINUE ||
           (request->max_blocks > 0 && paired->block_count >= (size_t)request->max_blocks))
    measuring->phase = PAWL_DONE;
  return PAWL_OK;
}

pawl_status pawl_paired_block_confirm(struct pawl_measuring *measuring, enum pawl_arm_order order,
                                      struct pawl_error *err) {
  struct pawl_paired_test *paired = &measuring->paired, *again = &measuring->again;
  bool ended = false;
  again->policy = paired->policy;
  const enum pawl_status_code status = pawl_paired_block_add(
      measuring, again, PAWL_CONFIRMATION_SEED + again->block_count, order, &ended, err);
  if (status != PAWL_OK && !pawl_budget_ended(status)) return status;
  if (status != PAWL_OK) ended = true;
  if (!ended) measuring->confirmed += !again->blocks[again->block_count - 1].spoiled;
  if (block_is_late(measuring->request)) ended = true;
  if (again->block_count - measuring->confirmed > pawl_paired_spoiled_limit(&paired->policy))
    ended = true;
  if (!ended && measuring->confirmed < paired->counted) return PAWL_OK;
  measuring->phase = PAWL_DONE;
  /* Later pairs on new inputs can have lengthened the blocks that gave the answer. */
  if (ended) {
    PAWL_TRY(pawl_paired_test_judge(paired, err));
    if (paired->decision == PAWL_DECISION_CONTINUE) paired->decision = PAWL_DECISION_INCONCLUSIVE;
    return PAWL_OK;
  }
  paired->confirmation = again->blocks;
  paired->confirmation_count = again->block_count;
  paired->confirmed_samples_ms = again->candidate_samples_ms;
  paired->confirmed_sample_count = again->candidate_sample_count;
  return pawl_paired_test_judge(paired, err);
}
