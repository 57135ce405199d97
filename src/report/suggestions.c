/* SPDX-License-Identifier: Apache-2.0 */
#include "report/suggestions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build/words.h"
#include "report/escape.h"
#include "report/suggestions_cases.h"
#include "report/suggestions_failures.h"
#include "suite/edit_params.h"

#define MOST_ROWS 10u

static void code(struct pawl_text *out, const char *text) {
  pawl_markdown_code(text ? text : "unknown", out);
}

static void suggestions_write_limits(struct pawl_text *out, double low, double high) {
  if (isfinite(low) && isfinite(high)) pawl_text_printf(out, ", 95 %% CI [%.2f, %.2f]", low, high);
}

/* Writes an argument of CMake. It needs quotes if it contains characters with a meaning:
   cmake-language(7), "Quoted Argument". */
static void add_cmake(const char *argument, struct pawl_text *out) {
  const bool quoted = strpbrk(argument, " \t()#\"\\$;'`") != NULL;
  if (quoted) pawl_text_add(out, "\"");
  for (const char *p = argument; *p; p++) {
    if (quoted && strchr("\"\\$;", *p)) pawl_text_add(out, "\\");
    pawl_text_add_bytes(out, p, 1);
  }
  if (quoted) pawl_text_add(out, "\"");
}

static void write_how_to_apply(const struct pawl_tune *tune, const char *suite, const char *folder,
                               struct pawl_text *out) {
  const size_t winner = pawl_tune_plainest(tune, tune->finalists[tune->winner].candidate);
  const size_t index = tune->candidates[winner].index;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text command = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text yaml = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cmake = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text flags = {0};
  pawl_text_printf(&yaml, "kernels:\n  %s:\n    params: {", tune->kernel_name);
  pawl_text_add(&cmake, "target_compile_definitions(YOUR_TARGET PRIVATE");
  for (size_t i = 0; i < tune->space->axis_count; i++) {
    const char *name = tune->space->axes[i].name, *value = pawl_space_value(tune->space, index, i);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text word = {0};
    pawl_text_printf(&word, "%s=%s", name, value);
    pawl_text_printf(&yaml, "%s%s: ", i ? ", " : "", name);
    pawl_suite_add_value(value, &yaml);
    pawl_text_add(&cmake, " ");
    add_cmake(word.data, &cmake);
    pawl_text_add(&flags, i ? " -D" : "-D");
    pawl_shell_quote(word.data, &flags);
  }
  pawl_text_add(&yaml, "}\n");
  pawl_text_add(&cmake, ")\n");
  pawl_text_add(&flags, "\n");
  pawl_text_add(&command, "pawl tune --from ");
  pawl_shell_quote(folder, &command);
  pawl_text_add(&command, " --apply");
  pawl_text_add(out, "\n## How to apply\n\n");
  code(out, command.data);
  pawl_text_add(out, " writes the parameters into ");
  code(out, suite);
  pawl_text_add(out, " and measures nothing. To write them manually:\n\n");
  pawl_markdown_block(pawl_text_string(&yaml), out);
  pawl_text_add(out, "\nCMake:\n\n");
  pawl_markdown_block(pawl_text_string(&cmake), out);
  pawl_text_add(out, "\nFlags for nvcc, cc and other compilers:\n\n");
  pawl_markdown_block(pawl_text_string(&flags), out);
}

static void write_winner(const struct pawl_tune *tune, struct pawl_text *out) {
  const struct pawl_tune_finalist *winner = &tune->finalists[tune->winner];
  size_t blocks = 0, confirming = 0;
  for (size_t i = 0; i < winner->verdict_count; i++) {
    blocks += winner->verdicts[i].paired.counted;
    confirming += winner->verdicts[i].paired.confirmation_count;
  }
  pawl_text_add(out, "\n| | parameters | speed-up |\n|---|---|---:|\n| current | ");
  code(out, tune->current);
  pawl_text_add(out, " | 1 |\n| best | ");
  code(out, pawl_tune_plain_key(tune, winner->candidate));
  pawl_text_printf(out, " | %.2f", winner->speedup);
  suggestions_write_limits(out, winner->low, winner->high);
  pawl_text_printf(out,
                   " |\n\nThe gate proved it over %zu blocks beside the current parameters. The "
                   "speed-up comes from %zu new blocks after the choice.\n",
                   blocks, confirming);
}

