/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the first changed commit of a line of commits by noisy comparisons with its first one.

   Commit 0 is unchanged and commit `count` is changed. One commit k of 1..count is the first
   changed one, each with the same probability before any measurement. A comparison of commit i with
   commit 0 gives evidence: the logarithm of the likelihood ratio "commit i is changed" to "commit i
   is unchanged". Bayes' rule multiplies the weight of each k <= i by that ratio. The next commit to
   measure is the one that splits the weight most evenly (Horstein, "Sequential transmission using
   noiseless feedback", IEEE Trans. Inf. Theory 9, 1963; Waeber, Frazier and Henderson, "Bisection
   search with noisy responses", SIAM J. Control Optim. 51, 2013). So a wrong answer does not lead
   the search astray for good: later answers outweigh it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The evidence of a fact that no measurement may outweigh, such as equal machine code. */
#define PAWL_BISECTION_CERTAIN 60.0

/* A visit of a commit takes this number of blocks, in which each arm comes first equally often. */
#define PAWL_BISECTION_BLOCKS 4
/* The search ends at this probability of a range. */
#define PAWL_BISECTION_ENOUGH 0.99

struct pawl_bisection {
  size_t count; /* 1 or more */
  const double
      *evidence;        /* [count + 1]: for each commit; 0: nothing is known; the ends count not */
  const double *prior;  /* [count + 1]: added to the log-weight of each k; NULL: nothing */
  const bool *testable; /* [count + 1]: the commit can be measured; both ends can */
};

/* Returns the evidence of log-ratios of blocks, log(commit's time / first commit's time), for a
   change of the log-ratio `change` at a noise of `sd` a block. The median of the blocks is near 0
   or near `change`. It has the density of Student's t with 5 degrees of freedom around these, so
   that a disturbed block cannot decide alone. Its variance is pi/2 sd^2 / count of a median, and
   that between builds of one speed: an eighth of the change, at most 0.3 %. `scratch` has `count`
   values. 0 without blocks. */
double pawl_bisection_evidence(const double *log_ratios, size_t count, double change, double sd,
                               double *scratch);

/* Computes weights[k], the probability that commit k is the first changed one; weights[0] is 0.
   `weights` has count + 1 values. */
void pawl_bisection_weights(const struct pawl_bisection *search, double *weights);

/* The commits after+1..last hold the first changed commit with this probability. No measurable
   commit lies between `after` and `last`. */
struct pawl_bisection_range {
  size_t after, last;
  double probability;
};
/* Returns the most probable range. */
struct pawl_bisection_range pawl_bisection_range(const struct pawl_bisection *search,
                                                 const double *weights);
/* Returns the measurable commit that splits the weight most evenly, or 0 if no commit between the
   ends is measurable. */
size_t pawl_bisection_next(const struct pawl_bisection *search, const double *weights);

/* Lists the commits that the next `depth` questions may ask if each answer is certain, the next one
   first. `out` has room for 2^depth - 1. Returns their number. */
size_t pawl_bisection_ahead(const struct pawl_bisection *search, const double *weights, int depth,
                            size_t *out);
