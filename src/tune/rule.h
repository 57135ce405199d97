/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses one of several settings by the shape of a case. The rule is a small tree of thresholds:
 * the simplest of the trees that come near the best setting of each case.
 * docs/adr/tuning-for-cases.md explains it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAWL_RULE_MOST_SPLITS 3u
#define PAWL_RULE_MOST_NODES (2u * PAWL_RULE_MOST_SPLITS + 1u)
/* a rule may be this much slower than the best setting of each case in order to be simpler */
#define PAWL_RULE_WITHIN 0.01
/* a rule must be this much faster than the one setting */
#define PAWL_RULE_GAIN 0.02

/* The times of each setting on each case as a share of the current parameters' time. */
struct pawl_rule_table {
  size_t settings, cases, dims; /* at most 64 cases */
  const double *ratios;  /* [setting * cases + case]; NaN: it failed or was not timed there */
  const int64_t *values; /* [case * dims + dim]: the shapes */
};

struct pawl_rule_node {
  bool leaf;
  size_t setting; /* the setting of a leaf */
  /* a node that is no leaf: if the value of dim is at most limit, the next node follows, else
     node `above` */
  size_t dim;
  int64_t limit;       /* the geometric mean of two measured values, rounded down */
  int64_t under, over; /* these two values */
  size_t above;
};

struct pawl_tune_rule {
  /* the first is the root; a node comes before its `below` subtree */
  struct pawl_rule_node nodes[PAWL_RULE_MOST_NODES];
  size_t count;
  size_t settings; /* distinct settings */
  double ratio;    /* geometric mean over the cases */
  double best;     /* the same with the best setting of each case; no rule is faster */
  double one;      /* the same with the one setting; infinite: it fails on a case */
  bool one_is_enough;
};

/* Finds the rule. `one` is the setting that it must beat; `one_is_enough` makes a rule of that
   setting alone. `noise` is the standard error of a log ratio of the table: a gain that chance
   explains does not count. */
void pawl_rule_find(const struct pawl_rule_table *table, size_t one, double noise,
                    struct pawl_tune_rule *out);

/* Returns whether the rule has one setting only, by one_is_enough or because one setting is the
 * best on all cases. */
bool pawl_rule_is_one_setting(const struct pawl_tune_rule *rule);

/* Returns the setting for a shape. */
size_t pawl_rule_choose(const struct pawl_tune_rule *rule, const int64_t *values);