static void write_other_cases(const struct pawl_tune *tune,
                              const struct pawl_tune_finalist *finalist, struct pawl_text *out) {
  for (size_t i = 0; i < finalist->other_count; i++) {
    const struct pawl_tune_other *other = &finalist->others[i];
    pawl_text_add(out, "| ");
    code(out, pawl_tune_plain_key(tune, finalist->candidate));
    pawl_text_add(out, " | ");
    code(out, other->case_name);
    pawl_text_printf(out, " | %s |",
                     other->outcome == PAWL_OUTCOME_OK ? pawl_decision_name(other->decision)
                                                       : pawl_outcome_name(other->outcome));
    if (isfinite(other->slowdown))
      pawl_text_printf(out, " %+.2f %% | %zu |\n", other->slowdown * 100, other->blocks);
    else
      pawl_text_printf(out, " unknown | %zu |\n", other->blocks);
  }
}

static void write_others(const struct pawl_tune *tune, struct pawl_text *out) {
  size_t count = 0;
  for (size_t i = 0; i < tune->finalist_count; i++) count += tune->finalists[i].other_count;
  if (!count) return;
  pawl_text_add(
      out,
      "\n## The other cases\n\n| parameters | case | verdict | change in time | blocks |\n"
      "|---|---|---|---:|---:|\n");
  for (size_t i = 0; i < tune->finalist_count; i++)
    write_other_cases(tune, &tune->finalists[i], out);
}

struct candidate_ratio {
  size_t candidate;
  double ratio;
};

static int suggestions_by_ratio(const void *a, const void *b) {
  const struct candidate_ratio *left = a, *right = b;
  if (left->ratio != right->ratio) return left->ratio < right->ratio ? -1 : 1;
  return left->candidate < right->candidate ? -1 : left->candidate > right->candidate;
}

/* The race measured the screening's best again. */
static void write_race(const struct pawl_tune *tune, struct pawl_text *out) {
  struct candidate_ratio *rows = pawl_alloc(tune->count + 1, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++)
    if (tune->candidates[i].race_blocks)
      rows[count++] = (struct candidate_ratio){i, tune->candidates[i].race_ratio};
  qsort(rows, count, sizeof *rows, suggestions_by_ratio);
  if (count)
    pawl_text_printf(
        out,
        "\n## The race\n\nThe best %zu of the screening were measured again, in turn, for %.0f s. "
        "A configuration that could hardly be the best left early. \"Ratio\" is time / current "
        "time over the blocks, each of which has a new process:\n\n"
        "| parameters | ratio | blocks |\n|---|---:|---:|\n",
        count, tune->race_seconds);
  for (size_t i = 0; i < count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[rows[i].candidate];
    pawl_text_add(out, "| ");
    code(out, candidate->key);
    if (isfinite(rows[i].ratio))
      pawl_text_printf(out, " | %.3f | %zu |\n", rows[i].ratio, candidate->race_blocks);
    else
      pawl_text_printf(out, " | %s | %zu |\n", pawl_outcome_name(candidate->outcome),
                       candidate->race_blocks);
  }
  pawl_free(rows);
}

/* Says how many evaluators timed the candidates, if a team did. */
static void write_team(const struct pawl_tune *tune, struct pawl_text *out) {
  size_t evaluators = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const char *name = tune->candidates[i].evaluator;
    size_t first = 0;
    while (name && first < i &&
           (!tune->candidates[first].evaluator ||
            strcmp(tune->candidates[first].evaluator, name) != 0))
      first++;
    evaluators += name && first == i;
  }
  if (!tune->team.executor) return;
  pawl_text_printf(out,
                   "\n%zu evaluators timed the candidates, each beside its own process of the "
                   "current parameters.",
                   evaluators);
  if (tune->team.lost)
    pawl_text_printf(out, " %zu evaluations were lost with their evaluators.", tune->team.lost);
  if (tune->team.judged_by) {
    pawl_text_add(out, " The race and the verdicts ran on evaluator ");
    code(out, tune->team.judged_by);
    pawl_text_add(out, " alone.");
  }
  pawl_text_add(out, "\n");
}

