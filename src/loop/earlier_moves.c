/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/earlier_moves.h"

#include <string.h>

#include "gate/baseline_fields.h"

static bool is_same(const char *a, const char *b) { return a && b && !strcmp(a, b); }

static bool is_of_a_row(const struct pawl_baseline_move *move, const struct pawl_run_report *report,
                        const char *hardware) {
  bool found = false;
  for (size_t i = 0; i < report->ratchet->count && !found; i++) {
    const struct pawl_comparison *item = &report->ratchet->rows[i].comparison;
    found = is_same(move->kernel_name, item->kernel_name) &&
            is_same(move->case_name, item->config.name);
  }
  return found && is_same(move->hardware, hardware);
}

void pawl_earlier_moves(const struct pawl_baseline *baseline, struct pawl_arena *arena,
                        struct pawl_run_report *report) {
  const char *hardware = pawl_baseline_hardware(report->results);
  struct pawl_baseline_move *moves =
      pawl_arena_alloc(arena, baseline->move_count + 1, sizeof *moves);
  size_t count = 0;
  for (size_t i = 0; i < baseline->move_count; i++)
    if (is_of_a_row(&baseline->moves[i], report, hardware)) moves[count++] = baseline->moves[i];
  const size_t left_out = count > PAWL_EARLIER_MOVES ? count - PAWL_EARLIER_MOVES : 0;
  report->earlier_moves = moves + left_out;
  report->earlier_move_count = count - left_out;
}
