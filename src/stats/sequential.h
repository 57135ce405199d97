/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's test: paired, sequential, two-sided, on one log-ratio a block.
   docs/adr/sequential-test.md argues it.

   A block is one fresh process of the base and one of the candidate, measured in interleaved
   rounds; its log-ratio is log(median time of the candidate / median time of the base). Blocks come
   in pairs, the arms in opposite places in the two (docs/adr/places.md), and the test looks after
   each pair. Only signs against a threshold count:

     REGRESSION   more blocks slower than `tolerate` than "the median slow-down is at most
   `tolerate`" allows; IMPROVEMENT  the mirror: a speed-up above `tolerate` is proven (1/(1 +
   tolerate) of the base's time); MAINTAINED   "the median slow-down is `detect` or more" is
   rejected, and the 95 % limits do not exclude all changes up to `tolerate`. While most blocks are
   faster than `tolerate` and an IMPROVEMENT is within reach, measuring goes on, so that one is not
   missed; INCONCLUSIVE none of these within max_blocks, or none within reach any more.

   An answer waits while the blocks resemble the ones before them (stats/serial.h), for what sticks
   to an arm from block to block makes signs agree that prove nothing. A change does not wait if its
   nearest block is farther from `tolerate` than twice the range of all blocks.

   Guarantee. Suppose that, given all earlier pairs, each log-ratio of the next pair has a median
   (of its own, in any distribution: outliers, several modes, other spreads from block to block)
   that is at most log(1 + tolerate) and at least -log(1 + tolerate), but for an effect of the
   place, which may be of any size and changes sign with the place. Then the chance of REGRESSION or
   IMPROVEMENT in any of the run's `comparisons` is at most `false_alarm`, wherever the measurement
   stops. If all medians are log(1 + detect) or more, the chance of MAINTAINED is at most `miss`, in
   each comparison. What breaks it is a difference that is not the code's and sticks to one arm
   through all blocks: another path, layout or clock.

   Corrected over comparisons is the false alarm alone (Bonferroni; two-sided, so each side has
   false_alarm / (2 comparisons)): each answer then depends on its own blocks alone, and replays
   alone. Holm's step-down would loosen the others' limits only after one was rejected, which would
   tie their answers to each other's order. `miss` is a promise about each slow-down, not about the
   run, and is not divided. */
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

/* Why INCONCLUSIVE. */
enum pawl_doubt {
  PAWL_DOUBT_NONE = 0,
  PAWL_DOUBT_NOISE,  /* no answer is within reach any more */
  PAWL_DOUBT_SLOWER, /* the limits exclude every change up to `tolerate`; the proof at false_alarm
                        is out of reach */
  PAWL_DOUBT_FASTER, /* its mirror */
  PAWL_DOUBT_SERIAL  /* there was an answer, but blocks resembled the ones before them to the end */
};
const char *pawl_doubt_text(
    enum pawl_doubt doubt); /* a clause for a report; NULL for PAWL_DOUBT_NONE */

/* How a document is judged: 1, those that name no rule (a look after every block, limits of the
   last block alone, MAINTAINED beside any limits); 2, where large changes wait too; 3, what is
   described above. A new rule gets a new number, and the old ones stay. */
#define PAWL_SEQUENTIAL_RULE 3

/* Fractions, not percent. */
struct pawl_sequential_policy {
  int rule;        /* 1 to PAWL_SEQUENTIAL_RULE */
  double tolerate; /* a change up to this is none: 0.01; 0 or more */
  double detect; /* a slow-down of this or more must not pass as maintained: 0.03; above tolerate */
  double false_alarm; /* 0.001 */
  double miss;        /* 0.01 */
  int max_blocks;     /* 80; from rule 2 on an odd last block answers nothing */
  int comparisons;    /* kernels times cases that this run judges: 1 or more */
};
struct pawl_sequential_policy pawl_sequential_default_policy(void);

