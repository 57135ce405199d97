/* SPDX-License-Identifier: Apache-2.0 */
/* Joins two lines of moves of one baseline, entry by entry. A merge by lines would conflict at each
 * end. */
#pragma once

#include "gate/ratchet.h"

/* Puts the changes of `ours` since `base` on top of `theirs`. If both changed an entry, the faster
 * time stays. The moves of both stay, theirs first. *changed counts the entries that differ from
 * `theirs`. *first_changed is one of these entries, or NULL. The result lies in the arena or is
 * borrowed from the three baselines. */
void pawl_baseline_merge(const struct pawl_baseline *base, const struct pawl_baseline *ours,
                         const struct pawl_baseline *theirs, struct pawl_arena *arena,
                         struct pawl_baseline *out, size_t *changed,
                         const struct pawl_baseline_entry **first_changed);
