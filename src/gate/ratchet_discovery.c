/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/discovery.h"
#include "gate/ratchet.h"

pawl_status pawl_ratchet_discover(struct pawl_ratchet_report *report, struct pawl_arena *arena,
                                  struct pawl_error *err) {
  struct pawl_paired_test **tests = pawl_arena_alloc(arena, report->count + 1, sizeof *tests);
  size_t count = 0;
  bool any = false;
  for (size_t i = 0; i < report->count; i++)
    any |= report->rows[i].paired && pawl_discovery_has(report->rows[i].paired);
  for (size_t i = 0; i < report->count && any; i++) {
    struct pawl_ratchet_row *row = &report->rows[i];
    if (!row->paired) continue;
    tests[count] = pawl_arena_alloc(arena, 1, sizeof **tests);
    *tests[count] = *row->paired;
    row->paired = tests[count++];
  }
  pawl_paired_tests_discover(tests, count);
  for (size_t i = 0; i < report->count && any; i++) {
    struct pawl_ratchet_row *row = &report->rows[i];
    const bool changed = row->paired && (row->paired->decision == PAWL_DECISION_REGRESSION ||
                                         row->paired->decision == PAWL_DECISION_IMPROVEMENT);
    /* the outcome of a broken candidate decides, whatever its blocks prove */
    if (changed && row->comparison.verdict == PAWL_VERDICT_INCONCLUSIVE)
      PAWL_TRY(pawl_paired_test_compare(row->paired, arena, &row->comparison, err));
  }
  return PAWL_OK;
}
