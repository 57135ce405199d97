/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's test: paired, sequential, two-sided, on one log-ratio a block.
   docs/adr/sequential-test.md has the reasons.

   A block is one fresh process of the base and one of the candidate, measured in interleaved
   rounds. Its log-ratio is log(median time of the candidate / median time of the base). Blocks come
   in pairs, in which the arms swap places (docs/adr/places.md), and the test looks after each pair.
   Only signs against a threshold count:

   REGRESSION: more blocks are slower than `tolerate` than "the median slow-down is at most
   `tolerate`" allows.

   IMPROVEMENT: the mirror. It proves a speed-up above `tolerate`, to less than 1/(1 + tolerate) of
   the base's time.

   MAINTAINED: the test rejects "the median slow-down is `detect` or more", and the 95 % limits do
   not exclude all changes up to `tolerate`. While most blocks are faster than `tolerate` and an
   IMPROVEMENT is within reach, the test continues.

   INCONCLUSIVE: none of these within max_blocks, or none within reach any more.

   An answer waits while the blocks resemble the ones before them (stats/serial.h), because an
   effect that sticks to one arm from block to block makes signs agree without proof. A change does
   not wait if its nearest block is farther from `tolerate` than twice the range of all blocks.

   Guarantee. Suppose that, given all earlier pairs, each log-ratio of the next pair has a median
   between -log(1 + tolerate) and log(1 + tolerate), except for an effect of the place. Each may
   have its own median and any distribution: outliers, several modes, other spreads from block to
   block. The effect of the place may have any size and changes sign with the place. Then the chance
   of REGRESSION or IMPROVEMENT in any of the run's `comparisons` is at most `false_alarm`, wherever
   the measurement stops. If all medians are log(1 + detect) or more, the chance of MAINTAINED is at
   most `miss` in each comparison. A difference that sticks to one arm through all blocks, but is
   not the code's, breaks the guarantee: another path, layout or clock.

   Bonferroni corrects only the false alarm for the number of comparisons. The test is two-sided, so
   each side has false_alarm / (2 comparisons). Each answer then depends on its own blocks alone,
   and replays alone. Holm's step-down would loosen the limits of the others only after one
   rejection, which would tie their answers to their order. `miss` is a promise about each
   slow-down, not about the run, and is not divided.

   With `discovery`, `false_alarm` bounds the expected share of false answers among the changes that
   the run calls (docs/adr/false-discovery.md). Each test has an e-value, and gate/discovery.h calls
   changes by the e-values of all rows. Alone, a row is called a change only if its e-value suffices
   without any other. It continues while some number of other changes could make it one. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "stats/sign_test.h"

enum pawl_decision {
  PAWL_DECISION_CONTINUE = 0,
  PAWL_DECISION_REGRESSION,
  PAWL_DECISION_IMPROVEMENT,
  PAWL_DECISION_MAINTAINED,
  PAWL_DECISION_INCONCLUSIVE
};
const char *pawl_decision_name(enum pawl_decision decision); /* "regression", ..., "continue" */

/* Why the test is INCONCLUSIVE. */
enum pawl_doubt {
  PAWL_DOUBT_NONE = 0,
  PAWL_DOUBT_NOISE, /* no answer is within reach any more */
  /* the limits exclude every change up to `tolerate`, but the proof at `false_alarm` is out of
   * reach */
  PAWL_DOUBT_SLOWER,
  PAWL_DOUBT_FASTER, /* the same for a speed-up */
  PAWL_DOUBT_SERIAL  /* an answer existed, but successive blocks resembled each other to the end */
};
/* Returns a clause for a report, or NULL for PAWL_DOUBT_NONE. */
const char *pawl_doubt_text(enum pawl_doubt doubt);

/* The rule that judges a document. A new rule gets a new number, and the old ones stay. Rule 1 is
   for documents that name none: it looks after every block, uses limits of the last block alone,
   and allows MAINTAINED beside any limits. With rule 2, large changes wait too. Rule 3 is the
   description above. */
#define PAWL_SEQUENTIAL_RULE 3

/* Fractions, not percent. */
struct pawl_sequential_policy {
  int rule; /* 1 to PAWL_SEQUENTIAL_RULE */
  /* a change up to this is none; default 0.01; 0 or more */
  double tolerate;
  /* a slow-down of this or more must not pass as maintained; default 0.03; above `tolerate` */
  double detect;
  double false_alarm; /* default 0.001 */
  double miss;        /* default 0.01 */
  int max_blocks;     /* default 80; from rule 2 on an odd last block answers nothing */
  int comparisons;    /* the kernels times cases that this run judges, 1 or more */
  bool discovery;     /* control the false discoveries of the run; needs rule 3 */
};
struct pawl_sequential_policy pawl_sequential_default_policy(void);

