/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "build/code_diff.h"

#define LINE_PHRASES 3
#define MOST_PHRASES 12
#define MOST_FUNCTIONS 8
#define MOST_SOURCE_LINES 3
#define MOST_LINES 60 /* the edits of one function */

static int delta_of(const struct pawl_code_count *count) { return count->candidate - count->base; }

/* Returns whether both are one operation with other sizes or modifiers: LDS.128 and LDS. */
static bool same_operation(const char *a, const char *b) {
  const size_t length = strcspn(a, ". ");
  return length == strcspn(b, ". ") && !strncmp(a, b, length);
}

/* Returns the largest opposite change of the same operation and place, or NULL. */
static const struct pawl_code_count *find_opposite(const struct pawl_function_change *change,
                                                   const struct pawl_code_count *count,
                                                   const bool *said) {
  for (size_t i = 0; i < change->count_count; i++) {
    const struct pawl_code_count *other = &change->counts[i];
    if (!said[i] && other->in_loop == count->in_loop && same_operation(other->name, count->name) &&
        (delta_of(other) < 0) != (delta_of(count) < 0))
      return other;
  }
  return NULL;
}

/* "8 LDS.128 became 32 LDS", "16 FFMA came" */
static void say_count(const struct pawl_code_count *count, const struct pawl_code_count *opposite,
                      struct pawl_text *out) {
  const struct pawl_code_count *went = delta_of(count) < 0 ? count : opposite,
                               *came = delta_of(count) < 0 ? opposite : count;
  if (went && came)
    pawl_text_printf(out, "%d %s became %d %s", -delta_of(went), went->name, delta_of(came),
                     came->name);
  else
    pawl_text_printf(out, "%d %s %s", abs(delta_of(count)), count->name, went ? "went" : "came");
}

/* Appends the changes in loops or elsewhere, the largest first. Returns their number. */
static int say_counts(const struct pawl_function_change *change, bool in_loop, int most,
                      struct pawl_text *out) {
  PAWL_CLEANUP(pawl_free_pointer) bool *said = pawl_alloc(change->count_count + 1, sizeof *said);
  int phrases = 0, left = 0;
  for (size_t i = 0; i < change->count_count; i++) {
    const struct pawl_code_count *count = &change->counts[i];
    if (said[i] || count->in_loop != in_loop) continue;
    const struct pawl_code_count *opposite = find_opposite(change, count, said);
    said[i] = true;
    if (opposite) said[opposite - change->counts] = true;
    if (phrases < most) {
      if (phrases++) pawl_text_add(out, ", ");
      say_count(count, opposite, out);
    } else {
      left++;
    }
  }
  if (left) pawl_text_printf(out, " and %d more", left);
  return phrases;
}

const char *pawl_code_diff_line(const struct pawl_code_diff *diff, struct pawl_arena *arena) {
  for (size_t i = 0; i < diff->count; i++) {
    const struct pawl_function_change *change = &diff->items[i];
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    if (!change->base || !change->candidate)
      return pawl_arena_printf(arena, "%s is %s", change->name, change->base ? "gone" : "new");
    pawl_text_printf(&text, "in loops of %s: ", change->name);
    if (say_counts(change, true, LINE_PHRASES, &text))
      return pawl_arena_copy(arena, pawl_text_string(&text));
    pawl_text_clear(&text);
    pawl_text_printf(&text, "in %s, outside of loops: ", change->name);
    if (say_counts(change, false, LINE_PHRASES, &text))
      return pawl_arena_copy(arena, pawl_text_string(&text));
  }
  return diff->count ? "the same instructions in another order" : NULL;
}

static void say_mix(const struct pawl_function_change *change, struct pawl_text *out) {
  pawl_text_add(out, "  instructions              all             in loops\n");
  for (int kind = 0; kind < PAWL_CLASSES; kind++) {
    const int *all = change->mix[kind], *in_loops = change->mix_in_loops[kind];
    if (!all[0] && !all[1]) continue;
    pawl_text_printf(out, "  %-20s %6d -> %-6d %6d -> %d%s\n", pawl_class_names[kind], all[0],
                     all[1], in_loops[0], in_loops[1],
                     all[0] != all[1] || in_loops[0] != in_loops[1] ? " *" : "");
  }
}