struct pawl_sequential {
  struct pawl_sequential_policy policy;
  double log_tolerate, log_detect;
  double slack; /* a log-ratio so near to a threshold is equal to it */
  struct pawl_sign_boundary change, maintained, interval;
  double *sorted, *log_ratios; /* of the blocks so far: ascending; in the order taken */
  int blocks;
  int slower, faster;                /* blocks beyond tolerate, on either side */
  int not_slower, not_faster;        /* blocks short of detect, on either side */
  bool slow_excluded, fast_excluded; /* a slow-down, a speed-up of `detect` or more */
  double log_low, log_high; /* from rule 2 on: the limits that held after every pair so far */
  enum pawl_decision decision;
  enum pawl_doubt doubt; /* from rule 2 on, of INCONCLUSIVE */
};

/* The fewest max_blocks with which a policy can give each of its answers. */
int pawl_sequential_fewest_blocks(const struct pawl_sequential_policy *policy);

/* PAWL_CONFIG when the policy is impossible, also when max_blocks agreeing blocks could not prove a
 * change. */
pawl_status pawl_sequential_init(struct pawl_sequential *test,
                                 const struct pawl_sequential_policy *policy,
                                 struct pawl_error *err);
void pawl_sequential_release(struct pawl_sequential *test);

/* Takes one block's log-ratio in and answers. The same blocks in the same order give the same
   answers: replaying them recomputes a verdict. PAWL_BAD_DATA when it is not a finite number (the
   block counts for nothing then) or when the answer is out already. */
pawl_status pawl_sequential_add(struct pawl_sequential *test, double log_ratio,
                                enum pawl_decision *decision, struct pawl_error *err);

/* The fewest more blocks after which an answer other than INCONCLUSIVE can come: what is sure to be
   needed. 0: the answer is out. */
int pawl_sequential_fewest_more(const struct pawl_sequential *test);

/* The slow-down as a fraction of the base's time: 0.03 is 3 % slower, negative is faster. The
   estimate is the median over the pairs of blocks of their mean log-ratio, in which the effect of a
   place cancels, moved to the nearest limit where it lies outside (by rule 1 the median over
   blocks). The limits are 95 %, valid wherever the measurement stopped: the intersection of those
   after each pair. NaN before the first block; a limit that so few blocks cannot give is -1 (low)
   or infinity (high). */
struct pawl_slowdown {
  double estimate, low, high;
};
#define PAWL_SEQUENTIAL_CONFIDENCE 0.95
void pawl_sequential_estimate(const struct pawl_sequential *test, struct pawl_slowdown *out);

/* The p-value of a change above `tolerate`, of either sign and over all comparisons of the run
   (Bonferroni), valid wherever the measurement stopped: at most `false_alarm` just where the signs
   prove a change. NaN before the first block. */
double pawl_sequential_p(const struct pawl_sequential *test);

/* The standard deviation of the log-ratios so far; NaN before the second block. */
double pawl_sequential_block_sd(const struct pawl_sequential *test);

/* What the test can see on a machine where the log-ratios of blocks are normal with standard
   deviation `block_sd` (sqrt(2) times that of the log-medians of processes). The chance that a true
   `slowdown` is called REGRESSION within `blocks`, or a speed-up of the same log-ratio IMPROVEMENT:
   up to `miss` less by a wrong MAINTAINED. NaN unless block_sd > 0 and slowdown > -1. */
double pawl_sequential_power(const struct pawl_sequential *test, double slowdown, double block_sd,
                             int blocks);
/* The least slow-down seen with at least that power (0 < power < 1) within max_blocks; NaN when
 * there is none. */
double pawl_sequential_detectable(const struct pawl_sequential *test, double block_sd,
                                  double power);
/* The fewest blocks within which a slow-down is seen with that power; 0 when max_blocks are too
 * few. */
int pawl_sequential_blocks_needed(const struct pawl_sequential *test, double slowdown,
                                  double block_sd, double power);

#endif
