/* SPDX-License-Identifier: Apache-2.0 */
/* A search whose candidates several evaluators time at once. This process needs no device: it asks
   and keeps the journal. */
#ifndef PAWL_TUNING_CREW_H
#define PAWL_TUNING_CREW_H

#include "build/words.h"
#include "fleet/crew.h"
#include "tuning/tuning.h"

struct pawl_tune_crew {
  const struct pawl_executor *executor;
  int evaluators;
  const char *const *devices; /* [evaluators] of --device; NULL: of the evaluators' own choice */
  const struct pawl_words *executor_options; /* of sbatch; NULL */
  double patience; /* seconds to wait where time alone may not help: a queue that stands still */
  const struct pawl_words *words; /* the command of an evaluator, without its folder */
};

/* What a search with evaluators came to. */
struct pawl_tune_crew_result {
  bool written; /* by the evaluator that judged, or by an earlier command; else nobody wrote the
                   files yet */
  struct pawl_tune tune; /* of what others wrote only the candidates, the conclusion, and whether it
                            is decided and recommends */
};

/* How many requests an evaluator of so many has at once: the one that is timed, and as many that
   build meanwhile as keep its device at work, by the mean seconds of a build and of a measurement
   (0: not known yet) and the CPUs that it has for itself (0: nothing builds while it times). A
   question that is asked ahead knows less: all together have as many as a search on one device, or
   two each. */
size_t pawl_tune_crew_ahead(double build_seconds, double measure_seconds, double cpus,
                            int evaluators);

/* As pawl_loop_tune. PAWL_UNAVAILABLE: no evaluator is left, or none will come; the journal is
 * kept. */
pawl_status pawl_loop_tune_crew(struct pawl_project *project,
                                const struct pawl_tune_options *options,
                                const struct pawl_tune_crew *plan,
                                struct pawl_tune_crew_result *out, struct pawl_error *err);

#endif
