/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/evaluator.h"

#include <math.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "fleet/evaluator.h"
#include "tuning/finals.h"
#include "tuning/queue.h"
#include "tuning/run.h"
#include "tuning/screen.h"

_Static_assert(PAWL_EVALUATOR_MOST <= PAWL_TUNE_WAITING, "all requests that wait are in the queue");

#define PATIENCE 0.1 /* seconds between two looks for requests during a build */

/* The facts that the search needs about this evaluator before it asks. */
static json_t *about(const struct pawl_tuning *tuning) {
  json_t *object = json_object();
  pawl_json_set(object, "identity", pawl_tuning_identity(tuning));
  pawl_json_set_string(object, "hardware_name", tuning->tune.hardware_name);
  pawl_json_set_number(object, "block_s", tuning->block_seconds);
  pawl_json_set_number(object, "build_s", tuning->base.build.seconds);
  pawl_json_set_int(object, "cpus", pawl_cpu_count());
  return object;
}

/* Takes the results of other evaluators. So hopeless candidates end early, and pawl times no
   machine code twice. */
static pawl_status learn(struct pawl_tuning *tuning, const json_t *request, const char *name,
                         struct pawl_error *err) {
  const json_t *list = json_object_get(request, "learn");
  for (size_t i = 0; i < json_array_size(list); i++) {
    struct pawl_tune_candidate candidate;
    PAWL_TRY(pawl_tune_candidate_read(json_array_get(list, i), name, &tuning->project->arena,
                                      &candidate, err));
    candidate.index = pawl_space_find_key(&tuning->space, candidate.key);
    if (candidate.index == PAWL_NO_CONFIGURATION)
      return pawl_fail(err, PAWL_BAD_DATA, "%s: the space has no configuration '%s'", name,
                       candidate.key);
    if (!pawl_search_is_tried(&tuning->search, candidate.index))
      pawl_tuning_learn(tuning, &candidate);
  }
  return PAWL_OK;
}

static pawl_status evaluator_evaluate(struct pawl_tuning *tuning, struct pawl_evaluator *evaluator,
                                      const json_t *request, struct pawl_tune_question *question,
                                      struct pawl_tune_costs *costs, struct pawl_error *err) {
  PAWL_TRY(learn(tuning, request, evaluator->requests.path, err));
  PAWL_TRY(pawl_tuning_evaluate(tuning, question, costs, err));
  if (!pawl_search_is_tried(&tuning->search, question->candidate.index))
    pawl_tuning_learn(tuning, &question->candidate);
  json_t *result = json_object();
  pawl_tune_candidate_write(&question->candidate, result);
  return pawl_evaluator_answer(evaluator, request, result, err);
}

/* Runs the race and the verdicts in the rest of the budget. It writes all files before the
   answer. */
static pawl_status judge(struct pawl_tuning *tuning, struct pawl_evaluator *evaluator,
                         const json_t *request, pawl_tune_writer write, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  const json_t *ask = json_object_get(request, "judge");
  const char *name = evaluator->requests.path, *executor, *judge;
  double seconds;
  long long lost;
  PAWL_TRY(learn(tuning, request, name, err));
  PAWL_TRY(pawl_json_get_number(ask, "seconds", name, 0, &seconds, err));
  PAWL_TRY(pawl_json_get_int(ask, "lost", name, 0, &lost, err));
  PAWL_TRY(pawl_json_get_string(ask, "executor", name, NULL, &executor, err));
  PAWL_TRY(pawl_json_get_string(ask, "judge", name, NULL, &judge, err));
  tune->team = (struct pawl_tune_team){executor, judge, (size_t)lost};
  /* the search does not send an evaluator its own results */
  for (size_t i = 0; i < tune->count; i++)
    if (!tune->candidates[i].evaluator) tune->candidates[i].evaluator = judge;
  tuning->begin_ns = pawl_clock_ns() - (int64_t)(seconds * 1e9);
  PAWL_TRY(pawl_tuning_judge(tuning, err));
  tune->stopped = evaluator->heartbeat.alone;
  tune->seconds = pawl_tuning_seconds(tuning);
  pawl_tune_conclude(tune, &tuning->project->arena);
  PAWL_TRY(write(tune, tuning->project, tuning->options->folder, err));
  json_t *result = json_object();
  pawl_json_set_string(result, "conclusion", tune->conclusion);
  pawl_json_set_bool(result, "decided", tune->decided);
  pawl_json_set_bool(result, "finished", tune->finished);
  pawl_json_set_bool(result, "recommended", tune->recommended);
  pawl_json_set_number(result, "seconds", tune->seconds);
  return pawl_evaluator_answer(evaluator, request, result, err);
}

static long long evaluator_number_of(const json_t *request) {
  return json_integer_value(json_object_get(request, "request"));
}

