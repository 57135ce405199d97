/* SPDX-License-Identifier: Apache-2.0 */
/* The best-known performance, tracked in git: perf/baseline.json, one entry per kernel, case and hardware. */
#ifndef PAWL_GATE_RATCHET_H
#define PAWL_GATE_RATCHET_H

#include <stdbool.h>

#include "gate/compare.h"
#include "model/result.h"

/* A summary that suffices to judge later without the samples' file. */
struct pawl_baseline_entry {
  const char *kernel_name, *case_name, *hardware;
  struct pawl_case config;
  double median_ms, ci_95_low, ci_95_high, throughput_gflops, bandwidth_gb_s;
  double *samples_ms; /* sorted; thinned to at most 101 quantiles */
  size_t sample_count;
  const char *git_commit, *timestamp, *toolchain, *code_hash;
  const char *reason; /* of an accepted loss; NULL */
};

/* A move of the ratchet, oldest first. */
struct pawl_baseline_move {
  const char *kernel_name, *case_name, *hardware;
  const char *kind; /* "new" "improvement" "accepted" */
  double from_ms, to_ms;
  const char *git_commit, *timestamp, *reason;
};

struct pawl_baseline {
  struct pawl_baseline_entry *entries;
  size_t count;
  struct pawl_baseline_move *moves;
  size_t move_count;
};

/* An absent file is an empty baseline. Also reads the earlier scripts' {configs: {NAME: {...}}}. */
pawl_status pawl_baseline_read(const char *path, struct pawl_arena *arena, struct pawl_baseline *out,
                               struct pawl_error *err);
/* Atomic and byte-stable: sorted entries, stable key order, one number a line. Call under pawl_baseline_lock. */
pawl_status pawl_baseline_write(const char *path, const struct pawl_baseline *baseline, struct pawl_error *err);
/* The lock lies in the suite's .pawl folder, so that two runs at once cannot lose a move. */
const struct pawl_baseline_entry *pawl_baseline_find(const struct pawl_baseline *baseline, const char *kernel_name,
                                                     const char *case_name, const char *hardware);

struct pawl_ratchet_options {
  double fail_over;    /* fraction slower that fails: gate.detect, 0.03 */
  double improve_over; /* fraction faster that moves the baseline: gate.improve, 0.05 */
  bool update;         /* move the entries in memory */
};

enum pawl_ratchet_change { PAWL_RATCHET_KEPT = 0, PAWL_RATCHET_NEW, PAWL_RATCHET_IMPROVED };

struct pawl_ratchet_row {
  struct pawl_comparison comparison;
  const struct pawl_baseline_entry *entry; /* NULL: none */
  enum pawl_ratchet_change change;         /* what happened, or would with `update` */
};

struct pawl_ratchet_report {
  struct pawl_ratchet_row *rows;
  size_t count;
  size_t regressions, improvements, maintained, undecided, broken, missing, fresh;
};

/* Judges results against the baseline by the rules of `compare` (unpaired), and moves it where it may move: a result
   that is wrong, crashed or failed to build never does. An improvement must have CIs apart and abs(Cliff's delta) >=
   0.3 besides. Entries of other hardware are left alone; an entry of this hardware that the results lack is "missing".
 */
pawl_status pawl_ratchet(struct pawl_baseline *baseline, const struct pawl_results *results,
                         const struct pawl_ratchet_options *options, struct pawl_arena *arena,
                         struct pawl_ratchet_report *out, struct pawl_error *err);

/* Writes a result over the entry as a loss one chooses, with its reason. */
pawl_status pawl_baseline_accept(struct pawl_baseline *baseline, const struct pawl_results *results,
                                 const char *kernel_name, const char *case_name, const char *reason,
                                 struct pawl_arena *arena, struct pawl_error *err);

#endif
