/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schema/tune.schema.json */
#include <math.h>

#include "model/fields.h"
#include "tune/tune.h"

static json_t *params_to_json(const struct pawl_tune *tune, size_t index) {
  json_t *params = json_object();
  for (size_t i = 0; i < tune->space->axis_count; i++)
    pawl_json_set_string(params, tune->space->axes[i].name,
                         pawl_space_value(tune->space, index, i));
  return params;
}

static json_t *times_to_json(const struct pawl_tune *tune,
                             const struct pawl_tune_candidate *candidate) {
  json_t *times = json_array();
  for (size_t i = 0; i < candidate->time_count && i < tune->case_count; i++) {
    json_t *item = json_object();
    pawl_json_set_string(item, "case", tune->cases[i]->name);
    pawl_json_set_number(item, "median_ms", candidate->times[i].median_ms);
    pawl_json_set_number(item, "current_ms", candidate->times[i].base_ms);
    pawl_json_set_bool(item, "checked", candidate->times[i].checked);
    json_array_append_new(times, item);
  }
  return times;
}

static json_t *race_to_json(const struct pawl_tune_candidate *candidate) {
  json_t *race = json_object();
  pawl_json_set_int(race, "blocks", (long long)candidate->race_blocks);
  pawl_json_set_number(race, "ratio", candidate->race_ratio);
  return race;
}

static json_t *candidate_to_json(const struct pawl_tune *tune,
                                 const struct pawl_tune_candidate *candidate) {
  json_t *object = json_object();
  pawl_json_set(object, "params", params_to_json(tune, candidate->index));
  pawl_json_set_string(object, "outcome", pawl_outcome_name(candidate->outcome));
  pawl_json_set_string(object, "reason", candidate->reason);
  pawl_json_set_number(object, "median_ms", candidate->median_ms);
  pawl_json_set_number(object, "current_ms", candidate->base_ms);
  pawl_json_set_bool(object, "checked", candidate->checked);
  pawl_json_set_string(object, "same_as", candidate->same_as);
  pawl_json_set_string(object, "code_hash", candidate->code_hash);
  if (tune->case_count > 1) pawl_json_set(object, "times", times_to_json(tune, candidate));
  if (candidate->evaluator) pawl_json_set_string(object, "evaluator", candidate->evaluator);
  if (candidate->race_blocks) pawl_json_set(object, "race", race_to_json(candidate));
  return object;
}

/* Writes the figures of a verdict, or of a finalist over all its cases. */
static void set_verdict(json_t *object, enum pawl_decision answer, size_t blocks, size_t confirming,
                        double slowdown) {
  pawl_json_set_string(object, "answer", pawl_decision_name(answer));
  pawl_json_set_int(object, "blocks", (long long)blocks);
  pawl_json_set_int(object, "confirming_blocks", (long long)confirming);
  pawl_json_set_number(object, "slowdown_pct", slowdown * 100);
}

static json_t *verdict_to_json(const struct pawl_tune_verdict *verdict, const char *case_name) {
  const struct pawl_paired_test *paired = &verdict->paired;
  json_t *object = json_object();
  pawl_json_set_string(object, "case", case_name);
  pawl_json_set_string(object, "outcome", pawl_outcome_name(verdict->outcome));
  pawl_json_set_string(object, "reason", verdict->reason);
  set_verdict(object, paired->decision, paired->counted, paired->confirmation_count,
              paired->slowdown.estimate);
  pawl_json_set_number(object, "speedup", verdict->speedup);
  pawl_json_set_number(object, "speedup_low", verdict->low);
  pawl_json_set_number(object, "speedup_high", verdict->high);
  pawl_json_set_bool(object, "harmed", verdict->harmed);
  return object;
}

static json_t *verdicts_to_json(const struct pawl_tune *tune,
                                const struct pawl_tune_verdict *verdicts) {
  json_t *cases = json_array();
  for (size_t i = 0; verdicts && i < tune->case_count; i++)
    json_array_append_new(cases, verdict_to_json(&verdicts[i], tune->cases[i]->name));
  return cases;
}

static json_t *tune_reason_of(const struct pawl_tune_finalist *finalist) {
  const struct pawl_tune_other *harmed = pawl_tune_find_harmed(finalist);
  if (finalist->reason || !harmed)
    return finalist->reason ? json_string(finalist->reason) : json_null();
  return json_sprintf("%s on %s", pawl_tune_harm(harmed), harmed->case_name);
}

