/* SPDX-License-Identifier: Apache-2.0 */
/* The paired verdict on one kernel and case: blocks of the anchor and the candidate measured side
   by side, judged by the sequential test (stats/sequential.h). The record holds what is needed to
   recompute the verdict, bit for bit. */
#ifndef PAWL_GATE_PAIRED_TEST_H
#define PAWL_GATE_PAIRED_TEST_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "gate/comparison.h"
#include "stats/sequential.h"

/* Which arm was started first, got its memory first and made the first call. */
enum pawl_place { PAWL_PLACE_UNKNOWN = 0, PAWL_PLACE_BASE_FIRST, PAWL_PLACE_CANDIDATE_FIRST };

/* One block. A spoiled one does not count, for a reason that never depends on its ratio. */
struct pawl_paired_block {
  double base_ms, candidate_ms; /* of the two processes: see pawl_round_ratio() */
  const char *spoiled;          /* "other processes used 1.2 CPUs"; NULL: it counts */
  enum pawl_place place;
};

/* Why the candidate is measured against that commit. */
enum pawl_anchor_kind {
  PAWL_ANCHOR_UNKNOWN = 0,
  PAWL_ANCHOR_BASELINE,   /* the commit of the baseline's entry */
  PAWL_ANCHOR_MERGE_BASE, /* with main: there is no entry */
  PAWL_ANCHOR_REVISION,   /* --against */
  PAWL_ANCHOR_PARAMETERS  /* of tuning: the same commit with the parameters of the suite */
};
/* "the baseline's commit" "the merge base" "the revision asked for" "the current parameters"; NULL:
 * unknown. */
const char *pawl_anchor_kind_name(enum pawl_anchor_kind kind);

/* Where a regression against the anchor comes from. */
enum pawl_origin { PAWL_ORIGIN_UNKNOWN = 0, PAWL_ORIGIN_HERE, PAWL_ORIGIN_INHERITED };
const char *pawl_origin_name(enum pawl_origin origin); /* "unknown" "caused here" "inherited" */

struct pawl_paired_test {
  const char *kernel_name, *case_name;
  const struct pawl_case *config; /* NULL: of a test that was read back, whose row has it */
  const char *anchor;             /* the commit measured against */
  enum pawl_anchor_kind anchor_kind;
  const char *gpu; /* UUID of the GPU that both arms ran on; NULL: none, or not known */
  bool identical;  /* the machine code of both is the same: nothing to measure */
  struct pawl_sequential_policy policy;
  uint64_t seed; /* of the run: block i is measured with seed + i */
  struct pawl_paired_block *blocks;
  size_t block_count, counted; /* counted: those that are not spoiled */
  enum pawl_decision decision;
  int fewest_more;    /* blocks after which an answer can come: pawl_sequential_fewest_more() */
  const char *reason; /* why INCONCLUSIVE; NULL */
  bool equivalent;    /* MAINTAINED: a speed-up of `detect` or more is excluded too, at `miss` */
  struct pawl_slowdown slowdown;
  double p; /* of a change above `tolerate`: pawl_sequential_p(); NaN: nothing was measured */
  double block_sd;   /* of the log-ratios of the blocks that count; NaN: fewer than two */
  double detectable; /* the least slow-down that this run would have called with PAWL_PAIRED_POWER;
                        NaN: not known */
  double *base_samples_ms, *candidate_samples_ms; /* of the blocks that count */
  size_t base_sample_count, candidate_sample_count;
  /* Of an improvement: more blocks, measured after the verdict, which alone decide whether the
     baseline moves. As many of them count as of the verdict's, else there is no confirmation and
     the numbers are NaN. */
  struct pawl_paired_block *confirmation;
  size_t confirmation_count;
  double confirmed_slowdown; /* the median over the blocks that count */
  double confirmed_ms; /* the candidate's: the median of its samples, or of its blocks where those
                          are not kept */
  double *confirmed_samples_ms;
  size_t confirmed_sample_count;
  enum pawl_origin origin;
};

/* The place of the next block: blocks that count come in pairs, in which each arm is first once;
   the first of a pair takes the place of `coin`, a fair one. A spoiled block is repeated in its
   place. */
enum pawl_place pawl_paired_next_place(const struct pawl_paired_block *blocks, size_t count,
                                       enum pawl_place coin);

#define PAWL_PAIRED_POWER 0.9

void pawl_paired_test_init(struct pawl_paired_test *paired);

/* More spoiled blocks than this many end the measurement: the machine is too busy to judge on. */
static inline size_t pawl_paired_spoiled_limit(const struct pawl_sequential_policy *policy) {
  return (size_t)policy->max_blocks / 4;
}

/* Judges the blocks from the first on: sets everything that follows from them, as it was when they
   were measured. The same blocks and policy give the same numbers. By a policy of rule 1,
   `equivalent`, `block_sd` and `detectable` stay unknown. PAWL_CONFIG: an impossible policy. */
pawl_status pawl_paired_test_judge(struct pawl_paired_test *paired, struct pawl_error *err);

/* Puts the figures of the blocks that count over those of *out: the change is the paired one, and
   the times, for context, are the medians over the blocks. Nothing where no block counts. */
void pawl_paired_test_figures(const struct pawl_paired_test *paired, struct pawl_comparison *out);

/* Where the candidate's time, the median over the blocks that count, and `bench_ms`, its median
   when it was measured alone, differ by more than PAWL_PAIRED_BESIDE_BENCH of the smaller: to take
   turns changed it, or the machine did in between. With the CPUs' worth of time that the processes
   used in both, NaN where unknown: threads that share a CPU use less. A sentence in the arena;
   NULL: they agree, or a time is not known. */
#define PAWL_PAIRED_BESIDE_BENCH 0.1
const char *pawl_paired_test_beside_bench(const struct pawl_paired_test *paired, double bench_ms,
                                          double paired_cpus, double bench_cpus,
                                          struct pawl_arena *arena);

/* The verdict with the figures of the blocks, and of all samples the classical evidence, which does
   not know that samples of a process are no replicates: CIs of the medians, Cliff's delta, p.
   Identical arms are maintained and have no times of their own. */
pawl_status pawl_paired_test_compare(const struct pawl_paired_test *paired,
                                     struct pawl_arena *arena, struct pawl_comparison *out,
                                     struct pawl_error *err);

/* Of struct pawl_paired_test; to be judged again after it was read. */
extern const struct pawl_fields pawl_paired_test_fields;
json_t *pawl_paired_test_to_json(const struct pawl_paired_test *paired);
/* Reads what pawl_paired_test_to_json wrote. PAWL_BAD_DATA names file and key. */
pawl_status pawl_paired_test_from_json(const json_t *object, const char *name,
                                       struct pawl_arena *arena, struct pawl_paired_test *out,
                                       struct pawl_error *err);

#endif
