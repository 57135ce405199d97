/* SPDX-License-Identifier: Apache-2.0 */
#include "record/saved_case.h"

#include <math.h>

#include "base/text.h"

static bool saved_case_fits(const struct pawl_ratchet_row *row,
                            const struct pawl_saved_case *wanted) {
  const struct pawl_comparison *item = &row->comparison;
  return row->paired && row->paired->block_count &&
         (!wanted->kernel_name || pawl_text_equal(item->kernel_name, wanted->kernel_name)) &&
         (!wanted->case_name || pawl_text_equal(item->config.name, wanted->case_name));
}

static pawl_status saved_case_choose(const struct pawl_run_report *report,
                                     const struct pawl_saved_case *wanted,
                                     const struct pawl_ratchet_row **out, struct pawl_error *err) {
  size_t count = 0;
  for (size_t i = 0; report->ratchet && i < report->ratchet->count; i++) {
    if (!saved_case_fits(&report->ratchet->rows[i], wanted)) continue;
    *out = &report->ratchet->rows[i];
    count++;
  }
  if (count == 1) return PAWL_OK;
  if (count)
    return pawl_fail(err, PAWL_USAGE,
                     "%zu rows have blocks: choose one of them with --kernel and --case", count);
  return pawl_fail(err, PAWL_USAGE,
                   "no row with blocks fits: a saved case needs a row that pawl measured in pairs");
}

/* Samples and the row's other facts stay out, because the rules read blocks alone. */
static void saved_case_shorten(struct pawl_ratchet_row *row, struct pawl_paired_test *paired) {
  paired->base_sample_count = paired->candidate_sample_count = 0;
  row->paired = paired;
  row->entry = NULL;
  row->result = NULL;
  row->accepted = NULL;
  row->code_before = row->code_now = NULL;
}

/* A row that is a change only beside others is none alone, and the case has no others. */
static pawl_status saved_case_judge_alone(struct pawl_ratchet_row *row,
                                          struct pawl_paired_test *paired, struct pawl_arena *arena,
                                          struct pawl_error *err) {
  const enum pawl_decision decision = paired->decision;
  if (!paired->policy.discovery) return PAWL_OK;
  PAWL_TRY(pawl_paired_test_judge(paired, err));
  if (paired->decision == PAWL_DECISION_CONTINUE) paired->decision = PAWL_DECISION_INCONCLUSIVE;
  return paired->decision == decision
             ? PAWL_OK
             : pawl_paired_test_compare(paired, arena, &row->comparison, err);
}

pawl_status pawl_saved_case_make(const struct pawl_run_report *report,
                                 const struct pawl_saved_case *wanted, struct pawl_arena *arena,
                                 json_t **out, struct pawl_error *err) {
  const struct pawl_ratchet_row *chosen = NULL;
  PAWL_TRY(saved_case_choose(report, wanted, &chosen, err));
  struct pawl_ratchet_row *row = pawl_arena_alloc(arena, 1, sizeof *row);
  struct pawl_paired_test paired = *chosen->paired;
  struct pawl_ratchet_report ratchet = {.rows = row, .count = 1};
  const char *note = wanted->note;
  *row = *chosen;
  saved_case_shorten(row, &paired);
  PAWL_TRY(saved_case_judge_alone(row, &paired, arena, err));
  pawl_ratchet_count(&ratchet, row->comparison.verdict);
  const struct pawl_run_report saved = {.results = report->results,
                                        .ratchet = &ratchet,
                                        .expected = wanted->expected,
                                        .notices = &note,
                                        .notice_count = note != NULL,
                                        .seconds = NAN,
                                        .cost_usd = NAN};
  return pawl_verdict_to_json(&saved, out, err);
}
