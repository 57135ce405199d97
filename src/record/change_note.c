/* SPDX-License-Identifier: Apache-2.0 */
#include "record/change_note.h"

#include <string.h>

#include "base/clean.h"
#include "base/count.h"
#include "base/text.h"
#include "record/history.h"

static const char *const state_names[PAWL_CHANGE_STATES] = {"new", "acknowledged", "expected",
                                                            "fixed", "wrong"};

const char *pawl_change_state_name(enum pawl_change_state state) { return state_names[state]; }

bool pawl_change_state_parse(const char *name, enum pawl_change_state *out) {
  for (size_t i = 0; i < PAWL_CHANGE_STATES; i++) {
    if (strcmp(state_names[i], name) != 0) continue;
    *out = (enum pawl_change_state)i;
    return true;
  }
  return false;
}

bool pawl_change_state_is_open(enum pawl_change_state state) {
  return state == PAWL_CHANGE_NEW || state == PAWL_CHANGE_ACKNOWLEDGED;
}

/* --- the document --- */

static const char *change_note_state(int number) {
  return pawl_change_state_name((enum pawl_change_state)number);
}

#define ROW(name, rule, member, ...) \
  { name, PAWL_FIELD_##rule, offsetof(struct pawl_change_note, member), __VA_ARGS__ }
static const struct pawl_field note_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, .max = PAWL_HISTORY_SCHEMA},
    ROW("kernel_name", STRING, kernel_name, .required = true),
    ROW("case", STRING, case_name, .required = true),
    ROW("shape", STRING, shape),
    ROW("hardware", STRING, hardware),
    ROW("unit", NAME, unit, .required = true),
    ROW("commit", NAME, commit, .required = true),
    ROW("previous_commit", COMMIT, previous_commit),
    ROW("worse", FLAG, worse),
    ROW("state", CHOICE, state, .required = true, .name_of = change_note_state,
        .names = PAWL_CHANGE_STATES),
    ROW("note", STRING, note),
    ROW("person", STRING, person),
    ROW("time", COUNT, time, .required = true),
};
const struct pawl_fields pawl_change_note_fields =
    PAWL_FIELDS(note_rows, struct pawl_change_note, NULL);

bool pawl_change_note_is(const json_t *document) {
  return json_object_get(document, "state") && !json_object_get(document, "points");
}

/* A key is a commit, or "@" and digits. */
static bool is_key(const char *text) {
  if (*text != '@') return pawl_is_commit_id(text);
  return text[1] && text[1 + strspn(text + 1, "0123456789")] == '\0';
}

pawl_status pawl_change_note_from_json(const json_t *document, const char *name,
                                       struct pawl_arena *arena, struct pawl_change_note *out,
                                       struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
  struct pawl_change_note note;
  pawl_struct_init(&pawl_change_note_fields, &note);
  PAWL_TRY(pawl_json_check_version(document, &path, PAWL_HISTORY_SCHEMA, err));
  PAWL_TRY(pawl_struct_read(&pawl_change_note_fields, document, &path, arena, &note, err));
  if (!is_key(note.commit))
    return pawl_json_path_fail(&path, "commit", PAWL_BAD_DATA, err,
                               "must be " PAWL_COMMIT_ID_WANTED ", or '@' and seconds since 1970");
  if (!note.shape) note.shape = "";
  struct pawl_error why = {0};
  if (pawl_change_note_clean(&note, arena, &why) != PAWL_OK)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: %s", name, why.message);
  *out = note;
  return PAWL_OK;
}

pawl_status pawl_change_note_clean(struct pawl_change_note *note, struct pawl_arena *arena,
                                   struct pawl_error *err) {
  const struct {
    const char **text;
    size_t limit;
    const char *what;
  } texts[] = {{&note->note, PAWL_CHANGE_NOTE_BYTES, "note"},
               {&note->person, PAWL_CHANGE_PERSON_BYTES, "name of the person"}};
  for (size_t i = 0; i < PAWL_COUNT(texts); i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
    if (!*texts[i].text) continue;
    pawl_clean_text(*texts[i].text, false, &cleaned);
    if (cleaned.length > texts[i].limit)
      return pawl_fail(err, PAWL_USAGE, "the %s is longer than %zu bytes; shorten it",
                       texts[i].what, texts[i].limit);
    *texts[i].text = cleaned.length ? pawl_arena_copy(arena, cleaned.data) : NULL;
  }
  return PAWL_OK;
}
