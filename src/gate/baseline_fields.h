/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the baseline share: the tables of its keys, and how a result becomes an entry.
 */
#ifndef PAWL_GATE_BASELINE_FIELDS_H
#define PAWL_GATE_BASELINE_FIELDS_H

#include "gate/baseline.h"
#include "model/fields.h"
#include "stats/bootstrap.h"

#define PAWL_BASELINE_NAMES 3
#define PAWL_BASELINE_FIGURES 14
#define PAWL_BASELINE_MOVE_FIGURES 5
#define PAWL_BASELINE_CODE 7
/* Of struct pawl_baseline_entry: the config stands between names and figures. */
extern const struct pawl_field pawl_baseline_names[PAWL_BASELINE_NAMES];
extern const struct pawl_field pawl_baseline_figures[PAWL_BASELINE_FIGURES];
/* Of struct pawl_baseline_move: its kind stands between names and figures. */
extern const struct pawl_field pawl_move_names[PAWL_BASELINE_NAMES];
extern const struct pawl_field pawl_move_figures[PAWL_BASELINE_MOVE_FIGURES];
extern const struct pawl_fields pawl_move_step_fields; /* the kind and the figures of a move */
/* Of struct pawl_code: `code` of an entry, where it is known. */
extern const struct pawl_field pawl_baseline_code_fields[PAWL_BASELINE_CODE];

/* The hardware that results name for their baseline: older files only have its name for people.
 * NULL: unknown. */
const char *pawl_baseline_hardware(const struct pawl_results *results);

void pawl_baseline_entry_init(struct pawl_baseline_entry *entry); /* everything unknown */

/* The entry of a timed result. A case without a name goes by its shape. PAWL_BAD_DATA: no time, no
 * name, bad times. */
pawl_status pawl_baseline_entry_make(const struct pawl_result *result,
                                     const struct pawl_results *results, const char *reason,
                                     struct pawl_bootstrap_plans *plans, struct pawl_arena *arena,
                                     struct pawl_baseline_entry *out, struct pawl_error *err);

/* The same entries and moves in new arrays with room for `room` more of each: what points at the
 * old ones still does.
 */
struct pawl_baseline pawl_baseline_copy(const struct pawl_baseline *from, size_t room,
                                        struct pawl_arena *arena);
/* Puts `fresh` at `place` (the number of an entry; the count: adds one) and appends the move. There
 * must be room. */
void pawl_baseline_put(struct pawl_baseline *baseline, size_t place,
                       const struct pawl_baseline_entry *fresh, enum pawl_move_kind kind);

#endif