static pawl_status read_question(struct pawl_tuning *tuning, const json_t *request,
                                 const char *name, struct pawl_tune_question *out,
                                 struct pawl_error *err) {
  const char *key;
  *out = (struct pawl_tune_question){.candidate = {.median_ms = NAN, .base_ms = NAN},
                                     .request = evaluator_number_of(request)};
  PAWL_TRY(pawl_json_get_string(request, "evaluate", name, NULL, &key, err));
  out->known = !key;
  if (!key) return PAWL_OK;
  out->candidate.key = pawl_arena_copy(&tuning->project->arena, key);
  out->candidate.index = pawl_space_find_key(&tuning->space, key);
  if (out->candidate.index != PAWL_NO_CONFIGURATION) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA, "%s: the space has no configuration '%s'", name, key);
}

/* Queues the builds of new requests. Nothing is timed beside a build in progress. */
static pawl_status evaluator_follow(struct pawl_tuning *tuning,
                                    const struct pawl_evaluator *evaluator,
                                    struct pawl_tune_queue *queue, struct pawl_error *err) {
  for (size_t i = 0; i < evaluator->waiting_count; i++) {
    const json_t *request = evaluator->waiting[i];
    struct pawl_tune_question question;
    while (i < queue->count && queue->items[i].request < evaluator_number_of(request))
      pawl_tune_queue_remove(queue, i);
    if (i < queue->count) continue;
    PAWL_TRY(read_question(tuning, request, evaluator->requests.path, &question, err));
    pawl_tune_queue_add(tuning, queue, &question);
  }
  while (queue->count > evaluator->waiting_count) pawl_tune_queue_remove(queue, queue->count - 1);
  tuning->bench.jobs = pawl_tuning_jobs_beside(tuning);
  return PAWL_OK;
}

/* Answers the oldest request that is built. The others build meanwhile. */
static pawl_status answer(struct pawl_tuning *tuning, struct pawl_evaluator *evaluator,
                          struct pawl_tune_queue *queue, struct pawl_tune_costs *costs,
                          pawl_tune_writer write, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *request = NULL;
  if (pawl_tune_queue_ready(queue) == queue->count) {
    if (!pawl_tune_queue_await(tuning, queue, PATIENCE)) return PAWL_OK;
    PAWL_TRY(pawl_tune_queue_prepare(tuning, queue, costs, err));
  }
  const size_t place = pawl_tune_queue_ready(queue);
  struct pawl_tune_question *question = &queue->items[place];
  PAWL_TRY(pawl_evaluator_take(evaluator, place, &request, err));
  PAWL_TRY(pawl_tuning_take_turn(tuning, err));
  if (question->known) {
    pawl_tuning_end_builds(tuning);
    PAWL_TRY(judge(tuning, evaluator, request, write, err));
  } else {
    PAWL_TRY(evaluator_evaluate(tuning, evaluator, request, question, costs, err));
  }
  pawl_devices_end_turn(&tuning->project->devices); /* another evaluator may share the machine */
  pawl_tune_queue_remove(queue, place);
  return PAWL_OK;
}

static pawl_status serve(struct pawl_tuning *tuning, struct pawl_evaluator *evaluator,
                         pawl_tune_writer write, struct pawl_error *err) {
  struct pawl_tune_costs costs = {0};
  struct pawl_tune_queue *queue = pawl_arena_alloc(&tuning->project->arena, 1, sizeof *queue);
  PAWL_TRY(pawl_tuning_find(tuning, err));
  PAWL_TRY(pawl_tuning_open_device(tuning, err));
  PAWL_TRY(pawl_tuning_open_bench(tuning, err));
  pawl_tuning_tell_current(tuning);
  PAWL_TRY(pawl_evaluator_ready(evaluator, about(tuning), err));
  for (;;) {
    PAWL_TRY(pawl_evaluator_wait(evaluator, err));
    if (evaluator->ended) return PAWL_OK;
    PAWL_TRY(evaluator_follow(tuning, evaluator, queue, err));
    PAWL_TRY(answer(tuning, evaluator, queue, &costs, write, err));
  }
}

pawl_status pawl_loop_evaluate(struct pawl_project *project,
                               const struct pawl_tune_options *options, const char *folder,
                               pawl_tune_writer write, struct pawl_error *err) {
  struct pawl_evaluator evaluator;
  struct pawl_tune_options bound = *options;
  struct pawl_error ignored = {0};
  PAWL_TRY(pawl_evaluator_open(&evaluator, folder, err));
  bound.stop = &evaluator.heartbeat.alone;
  struct pawl_tuning *tuning = pawl_tuning_new(project, &bound);
  const enum pawl_status_code status = serve(tuning, &evaluator, write, err);
  pawl_tuning_release(tuning);
  if (status != PAWL_OK && pawl_evaluator_fail(&evaluator, err, &ignored) != PAWL_OK)
    pawl_log_warning(project->options.log, "%s", ignored.message);
  pawl_evaluator_close(&evaluator);
  return status;
}