static void write_screening(const struct pawl_tune *tune, struct pawl_text *out) {
  struct candidate_ratio *rows = pawl_alloc(tune->count + 1, sizeof *rows);
  size_t count = 0, early = 0, outcomes[PAWL_OUTCOMES] = {0};
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    const double ratio = candidate->median_ms / candidate->base_ms;
    outcomes[candidate->outcome]++;
    early += candidate->outcome == PAWL_OUTCOME_OK && !pawl_tune_was_compared(candidate);
    if (candidate->outcome == PAWL_OUTCOME_OK && ratio > 0 && !candidate->same_as)
      rows[count++] = (struct candidate_ratio){i, ratio};
  }
  qsort(rows, count, sizeof *rows, suggestions_by_ratio);
  pawl_text_printf(out,
                   "\n## The search\n\nThe search tried %zu of %zu configurations%s in %.0f s with "
                   "strategy `%s`, seed %llu",
                   pawl_tune_tried(tune), tune->space->count,
                   tune->current_in_space ? ", the current one among them," : "", tune->seconds,
                   tune->strategy, (unsigned long long)tune->seed);
  const char *before = ": ";
  for (int i = 0; i < PAWL_OUTCOMES; i++) {
    if (!outcomes[i]) continue;
    pawl_text_printf(out, "%s%zu %s", before, outcomes[i], pawl_outcome_name((enum pawl_outcome)i));
    if (i == PAWL_OUTCOME_OK && early)
      pawl_text_printf(out, " (%zu of them ended early, not compared)", early);
    before = ", ";
  }
  pawl_text_add(out, ".");
  if (tune->building) {
    pawl_text_add(out, " When the time for it was up, ");
    code(out, tune->building);
    pawl_text_add(out, " was not built yet.");
  }
  pawl_text_add(out, "\n");
  write_team(tune, out);
  if (count)
    pawl_text_add(
        out,
        "\nThe fastest configurations of the screening. Each had one block beside the current "
        "parameters, whose time differs from block to block: compare the ratios. Luck makes some "
        "of them look faster. Of equal machine code one is listed. One that ended early was far "
        "behind the best of its moment after a few samples, and its outputs were not compared:\n\n"
        "| parameters | time | current, same block | ratio | outputs "
        "|\n|---|---:|---:|---:|---|\n");
  for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[rows[i].candidate];
    pawl_text_add(out, "| ");
    code(out, candidate->key);
    pawl_text_printf(out, " | %.4g ms | %.4g ms | %.3g | %s |\n", candidate->median_ms,
                     candidate->base_ms, rows[i].ratio,
                     pawl_tune_was_compared(candidate) ? "compared" : "ended early");
  }
  pawl_free(rows);
}

/* Returns whether the value is the largest or smallest of its list, so that better values may exist
   outside it. Most parameters have no values below 1. */
static bool is_at_the_edge(const struct pawl_tune_axis *axis, size_t value) {
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < axis->count; i++) {
    least = fmin(least, axis->values[i].number);
    most = fmax(most, axis->values[i].number);
  }
  const double here = axis->values[value].number;
  return axis->ordinal && axis->count > 2 && (here >= most || (here <= least && here > 1));
}

static void write_edges(const struct pawl_tune *tune, struct pawl_text *out) {
  const size_t winner = pawl_tune_plainest(tune, tune->finalists[tune->winner].candidate);
  const uint16_t *levels = pawl_space_at(tune->space, tune->candidates[winner].index);
  size_t count = 0;
  for (size_t i = 0; i < tune->space->axis_count; i++) {
    const struct pawl_tune_axis *axis = &tune->space->axes[i];
    if (!is_at_the_edge(axis, levels[i])) continue;
    pawl_text_add(out, count++ ? ", " : "\nThe best value is at the end of the list of ");
    code(out, axis->name);
  }
  if (count) pawl_text_add(out, ": longer lists in `tune` may have a better one.\n");
}

