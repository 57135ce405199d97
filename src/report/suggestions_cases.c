/* SPDX-License-Identifier: Apache-2.0 */
#include "report/suggestions_cases.h"

#include <inttypes.h>
#include <math.h>

#include "report/escape.h"

static void code(struct pawl_text *out, const char *text) {
  pawl_markdown_code(text ? text : "unknown", out);
}

static const char *suggestions_cases_key_of(const struct pawl_tune *tune, size_t candidate) {
  return candidate == PAWL_TUNE_NO_CANDIDATE ? tune->current : pawl_tune_plain_key(tune, candidate);
}

/* "1.25 [1.20, 1.31]" */
static void write_speedup(struct pawl_text *out, double speedup, double low, double high) {
  if (!isfinite(speedup)) {
    pawl_text_add(out, "unknown");
    return;
  }
  pawl_text_printf(out, "%.2f", speedup);
  if (isfinite(low) && isfinite(high)) pawl_text_printf(out, " [%.2f, %.2f]", low, high);
}

static const char *answer_of(const struct pawl_tune_verdict *verdict) {
  return verdict->outcome == PAWL_OUTCOME_OK ? pawl_decision_name(verdict->paired.decision)
                                             : pawl_outcome_name(verdict->outcome);
}

static void write_finalist(const struct pawl_tune *tune, const struct pawl_tune_finalist *finalist,
                           struct pawl_text *out) {
  pawl_text_add(out, "\n## One setting for all cases\n\n");
  code(out, suggestions_cases_key_of(tune, finalist->candidate));
  pawl_text_add(out, ":\n\n| case | verdict | speed-up | blocks |\n|---|---|---:|---:|\n");
  for (size_t i = 0; i < finalist->verdict_count; i++) {
    const struct pawl_tune_verdict *verdict = &finalist->verdicts[i];
    pawl_text_add(out, "| ");
    code(out, tune->cases[i]->name);
    pawl_text_printf(out, " | %s | ", verdict->harmed ? "**slower**" : answer_of(verdict));
    write_speedup(out, verdict->speedup, verdict->low, verdict->high);
    pawl_text_printf(out, " | %zu |\n", verdict->paired.counted);
  }
  pawl_text_add(out, "| geometric mean | | ");
  write_speedup(out, finalist->speedup, finalist->low, finalist->high);
  pawl_text_add(out, " | |\n");
}

/* Returns the setting of the table that was the fastest on a case in the race. */
static size_t best_setting(const struct pawl_tune *tune, size_t number) {
  const struct pawl_tune_selection *selection = tune->selection;
  size_t best = 0;
  for (size_t i = 1; i < selection->setting_count; i++)
    if (selection->ratios[i * tune->case_count + number] <
        selection->ratios[best * tune->case_count + number])
      best = i;
  return best;
}

static bool was_raced(const struct pawl_tune *tune, size_t number) {
  const struct pawl_tune_selection *selection = tune->selection;
  for (size_t i = 1; i < selection->setting_count; i++)
    if (isfinite(selection->ratios[i * tune->case_count + number])) return true;
  return false;
}

static void write_best(const struct pawl_tune *tune, struct pawl_text *out) {
  const struct pawl_tune_selection *selection = tune->selection;
  pawl_text_add(out, "\n## One setting for each case\n\n");
  code(out, selection->conclusion);
  pawl_text_add(out,
                "\n\nThe medians of the race, current time / time. The fastest of several is also "
                "the luckiest");
  if (selection->noise > 0)
    pawl_text_printf(out, "; the standard error of a figure is %.1f %%", selection->noise * 100);
  pawl_text_add(out, ":\n\n| case | fastest setting | in the race |");
  pawl_text_add(out,
                selection->verdicts
                    ? " the rule's setting | verdict | speed-up |\n|---|---|---:|---|---|---:|\n"
                    : "\n|---|---|---:|\n");
  for (size_t i = 0; i < tune->case_count; i++) {
    const size_t best = best_setting(tune, i);
    pawl_text_add(out, "| ");
    code(out, tune->cases[i]->name);
    pawl_text_add(out, " | ");
    if (was_raced(tune, i)) {
      code(out, suggestions_cases_key_of(tune, selection->settings[best]));
      pawl_text_printf(out, " | %.2f |", 1 / selection->ratios[best * tune->case_count + i]);
    } else {
      pawl_text_add(out, "not known: the budget ended | |");
    }
    if (selection->verdicts) {
      const struct pawl_tune_verdict *verdict = &selection->verdicts[i];
      pawl_text_add(out, " ");
      code(out, suggestions_cases_key_of(tune, pawl_tune_rule_candidate(tune, i)));
      pawl_text_printf(out, " | %s | ", verdict->harmed ? "**slower**" : answer_of(verdict));
      write_speedup(out, verdict->speedup, verdict->low, verdict->high);
      pawl_text_add(out, " |");
    }
    pawl_text_add(out, "\n");
  }
}

