/* SPDX-License-Identifier: Apache-2.0 */
/* What the gate answers on this machine when the truth is known: trials of the same code (A/A), and
   of the same code with a slow-down put in. Each trial is a whole paired verdict on blocks of its
   own. */
#ifndef PAWL_GATE_SELFTEST_H
#define PAWL_GATE_SELFTEST_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "gate/paired_test.h"

#define PAWL_SELFTEST_SCHEMA 1
#define PAWL_SELFTEST_CHANGES 5
#define PAWL_SELFTEST_MAX_TRIALS 100000
/* The fractions put in: 0 (A/A), 0.01, 0.02, 0.03, 0.05. */
extern const double pawl_selftest_changes[PAWL_SELFTEST_CHANGES];

struct pawl_selftest_trial {
  double change; /* put in, as a fraction of the base's time */
  uint64_t seed;
  enum pawl_decision decision;
  size_t blocks, spoiled; /* blocks that counted, and others */
  double slowdown;        /* estimated; NaN: unknown */
  double block_sd;        /* of the trial's log-ratios; NaN with fewer than two blocks */
};

struct pawl_selftest {
  const char *kernel_name, *case_name, *hardware, *hardware_name, *code_hash, *timestamp;
  struct pawl_sequential_policy policy;
  int samples;     /* of each arm in a block */
  double base_ms;  /* time of a call without a delay */
  double delay_ms; /* that both arms carry */
  double seconds;  /* spent on the trials */
  struct pawl_selftest_trial *trials;
  size_t count;
};

/* The delay of the first blocks, far above a reading of the clock; the delay of the trials is at
 * least as long. */
#define PAWL_SELFTEST_SHORTEST_DELAY_MS 2e-3
/* Sets base_ms and delay_ms by the time of a call that carries the shortest delay.
   PAWL_UNAVAILABLE: the call without it is too short beside the delay, so its time would be the
   noise of the clock. */
pawl_status pawl_selftest_calibrate(struct pawl_selftest *selftest, double delayed_ms,
                                    struct pawl_error *err);

/* The trials with one change put in. */
struct pawl_selftest_tally {
  double change;
  int trials;
  int decisions[PAWL_DECISION_INCONCLUSIVE + 1];
  int flagged;            /* called a change: REGRESSION, at 0 IMPROVEMENT too */
  double rate, low, high; /* flagged as a share of the trials, with 95 % Clopper-Pearson limits; NaN
                             without trials */
  double median_blocks;   /* NaN without trials */
};

void pawl_selftest_tally(const struct pawl_selftest *selftest, double change,
                         struct pawl_selftest_tally *out);

/* The chance of so many A/A trials being flagged, or more, if each were with probability
   false_alarm (exact binomial). The calibration has failed below PAWL_SELFTEST_DOUBT. */
#define PAWL_SELFTEST_DOUBT 0.01
double pawl_selftest_chance(const struct pawl_selftest *selftest);
bool pawl_selftest_failed(const struct pawl_selftest *selftest);

/* The seed of a trial: far enough from every other that no block is measured under the same seed
 * twice. */
uint64_t pawl_selftest_seed(uint64_t seed, size_t trial);

extern const struct pawl_fields pawl_selftest_fields;       /* struct pawl_selftest */
extern const struct pawl_fields pawl_selftest_tally_fields; /* struct pawl_selftest_tally */
json_t *pawl_selftest_to_json(const struct pawl_selftest *selftest);
/* One as it is; several as {"schema_version", "selftests": [...]}. */
json_t *pawl_selftests_to_json(const struct pawl_selftest *selftests, size_t count);
/* PAWL_BAD_DATA names file and key. */
pawl_status pawl_selftest_from_json(const json_t *object, const char *name,
                                    struct pawl_arena *arena, struct pawl_selftest *out,
                                    struct pawl_error *err);

/* "| injected | trials | REGRESSION ..." as a Markdown table for people. */
void pawl_selftest_table(const struct pawl_selftest *selftest, struct pawl_text *out);

#endif
