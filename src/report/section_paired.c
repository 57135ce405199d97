/* SPDX-License-Identifier: Apache-2.0 */
/* Explains a paired verdict: its anchor, the number of blocks, the slow-down and its limits. */
#include <math.h>

#include "gate/paired_advice.h"
#include "report/document.h"
#include "report/figures.h"
#include "report/row_change.h"

static void say_blocks(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_paired_test *paired = row->paired;
  char text[PAWL_ROW_CHANGE], figure[PAWL_FIGURE];
  pawl_document_printf(d, "%s over %zu block%s", pawl_row_change(row, text), paired->counted,
                       paired->counted == 1 ? "" : "s");
  if (paired->block_count > paired->counted)
    pawl_document_printf(d, " (without %zu disturbed blocks)",
                         paired->block_count - paired->counted);
  pawl_document_printf(d, ", p %s%s", paired->p < 1e-4 ? "" : "= ",
                       pawl_figure_p(paired->p, figure));
  if (!isnan(paired->detectable))
    pawl_document_printf(d, "; the gate could detect a slow-down of %s",
                         pawl_figure_percent(paired->detectable * 100, figure));
}

/* Writes the decision. "Equivalent" excludes a change of either sign, and "no slow-down" excludes
   only a slow-down. */
static void say_decision(struct pawl_document *d, const struct pawl_paired_test *paired) {
  char detect[PAWL_FIGURE];
  pawl_document_printf(d, "%s", pawl_decision_name(paired->decision));
  if (paired->decision == PAWL_DECISION_MAINTAINED && !paired->identical)
    pawl_document_printf(
        d, paired->equivalent ? ", equivalent within %s" : ", no slow-down of %s or more",
        pawl_figure_percent(paired->policy.detect * 100, detect));
  if (paired->origin != PAWL_ORIGIN_UNKNOWN)
    pawl_document_printf(d, ", %s", pawl_origin_name(paired->origin));
}

static void say_paired(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_paired_test *paired = row->paired;
  const char *kind = pawl_anchor_kind_name(paired->anchor_kind);
  char tolerate[PAWL_FIGURE], detect[PAWL_FIGURE];
  d->format->item_begin(d->out);
  pawl_document_code(d, paired->kernel_name);
  pawl_document_printf(d, " on ");
  pawl_document_code(d, paired->case_name);
  if (paired->anchor) { /* a comparison of two kernels has none */
    pawl_document_printf(d, " against ");
    pawl_document_commit(d, paired->anchor);
    pawl_document_printf(d, ", %s", kind ? kind : "an anchor");
  }
  pawl_document_printf(d, ": ");
  say_decision(d, paired);
  pawl_document_printf(d, ": ");
  if (paired->identical) {
    pawl_document_printf(d, "%s, so pawl measured nothing",
                         paired->reason ? paired->reason : "the machine code is the same");
  } else if (isnan(paired->slowdown.estimate)) {
    pawl_document_printf(d, "no block counts");
  } else {
    say_blocks(d, row);
  }
  if (!isnan(paired->confirmed_slowdown))
    pawl_document_printf(d, "; confirmed by new blocks: %+.2f %%",
                         paired->confirmed_slowdown * 100);
  if (row->limits)
    pawl_document_printf(d, "; the suite's limits for this row: tolerate %s, detect %s",
                         pawl_figure_percent(paired->policy.tolerate * 100, tolerate),
                         pawl_figure_percent(paired->policy.detect * 100, detect));
  pawl_document_printf(d, ".");
  if (!paired->identical) pawl_document_reason(d, paired->reason);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text advice = {0};
  pawl_paired_test_advise(paired, &advice);
  if (advice.length) pawl_document_printf(d, " %s", advice.data);
  d->format->item_end(d->out);
}

static void say_policy(struct pawl_document *d, const struct pawl_sequential_policy *policy) {
  char tolerate[PAWL_FIGURE], detect[PAWL_FIGURE], alarm[PAWL_FIGURE], miss[PAWL_FIGURE];
  d->format->paragraph_begin(d->out);
  pawl_figure_percent(policy->tolerate * 100, tolerate);
  pawl_figure_percent(policy->false_alarm * 100, alarm);
  if (policy->discovery)
    pawl_document_printf(d,
                         "Of the changes above %s that the gate reports, at most %s are false on "
                         "average: it calls them by the e-values of all %d comparisons. ",
                         tolerate, alarm, policy->comparisons);
  else
    pawl_document_printf(d,
                         "The gate reports a wrong change above %s in at most %s of runs. For a "
                         "reported change, p over %d comparison%s is at most that rate. ",
                         tolerate, alarm, policy->comparisons, policy->comparisons == 1 ? "" : "s");
  pawl_document_printf(d,
                       "It reports a slow-down of %s or more as maintained in at most %s of runs. ",
                       pawl_figure_percent(policy->detect * 100, detect),
                       pawl_figure_percent(policy->miss * 100, miss));
  pawl_document_printf(
      d,
      "\"Detectable\" is the smallest slow-down that these blocks show with probability 90 %%. The "
      "limits are 95 %% limits and hold at any number of blocks. Plus means slower. The versions "
      "swap places within two blocks, a pair, and each pair gives one ratio: the change is the "
      "median of these ratios. The times are medians over the same blocks; the history keeps those "
      "under \"Measurements\".");
  d->format->paragraph_end(d->out);
}

void pawl_section_paired(struct pawl_document *d, const struct pawl_run_report *report) {
  const struct pawl_paired_test *first = NULL;
  bool own = true; /* the rows so far have limits of their own */
  for (size_t i = 0; report->ratchet && i < report->ratchet->count && own; i++) {
    const struct pawl_ratchet_row *row = &report->ratchet->rows[i];
    if (row->paired && (!first || !row->limits)) first = row->paired, own = row->limits != NULL;
  }
  if (!first) return;
  d->format->heading(d->out, "Measured in pairs");
  size_t count, shown = 0;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  d->format->list_begin(d->out);
  for (size_t i = 0; i < count; i++)
    if (rows[i]->paired && pawl_document_takes(d, &shown)) say_paired(d, rows[i]);
  d->format->list_end(d->out);
  pawl_document_more(d, shown, "verdict.json");
  say_policy(d, &first->policy);
}
