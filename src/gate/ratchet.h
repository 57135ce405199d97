/* SPDX-License-Identifier: Apache-2.0 */
/* Judges results against the baseline, which moves if it may. */
#pragma once

#include <stdbool.h>

#include "gate/acceptance.h"
#include "gate/baseline.h"
#include "gate/comparison.h"
#include "gate/paired_test.h"
#include "model/gate_spec.h"
#include "model/result.h"

struct pawl_ratchet_options {
  /* detect: the failing slow-down; improve: the speed-up that moves the baseline; between_runs */
  struct pawl_gate_spec gate;
  /* paired verdicts, which precede the unpaired rule */
  const struct pawl_paired_test *paired;
  size_t paired_count;
  struct pawl_acceptances acceptances; /* the acceptances that the policy allows; none by default */
  /* the results have the judge's cases: an entry whose case has another shape does not count, and
   * the case is new */
  bool follows_shapes;
  /* moves the entries in memory, but not from a dirty tree: see update_refused */
  bool update;
};

enum pawl_ratchet_change { PAWL_RATCHET_KEPT = 0, PAWL_RATCHET_NEW, PAWL_RATCHET_IMPROVED };
const char *pawl_ratchet_change_name(enum pawl_ratchet_change change); /* "kept" "new" "improved" */

struct pawl_ratchet_row {
  struct pawl_comparison comparison;
  const struct pawl_baseline_entry *entry; /* the entry before any move; NULL: none */
  /* NULL: missing, or not measured because the code is identical; then the entry may be NULL too */
  const struct pawl_result *result;
  /* NULL: the verdict is from stored samples */
  const struct pawl_paired_test *paired;
  const struct pawl_acceptance *accepted; /* verdict ACCEPTED; else NULL */
  /* a GPU's machine code before and now, compiled for the same architecture; `before` is the
   * entry's, else another entry's of the kernel; NULL: unknown */
  const struct pawl_code *code_before, *code_now;
  enum pawl_ratchet_change change; /* the change, or with `update` off the possible change */
  /* the gate of this row, if rules of `limits` decide a part of it; NULL: the suite's */
  const struct pawl_gate_spec *limits;
  /* maintained because the machine code is the baseline's, whatever the times are */
  bool same_code;
};

struct pawl_ratchet_report {
  struct pawl_ratchet_row *rows;
  size_t count;
  /* rows by verdict; "no significant difference" counts as maintained */
  size_t counts[PAWL_VERDICTS];
  /* the moves, or without `update` the possible moves; none if refused */
  struct pawl_baseline_move *moves;
  size_t move_count;
  const char *update_refused; /* why nothing moved in spite of `update`, or NULL */
};

/* Counts a row with that verdict. */
void pawl_ratchet_count(struct pawl_ratchet_report *report, enum pawl_verdict verdict);

/* The rows of a verdict, with a word for readers: "slower", "unchanged". */
struct pawl_ratchet_total {
  enum pawl_verdict verdict;
  size_t count;
  const char *word;
};
/* Fills in the totals that are not 0, the worst verdict first, and returns their number. */
size_t pawl_ratchet_totals(const struct pawl_ratchet_report *report,
                           struct pawl_ratchet_total out[PAWL_VERDICTS]);
/* Returns the worst verdict of the rows, or PAWL_VERDICT_UNSUPPORTED without rows. */
enum pawl_verdict pawl_ratchet_verdict(const struct pawl_ratchet_report *report);
/* Returns the number of rows that the baseline lacks and that have no time to record. */
size_t pawl_ratchet_unrecorded(const struct pawl_ratchet_report *report);
/* Returns the exit status of `run` and `ratchet`. With `strict`, an inconclusive verdict is
 * PAWL_UNDECIDED. So are a row that needs a GPU, and regressions that are all inherited, with
 * nothing worse, because main has them already. */
enum pawl_status_code pawl_ratchet_status(const struct pawl_ratchet_report *report, bool strict);

/* Calls the changes that the rows prove together (gate/discovery.h), and gives each of these rows
 * its verdict. The counts by verdict stay. */
pawl_status pawl_ratchet_discover(struct pawl_ratchet_report *report, struct pawl_arena *arena,
                                  struct pawl_error *err);

/* Judges results against the baseline and moves it. A result that is wrong, crashed or failed to
   build never moves it. A paired verdict decides its row. Unpaired, the same machine code is
   maintained. gate/between_runs.h judges results with processes, the rule of `compare` those with
   samples or figures alone. Entries of other hardware stay as they are. An entry of this hardware
   without a result is "missing". If one side does not name its hardware, the row has figures and no
   verdict. */
pawl_status pawl_ratchet(struct pawl_baseline *baseline, const struct pawl_results *results,
                         const struct pawl_ratchet_options *options, struct pawl_arena *arena,
                         struct pawl_ratchet_report *out, struct pawl_error *err);