/* --- the rule as code --- */

static void indent(struct pawl_text *out, int depth) {
  for (int i = 0; i < depth; i++) pawl_text_add(out, "  ");
}

/* The current parameters have no place in the space where 'tune' does not list them: their own
 * words stand there. */
static void write_leaf(const struct pawl_tune *tune, const struct pawl_rule_node *node, int depth,
                       struct pawl_text *out) {
  const size_t candidate = tune->selection->settings[node->setting];
  indent(out, depth);
  if (candidate == PAWL_TUNE_NO_CANDIDATE) {
    pawl_text_printf(out, "LAUNCH_CURRENT(); /* %s */\n", tune->current);
    return;
  }
  const struct pawl_tune_candidate *setting =
      &tune->candidates[pawl_tune_plainest(tune, candidate)];
  pawl_text_add(out, "LAUNCH(");
  for (size_t i = 0; i < tune->space->axis_count; i++)
    pawl_text_printf(out, "%s%s", i ? ", " : "", pawl_space_value(tune->space, setting->index, i));
  pawl_text_printf(out, "); /* %s */\n", setting->key);
}

static void write_node(const struct pawl_tune *tune, size_t at, int depth, struct pawl_text *out) {
  const struct pawl_rule_node *node = &tune->selection->rule.nodes[at];
  if (node->leaf) {
    write_leaf(tune, node, depth, out);
    return;
  }
  indent(out, depth);
  pawl_text_printf(out, "if (%s <= %" PRId64 ") { /* measured at %" PRId64 " and %" PRId64 " */\n",
                   tune->cases[0]->dims[node->dim].name, node->limit, node->under, node->over);
  write_node(tune, at + 1, depth + 1, out);
  indent(out, depth);
  pawl_text_add(out, "} else {\n");
  write_node(tune, node->above, depth + 1, out);
  indent(out, depth);
  pawl_text_add(out, "}\n");
}

void pawl_tune_rule_code(const struct pawl_tune *tune, struct pawl_text *out) {
  write_node(tune, 0, 0, out);
}

static void write_rule(const struct pawl_tune *tune, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_tune_rule_code(tune, &text);
  pawl_text_add(out, "\n## The rule\n\n`LAUNCH(");
  for (size_t i = 0; i < tune->space->axis_count; i++)
    pawl_text_printf(out, "%s%s", i ? ", " : "", tune->space->axes[i].name);
  pawl_text_add(
      out,
      ")` starts the kernel that these parameters were compiled into: an instance of a template, "
      "or the function of a build of its own. pawl cannot write that code. Between two measured "
      "values the threshold is their geometric mean; nothing is known of the sizes between.\n\n");
  pawl_markdown_block(pawl_text_string(&text), out);
}

void pawl_tune_suggest_cases(const struct pawl_tune *tune, struct pawl_text *out) {
  if (tune->case_count < 2) return;
  for (size_t i = 0; i < tune->finalist_count; i++)
    if (tune->finalists[i].verdict_count &&
        (tune->winner == tune->finalist_count || tune->winner == i))
      write_finalist(tune, &tune->finalists[i], out);
  if (!tune->selection) return;
  write_best(tune, out);
  if (tune->selection->offered) write_rule(tune, out);
}
