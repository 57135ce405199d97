/* SPDX-License-Identifier: Apache-2.0 */
/* A person's note on a change of a level. It is also a line of the history's export:
 * docs/schema/change-note.schema.json. */
#pragma once

#include "model/fields.h"

enum pawl_change_state {
  PAWL_CHANGE_NEW, /* nobody has looked at it */
  PAWL_CHANGE_ACKNOWLEDGED,
  PAWL_CHANGE_EXPECTED,
  PAWL_CHANGE_FIXED,
  PAWL_CHANGE_WRONG, /* not a change of the code */
  PAWL_CHANGE_STATES
};
#define PAWL_CHANGE_STATE_WORDS "new, acknowledged, expected, fixed or wrong"

const char *pawl_change_state_name(enum pawl_change_state state);
/* Returns false if there is no such state. */
bool pawl_change_state_parse(const char *name, enum pawl_change_state *out);
/* Returns whether a person still has to do something: "new" or "acknowledged". */
bool pawl_change_state_is_open(enum pawl_change_state state);

#define PAWL_CHANGE_NOTE_BYTES 4000  /* the most bytes of a note */
#define PAWL_CHANGE_PERSON_BYTES 200 /* the most bytes of a name */

/* A change is known by its series, its commit and its direction. New points can move it to a
 * neighbouring commit, so the note also keeps the commit before. */
struct pawl_change_note {
  const char *kernel_name, *case_name, *shape, *unit;
  const char *hardware; /* NULL: unknown */
  /* the commit, or "@" and the seconds since 1970 of a change without a commit */
  const char *commit;
  const char *previous_commit; /* NULL: unknown */
  bool worse;
  enum pawl_change_state state;
  const char *note, *person; /* NULL: none */
  long long time;            /* seconds since 1970, UTC; of two notes the newer counts */
};

extern const struct pawl_fields pawl_change_note_fields;

/* Returns whether the line of an export is a note and not a run. */
bool pawl_change_note_is(const json_t *document);
/* Reads a note into the arena. PAWL_BAD_DATA names file and key. */
pawl_status pawl_change_note_from_json(const json_t *document, const char *name,
                                       struct pawl_arena *arena, struct pawl_change_note *out,
                                       struct pawl_error *err);
/* Cleans and checks the texts that a person wrote. Fails with PAWL_USAGE. */
pawl_status pawl_change_note_clean(struct pawl_change_note *note, struct pawl_arena *arena,
                                   struct pawl_error *err);