static bool same_edit(const struct pawl_code_edit *a, const struct pawl_code_edit *b) {
  return a->came == b->came && a->item->loops == b->item->loops &&
         !strcmp(a->item->name, b->item->name);
}

/* Appends the edits of code that `loops` loops surround. Equal neighbours are one line. */
static void say_edits_at(const struct pawl_function_change *change, int loops, int *lines,
                         struct pawl_text *out) {
  bool titled = false;
  for (size_t i = 0, next; i < change->edit_count; i = next) {
    const struct pawl_code_edit *edit = &change->edits[i];
    next = i + 1;
    if (edit->item->loops != loops) continue;
    while (next < change->edit_count && same_edit(edit, &change->edits[next])) next++;
    if ((*lines)++ >= MOST_LINES) continue;
    if (!titled && loops) pawl_text_printf(out, "  in %d loop%s:\n", loops, loops == 1 ? "" : "s");
    if (!titled && !loops) pawl_text_add(out, "  outside of loops:\n");
    titled = true;
    pawl_text_printf(out, "  %c %04llx %s", edit->came ? '+' : '-',
                     (unsigned long long)edit->item->address, edit->item->name);
    if (next - i > 1) pawl_text_printf(out, " x %zu", next - i);
    pawl_text_add(out, "\n");
  }
}

static void say_edits(const struct pawl_function_change *change, struct pawl_text *out) {
  int deepest = 0, lines = 0;
  for (size_t i = 0; i < change->edit_count; i++)
    if (change->edits[i].item->loops > deepest) deepest = change->edits[i].item->loops;
  for (int loops = deepest; loops >= 0; loops--) say_edits_at(change, loops, &lines, out);
  if (lines > MOST_LINES) pawl_text_printf(out, "  and %d more lines\n", lines - MOST_LINES);
  if (change->too_different)
    pawl_text_add(out, "  the order differs too much to list what came and went\n");
}

static void say_function(const struct pawl_function_change *change, struct pawl_text *out) {
  const struct pawl_function_code *base = change->base, *candidate = change->candidate;
  pawl_text_printf(out, "%s%s", out->length && !pawl_ends_with(out->data, "\n\n") ? "\n" : "",
                   change->name);
  if (change->arch) pawl_text_printf(out, ", %s", change->arch);
  if (!base || !candidate) {
    pawl_text_printf(out, ": %s, %zu instructions\n", base ? "gone" : "new",
                     base ? base->count : candidate->count);
    return;
  }
  pawl_text_printf(out, ": %zu -> %zu instructions\n", base->count, candidate->count);
  for (int in_loop = 1; in_loop >= 0; in_loop--) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text counts = {0};
    if (say_counts(change, in_loop, MOST_PHRASES, &counts))
      pawl_text_printf(out, "  %s: %s\n", in_loop ? "in loops" : "outside of loops",
                       pawl_text_string(&counts));
  }
  if (!change->count_count) pawl_text_add(out, "  the same instructions in another order\n");
  say_mix(change, out);
  say_edits(change, out);
}

/* "kernels/scale.c:12 `y[i] = 2 * x[i];`" */
static void say_line(const struct pawl_line_change *line, struct pawl_text *out) {
  pawl_clean_text(line->file, false, out);
  pawl_text_printf(out, ":%d", line->line);
  if (!line->text || !*line->text) return;
  pawl_text_add(out, " `");
  pawl_clean_text(line->text, false, out);
  pawl_text_add(out, "`");
}

const char *pawl_code_diff_place(const struct pawl_code_diff *diff, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!diff->lines.count) return NULL;
  say_line(&diff->lines.items[0], &text);
  return pawl_arena_copy(arena, pawl_text_string(&text));
}

const char *pawl_code_line_counts(const struct pawl_line_change *line, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (int in_loop = 1; in_loop >= 0; in_loop--)
    if (say_counts(&line->counts, in_loop, LINE_PHRASES, &text))
      return pawl_arena_copy(arena, pawl_text_string(&text));
  return NULL;
}

