/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the gate on this machine with a known truth: trials of the same code (A/A), and of the same
   code with an injected slow-down. Each trial is a whole paired verdict on its own blocks. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "gate/paired_test.h"

#define PAWL_SELFTEST_SCHEMA 1
#define PAWL_SELFTEST_CHANGES 6
#define PAWL_SELFTEST_MAX_TRIALS 100000
/* The injected fractions: 0 (A/A), 0.01, 0.02, 0.03, 0.05, 0.1. */
extern const double pawl_selftest_changes[PAWL_SELFTEST_CHANGES];

struct pawl_selftest_trial {
  double change; /* the injected fraction of the base's time */
  uint64_t seed;
  enum pawl_decision decision;
  size_t blocks, spoiled; /* the blocks that counted, and the others */
  double slowdown;        /* estimated; NaN: unknown */
  double block_sd;        /* the sd of the trial's log-ratios; NaN with fewer than two blocks */
};

struct pawl_selftest {
  const char *kernel_name, *case_name, *hardware, *hardware_name, *code_hash, *timestamp;
  struct pawl_sequential_policy policy;
  int samples;     /* samples of each arm in a block */
  double base_ms;  /* the time of a call without a delay */
  double delay_ms; /* the delay of both arms */
  double seconds;  /* the time of the trials */
  struct pawl_selftest_trial *trials;
  size_t count;
};

/* The delay of the first blocks, far above the time of reading the clock. The trials have at least
 * this delay. */
#define PAWL_SELFTEST_SHORTEST_DELAY_MS 2e-3
/* Sets base_ms and delay_ms from the time of a call with the shortest delay. Fails with
   PAWL_UNAVAILABLE if the call is too short beside the delay, because the noise of the clock would
   dominate its time. */
pawl_status pawl_selftest_calibrate(struct pawl_selftest *selftest, double delayed_ms,
                                    struct pawl_error *err);

/* The trials with one injected change. */
struct pawl_selftest_tally {
  double change;
  int trials;
  int decisions[PAWL_DECISION_INCONCLUSIVE + 1];
  int flagged; /* trials called a change: REGRESSION, at 0 also IMPROVEMENT */
  /* `flagged` as a share of the trials, with 95 % Clopper-Pearson limits; NaN without trials */
  double rate, low, high;
  double median_blocks; /* NaN without trials */
};

void pawl_selftest_tally(const struct pawl_selftest *selftest, double change,
                         struct pawl_selftest_tally *out);

/* Returns the chance that this number of A/A trials or more are flagged, if each is flagged with
   probability false_alarm (exact binomial). The calibration fails below PAWL_SELFTEST_DOUBT. */
#define PAWL_SELFTEST_DOUBT 0.01
double pawl_selftest_chance(const struct pawl_selftest *selftest);
bool pawl_selftest_failed(const struct pawl_selftest *selftest);
/* Returns "FAILED", "passed", or "too few trials to tell" while the 95 % limit of the false alarms
 * is above PAWL_SELFTEST_KNOWN. 17 trials without an alarm are enough. */
#define PAWL_SELFTEST_KNOWN 0.2
const char *pawl_selftest_word(const struct pawl_selftest *selftest);

/* Returns the seed of a trial, far enough from the others that no two blocks share a seed. */
uint64_t pawl_selftest_seed(uint64_t seed, size_t trial);

extern const struct pawl_fields pawl_selftest_fields;       /* struct pawl_selftest */
extern const struct pawl_fields pawl_selftest_tally_fields; /* struct pawl_selftest_tally */
json_t *pawl_selftest_to_json(const struct pawl_selftest *selftest);
/* Writes one selftest as it is, several as {"schema_version", "selftests": [...]}. */
json_t *pawl_selftests_to_json(const struct pawl_selftest *selftests, size_t count);
/* Reads a selftest. PAWL_BAD_DATA names file and key. */
pawl_status pawl_selftest_from_json(const json_t *object, const char *name,
                                    struct pawl_arena *arena, struct pawl_selftest *out,
                                    struct pawl_error *err);

/* Appends a Markdown table for people: "| injected | trials | REGRESSION |" and so on. */
void pawl_selftest_table(const struct pawl_selftest *selftest, struct pawl_text *out);
