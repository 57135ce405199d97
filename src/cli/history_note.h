/* SPDX-License-Identifier: Apache-2.0 */
/* Notes what a person says about a change, for `pawl history note`, and what a search found. */
#pragma once

#include "cli/command.h"
#include "store/changes.h"

struct pawl_history_noting {
  const char *commit, *state;  /* as the person gives them */
  const char *reason, *person; /* NULL: not given */
  const char *branch, *folder; /* folder: the suite's, whose git names the person */
  struct pawl_series_choice choice;
};

/* Notes the state on every change at the commit, and prints each. Fails with PAWL_USAGE if the
 * state is none or several commits begin so, and with PAWL_NO_INPUT without such a change. */
pawl_status pawl_history_note(struct pawl_cli *cli, struct pawl_store *store,
                              const struct pawl_history_noting *noting, struct pawl_error *err);

/* Lists the changes at the commit of `noting`, with its choice and branch. Fails like
 * pawl_history_note. */
pawl_status pawl_history_changes_at(struct pawl_store *store,
                                    const struct pawl_history_noting *noting,
                                    struct pawl_arena *arena, struct pawl_listed_change **out,
                                    size_t *count, struct pawl_error *err);
/* Writes the state, the text and the person of `said` on each of the changes. */
pawl_status pawl_history_note_changes(struct pawl_store *store,
                                      const struct pawl_listed_change *changes, size_t count,
                                      const struct pawl_change_note *said, struct pawl_arena *arena,
                                      struct pawl_error *err);
