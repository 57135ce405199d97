/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that chooses one of several settings by the shape of a case: a small tree of thresholds.
   Of the trees that come near to the best setting of each case it is the simplest. See
   docs/adr/tuning-for-cases.md. */
#ifndef PAWL_TUNE_RULE_H
#define PAWL_TUNE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAWL_RULE_MOST_SPLITS 3u
#define PAWL_RULE_MOST_NODES (2u * PAWL_RULE_MOST_SPLITS + 1u)
#define PAWL_RULE_WITHIN \
  0.01 /* a rule may be this much slower than the best setting of each case, to be simpler */
#define PAWL_RULE_GAIN \
  0.02 /* a rule must be this much faster than the one setting, to be worth it */

/* Times of each setting on each case as a share of the current parameters' time. */
struct pawl_rule_table {
  size_t settings, cases, dims; /* at most 64 cases */
  const double *ratios;  /* [setting * cases + case]; NaN: it failed or was not timed there */
  const int64_t *values; /* [case * dims + dim]: the shapes */
};

struct pawl_rule_node {
  bool leaf;
  size_t setting; /* of a leaf */
  size_t dim;     /* else: `value of dim <= limit` leads to `below`, which is the next node, else to
                     `above` */
  int64_t limit;  /* between two measured values, at their geometric mean, rounded down */
  int64_t under, over; /* those values */
  size_t above;
};

struct pawl_tune_rule {
  struct pawl_rule_node
      nodes[PAWL_RULE_MOST_NODES]; /* the first is the root; each before its `below` subtree */
  size_t count;
  size_t settings; /* distinct ones */
  double ratio;    /* geometric mean over the cases */
  double best;     /* the same with the best setting of each case; no rule can be faster */
  double one;      /* the same with the one setting; infinite: it does not work on some case */
  bool one_is_enough;
};

/* Finds the rule. `one` is the setting that it must beat; with `one_is_enough` the rule is that
   setting alone. `noise` is the standard error of a log ratio of the table: what luck in the best
   of so many settings explains is no gain. */
void pawl_rule_find(const struct pawl_rule_table *table, size_t one, double noise,
                    struct pawl_tune_rule *out);

/* Whether it chooses nothing: with one_is_enough, or because another setting is the best on all
 * cases. */
bool pawl_rule_is_one_setting(const struct pawl_tune_rule *rule);

/* The setting for a shape. */
size_t pawl_rule_choose(const struct pawl_tune_rule *rule, const int64_t *values);

#endif
