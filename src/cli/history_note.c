/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history_note.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "build/git_run.h"
#include "store/change_notes.h"
#include "store/changes.h"

/* The person is that of --by, else the one that git knows, else the name of the account. */
static const char *history_note_person(struct pawl_cli *cli,
                                       const struct pawl_history_noting *noting) {
  if (noting->person) return noting->person;
  const char *known =
      pawl_git_line(noting->folder, GIT_ARGUMENTS("config", "user.name"), &cli->arena);
  return known ? known : getenv("USER");
}

/* Drops the changes of other commits from the list. */
static pawl_status history_note_choose(const struct pawl_history_noting *noting,
                                       struct pawl_arena *arena, struct pawl_listed_change *changes,
                                       size_t *count, struct pawl_error *err) {
  const char *first = NULL;
  bool whole = false; /* a whole name goes before one that goes on */
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    whole |= changes[i].change->commit && !strcmp(changes[i].change->commit, noting->commit);
  for (size_t i = 0; i < *count; i++) {
    const struct pawl_change_note about =
        pawl_store_note_on(changes[i].series, changes[i].change, 0, arena);
    if (!pawl_starts_with(about.commit, noting->commit)) continue;
    if (whole && strcmp(about.commit, noting->commit) != 0) continue;
    if (first && strcmp(first, about.commit) != 0)
      return pawl_fail(err, PAWL_USAGE, "'%s' can be %.12s and %.12s: give more digits",
                       noting->commit, first, about.commit);
    first = about.commit;
    changes[kept++] = changes[i];
  }
  *count = kept;
  if (kept) return PAWL_OK;
  return pawl_fail(
      err, PAWL_NO_INPUT,
      "the history has no change at the commit '%s'%s%s%s; pawl history --changes lists "
      "the changes",
      noting->commit, noting->choice.kernel_name ? " of '" : "",
      noting->choice.kernel_name ? noting->choice.kernel_name : "",
      noting->choice.kernel_name ? "'" : "");
}

pawl_status pawl_history_changes_at(struct pawl_store *store,
                                    const struct pawl_history_noting *noting,
                                    struct pawl_arena *arena, struct pawl_listed_change **out,
                                    size_t *count, struct pawl_error *err) {
  if (strlen(noting->commit) < 4)
    return pawl_fail(err, PAWL_USAGE, "'%s' is too short for a commit: give 4 digits or more",
                     noting->commit);
  PAWL_TRY(pawl_store_changes(store, &noting->choice, noting->branch, arena, out, count, err));
  return history_note_choose(noting, arena, *out, count, err);
}

pawl_status pawl_history_note_changes(struct pawl_store *store,
                                      const struct pawl_listed_change *changes, size_t count,
                                      const struct pawl_change_note *said, struct pawl_arena *arena,
                                      struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  pawl_store_begin(store);
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    struct pawl_change_note note =
        pawl_store_note_on(changes[i].series, changes[i].change, said->time, arena);
    note.state = said->state;
    note.note = said->note;
    note.person = said->person;
    status = pawl_store_note(store, &note, err);
  }
  return pawl_store_end(store, status, err);
}

pawl_status pawl_history_note(struct pawl_cli *cli, struct pawl_store *store,
                              const struct pawl_history_noting *noting, struct pawl_error *err) {
  struct pawl_change_note said = {.note = noting->reason, .time = (long long)pawl_wall_clock()};
  struct pawl_listed_change *changes;
  size_t count;
  if (!pawl_change_state_parse(noting->state, &said.state))
    return pawl_fail(err, PAWL_USAGE,
                     "'%s' is no state of a change; write " PAWL_CHANGE_STATE_WORDS, noting->state);
  said.person = history_note_person(cli, noting);
  PAWL_TRY(pawl_change_note_clean(&said, &cli->arena, err));
  PAWL_TRY(pawl_history_changes_at(store, noting, &cli->arena, &changes, &count, err));
  PAWL_TRY(pawl_history_note_changes(store, changes, count, &said, &cli->arena, err));
  for (size_t i = 0; i < count; i++)
    pawl_log_info(&cli->log, "%s on %s, %.1f %% %s: %s", changes[i].series->kernel_name,
                  changes[i].series->case_name, pawl_change_size(changes[i].change),
                  pawl_change_word(changes[i].series, changes[i].change),
                  pawl_change_state_name(said.state));
  return PAWL_OK;
}