/* Returns whether the policies differ in `comparisons` alone. Thresholds may differ by what a JSON
   document rounds. */
bool pawl_sequential_same_rules(const struct pawl_sequential_policy *a,
                                const struct pawl_sequential_policy *b);

struct pawl_sequential {
  struct pawl_sequential_policy policy;
  double log_tolerate, log_detect;
  double slack; /* a log-ratio this near to a threshold is equal to it */
  struct pawl_sign_boundary change, maintained, interval;
  struct pawl_sign_boundary together; /* with `discovery`: a change if all other rows are changes */
  double *sorted, *log_ratios;        /* the blocks so far: ascending, and in the order taken */
  int blocks;
  int slower, faster;                /* blocks beyond tolerate, on either side */
  int not_slower, not_faster;        /* blocks short of detect, on either side */
  bool slow_excluded, fast_excluded; /* a slow-down or a speed-up of `detect` or more */
  double log_low, log_high; /* from rule 2 on: the limits that held after every pair so far */
  /* At the last look an answer existed and waited, because successive blocks resembled each
   * other. */
  bool drifts;
  enum pawl_decision decision;
  enum pawl_doubt doubt; /* from rule 2 on, the reason of INCONCLUSIVE */
};

/* Returns the fewest max_blocks with which a policy can give each of its answers. */
int pawl_sequential_fewest_blocks(const struct pawl_sequential_policy *policy);

/* Fails with PAWL_CONFIG if the policy is impossible, or if max_blocks agreeing blocks could not
   prove a change. */
pawl_status pawl_sequential_init(struct pawl_sequential *test,
                                 const struct pawl_sequential_policy *policy,
                                 struct pawl_error *err);
void pawl_sequential_release(struct pawl_sequential *test);

/* Adds one block's log-ratio and decides. The same blocks in the same order give the same answers,
   so a replay recomputes a verdict. Fails with PAWL_BAD_DATA and ignores the block if the number is
   not finite or the test has already answered. */
pawl_status pawl_sequential_add(struct pawl_sequential *test, double log_ratio,
                                enum pawl_decision *decision, struct pawl_error *err);

/* Returns the fewest more blocks after which an answer other than INCONCLUSIVE can come, or 0 if
 * the test has answered. */
int pawl_sequential_fewest_more(const struct pawl_sequential *test);

/* A slow-down as a fraction of the base's time: 0.03 is 3 % slower, negative is faster. The
   estimate is the median over the pairs of blocks of their mean log-ratio, which cancels the effect
   of a place. If it lies outside the limits, the nearest limit replaces it. Rule 1 takes the median
   over blocks. The limits are 95 % and valid wherever the measurement stopped: the intersection of
   those after each pair. NaN before the first block. A limit that needs more blocks is -1 (low) or
   infinity (high). */
struct pawl_slowdown {
  double estimate, low, high;
};
#define PAWL_SEQUENTIAL_CONFIDENCE 0.95
void pawl_sequential_estimate(const struct pawl_sequential *test, struct pawl_slowdown *out);

/* Returns the p-value of a change above `tolerate`, of either sign and over all comparisons of the
   run (Bonferroni), valid wherever the measurement stopped. It is at most `false_alarm` exactly if
   the signs prove a change. NaN before the first block. */
double pawl_sequential_p(const struct pawl_sequential *test);

/* Returns the e-value of "no change above `tolerate`" at the last look: the mean wealth of a
   gambler on slower and of one on faster blocks. Where the hypothesis holds, its mean is at most 1
   wherever the measurement stops. 0 after MAINTAINED, and while the blocks resemble the ones before
   them, so that neither is called a change. */
double pawl_sequential_e_value(const struct pawl_sequential *test);

/* Returns the standard deviation of the log-ratios so far, or NaN before the second block. */
double pawl_sequential_block_sd(const struct pawl_sequential *test);

/* Returns the power: the chance that a true `slowdown` is called REGRESSION within `blocks`, or a
   speed-up of the same log-ratio IMPROVEMENT. The log-ratios of blocks are normal with standard
   deviation `block_sd`, which is sqrt(2) times that of the log-medians of processes. A wrong
   MAINTAINED lowers the power by up to `miss`. NaN unless block_sd > 0 and slowdown > -1. */
double pawl_sequential_power(const struct pawl_sequential *test, double slowdown, double block_sd,
                             int blocks);
/* Returns the least slow-down that the test detects with at least that power (0 < power < 1) within
   max_blocks, or NaN if there is none. */
double pawl_sequential_detectable(const struct pawl_sequential *test, double block_sd,
                                  double power);
/* Returns the fewest blocks within which the test detects a slow-down with that power, or 0 if
   max_blocks are too few. */
int pawl_sequential_blocks_needed(const struct pawl_sequential *test, double slowdown,
                                  double block_sd, double power);
