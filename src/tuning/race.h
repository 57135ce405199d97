/* SPDX-License-Identifier: Apache-2.0 */
/* The screening's best candidates are measured again, against each other. */
#ifndef PAWL_TUNING_RACE_H
#define PAWL_TUNING_RACE_H

#include "tune/heat.h"
#include "tuning/tuning.h"

#define PAWL_TUNE_MOST_RACERS PAWL_HEAT_MOST

/* A candidate that is measured against others, by its ratio to the current code. */
struct pawl_tune_racer {
  size_t candidate;
  double ratio;   /* where it stands; of the screening at first; infinite: it failed */
  double *blocks; /* the log ratio of each round, in the arena; of the last one nothing where it
                     failed */
  size_t count;   /* rounds that it took part in */
  struct pawl_verified *verified; /* of each case, in the arena */
  struct pawl_ready_kernel kernel;
};

/* Seconds for what follows the race: the settings of each case, the check, the verdicts, the other
 * cases. */
double pawl_tuning_later_seconds(const struct pawl_tuning *tuning);

/* The candidates whose ratio is below `worth` and that were not judged, the best first; each
   machine code once. Returns how many. */
size_t pawl_tuning_choose_racers(const struct pawl_tuning *tuning, double worth,
                                 struct pawl_tune_racer *out);

/* Heats of rounds, in each of which all racers and the current code take turns. After a heat those
   leave who can hardly be the best, or for whom there is no time (tune/heat.h). The race ends when
   one is left, after PAWL_HEAT_MOST_ROUNDS, or when the time that the judging needs is all there
   is; three racers have two rounds in any case that there is time for. *count becomes that of the
   racers that are faster than the current code, the best first; the best in any case: the gate says
   what is true of it. */
pawl_status pawl_tuning_race(struct pawl_tuning *tuning, struct pawl_tune_racer *racers,
                             size_t *count, struct pawl_error *err);

#endif
