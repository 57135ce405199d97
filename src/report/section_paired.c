/* SPDX-License-Identifier: Apache-2.0 */
/* How a paired verdict was reached: against what, over how many blocks, with which slow-down and limits. */
#include <math.h>

#include "report/document.h"
#include "report/figures.h"

/* "+2.3 % [1.8, 3.1]": a slow-down is positive; a limit that so few blocks cannot give is open. */
static void say_slowdown(struct pawl_document *d, const struct pawl_slowdown *slowdown) {
  pawl_document_printf(d, "%+.2f %% ", slowdown->estimate * 100);
  if (slowdown->low > -1)
    pawl_document_printf(d, "[%+.2f, ", slowdown->low * 100);
  else
    pawl_document_printf(d, "[unknown, ");
  if (isfinite(slowdown->high))
    pawl_document_printf(d, "%+.2f]", slowdown->high * 100);
  else
    pawl_document_printf(d, "unknown]");
}

static void say_blocks(struct pawl_document *d, const struct pawl_paired_test *paired) {
  pawl_document_printf(d, ": slow-down ");
  if (isnan(paired->slowdown.estimate))
    pawl_document_printf(d, "unknown");
  else
    say_slowdown(d, &paired->slowdown);
  pawl_document_printf(d, " over %zu block%s", paired->counted, paired->counted == 1 ? "" : "s");
  if (paired->block_count > paired->counted)
    pawl_document_printf(d, " (%zu more left out as disturbed)", paired->block_count - paired->counted);
}

static void say_paired(struct pawl_document *d, const struct pawl_paired_test *paired) {
  d->format->item_begin(d->out);
  pawl_document_code(d, paired->kernel_name);
  pawl_document_printf(d, " on ");
  pawl_document_code(d, paired->case_name);
  pawl_document_printf(d, " against ");
  pawl_document_commit(d, paired->anchor);
  const char *kind = pawl_anchor_kind_name(paired->anchor_kind);
  pawl_document_printf(d, ", %s", kind ? kind : "an anchor");
  if (paired->identical) {
    pawl_document_printf(d, ": the machine code is the same, nothing was measured");
  } else {
    say_blocks(d, paired);
  }
  pawl_document_printf(d, ": %s", pawl_decision_name(paired->decision));
  if (paired->origin != PAWL_ORIGIN_UNKNOWN) pawl_document_printf(d, ", %s", pawl_origin_name(paired->origin));
  if (!isnan(paired->confirmed_slowdown))
    pawl_document_printf(d, "; measured again apart: %+.2f %%", paired->confirmed_slowdown * 100);
  pawl_document_printf(d, ".");
  d->format->item_end(d->out);
}

static void say_policy(struct pawl_document *d, const struct pawl_sequential_policy *policy) {
  char tolerate[PAWL_FIGURE], detect[PAWL_FIGURE], alarm[PAWL_FIGURE], miss[PAWL_FIGURE];
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "A change above %s is called with a false-alarm rate of at most %s over the run; ",
                       pawl_figure_percent(policy->tolerate * 100, tolerate),
                       pawl_figure_percent(policy->false_alarm * 100, alarm));
  pawl_document_printf(d, "a slow-down of %s or more is missed at a rate of at most %s. ",
                       pawl_figure_percent(policy->detect * 100, detect),
                       pawl_figure_percent(policy->miss * 100, miss));
  pawl_document_printf(d, "Limits are 95 %%, valid wherever the measurement stopped.");
  d->format->paragraph_end(d->out);
}

void pawl_section_paired(struct pawl_document *d, const struct pawl_run_report *report) {
  const struct pawl_paired_test *first = NULL;
  for (size_t i = 0; report->ratchet && i < report->ratchet->count && !first; i++)
    first = report->ratchet->rows[i].paired;
  if (!first) return;
  d->format->heading(d->out, "Measured in pairs");
  d->format->list_begin(d->out);
  for (size_t i = 0; i < report->ratchet->count; i++) {
    if (report->ratchet->rows[i].paired) say_paired(d, report->ratchet->rows[i].paired);
  }
  d->format->list_end(d->out);
  say_policy(d, &first->policy);
}