static json_t *finalist_to_json(const struct pawl_tune *tune,
                                const struct pawl_tune_finalist *finalist) {
  const size_t plainest = pawl_tune_plainest(tune, finalist->candidate);
  json_t *object = json_object();
  size_t blocks = 0, confirming = 0;
  double slowdown = 0;
  for (size_t i = 0; i < finalist->verdict_count; i++) {
    blocks += finalist->verdicts[i].paired.counted;
    confirming += finalist->verdicts[i].paired.confirmation_count;
    slowdown +=
        log1p(finalist->verdicts[i].paired.slowdown.estimate) / (double)finalist->verdict_count;
  }
  slowdown =
      finalist->verdict_count == 1 ? finalist->verdicts->paired.slowdown.estimate : expm1(slowdown);
  pawl_json_set(object, "params", params_to_json(tune, tune->candidates[plainest].index));
  pawl_json_set_string(object, "outcome", pawl_outcome_name(finalist->outcome));
  pawl_json_set(object, "reason", tune_reason_of(finalist));
  set_verdict(object, finalist->verdict_count ? pawl_tune_answer(finalist) : PAWL_DECISION_CONTINUE,
              blocks, confirming, finalist->verdict_count ? slowdown : NAN);
  pawl_json_set_number(object, "speedup", finalist->speedup);
  pawl_json_set_number(object, "speedup_low", finalist->low);
  pawl_json_set_number(object, "speedup_high", finalist->high);
  if (tune->case_count > 1)
    pawl_json_set(object, "cases", verdicts_to_json(tune, finalist->verdicts));
  return object;
}

static json_t *other_to_json(const struct pawl_tune_other *other) {
  json_t *object = json_object();
  pawl_json_set_string(object, "case", other->case_name);
  pawl_json_set_string(object, "outcome", pawl_outcome_name(other->outcome));
  pawl_json_set_string(object, "reason", other->reason);
  pawl_json_set_string(object, "answer", pawl_decision_name(other->decision));
  pawl_json_set_int(object, "blocks", (long long)other->blocks);
  pawl_json_set_number(object, "slowdown_pct", other->slowdown * 100);
  pawl_json_set_number(object, "slowdown_low_pct", other->low * 100);
  pawl_json_set_number(object, "slowdown_high_pct", other->high * 100);
  pawl_json_set_bool(object, "harmed", other->harmed);
  return object;
}

static json_t *setting_to_json(const struct pawl_tune *tune, size_t candidate) {
  if (candidate == PAWL_TUNE_NO_CANDIDATE) return json_null();
  return params_to_json(tune, tune->candidates[pawl_tune_plainest(tune, candidate)].index);
}

static json_t *node_to_json(const struct pawl_tune *tune, const struct pawl_rule_node *node) {
  json_t *object = json_object();
  if (node->leaf) {
    pawl_json_set(object, "params",
                  setting_to_json(tune, tune->selection->settings[node->setting]));
    return object;
  }
  pawl_json_set_string(object, "dim", tune->cases[0]->dims[node->dim].name);
  pawl_json_set_int(object, "at_most", node->limit);
  pawl_json_set_int(object, "measured_below", node->under);
  pawl_json_set_int(object, "measured_above", node->over);
  pawl_json_set_int(object, "else_node", (long long)node->above);
  return object;
}

static json_t *selection_to_json(const struct pawl_tune *tune) {
  const struct pawl_tune_selection *selection = tune->selection;
  json_t *object = json_object(), *nodes = json_array(), *settings = json_array();
  for (size_t i = 0; i < selection->rule.count; i++)
    json_array_append_new(nodes, node_to_json(tune, &selection->rule.nodes[i]));
  for (size_t i = 0; i < selection->setting_count; i++) {
    json_t *setting = json_object(), *ratios = json_array();
    for (size_t j = 0; j < tune->case_count; j++) {
      const double ratio = selection->ratios[i * tune->case_count + j];
      json_array_append_new(ratios, isfinite(ratio) ? json_real(ratio) : json_null());
    }
    pawl_json_set(setting, "params", setting_to_json(tune, selection->settings[i]));
    pawl_json_set(setting, "ratios", ratios);
    json_array_append_new(settings, setting);
  }
  pawl_json_set_string(object, "conclusion", selection->conclusion);
  pawl_json_set_bool(object, "offered", selection->offered);
  pawl_json_set_number(object, "speedup", selection->speedup);
  pawl_json_set_number(object, "speedup_low", selection->low);
  pawl_json_set_number(object, "speedup_high", selection->high);
  pawl_json_set_number(object, "gain", selection->gain);
  pawl_json_set_number(object, "noise", selection->noise);
  pawl_json_set(object, "settings", settings);
  pawl_json_set(object, "nodes", nodes);
  pawl_json_set(object, "cases", verdicts_to_json(tune, selection->verdicts));
  return object;
}

