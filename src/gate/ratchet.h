/* SPDX-License-Identifier: Apache-2.0 */
/* Results judged against the baseline, which moves where it may. */
#ifndef PAWL_GATE_RATCHET_H
#define PAWL_GATE_RATCHET_H

#include <stdbool.h>

#include "gate/acceptance.h"
#include "gate/baseline.h"
#include "gate/comparison.h"
#include "gate/paired_test.h"
#include "model/result.h"

struct pawl_ratchet_options {
  double fail_over;    /* fraction slower that fails: gate.detect, 0.03 */
  double improve_over; /* fraction faster that moves the baseline: gate.improve, 0.05 */
  double between_runs; /* gate.between_runs; 0: not known */
  const struct pawl_paired_test
      *paired; /* verdicts measured in pairs, which go before the unpaired rule */
  size_t paired_count;
  struct pawl_acceptances acceptances; /* that the policy allows; none by default */
  bool follows_shapes; /* the results have the judge's cases: an entry of a case of the same name
                          and another shape says nothing, and the case is new */
  bool update;         /* move the entries in memory; not of a dirty tree: see update_refused */
};

enum pawl_ratchet_change { PAWL_RATCHET_KEPT = 0, PAWL_RATCHET_NEW, PAWL_RATCHET_IMPROVED };
const char *pawl_ratchet_change_name(enum pawl_ratchet_change change); /* "kept" "new" "improved" */

struct pawl_ratchet_row {
  struct pawl_comparison comparison;
  const struct pawl_baseline_entry *entry; /* as it was before any move; NULL: none */
  const struct pawl_result *result; /* NULL: missing, or not measured again because its code is
                                       identical; then there may be no entry either */
  const struct pawl_paired_test
      *paired; /* how the verdict was reached; NULL: from stored samples */
  const struct pawl_acceptance *accepted; /* verdict ACCEPTED; else NULL */
  /* A GPU's machine code before and now, compiled for the same architecture; before: of the entry,
     else of another of the kernel's. NULL: not known. */
  const struct pawl_code *code_before, *code_now;
  enum pawl_ratchet_change change; /* what happened, or would with `update` */
  bool
      same_code; /* maintained because the machine code is the baseline's, whatever the times are */
};

struct pawl_ratchet_report {
  struct pawl_ratchet_row *rows;
  size_t count;
  size_t
      counts[PAWL_VERDICTS]; /* rows by verdict; "no significant difference" counts as maintained */
  struct pawl_baseline_move
      *moves; /* made, or, without `update`, that would be; none when refused */
  size_t move_count;
  const char *update_refused; /* why nothing moved although it was asked for; NULL */
};

/* Counts a row of that verdict. */
void pawl_ratchet_count(struct pawl_ratchet_report *report, enum pawl_verdict verdict);

/* Rows that share a verdict, in a word of a reader: "slower", "unchanged". */
struct pawl_ratchet_total {
  enum pawl_verdict verdict;
  size_t count;
  const char *word;
};
/* Fills in the totals that are not 0, the worst verdict first; returns how many there are. */
size_t pawl_ratchet_totals(const struct pawl_ratchet_report *report,
                           struct pawl_ratchet_total out[PAWL_VERDICTS]);
/* The worst verdict of the rows; PAWL_VERDICT_UNSUPPORTED when there are none. */
enum pawl_verdict pawl_ratchet_verdict(const struct pawl_ratchet_report *report);
/* What `run` and `ratchet` end with; strict: an inconclusive verdict is PAWL_UNDECIDED. So are
   regressions that are all inherited, with nothing worse: main has them, and this change caused
   none. */
enum pawl_status_code pawl_ratchet_status(const struct pawl_ratchet_report *report, bool strict);

/* Judges results against the baseline and moves it where it may move: a result that is wrong,
   crashed or failed to build never does. What was measured in pairs has its verdict. Unpaired, the
   same machine code is maintained; results with processes are judged by gate/between_runs.h,
   results of samples or figures alone by the rule of `compare`. Entries of other hardware are left
   alone; an entry of this hardware that the results lack is "missing". Where one side does not name
   its hardware, the figures are shown and nothing is decided. */
pawl_status pawl_ratchet(struct pawl_baseline *baseline, const struct pawl_results *results,
                         const struct pawl_ratchet_options *options, struct pawl_arena *arena,
                         struct pawl_ratchet_report *out, struct pawl_error *err);

#endif