static void say_lines(const struct pawl_line_changes *lines, struct pawl_text *out) {
  if (lines->count) pawl_text_add(out, "lines whose instructions changed most:\n");
  for (size_t i = 0; i < lines->count && i < MOST_SOURCE_LINES; i++) {
    pawl_text_add(out, "  ");
    say_line(&lines->items[i], out);
    for (int in_loop = 1; in_loop >= 0; in_loop--) {
      PAWL_CLEANUP(pawl_text_clear) struct pawl_text counts = {0};
      if (say_counts(&lines->items[i].counts, in_loop, LINE_PHRASES, &counts))
        pawl_text_printf(out, "\n    %s: %s", in_loop ? "in loops" : "outside of loops",
                         pawl_text_string(&counts));
    }
    pawl_text_add(out, "\n");
  }
  if (lines->count > MOST_SOURCE_LINES)
    pawl_text_printf(out, "  and %zu more lines\n", lines->count - MOST_SOURCE_LINES);
  if (lines->count) pawl_text_add(out, "\n");
}

void pawl_code_diff_text(const struct pawl_code_diff *diff, struct pawl_text *out) {
  say_lines(&diff->lines, out);
  for (size_t i = 0; i < diff->count && i < MOST_FUNCTIONS; i++) say_function(&diff->items[i], out);
  if (diff->count > MOST_FUNCTIONS)
    pawl_text_printf(out, "\n%zu more functions differ\n", diff->count - MOST_FUNCTIONS);
}

static json_t *pair_of(long long base, long long candidate) {
  return json_pack("[I, I]", (json_int_t)base, (json_int_t)candidate);
}

static json_t *counts_to_json(const struct pawl_function_change *change) {
  json_t *counts = json_array();
  for (size_t i = 0; i < change->count_count; i++) {
    const struct pawl_code_count *count = &change->counts[i];
    json_t *entry = json_object();
    pawl_json_set_string(entry, "instruction", count->name);
    pawl_json_set_bool(entry, "in_loop", count->in_loop);
    pawl_json_set_int(entry, "base", count->base);
    pawl_json_set_int(entry, "candidate", count->candidate);
    json_array_append_new(counts, entry);
  }
  return counts;
}

json_t *pawl_code_lines_to_json(const struct pawl_code_diff *diff) {
  json_t *lines = json_array();
  for (size_t i = 0; i < diff->lines.count; i++) {
    const struct pawl_line_change *line = &diff->lines.items[i];
    json_t *entry = json_object();
    pawl_json_set_string(entry, "file", line->file);
    pawl_json_set_int(entry, "line", line->line);
    pawl_json_set_string(entry, "text", line->text);
    pawl_json_set(entry, "counts", counts_to_json(&line->counts));
    json_array_append_new(lines, entry);
  }
  return lines;
}

static json_t *function_to_json(const struct pawl_function_change *change) {
  json_t *row = json_object(), *mix = json_object(), *edits = json_array();
  pawl_json_set_string(row, "name", change->name);
  pawl_json_set_string(row, "arch", change->arch);
  pawl_json_set(row, "instructions",
                pair_of(change->base ? (long long)change->base->count : 0,
                        change->candidate ? (long long)change->candidate->count : 0));
  for (int kind = 0; kind < PAWL_CLASSES; kind++) {
    const int *all = change->mix[kind], *in_loops = change->mix_in_loops[kind];
    if (!all[0] && !all[1]) continue;
    json_t *entry = json_object();
    pawl_json_set(entry, "all", pair_of(all[0], all[1]));
    pawl_json_set(entry, "in_loops", pair_of(in_loops[0], in_loops[1]));
    pawl_json_set(mix, pawl_class_names[kind], entry);
  }
  pawl_json_set(row, "mix", mix);
  pawl_json_set(row, "counts", counts_to_json(change));
  for (size_t i = 0; i < change->edit_count; i++) {
    const struct pawl_code_edit *edit = &change->edits[i];
    json_t *entry = json_object();
    pawl_json_set_string(entry, "edit", edit->came ? "came" : "went");
    pawl_json_set_string(entry, "instruction", edit->item->name);
    pawl_json_set_int(entry, "address", (long long)edit->item->address);
    pawl_json_set_int(entry, "loops", edit->item->loops);
    json_array_append_new(edits, entry);
  }
  pawl_json_set(row, "edits", edits);
  pawl_json_set_bool(row, "too_different", change->too_different);
  return row;
}

json_t *pawl_code_diff_to_json(const struct pawl_code_diff *diff) {
  json_t *functions = json_array();
  for (size_t i = 0; i < diff->count; i++)
    json_array_append_new(functions, function_to_json(&diff->items[i]));
  return functions;
}
