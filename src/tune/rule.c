/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/rule.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/error.h"
#include "base/memory.h"

/* the most trees to compare; with more cases or settings the rule has fewer splits */
#define MOST_WORK 2e7

/* A tree under construction. */
struct tree {
  struct pawl_rule_node nodes[PAWL_RULE_MOST_NODES];
  size_t count;
  double sum; /* the sum of log ratios */
};

/* A split of all cases into two sets. */
struct part {
  size_t dim;
  int64_t limit, under, over;
  uint64_t below; /* the bit set of the cases below the limit */
};

struct finder {
  const struct pawl_rule_table *table;
  double *logs; /* logarithms of the ratios; infinite: not known */
  struct part *parts;
  size_t part_count;
  size_t allowed[PAWL_RULE_MOST_SPLITS + 1]; /* the settings that a tree may use */
  size_t allowed_count;
};

static double sum_of(const struct finder *finder, size_t setting, uint64_t cases) {
  double sum = 0;
  for (size_t i = 0; i < finder->table->cases; i++)
    if (cases >> i & 1) sum += finder->logs[setting * finder->table->cases + i];
  return sum;
}

static struct tree leaf_for(const struct finder *finder, uint64_t cases) {
  struct tree tree = {.count = 1, .sum = INFINITY};
  for (size_t i = 0; i < finder->allowed_count; i++) {
    const double sum = sum_of(finder, finder->allowed[i], cases);
    if (i && !(sum < tree.sum)) continue;
    tree.sum = sum;
    tree.nodes[0] = (struct pawl_rule_node){.leaf = true, .setting = finder->allowed[i]};
  }
  return tree;
}

/* --- the splits --- */

/* The geometric mean of two values, rounded down: times tend to change with the logarithm of a
   size. */
static int64_t between(int64_t under, int64_t over) {
  if (under <= 0) return under + (over - under) / 2;
  const double mean = sqrt((double)under) * sqrt((double)over);
  const int64_t limit = mean < 9e18 ? (int64_t)mean : under;
  return limit < under ? under : limit >= over ? over - 1 : limit;
}

/* The least value of a dimension above `value`; false: there is none. */
static bool next_value(const struct pawl_rule_table *table, size_t dim, int64_t value,
                       int64_t *out) {
  bool found = false;
  for (size_t i = 0; i < table->cases; i++) {
    const int64_t other = table->values[i * table->dims + dim];
    if (other <= value || (found && other >= *out)) continue;
    *out = other;
    found = true;
  }
  return found;
}

static void add_part(struct finder *finder, size_t dim, int64_t under, int64_t over) {
  struct part part = {.dim = dim, .under = under, .over = over, .limit = between(under, over)};
  for (size_t i = 0; i < finder->table->cases; i++)
    if (finder->table->values[i * finder->table->dims + dim] <= under)
      part.below |= UINT64_C(1) << i;
  for (size_t i = 0; i < finder->part_count; i++)
    if (finder->parts[i].below == part.below) return; /* an earlier dimension has the same split */
  finder->parts[finder->part_count++] = part;
}

static void find_parts(struct finder *finder) {
  const struct pawl_rule_table *table = finder->table;
  finder->parts = pawl_alloc(table->dims * table->cases + 1, sizeof *finder->parts);
  for (size_t dim = 0; dim < table->dims; dim++) {
    int64_t value = INT64_MAX, next = 0;
    for (size_t i = 0; i < table->cases; i++)
      if (table->values[i * table->dims + dim] < value)
        value = table->values[i * table->dims + dim];
    for (; next_value(table, dim, value, &next); value = next) add_part(finder, dim, value, next);
  }
}

/* --- the best tree --- */

static void join(const struct part *part, const struct tree *below, const struct tree *above,
                 struct tree *out) {
  out->nodes[0] = (struct pawl_rule_node){.dim = part->dim,
                                          .limit = part->limit,
                                          .under = part->under,
                                          .over = part->over,
                                          .above = 1 + below->count};
  out->count = 1;
  for (size_t i = 0; i < below->count + above->count; i++) {
    const bool first = i < below->count;
    struct pawl_rule_node node = first ? below->nodes[i] : above->nodes[i - below->count];
    if (!node.leaf) node.above += first ? 1 : 1 + below->count;
    out->nodes[out->count++] = node;
  }
  out->sum = below->sum + above->sum;
}

/* The tree with exactly `splits` splits that has the least sum over the cases. The sum is
   infinite if there is no such tree. */
static struct tree best_tree(const struct finder *finder, uint64_t cases, size_t splits) {
  struct tree best = {.sum = INFINITY};
  if (!splits) return leaf_for(finder, cases);
  for (size_t i = 0; i < finder->part_count; i++) {
    const uint64_t below = cases & finder->parts[i].below, above = cases & ~finder->parts[i].below;
    if (!below || !above) continue;
    for (size_t left = 0; left < splits; left++) {
      const struct tree first = best_tree(finder, below, left);
      const struct tree second =
          isfinite(first.sum) ? best_tree(finder, above, splits - 1 - left) : first;
      if (isfinite(second.sum) && isfinite(first.sum) && first.sum + second.sum < best.sum)
        join(&finder->parts[i], &first, &second, &best);
    }
  }
  return best;
}

/* --- the simplest --- */

