/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of a candidate on the device at hand, and what a search learns from it. */
#ifndef PAWL_LOOP_TUNE_EVALUATE_H
#define PAWL_LOOP_TUNE_EVALUATE_H

#include "loop/tuning.h"

/* What a candidate cost lately, in seconds: what several can share, and what each needs alone. */
struct pawl_tune_costs {
  double build, start, alone;
};

/* A configuration that the search asks for. */
struct pawl_tune_question {
  struct pawl_tune_candidate candidate; /* index and key are set */
  bool known;                           /* from the journal */
  double ahead_seconds;                 /* of its build, when it was built together with others */
  struct pawl_ready_kernel kernel;
};

/* Builds what is not known, and starts the processes of what works. */
pawl_status pawl_tuning_prepare(struct pawl_tuning *tuning, struct pawl_tune_question *questions, size_t count,
                                struct pawl_tune_costs *costs, struct pawl_error *err);
/* Times and compares a prepared candidate; what fails of it is an outcome. The answer is in the question's candidate.
 */
pawl_status pawl_tuning_evaluate(struct pawl_tuning *tuning, struct pawl_tune_question *question,
                                 struct pawl_tune_costs *costs, struct pawl_error *err);
/* Adds an answer to the result and tells it to the search. */
void pawl_tuning_learn(struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate);
/* Learns the journal's candidates, in its order, without asking the search. */
void pawl_tuning_recall(struct pawl_tuning *tuning);

#endif
