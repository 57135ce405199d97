/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of people's notes on changes, which test_store.c runs on every back end. */
#pragma once

#include "store/change_notes.h"
#include "store_fixture.h"

static void write_note(struct fixture *f, const struct pawl_change_note *note) {
  pawl_store_begin(f->store);
  must(f, pawl_store_end(f->store, pawl_store_note(f->store, note, &f->err), &f->err));
}

/* The note on the only change of two levels. */
static struct pawl_change_note note_on_the_change(struct fixture *f) {
  const struct pawl_series series = series_of(f, "scale");
  const struct pawl_series_summary summary = summary_of(f, NULL);
  assert_int_equal(summary.change_count, 1);
  struct pawl_change_note note = pawl_store_note_on(&series, &summary.changes[0], 2000, &f->arena);
  note.state = PAWL_CHANGE_EXPECTED;
  note.note = "größer";
  note.person = "Ada";
  return note;
}

static void test_a_note_is_on_its_change(void **state) {
  struct fixture *f = *state;
  add_two_levels(f);
  struct pawl_series series = series_of(f, "scale");
  struct pawl_series_summary summary = summary_of(f, NULL);
  assert_int_equal(summary.changes[0].state, PAWL_CHANGE_NEW);
  assert_string_equal(pawl_series_attention(&series, &summary), "slower");
  struct pawl_change_note note = note_on_the_change(f);
  write_note(f, &note);
  summary = summary_of(f, NULL);
  assert_int_equal(summary.changes[0].state, PAWL_CHANGE_EXPECTED);
  assert_string_equal(summary.changes[0].note, "größer");
  assert_string_equal(summary.changes[0].person, "Ada");
  assert_int_equal(summary.changes[0].noted, 2000);
  assert_null(pawl_series_attention(&series, &summary));
  note.state = PAWL_CHANGE_FIXED;
  note.time = 1999; /* an import brings an older note */
  write_note(f, &note);
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_EXPECTED);
  note.time = 2001;
  write_note(f, &note);
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_FIXED);
  assert_int_equal(note_on_the_change(f).time, 2001); /* it replaces that of a clock ahead */
  const struct pawl_history_run more = make_run(f, 100, 3000, 1.501);
  add(f, &more);
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_FIXED);
}

static void test_a_note_follows_its_change_by_one_commit(void **state) {
  struct fixture *f = *state;
  add_two_levels(f);
  const struct pawl_change_note found = note_on_the_change(f);
  struct pawl_change_note before = found, after = found, faster = found, far = found;
  faster.worse = false;
  far.commit = COMMIT_HEAD "00000001";
  far.previous_commit = NULL;
  write_note(f, &faster);
  write_note(f, &far);
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_NEW);
  before.commit = found.previous_commit; /* the note is from before the change moved on */
  before.previous_commit = COMMIT_HEAD "00000013";
  write_note(f, &before);
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_EXPECTED);
  after.commit = COMMIT_HEAD "00000016"; /* from before the change moved back; this note is newer */
  after.previous_commit = found.commit;
  after.state = PAWL_CHANGE_WRONG;
  after.time++;
  write_note(f, &after);
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_WRONG);
  write_note(f, &found); /* the exact commit goes first */
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_EXPECTED);
}

/* A series that is removed and comes again has its notes, and the export has each note once. */
static void test_notes_outlive_their_series(void **state) {
  struct fixture *f = *state;
  struct pawl_change_note *notes;
  struct pawl_pruned pruned;
  size_t count;
  add_two_levels(f);
  const struct pawl_change_note note = note_on_the_change(f);
  write_note(f, &note);
  const struct pawl_prune all = {.before = 100000};
  must(f, pawl_store_prune(f->store, &all, &pruned, &f->err));
  must(f, pawl_store_notes(f->store, &f->arena, &notes, &count, &f->err));
  assert_int_equal(count, 0);
  add_two_levels(f);
  must(f, pawl_store_notes(f->store, &f->arena, &notes, &count, &f->err));
  assert_int_equal(count, 1);
  json_t *written = pawl_struct_write(&pawl_change_note_fields, &notes[0]),
         *given = pawl_struct_write(&pawl_change_note_fields, &note);
  json_array_append_new(f->owner, written);
  json_array_append_new(f->owner, given);
  assert_true(json_equal(written, given));
  struct pawl_change_note back;
  must(f, pawl_change_note_from_json(written, "line", &f->arena, &back, &f->err));
  assert_int_equal(back.state, PAWL_CHANGE_EXPECTED);
  assert_true(pawl_change_note_is(written));
  assert_int_equal(summary_of(f, NULL).changes[0].state, PAWL_CHANGE_EXPECTED);
}
