/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the paired verdict on one kernel and case. The sequential test (stats/sequential.h) judges
 * blocks of the anchor and the candidate, measured side by side. The record suffices to recompute
 * the verdict bit for bit. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "gate/baseline.h"
#include "gate/comparison.h"
#include "model/gate_spec.h"
#include "stats/sequential.h"

/* The arm that started first, got its memory first and made the first call. */
enum pawl_arm_order { PAWL_ORDER_UNKNOWN = 0, PAWL_ORDER_BASE_FIRST, PAWL_ORDER_CANDIDATE_FIRST };

/* One block. A spoiled block does not count. The reason never depends on its ratio. */
struct pawl_paired_block {
  double base_ms, candidate_ms; /* the times of the two processes: see pawl_round_ratio() */
  const char *spoiled;          /* "other processes used 1.2 CPUs"; NULL: it counts */
  enum pawl_arm_order order;
};

/* Why this commit is the anchor. */
enum pawl_anchor_kind {
  PAWL_ANCHOR_UNKNOWN = 0,
  PAWL_ANCHOR_BASELINE,   /* the commit of the baseline's entry */
  PAWL_ANCHOR_MERGE_BASE, /* the merge base with main, without an entry */
  PAWL_ANCHOR_REVISION,   /* --against */
  PAWL_ANCHOR_PARAMETERS  /* tuning: the same commit with the suite's parameters */
};
/* Returns "the baseline's commit", "the merge base", "the revision asked for", "the current
   parameters", or NULL for unknown. */
const char *pawl_anchor_kind_name(enum pawl_anchor_kind kind);

/* The origin of a regression against the anchor. */
enum pawl_origin { PAWL_ORIGIN_UNKNOWN = 0, PAWL_ORIGIN_HERE, PAWL_ORIGIN_INHERITED };
const char *pawl_origin_name(enum pawl_origin origin); /* "unknown" "caused here" "inherited" */

struct pawl_paired_test {
  const char *kernel_name, *case_name;
  const struct pawl_case *config; /* NULL after reading, because the test's row has it */
  const char *anchor;             /* the commit of the base arm */
  enum pawl_anchor_kind anchor_kind;
  const char *gpu;       /* the UUID of the GPU that both arms ran on; NULL: none, or unknown */
  bool identical;        /* both arms have the same machine code, so pawl does not measure them */
  const char *code_hash; /* the hash of that code, or of the program; NULL: measured, or unknown */
  struct pawl_sequential_policy policy;
  uint64_t seed; /* the run's seed; block i has seed + i */
  struct pawl_paired_block *blocks;
  size_t block_count, counted; /* counted: the blocks that are not spoiled */
  enum pawl_decision decision;
  int fewest_more;    /* the fewest blocks to an answer: pawl_sequential_fewest_more() */
  const char *reason; /* why the test is INCONCLUSIVE, or NULL */
  /* an answer waits, or waited to the end, because successive blocks resemble each other */
  bool drifts;
  bool equivalent; /* MAINTAINED also excludes a speed-up of `detect` or more, at `miss` */
  struct pawl_slowdown slowdown;
  /* the p-value of a change above `tolerate`: pawl_sequential_p(); NaN: not measured */
  double p;
  double e_value;  /* pawl_sequential_e_value(); NaN: the policy does not control discoveries */
  double block_sd; /* the sd of the counted log-ratios; NaN: fewer than two */
  /* the least slow-down that this run detects with PAWL_PAIRED_POWER; NaN: unknown */
  double detectable;
  double *base_samples_ms, *candidate_samples_ms; /* the samples of the counted blocks */
  size_t base_sample_count, candidate_sample_count;
  /* An improvement has more blocks, measured after the verdict. They alone decide whether the
   * baseline moves. If fewer of them count than for the verdict, there is no confirmation and the
   * numbers are NaN. */
  struct pawl_paired_block *confirmation;
  size_t confirmation_count;
  double confirmed_slowdown; /* the median over the counted blocks */
  /* the candidate's median over its samples, or over its blocks if the samples are not stored */
  double confirmed_ms;
  double *confirmed_samples_ms;
  size_t confirmed_sample_count;
  enum pawl_origin origin;
};

