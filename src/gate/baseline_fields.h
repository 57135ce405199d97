/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the baseline's keys, and the functions that make an entry from a result. */
#pragma once

#include "gate/baseline.h"
#include "model/fields.h"
#include "stats/bootstrap.h"

#define PAWL_BASELINE_NAMES 3
#define PAWL_BASELINE_FIGURES 16
#define PAWL_BASELINE_MOVE_FIGURES 5
#define PAWL_BASELINE_CODE 8
/* For struct pawl_baseline_entry. The config stands between names and figures. */
extern const struct pawl_field pawl_baseline_names[PAWL_BASELINE_NAMES];
extern const struct pawl_field pawl_baseline_figures[PAWL_BASELINE_FIGURES];
/* For struct pawl_baseline_move. Its kind stands between names and figures. */
extern const struct pawl_field pawl_move_names[PAWL_BASELINE_NAMES];
extern const struct pawl_field pawl_move_figures[PAWL_BASELINE_MOVE_FIGURES];
extern const struct pawl_fields pawl_move_step_fields; /* the kind and the figures of a move */
/* For struct pawl_code: `code` of an entry that knows it. */
extern const struct pawl_field pawl_baseline_code_fields[PAWL_BASELINE_CODE];

/* Returns the hardware of results as the baseline names it, or NULL. Older files only have its
   display name. */
const char *pawl_baseline_hardware(const struct pawl_results *results);

void pawl_baseline_entry_init(struct pawl_baseline_entry *entry); /* sets all to unknown */

/* Makes the entry of a timed result. A case without a name uses its shape. Fails with PAWL_BAD_DATA
   without a name or a time, and for bad times. */
pawl_status pawl_baseline_entry_make(const struct pawl_result *result,
                                     const struct pawl_results *results, const char *reason,
                                     struct pawl_bootstrap_plans *plans, struct pawl_arena *arena,
                                     struct pawl_baseline_entry *out, struct pawl_error *err);

/* Copies entries and moves into new arrays with room for `room` more of each. Pointers into the old
   arrays stay valid. */
struct pawl_baseline pawl_baseline_copy(const struct pawl_baseline *from, size_t room,
                                        struct pawl_arena *arena);
/* Puts `fresh` at the index `place`, or appends it at the count, and appends the move. There must
   be room. */
void pawl_baseline_put(struct pawl_baseline *baseline, size_t place,
                       const struct pawl_baseline_entry *fresh, enum pawl_move_kind kind);