/* Lists the evaluators, with the candidates that each timed, and the judge. */
static json_t *team_to_json(const struct pawl_tune *tune) {
  json_t *object = json_object(), *evaluators = json_object();
  for (size_t i = 0; i < tune->count; i++) {
    const char *name = tune->candidates[i].evaluator;
    if (name)
      pawl_json_set_int(evaluators, name,
                        json_integer_value(json_object_get(evaluators, name)) + 1);
  }
  pawl_json_set_string(object, "executor", tune->team.executor);
  pawl_json_set(object, "evaluations", evaluators);
  pawl_json_set_int(object, "lost", (long long)tune->team.lost);
  pawl_json_set_string(object, "judged_by", tune->team.judged_by);
  return object;
}

json_t *pawl_tune_to_json(const struct pawl_tune *tune) {
  json_t *object = json_object(), *candidates = json_array(), *finalists = json_array(),
         *others = json_array();
  const struct pawl_tune_finalist *winner =
      tune->winner < tune->finalist_count ? &tune->finalists[tune->winner] : NULL;
  json_t *cases = json_array();
  for (size_t i = 0; i < tune->case_count; i++)
    json_array_append_new(cases, json_string(tune->cases[i]->name));
  pawl_json_set_int(object, "schema_version", PAWL_TUNE_SCHEMA);
  pawl_json_set_string(object, "kernel_name", tune->kernel_name);
  pawl_json_set_string(object, "case", tune->case_name);
  pawl_json_set(object, "cases", cases);
  pawl_json_set_string(object, "hardware", tune->hardware);
  pawl_json_set_string(object, "hardware_name", tune->hardware_name);
  pawl_json_set_string(object, "commit", tune->commit);
  pawl_json_set(object, "code", pawl_tune_code_to_json(&tune->code));
  pawl_json_set_string(object, "timestamp", tune->timestamp);
  pawl_json_set_string(object, "strategy", tune->strategy);
  pawl_json_set(object, "seed", pawl_seed_to_json(tune->seed, true));
  pawl_json_set_number(object, "budget_s", tune->budget_seconds);
  pawl_json_set_number(object, "seconds", tune->seconds);
  pawl_json_set_number(object, "screening_s", tune->screening_seconds);
  pawl_json_set_number(object, "race_s", tune->race_seconds);
  pawl_json_set_int(object, "configurations", (long long)tune->space->count);
  pawl_json_set_int(object, "tried", (long long)pawl_tune_tried(tune));
  pawl_json_set_string(object, "current", tune->current);
  pawl_json_set_string(object, "conclusion", tune->conclusion);
  pawl_json_set_bool(object, "decided", tune->decided);
  pawl_json_set_bool(object, "finished", tune->finished);
  pawl_json_set_bool(object, "recommended", tune->recommended);
  pawl_json_set(object, "best", winner ? finalist_to_json(tune, winner) : NULL);
  for (size_t i = 0; i < tune->finalist_count; i++)
    json_array_append_new(finalists, finalist_to_json(tune, &tune->finalists[i]));
  for (size_t i = 0; winner && i < winner->other_count; i++)
    json_array_append_new(others, other_to_json(&winner->others[i]));
  for (size_t i = 0; i < tune->count; i++)
    json_array_append_new(candidates, candidate_to_json(tune, &tune->candidates[i]));
  if (tune->team.executor) pawl_json_set(object, "team", team_to_json(tune));
  pawl_json_set(object, "finalists", finalists);
  if (tune->case_count > 1)
    pawl_json_set(object, "rule", tune->selection ? selection_to_json(tune) : NULL);
  pawl_json_set(object, "other_cases", others);
  pawl_json_set(object, "candidates", candidates);
  return object;
}
