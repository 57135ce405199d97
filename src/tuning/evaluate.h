/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates a candidate on this device, and gives the result to the search. */
#pragma once

#include "tuning/tuning.h"

/* The recent costs of a candidate in seconds: its build, which runs beside other work, the start
   of its process, which several candidates share, and the rest, which it needs alone. */
struct pawl_tune_costs {
  double build, start, alone;
};

/* A configuration that the search asks for. */
struct pawl_tune_question {
  struct pawl_tune_candidate candidate; /* only index and key are set at first */
  bool known;        /* the answer is in the journal, or there is nothing to build */
  long long request; /* the number of the request that an evaluator answers */
  bool prepared;     /* it is built, and its process may be started */
  size_t turn;       /* the question with the least turn is next; ties go to the older question */
  double ahead_seconds; /* the duration of its build, if it was queued */
  struct pawl_ready_kernel kernel;
};

/* Takes the finished builds of questions that pawl_tuning_build_ahead queued. If a build succeeded,
 * starts the candidate's process. */
pawl_status pawl_tuning_prepare(struct pawl_tuning *tuning,
                                struct pawl_tune_question *const *questions, size_t count,
                                struct pawl_tune_costs *costs, struct pawl_error *err);
/* Times and compares a prepared candidate. A failure is an outcome, not an error. The result
   goes into the candidate of the question. */
pawl_status pawl_tuning_evaluate(struct pawl_tuning *tuning, struct pawl_tune_question *question,
                                 struct pawl_tune_costs *costs, struct pawl_error *err);
/* Screens a candidate of the result again, beside the present best. The new result replaces the
   first. */
pawl_status pawl_tuning_evaluate_again(struct pawl_tuning *tuning,
                                       struct pawl_tune_candidate *candidate,
                                       struct pawl_error *err);
/* Adds a result, and gives it to the search. */
void pawl_tuning_learn(struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate);
/* Takes the candidates of the journal in its order, without questions to the search. */
void pawl_tuning_recall(struct pawl_tuning *tuning);
