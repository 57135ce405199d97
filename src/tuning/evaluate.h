/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of a candidate on the device at hand, and what a search learns from it. */
#ifndef PAWL_TUNING_EVALUATE_H
#define PAWL_TUNING_EVALUATE_H

#include "tuning/tuning.h"

/* What a candidate cost lately, in seconds: its build, which goes on beside other work, the start
   of its process, which several share, and what it needs alone. */
struct pawl_tune_costs {
  double build, start, alone;
};

/* A configuration that the search asks for. */
struct pawl_tune_question {
  struct pawl_tune_candidate candidate; /* index and key are set */
  bool known;                           /* from the journal, or there is nothing to build */
  long long request;                    /* of an evaluator: its number */
  bool prepared;                        /* it is built, and its process may wait */
  size_t turn;                          /* the least is first; of equal ones, the one asked first */
  double ahead_seconds;                 /* of its build, when it was built ahead */
  struct pawl_ready_kernel kernel;
};

/* Takes the builds of questions, which pawl_tuning_build_ahead began, when they are done, and
   starts the processes of what works. */
pawl_status pawl_tuning_prepare(struct pawl_tuning *tuning,
                                struct pawl_tune_question *const *questions, size_t count,
                                struct pawl_tune_costs *costs, struct pawl_error *err);
/* Times and compares a prepared candidate; what fails of it is an outcome. The answer is in the
 * question's candidate.
 */
pawl_status pawl_tuning_evaluate(struct pawl_tuning *tuning, struct pawl_tune_question *question,
                                 struct pawl_tune_costs *costs, struct pawl_error *err);
/* Screens a candidate of the result once more, beside what is the best now; its answer takes the
 * place of the first. */
pawl_status pawl_tuning_evaluate_again(struct pawl_tuning *tuning,
                                       struct pawl_tune_candidate *candidate,
                                       struct pawl_error *err);
/* Adds an answer to the result and tells it to the search. */
void pawl_tuning_learn(struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate);
/* Learns the journal's candidates, in its order, without asking the search. */
void pawl_tuning_recall(struct pawl_tuning *tuning);

#endif