static void write_effects(const struct pawl_tune *tune, const struct pawl_tune_insight *insight,
                          struct pawl_text *out) {
  double total = 0;
  if (!insight->count) return;
  for (size_t i = 0; i < insight->count; i++) total += insight->effects[i].share;
  pawl_text_printf(
      out,
      "\n## The parameters\n\nA model that learned all candidates estimates what each parameter "
      "does over the whole space, whatever the others are. \"Explains\" is its share of the "
      "differences in time; %s.\n\n| parameter | explains | best | worst | worst / best "
      "|\n|---|---:|---|---|---:|\n",
      total > 1 ? "the sum is more than 100 % because constraints let parameters change together"
                : "what is left of 100 % comes from parameters that act together");
  for (size_t i = 0; i < insight->count; i++) {
    const struct pawl_tune_effect *effect = &insight->effects[i];
    const struct pawl_tune_axis *axis = &tune->space->axes[effect->axis];
    pawl_text_add(out, "| ");
    code(out, axis->name);
    pawl_text_printf(out, " | %.0f %% | ", effect->share * 100);
    code(out, isfinite(effect->ratio) ? axis->values[effect->best].word : "unknown");
    pawl_text_add(out, " | ");
    code(out, axis->values[effect->worst].word);
    pawl_text_printf(out, isfinite(effect->ratio) ? " | %.2f |\n" : " | unknown |\n",
                     effect->ratio);
  }
}

void pawl_tune_suggestions(const struct pawl_tune *tune, const struct pawl_tune_insight *insight,
                           const char *suite, const char *folder, const char *picture,
                           struct pawl_text *out) {
  pawl_text_add(out, "# Tuning ");
  code(out, tune->kernel_name);
  pawl_text_add(out, " for ");
  code(out, tune->case_name);
  pawl_text_add(out, "\n\n");
  code(out, tune->conclusion);
  pawl_text_add(out, "\n\non ");
  code(out, tune->hardware_name);
  pawl_text_add(out, " at ");
  code(out, tune->commit ? tune->commit : "no commit");
  pawl_text_add(out, "\n");
  if (tune->winner < tune->finalist_count) write_winner(tune, out);
  pawl_tune_suggest_cases(tune, out);
  write_others(tune, out);
  if (tune->recommended) write_how_to_apply(tune, suite, folder, out);
  if (tune->recommended) write_edges(tune, out);
  write_race(tune, out);
  write_effects(tune, insight, out);
  write_screening(tune, out);
  pawl_tune_suggest_failures(tune, out);
  if (picture) pawl_text_printf(out, "\n![the search](%s)\n", picture);
}

void pawl_tune_proposal_text(const struct pawl_tune_proposal *proposal, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text params = {0};
  code(out, proposal->spec->name);
  pawl_text_printf(out, " is %.2f times as fast", proposal->speedup);
  suggestions_write_limits(out, proposal->low, proposal->high);
  pawl_text_add(out, ", on ");
  for (size_t i = 0; i < proposal->case_count; i++) {
    if (i) pawl_text_add(out, ", ");
    code(out, proposal->cases[i]->name);
  }
  pawl_text_add(out, " on ");
  code(out, proposal->hardware);
  pawl_text_add(out, " with\n\n");
  for (size_t i = 0; i < proposal->count; i++)
    pawl_text_printf(&params, "%s%s=%s", i ? " " : "", proposal->params[i].name,
                     proposal->params[i].value);
  pawl_text_add(&params, "\n");
  pawl_markdown_block(pawl_text_string(&params), out);
  pawl_text_add(out,
                "\n`pawl tune` found these parameters. It checked them, proved them faster than "
                "the current parameters, confirmed the speed-up with new blocks, and judged them "
                "on the other cases of the operator.\n");
}
