/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/line_times.h"

#include <math.h>
#include <string.h>

#include "profile/quantity.h"

#define MOST_LINES 20
#define RUNS "runs" /* the one reason of a CPU's samples */

/* Returns what a warp waits for, in the words of the stalls. An older CUPTI has other words. */
static const char *wait_words(const char *reason) {
  for (int i = 0; i < PAWL_STALLS; i++) {
    const char *word = pawl_stall_infos[i].word;
    if (!strncmp(reason, word, strlen(word))) return pawl_stall_infos[i].wait_for;
  }
  return reason;
}

/* "8 LDS.128 became 32 LDS; warps wait 1.2 us -> 4.3 us for shared memory" */
static const char *line_times_describe(const struct pawl_line_change *line,
                                       struct pawl_arena *arena) {
  const char *counts = pawl_code_line_counts(line, arena);
  const struct pawl_line_wait *wait = pawl_line_change_wait(line);
  char before[PAWL_QUANTITY], after[PAWL_QUANTITY];
  if (!wait || !strcmp(wait->reason, RUNS)) return counts;
  pawl_quantity_text(wait->seconds[0], PAWL_UNIT_SECONDS, before);
  pawl_quantity_text(wait->seconds[1], PAWL_UNIT_SECONDS, after);
  return pawl_arena_printf(arena, "%s%swarps wait %s -> %s for %s", counts ? counts : "",
                           counts ? "; " : "", before, after, wait_words(wait->reason));
}

/* Returns why no line has a time, or NULL. */
static const char *reason_of_none(const struct pawl_build_diff *diff,
                                  const struct pawl_explanation *explanation) {
  const struct pawl_profile *arms[] = {&explanation->base, &explanation->profile};
  for (int i = 0; i < 2; i++)
    if (!arms[i]->samples.count)
      return arms[i]->no_samples ? arms[i]->no_samples : "nothing sampled the program counter";
  if (!diff) return "the machine code is the same";
  if (!diff->has_sources)
    return diff->no_lines ? diff->no_lines : diff->missing ? diff->missing : "no line table";
  return NULL;
}

/* If the GPU's machine code is the same, all of the change comes from the host's: another launch,
   other arguments or memory. Without line tables of the host, the line is the one place where the
   files of the GPU's code differ. Returns whether a line of it is known. */
static bool add_launch(const struct pawl_build_diff *diff, const struct pawl_report_profile *row,
                       struct pawl_arena *arena, struct pawl_report_line *out) {
  const struct pawl_line_changes *lines = &diff->code.lines;
  const struct pawl_code_source *sources = diff->sources;
  struct pawl_line_change edit;
  if (!pawl_hash_equal(sources[0].table.code, sources[1].table.code)) return false;
  if (lines->count)
    edit = lines->items[0];
  else if (!pawl_code_lines_edit(&sources[0], &sources[1], arena, &edit))
    return false;
  *out = (struct pawl_report_line){
      .file = edit.file,
      .line = edit.line,
      .source = edit.text,
      .base_s = row->base_s,
      .candidate_s = row->candidate_s,
      .what = lines->count ? "the host's code changed, and the GPU's machine code is the same"
                           : "of the files of the GPU's code only this place differs, and their "
                             "machine code is the same"};
  return true;
}

void pawl_line_times(const struct pawl_build_diff *diff, const struct pawl_explanation *explanation,
                     double base_s, double candidate_s, struct pawl_arena *arena,
                     struct pawl_report_profile *row) {
  row->no_lines = reason_of_none(diff, explanation);
  if (!row->no_lines && !(fabs(candidate_s - base_s) > 0))
    row->no_lines = "the times of a call are unknown or equal";
  if (row->no_lines) return;
  struct pawl_code_source base = diff->sources[0], candidate = diff->sources[1];
  struct pawl_line_changes changes;
  base.samples = &explanation->base.samples;
  candidate.samples = &explanation->profile.samples;
  row->base_s = base.seconds = base_s;
  row->candidate_s = candidate.seconds = candidate_s;
  const bool other_code = diff->is_host && explanation->profile.gpu; /* the list is the host's */
  pawl_code_lines(diff->code.items, other_code ? 0 : diff->code.count, &base, &candidate, arena,
                  &changes);
  struct pawl_report_line *lines = pawl_arena_alloc(arena, changes.count + 2, sizeof *lines);
  row->line_count = other_code && add_launch(diff, row, arena, lines);
  for (size_t i = 0; i < changes.count && row->line_count < MOST_LINES; i++) {
    const struct pawl_line_change *line = &changes.items[i];
    lines[row->line_count++] = (struct pawl_report_line){.file = line->file,
                                                         .line = line->line,
                                                         .source = line->text,
                                                         .base_s = line->seconds[0],
                                                         .candidate_s = line->seconds[1],
                                                         .what = line_times_describe(line, arena)};
  }
  row->lines = lines;
}

json_t *pawl_line_times_to_json(const struct pawl_report_profile *row) {
  json_t *list = json_array();
  for (size_t i = 0; i < row->line_count; i++) {
    const struct pawl_report_line *line = &row->lines[i];
    json_t *item = json_object();
    pawl_json_set_string(item, "file", line->file);
    pawl_json_set_int(item, "line", line->line);
    pawl_json_set_string(item, "source", line->source);
    pawl_json_set_number(item, "base_s", line->base_s);
    pawl_json_set_number(item, "candidate_s", line->candidate_s);
    pawl_json_set_string(item, "what", line->what);
    json_array_append_new(list, item);
  }
  return list;
}
