/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bisect_change.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/history_note.h"
#include "cli/history_open.h"
#include "project/devices.h"
#include "report/row_change.h"

#define ANSWER_BYTES 1000 /* the most of an answer in a note */

/* --- the change --- */

/* Adds the identities of the devices of this machine. */
static void bisect_change_add_hardware(struct pawl_cli *cli, struct pawl_strings *out) {
  static const int32_t kinds[] = {PAWL_CPU, PAWL_CUDA};
  struct pawl_devices devices = {.arena = &cli->arena, .wanted = cli->device};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct pawl_device *device = pawl_devices_find(&devices, kinds[i], NULL);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
    if (!device) continue;
    pawl_device_identity(device, &identity);
    pawl_strings_add(out, &cli->arena, pawl_arena_copy(&cli->arena, pawl_text_string(&identity)));
  }
  pawl_devices_release(&devices);
}

static bool has_ends(const struct pawl_series_change *change) {
  return change->commit && change->previous_commit && !change->dirty;
}

static bool is_here(const struct pawl_listed_change *listed, const struct pawl_strings *hardware) {
  for (size_t i = 0; i < hardware->count; i++)
    if (pawl_text_equal(listed->series->hardware, hardware->items[i])) return true;
  return false;
}

/* Moves the changes of this machine to the front, and returns their number. */
static size_t change_keep_here(struct pawl_cli *cli, struct pawl_listed_change *changes,
                               size_t count) {
  struct pawl_strings hardware = {0};
  size_t kept = 0;
  bisect_change_add_hardware(cli, &hardware);
  for (size_t i = 0; i < count; i++)
    if (is_here(&changes[i], &hardware)) changes[kept++] = changes[i];
  return kept;
}

/* Chooses the only change, or the only one of this machine, which is the one that can measure it
   again. */
static pawl_status change_only(struct pawl_cli *cli, struct pawl_listed_change *changes,
                               size_t count, struct pawl_error *err) {
  if (count > 1 && change_keep_here(cli, changes, count) == 1) count = 1;
  if (count > 1)
    return pawl_fail(err, PAWL_USAGE,
                     "%zu series change at %.12s, such as '%s' on '%s': name the kernel, and the "
                     "case with --case",
                     count, changes->change->commit, changes->series->kernel_name,
                     changes->series->case_name);
  if (has_ends(changes->change)) return PAWL_OK;
  return pawl_fail(err, PAWL_NO_INPUT,
                   "the history does not know both commits of this change; give --good and --bad");
}

pawl_status pawl_bisect_change_read(struct pawl_cli *cli, const char *commit,
                                    struct pawl_bisect_options *search,
                                    struct pawl_listed_change *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  struct pawl_suite suite;
  struct pawl_listed_change *changes;
  size_t count;
  const struct pawl_history_noting wanted = {
      .commit = commit, .choice = {.kernel_name = search->kernel, .case_name = search->case_name}};
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  PAWL_TRY(pawl_history_changes_at(store, &wanted, &cli->arena, &changes, &count, err));
  PAWL_TRY(change_only(cli, changes, count, err));
  *out = changes[0];
  search->kernel = out->series->kernel_name;
  search->case_name = out->series->case_name;
  search->good = out->change->previous_commit;
  search->bad = out->change->commit;
  return PAWL_OK;
}

static bool change_waits(const struct pawl_listed_change *listed,
                         const struct pawl_strings *hardware) {
  const struct pawl_series_change *change = listed->change;
  return change->loss_pct > 0 && change->noted < 0 && has_ends(change) && is_here(listed, hardware);
}

