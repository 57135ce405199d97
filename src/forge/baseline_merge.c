/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/baseline_merge.h"

#include <string.h>

#include "base/text.h"

static bool same(const struct pawl_baseline_entry *a, const struct pawl_baseline_entry *b) {
  if (!a || !b) return a == b;
  return a->median_ms == b->median_ms && pawl_text_equal(a->git_commit, b->git_commit) &&
         pawl_text_equal(a->timestamp, b->timestamp) && pawl_text_equal(a->reason, b->reason);
}

static const struct pawl_baseline_entry *baseline_merge_find(
    const struct pawl_baseline *baseline, const struct pawl_baseline_entry *entry) {
  return pawl_baseline_find(baseline, entry->kernel_name, entry->case_name, entry->hardware);
}

static void join_moves(const struct pawl_baseline *base, const struct pawl_baseline *ours,
                       const struct pawl_baseline *theirs, struct pawl_arena *arena,
                       struct pawl_baseline *out) {
  const size_t known = base->move_count < ours->move_count ? base->move_count : ours->move_count;
  const size_t fresh = ours->move_count - known;
  out->moves = pawl_arena_alloc(arena, theirs->move_count + fresh + 1, sizeof *out->moves);
  if (theirs->move_count)
    memcpy(out->moves, theirs->moves, theirs->move_count * sizeof *out->moves);
  if (fresh)
    memcpy(out->moves + theirs->move_count, ours->moves + known, fresh * sizeof *out->moves);
  out->move_count = theirs->move_count + fresh;
}

void pawl_baseline_merge(const struct pawl_baseline *base, const struct pawl_baseline *ours,
                         const struct pawl_baseline *theirs, struct pawl_arena *arena,
                         struct pawl_baseline *out, size_t *changed,
                         const struct pawl_baseline_entry **first_changed) {
  struct pawl_baseline merged = {.count = theirs->count};
  merged.entries = pawl_arena_alloc(arena, theirs->count + ours->count + 1, sizeof *merged.entries);
  if (theirs->count)
    memcpy(merged.entries, theirs->entries, theirs->count * sizeof *merged.entries);
  *changed = 0;
  *first_changed = NULL;
  for (size_t i = 0; i < ours->count; i++) {
    const struct pawl_baseline_entry *entry = &ours->entries[i],
                                     *before = baseline_merge_find(base, entry);
    if (before && same(before, entry)) continue;
    const struct pawl_baseline_entry *now = baseline_merge_find(&merged, entry);
    const bool both = now && !same(now, before);
    if (now && same(now, entry)) continue;
    if (both && !(entry->median_ms < now->median_ms)) continue;
    const size_t place = now ? (size_t)(now - merged.entries) : merged.count++;
    merged.entries[place] = *entry;
    if ((*changed)++ == 0) *first_changed = entry;
  }
  join_moves(base, ours, theirs, arena, &merged);
  *out = merged;
}
