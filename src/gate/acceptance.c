/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/acceptance.h"

#include <math.h>

#include "base/text.h"
#include "gate/comparison.h"
#include "gate/row_match.h"

static bool acceptance_is_of(const struct pawl_baseline_move *move,
                             const struct pawl_baseline_entry *entry) {
  return pawl_text_equal(move->kernel_name, entry->kernel_name) &&
         pawl_text_equal(move->case_name, entry->case_name) &&
         pawl_text_equal(move->hardware, entry->hardware);
}

/* Returns the last move of the entry, if the judge does not know it. */
static const struct pawl_baseline_move *last_new_move(const struct pawl_baseline *ours,
                                                      const struct pawl_baseline *judge,
                                                      const struct pawl_baseline_entry *entry) {
  for (size_t i = ours->move_count; i > judge->move_count; i--)
    if (acceptance_is_of(&ours->moves[i - 1], entry)) return &ours->moves[i - 1];
  return NULL;
}

void pawl_acceptances_find(const struct pawl_baseline *ours, const struct pawl_baseline *judge,
                           struct pawl_arena *arena, struct pawl_acceptances *out) {
  struct pawl_acceptances found = {pawl_arena_alloc(arena, ours->count + 1, sizeof *found.items)};
  for (size_t i = 0; i < ours->count; i++) {
    const struct pawl_baseline_entry *entry = &ours->entries[i];
    const struct pawl_baseline_move *move =
        entry->reason ? last_new_move(ours, judge, entry) : NULL;
    if (!move || move->kind != PAWL_MOVE_ACCEPTED || !pawl_text_equal(move->reason, entry->reason))
      continue;
    const struct pawl_baseline_entry *before =
        pawl_baseline_find(judge, entry->kernel_name, entry->case_name, entry->hardware);
    found.items[found.count++] =
        (struct pawl_acceptance){.kernel_name = entry->kernel_name,
                                 .case_name = entry->case_name,
                                 .hardware = entry->hardware,
                                 .reason = entry->reason,
                                 .accepted_ms = entry->median_ms,
                                 .judge_ms = before ? before->median_ms : (double)NAN,
                                 .code_hash = entry->code_hash};
  }
  *out = found;
}

void pawl_acceptances_find_removed(const struct pawl_suite *judge, const struct pawl_suite *change,
                                   struct pawl_arena *arena, struct pawl_acceptances *out) {
  out->removed = pawl_arena_alloc(arena, judge->case_count + 1, sizeof(struct pawl_case *));
  out->removed_count = 0;
  for (size_t i = 0; i < judge->case_count; i++) {
    const struct pawl_case *theirs = &judge->cases[i], *own = pawl_suite_case(change, theirs->name);
    if (!own || !pawl_shapes_agree(own, theirs)) out->removed[out->removed_count++] = theirs;
  }
}

bool pawl_acceptance_covers(const struct pawl_acceptance *acceptance,
                            const struct pawl_comparison *item, const char *code_hash,
                            double slack) {
  if (acceptance->code_hash && pawl_text_equal(acceptance->code_hash, code_hash)) return true;
  const double accepted = acceptance->accepted_ms / acceptance->judge_ms, now = 1 / item->speedup;
  return now <= accepted * (1 + slack); /* false if a time is unknown */
}
