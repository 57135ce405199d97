/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's test: paired, sequential, two-sided, on one log-ratio a block. docs/adr/sequential-test.md argues it.

   A block is one fresh process of the base and one of the candidate, measured in interleaved rounds; its log-ratio is
   log(median time of the candidate / median time of the base). Only its sign against a threshold counts:

     REGRESSION   more blocks slower than `tolerate` than "the median slow-down is at most `tolerate`" allows;
     IMPROVEMENT  the mirror: a speed-up above `tolerate` is proven (1/(1 + tolerate) of the base's time);
     MAINTAINED   "the median slow-down is `detect` or more" is rejected. Measuring goes on until a speed-up of `detect`
                  or more is rejected as well or an IMPROVEMENT is out of reach, so that one is not missed;
     INCONCLUSIVE none of these within max_blocks, or none within reach any more.

   Guarantee. Suppose that, given all earlier blocks, the next block's log-ratio has a median (of its own, in any
   distribution: outliers, several modes, other spreads from block to block) that is at most log(1 + tolerate) and at
   least -log(1 + tolerate). Then the chance of REGRESSION or IMPROVEMENT in any of the run's `comparisons` is at most
   `false_alarm`, wherever the measurement stops. If all medians are log(1 + detect) or more, the chance of MAINTAINED
   is at most `miss`, in each comparison. For identical code the first supposition needs nothing but that the arms take
   their places in a block at random: then the log-ratio is symmetric about 0. What breaks it is a difference that is
   not the code's and sticks to one arm through all blocks: another path, layout, clock or place in the block.

   Corrected over comparisons is the false alarm alone (Bonferroni; two-sided, so each side has false_alarm / (2
   comparisons)): each answer then depends on its own blocks alone, and replays alone. Holm's step-down would loosen the
   others' limits only after one was rejected, which would tie their answers to each other's order. `miss` is a promise
   about each slow-down, not about the run, and is not divided. */
#ifndef PAWL_STATS_SEQUENTIAL_H
#define PAWL_STATS_SEQUENTIAL_H

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
bool pawl_decision_parse(const char *name, enum pawl_decision *out);

/* Fractions, not percent. */
struct pawl_sequential_policy {
  double tolerate;    /* a change up to this is none: 0.01; 0 or more */
  double detect;      /* a slow-down of this or more must not pass as maintained: 0.03; above tolerate */
  double false_alarm; /* 0.001 */
  double miss;        /* 0.01 */
  int max_blocks;     /* 60 */
  int comparisons;    /* kernels times cases that this run judges: 1 or more */
};
struct pawl_sequential_policy pawl_sequential_default_policy(void);

struct pawl_sequential {
  struct pawl_sequential_policy policy;
  double log_tolerate, log_detect;
  struct pawl_sign_boundary change, maintained, interval;
  double *sorted; /* the log-ratios so far, ascending */
  int blocks;
  int slower, faster;         /* blocks beyond tolerate, on either side */
  int not_slower, not_faster; /* blocks short of detect, on either side */
  bool slow_excluded, fast_excluded;
  enum pawl_decision decision;
};

/* PAWL_CONFIG when the policy is impossible, also when max_blocks agreeing blocks could not prove a change. */
pawl_status pawl_sequential_init(struct pawl_sequential *test, const struct pawl_sequential_policy *policy,
                                 struct pawl_error *err);
void pawl_sequential_release(struct pawl_sequential *test);

/* Takes one block's log-ratio in and answers. The same blocks in the same order give the same answers: replaying them
   recomputes a verdict. PAWL_BAD_DATA when it is not a finite number (the block counts for nothing then) or when the
   answer is out already. */
pawl_status pawl_sequential_add(struct pawl_sequential *test, double log_ratio, enum pawl_decision *decision,
                                struct pawl_error *err);

/* The slow-down as a fraction of the base's time: 0.03 is 3 % slower, negative is faster. The estimate is the median
   over blocks. NaN before the first block; a limit that so few blocks cannot give is -1 (low) or infinity (high). */
struct pawl_slowdown {
  double estimate;
  double low, high;             /* 95 %, valid wherever the measurement stopped */
  double fixed_low, fixed_high; /* 95 %, as if the number of blocks had been fixed beforehand: narrower, optimistic */
};
#define PAWL_SEQUENTIAL_CONFIDENCE 0.95
void pawl_sequential_estimate(const struct pawl_sequential *test, struct pawl_slowdown *out);

/* What the test can see on a machine where the log-ratios of blocks are normal with standard deviation `block_sd`
   (sqrt(2) times that of the log-medians of processes). The chance that a true `slowdown` is called REGRESSION within
   `blocks`, or a speed-up of the same log-ratio IMPROVEMENT: up to `miss` less by a wrong MAINTAINED. NaN unless
   block_sd > 0 and slowdown > -1. */
double pawl_sequential_power(const struct pawl_sequential *test, double slowdown, double block_sd, int blocks);
/* The least slow-down seen with at least that power (0 < power < 1) within max_blocks; NaN when there is none. */
double pawl_sequential_detectable(const struct pawl_sequential *test, double block_sd, double power);
/* The fewest blocks within which a slow-down is seen with that power; 0 when max_blocks are too few. */
int pawl_sequential_blocks_needed(const struct pawl_sequential *test, double slowdown, double block_sd, double power);

#endif