pawl_status pawl_bisect_change_next(struct pawl_cli *cli, struct pawl_listed_change *out,
                                    bool *found, struct pawl_error *err) {
  struct pawl_strings hardware = {0};
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  const struct pawl_series_choice any = {0};
  struct pawl_suite suite;
  struct pawl_listed_change *changes;
  size_t count;
  *found = false;
  bisect_change_add_hardware(cli, &hardware);
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  PAWL_TRY(pawl_store_changes(store, &any, NULL, &cli->arena, &changes, &count, err));
  for (size_t i = 0; i < count && !*found; i++) {
    *found = change_waits(&changes[i], &hardware);
    if (*found) *out = changes[i];
  }
  return PAWL_OK;
}

/* --- the answer --- */

void pawl_bisect_find_words(const struct pawl_bisect_report *report,
                            const struct pawl_bisect_find *find, struct pawl_text *out) {
  if (find->commits > 1)
    pawl_text_printf(out, "one of the %zu commits after %.12s up to %.12s", find->commits,
                     find->after, find->commit);
  else
    pawl_text_printf(out, "%.12s", find->commit);
  if (report->kind == PAWL_BISECT_WRONG)
    pawl_text_add(out, " is the first that fails the check");
  else if (report->kind == PAWL_BISECT_REGISTERS)
    pawl_text_printf(out, " changes the registers from %lld to %lld", find->registers_before,
                     find->registers_after);
  else if (isfinite(find->change)) {
    const struct pawl_slowdown slowdown = {find->change, find->change_low, find->change_high};
    char words[PAWL_ROW_CHANGE];
    pawl_text_printf(out, ": %s, %.4g ms -> %.4g ms", pawl_slowdown_words(&slowdown, words),
                     find->before_ms, find->after_ms);
  }
}

static void change_add_answer(const struct pawl_bisect_report *report, struct pawl_text *out) {
  pawl_text_add(out, PAWL_BISECT_PERSON ": ");
  if (report->undecided) pawl_text_printf(out, "undecided: %s", report->undecided);
  for (size_t i = 0; i < report->find_count; i++) {
    const struct pawl_bisect_find *find = &report->finds[i];
    if (i) pawl_text_add(out, "; ");
    pawl_bisect_find_words(report, find, out);
    if (find->subject)
      pawl_text_printf(out, " (%s: %.120s)", find->author ? find->author : "no author",
                       find->subject);
    if (find->merge)
      pawl_text_printf(out, ", merged by %.12s from its parent %zu", find->merge,
                       find->merge_parent);
    pawl_text_printf(out, ", %s", find->proven ? "proven" : "not proven");
  }
}

/* Keeps the words of a person before the answer, and drops an earlier answer. */
static const char *change_text(const struct pawl_series_change *change, const char *answer,
                               struct pawl_arena *arena) {
  const char *note = change->note ? change->note : "";
  const char *earlier = strstr(note, PAWL_BISECT_PERSON ": ");
  size_t kept = earlier ? (size_t)(earlier - note) : strlen(note);
  while (kept && strchr("; ", note[kept - 1])) kept--;
  return pawl_arena_printf(arena, "%.*s%s%.*s", (int)kept, note, kept ? "; " : "", ANSWER_BYTES,
                           answer);
}

pawl_status pawl_bisect_change_note(struct pawl_cli *cli, const struct pawl_listed_change *change,
                                    const struct pawl_bisect_report *report,
                                    struct pawl_error *err) {
  if (report->stopped) return PAWL_OK;
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text answer = {0};
  struct pawl_suite suite;
  const char *person = change->change->person;
  change_add_answer(report, &answer);
  struct pawl_change_note said = {
      .state = change->change->state,
      .note = change_text(change->change, pawl_text_string(&answer), &cli->arena),
      .person = person && *person ? person : PAWL_BISECT_PERSON,
      .time = (long long)pawl_wall_clock()};
  PAWL_TRY(pawl_change_note_clean(&said, &cli->arena, err));
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  PAWL_TRY(pawl_history_note_changes(store, change, 1, &said, &cli->arena, err));
  pawl_log_info(&cli->log, "noted the answer on the change of %.12s", change->change->commit);
  return PAWL_OK;
}