/* Returns the order of the next block's arms. Counted blocks come in pairs, in which each arm is
 * first once. The first of a pair takes the order of `coin`, a fair one. The repeat of a spoiled
 * block takes its order. */
enum pawl_arm_order pawl_paired_next_order(const struct pawl_paired_block *blocks, size_t count,
                                           enum pawl_arm_order coin);

/* Returns the policy of a suite's gate for a run of `comparisons` kernels and cases. */
struct pawl_sequential_policy pawl_gate_policy(const struct pawl_gate_spec *gate, int comparisons);

#define PAWL_PAIRED_POWER 0.9

void pawl_paired_test_init(struct pawl_paired_test *paired);

/* With more spoiled blocks the measurement ends, because the machine is too busy to judge. */
static inline size_t pawl_paired_spoiled_limit(const struct pawl_sequential_policy *policy) {
  return (size_t)policy->max_blocks / 4;
}

/* Judges the blocks in order and sets all that follows from them. The same blocks and policy give
   the same numbers. By a policy of rule 1, `equivalent`, `block_sd` and `detectable` stay unknown.
   Fails with PAWL_CONFIG for an impossible policy. */
pawl_status pawl_paired_test_judge(struct pawl_paired_test *paired, struct pawl_error *err);

/* Overwrites the figures of *out by those of the counted blocks: the paired change, and the medians
 * over the blocks as times. Does nothing if no block counts. */
void pawl_paired_test_figures(const struct pawl_paired_test *paired, struct pawl_comparison *out);

/* Compares the candidate's median over the counted blocks with `bench_ms`, its median measured
 * alone. If they differ by more than PAWL_PAIRED_BESIDE_BENCH of the smaller, returns a sentence in
 * the arena: taking turns changed the time, or the machine changed in between. The sentence has the
 * CPUs that the processes used in both (NaN: unknown), because threads that share a CPU use less.
 * Returns NULL if they agree or a time is unknown. */
#define PAWL_PAIRED_BESIDE_BENCH 0.1
const char *pawl_paired_test_beside_bench(const struct pawl_paired_test *paired, double bench_ms,
                                          double paired_cpus, double bench_cpus,
                                          struct pawl_arena *arena);

/* Compares the base's time in the blocks with the time that the baseline has of the same commit on
 * the same hardware. If their intervals by process do not overlap and they differ by more than
 * PAWL_PAIRED_BESIDE_BENCH, returns a sentence in the arena. The verdict does not change, because
 * it comes from the blocks alone. Returns NULL if the times agree or an interval is unknown. */
const char *pawl_paired_test_beside_entry(const struct pawl_paired_test *paired,
                                          const struct pawl_baseline_entry *entry,
                                          struct pawl_arena *arena);

/* Writes the verdict with the figures of the blocks. Adds the classical evidence of all samples:
 * CIs of the medians, Cliff's delta and p. These ignore that samples of a process are no
 * replicates. Identical arms are maintained and have no times of their own. */
pawl_status pawl_paired_test_compare(const struct pawl_paired_test *paired,
                                     struct pawl_arena *arena, struct pawl_comparison *out,
                                     struct pawl_error *err);

/* For struct pawl_paired_test. Judge it again after reading. */
extern const struct pawl_fields pawl_paired_test_fields;
json_t *pawl_paired_test_to_json(const struct pawl_paired_test *paired);
/* Reads a document of pawl_paired_test_to_json. Fails with PAWL_BAD_DATA, which names file and
 * key. */
pawl_status pawl_paired_test_from_json(const json_t *object, const char *name,
                                       struct pawl_arena *arena, struct pawl_paired_test *out,
                                       struct pawl_error *err);