/* The next subset of `count` settings; false: there is none left. */
static bool next_subset(struct finder *finder, size_t settings) {
  for (size_t i = finder->allowed_count; i-- > 0;) {
    if (finder->allowed[i] + (finder->allowed_count - i) >= settings) continue;
    finder->allowed[i]++;
    for (size_t j = i + 1; j < finder->allowed_count; j++)
      finder->allowed[j] = finder->allowed[j - 1] + 1;
    return true;
  }
  return false;
}

/* About the number of trees to compare for one kind of rule. */
static double work_of(const struct finder *finder, size_t settings, size_t splits) {
  double subsets = 1;
  for (size_t i = 0; i < settings; i++)
    subsets *= (double)(finder->table->settings - i) / (double)(i + 1);
  return subsets * pow((double)finder->part_count, (double)splits) * (splits == 3 ? 2 : 1);
}

/* The best rule with this number of settings and splits. */
static struct tree best_of_kind(struct finder *finder, size_t settings, size_t splits) {
  const uint64_t all =
      finder->table->cases < 64 ? (UINT64_C(1) << finder->table->cases) - 1 : UINT64_MAX;
  struct tree best = {.sum = INFINITY};
  if (settings > finder->table->settings || work_of(finder, settings, splits) > MOST_WORK)
    return best;
  finder->allowed_count = settings;
  for (size_t i = 0; i < settings; i++) finder->allowed[i] = i;
  do {
    const struct tree tree = best_tree(finder, all, splits);
    if (tree.sum < best.sum) best = tree;
  } while (next_subset(finder, finder->table->settings));
  return best;
}

static double best_of_each(const struct finder *finder) {
  double sum = 0;
  for (size_t i = 0; i < finder->table->cases; i++) {
    double least = INFINITY;
    for (size_t j = 0; j < finder->table->settings; j++)
      least = fmin(least, finder->logs[j * finder->table->cases + i]);
    sum += least;
  }
  return sum;
}

/* The first rule that is near the best setting of each case, else the fastest rule. Fewer
   settings matter more than fewer splits, because each setting is code to build and maintain. */
static struct tree simplest(struct finder *finder, double near) {
  static const struct {
    size_t settings, splits;
  } kinds[] = {{1, 0}, {2, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}, {4, 3}};
  struct tree fastest = {.sum = INFINITY};
  for (size_t i = 0; i < PAWL_COUNT(kinds); i++) {
    const struct tree tree = best_of_kind(finder, kinds[i].settings, kinds[i].splits);
    if (tree.sum < fastest.sum) fastest = tree;
    if (tree.sum <= near) return tree;
  }
  return fastest;
}

/* The log time by which chance makes the best of `settings` settings look too fast. The expected
   maximum of n normal errors is below sqrt(2 ln n), and the one setting has an error of its own. */
static double luck(size_t settings, double noise) {
  return noise > 0 ? noise * (1 + sqrt(2 * log((double)settings))) : 0;
}

static size_t count_settings(const struct pawl_tune_rule *rule) {
  size_t count = 0;
  for (size_t i = 0; i < rule->count; i++) {
    bool is_new = rule->nodes[i].leaf;
    for (size_t j = 0; j < i; j++)
      if (rule->nodes[j].leaf && rule->nodes[j].setting == rule->nodes[i].setting) is_new = false;
    count += is_new ? 1 : 0;
  }
  return count;
}

void pawl_rule_find(const struct pawl_rule_table *table, size_t one, double noise,
                    struct pawl_tune_rule *out) {
  struct finder finder = {.table = table};
  const size_t cells = table->settings * table->cases;
  const double cases = (double)table->cases, doubt = luck(table->settings, noise);
  PAWL_ASSERT(table->cases >= 1 && table->cases <= 64 && one < table->settings);
  finder.logs = pawl_alloc(cells, sizeof *finder.logs);
  for (size_t i = 0; i < cells; i++)
    finder.logs[i] = table->ratios[i] > 0 ? log(table->ratios[i]) : INFINITY;
  find_parts(&finder);
  const uint64_t all = table->cases < 64 ? (UINT64_C(1) << table->cases) - 1 : UINT64_MAX;
  const double best = best_of_each(&finder), single = sum_of(&finder, one, all);
  const struct tree tree = simplest(&finder, best + cases * fmax(log1p(PAWL_RULE_WITHIN), doubt));
  *out = (struct pawl_tune_rule){
      .count = tree.count, .best = exp(best / cases), .one = exp(single / cases)};
  memcpy(out->nodes, tree.nodes, sizeof tree.nodes);
  out->ratio = exp(tree.sum / cases);
  out->one_is_enough = single <= tree.sum + cases * fmax(log1p(PAWL_RULE_GAIN), doubt);
  if (out->one_is_enough || tree.count == 0) {
    out->nodes[0] = (struct pawl_rule_node){.leaf = true, .setting = one};
    out->count = 1;
    out->ratio = out->one;
  }
  out->settings = count_settings(out);
  pawl_free(finder.logs);
  pawl_free(finder.parts);
}

bool pawl_rule_is_one_setting(const struct pawl_tune_rule *rule) { return rule->settings == 1; }

size_t pawl_rule_choose(const struct pawl_tune_rule *rule, const int64_t *values) {
  size_t at = 0;
  while (!rule->nodes[at].leaf)
    at = values[rule->nodes[at].dim] <= rule->nodes[at].limit ? at + 1 : rule->nodes[at].above;
  return rule->nodes[at].setting;
}
