/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a person's note on a change, and says where commits have their pages. */
#include <string.h>

#include "base/clock.h"
#include "serve/dashboard_api.h"
#include "store/change_notes.h"
#include "store/series_summary.h"

json_t *pawl_dashboard_site(const struct pawl_remote_links *links, bool may_note) {
  json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_string(document, "commit_page", links->commit);
  pawl_json_set_string(document, "pull_page", links->pull);
  pawl_json_set_bool(document, "may_note", may_note);
  return document;
}

static pawl_status find_change(struct pawl_store *store, const struct pawl_dashboard_note *said,
                               struct pawl_arena *arena, struct pawl_change_note *out,
                               struct pawl_error *err) {
  struct pawl_series *series;
  struct pawl_series_summary summary;
  PAWL_TRY(pawl_dashboard_find_series(store, said->series, arena, &series, err));
  PAWL_TRY(pawl_series_summary_read(store, series, said->branch, arena, &summary, err));
  for (size_t i = 0; i < summary.change_count; i++) {
    if (summary.changes[i].point != said->point) continue;
    *out = pawl_store_note_on(series, &summary.changes[i], (long long)pawl_wall_clock(), arena);
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_NO_INPUT, "the series has no such change; load the page again");
}

pawl_status pawl_dashboard_note(struct pawl_store *store, const struct pawl_dashboard_note *said,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_change_note note;
  PAWL_TRY(find_change(store, said, &arena, &note, err));
  if (!said->state || !pawl_change_state_parse(said->state, &note.state))
    return pawl_fail(err, PAWL_USAGE, "a change is " PAWL_CHANGE_STATE_WORDS);
  note.note = said->note;
  note.person = said->person;
  PAWL_TRY(pawl_change_note_clean(&note, &arena, err));
  pawl_store_begin(store);
  return pawl_store_end(store, pawl_store_note(store, &note, err), err);
}
