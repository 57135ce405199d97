/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void pawl_tune_finalist_init(struct pawl_tune_finalist *finalist, size_t candidate) {
  *finalist =
      (struct pawl_tune_finalist){.candidate = candidate, .speedup = NAN, .low = NAN, .high = NAN};
}

bool pawl_tune_is_judged(const struct pawl_tune *tune, size_t i) {
  size_t finalist = 0;
  while (finalist < tune->finalist_count && tune->finalists[finalist].candidate != i) finalist++;
  return finalist < tune->finalist_count;
}

void pawl_tune_adopt(struct pawl_tune_candidate *one, const struct pawl_tune_candidate *other) {
  one->outcome = other->outcome;
  one->reason = other->reason;
  one->median_ms = other->median_ms;
  one->base_ms = other->base_ms;
  one->checked = other->checked;
  one->times = other->times;
  one->time_count = other->time_count;
}

void pawl_tune_share(struct pawl_tune *tune, const struct pawl_tune_candidate *candidate) {
  for (size_t i = 0; i < tune->count; i++) {
    struct pawl_tune_candidate *one = &tune->candidates[i];
    if (one != candidate && one->same_as && !strcmp(one->same_as, candidate->key))
      pawl_tune_adopt(one, candidate);
  }
}

void pawl_tune_sum_up(struct pawl_tune_candidate *candidate) {
  double median = 0, base = 0;
  size_t timed = 0, checked = 0, last = 0;
  for (size_t i = 0; i < candidate->time_count; i++) {
    const struct pawl_tune_times *times = &candidate->times[i];
    checked += times->checked ? 1 : 0;
    if (!(times->median_ms > 0 && times->base_ms > 0) && candidate->time_count > 1) continue;
    median += log(times->median_ms);
    base += log(times->base_ms);
    last = i;
    timed++;
  }
  candidate->median_ms = timed > 1 ? exp(median / (double)timed)
                         : timed   ? candidate->times[last].median_ms
                                   : NAN;
  candidate->base_ms = timed > 1 ? exp(base / (double)timed)
                       : timed   ? candidate->times[last].base_ms
                                 : NAN;
  candidate->checked = checked && checked == candidate->time_count;
  if (candidate->outcome == PAWL_OUTCOME_OK) return;
  candidate->median_ms = candidate->base_ms = NAN;
  candidate->checked = checked > 0;
}

size_t pawl_tune_tried(const struct pawl_tune *tune) {
  return tune->count + (tune->current_in_space ? 1 : 0);
}

size_t pawl_tune_count_timed(const struct pawl_tune *tune) {
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++)
    count += tune->candidates[i].outcome == PAWL_OUTCOME_OK && tune->candidates[i].median_ms > 0;
  return count;
}

/* Counts the candidates with the machine code of the current parameters. */
static size_t count_same(const struct pawl_tune *tune) {
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++)
    count += tune->candidates[i].same_as && !strcmp(tune->candidates[i].same_as, PAWL_TUNE_CURRENT);
  return count;
}

static size_t count_changes(const struct pawl_tune *tune, size_t candidate) {
  const uint16_t *current = pawl_space_at(tune->space, tune->current_index);
  const uint16_t *levels = pawl_space_at(tune->space, tune->candidates[candidate].index);
  size_t count = 0;
  for (size_t i = 0; i < tune->space->axis_count; i++) count += levels[i] != current[i];
  return count;
}

size_t pawl_tune_plainest(const struct pawl_tune *tune, size_t candidate) {
  const char *key = tune->candidates[candidate].key;
  size_t best = candidate;
  for (size_t i = 0; tune->current_in_space && i < tune->count; i++) {
    const struct pawl_tune_candidate *one = &tune->candidates[i];
    if (one->same_as && !strcmp(one->same_as, key) &&
        count_changes(tune, i) < count_changes(tune, best))
      best = i;
  }
  return best;
}

const char *pawl_tune_plain_key(const struct pawl_tune *tune, size_t candidate) {
  return tune->candidates[pawl_tune_plainest(tune, candidate)].key;
}

size_t pawl_tune_failed(const struct pawl_tune *tune) {
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++) count += tune->candidates[i].outcome != PAWL_OUTCOME_OK;
  return count;
}

/* The first other case on which it is slower or fails; NULL: none. */
static const struct pawl_tune_other *find_harmed(const struct pawl_tune_finalist *finalist) {
  for (size_t i = 0; i < finalist->other_count; i++)
    if (finalist->others[i].harmed) return &finalist->others[i];
  return NULL;
}

/* The first of several tuned cases on which it is proven to be slower; NULL: none. */
static const struct pawl_tune_verdict *find_loss_of(const struct pawl_tune_finalist *finalist) {
  for (size_t i = 0; finalist->speedup > 1 && i < finalist->verdict_count; i++)
    if (finalist->verdicts[i].paired.decision == PAWL_DECISION_REGRESSION)
      return &finalist->verdicts[i];
  return NULL;
}

bool pawl_tune_harms(const struct pawl_tune_finalist *finalist) {
  return finalist->outcome == PAWL_OUTCOME_OK && (find_loss_of(finalist) || find_harmed(finalist));
}

const char *pawl_tune_limits(double low, double high, struct pawl_arena *arena) {
  return isfinite(low) && isfinite(high) ? pawl_arena_printf(arena, " [%.2f, %.2f]", low, high)
                                         : "";
}

/* Proven to be faster, and confirmed. */
static bool is_faster(const struct pawl_tune_finalist *finalist) {
  return finalist->outcome == PAWL_OUTCOME_OK &&
         pawl_tune_answer(finalist) == PAWL_DECISION_IMPROVEMENT && finalist->speedup > 0;
}

/* The gate does not know whether it is faster, or by how much. */
static bool is_open(const struct pawl_tune_finalist *finalist) {
  if (finalist->outcome != PAWL_OUTCOME_OK || is_faster(finalist)) return false;
  const enum pawl_decision decision = pawl_tune_answer(finalist);
  return decision != PAWL_DECISION_MAINTAINED && decision != PAWL_DECISION_REGRESSION;
}

static bool met_load(const struct pawl_tune_finalist *finalist) {
  for (size_t i = 0; i < finalist->verdict_count; i++) {
    const struct pawl_paired_test *paired = &finalist->verdicts[i].paired;
    if (paired->block_count - paired->counted > pawl_paired_spoiled_limit(&paired->policy))
      return true;
  }
  return false;
}

/* A finalist that is faster over all tuned cases, but slower on one; NULL: none. */
static const struct pawl_tune_verdict *find_loss(const struct pawl_tune *tune, size_t *finalist) {
  for (size_t i = 0; i < tune->finalist_count; i++) {
    const struct pawl_tune_verdict *loss = find_loss_of(&tune->finalists[i]);
    *finalist = i;
    if (loss) return loss;
  }
  return NULL;
}

/* A budget with time for two more verdicts, as a value of --budget. */
static const char *larger_budget(const struct pawl_tune *tune, struct pawl_arena *arena) {
  if (!(tune->judging_seconds > 0)) return "a larger --budget";
  const double seconds = fmax(tune->budget_seconds, tune->seconds) + 2 * tune->judging_seconds;
  if (seconds < 120)
    return pawl_arena_printf(arena, "--budget %.0fs or more", 10 * ceil(seconds / 10));
  return pawl_arena_printf(arena, "--budget %.0fm or more", ceil(seconds / 60));
}

/* The finalists with an inconclusive verdict. */
struct open_finalists {
  size_t count;
  const char *reason; /* the reason of the last one; NULL: none */
  bool loaded;        /* one of them met the load of other programs */
};

static const char *doubt_about(const struct pawl_tune_finalist *finalist,
                               struct pawl_arena *arena) {
  if (pawl_tune_answer(finalist) == PAWL_DECISION_IMPROVEMENT)
    return "it is faster, but no new blocks say by how much";
  for (size_t i = 0; !finalist->reason && i < finalist->verdict_count; i++) {
    const struct pawl_paired_test *paired = &finalist->verdicts[i].paired;
    if (finalist->verdicts[i].harmed && isfinite(paired->slowdown.estimate))
      return pawl_arena_printf(arena, "it seems to be %.1f %% slower on %s",
                               paired->slowdown.estimate * 100, paired->case_name);
  }
  return finalist->reason;
}

static struct open_finalists find_open(const struct pawl_tune *tune, struct pawl_arena *arena) {
  struct open_finalists open = {0};
  for (size_t i = 0; i < tune->finalist_count; i++) {
    if (!is_open(&tune->finalists[i])) continue;
    open.count++;
    open.reason = doubt_about(&tune->finalists[i], arena);
    open.loaded = met_load(&tune->finalists[i]);
  }
  return open;
}

/* `failed`: all others did. */
static const char *why_undecided(const struct pawl_tune *tune, const struct open_finalists *open,
                                 bool complete, bool failed, struct pawl_arena *arena) {
  const size_t tried = pawl_tune_tried(tune), all = tune->space->count;
  if (tune->stopped)
    return pawl_arena_printf(arena, "stopped after %zu of %zu configurations; --resume goes on",
                             tried, all);
  if (tune->unjudged)
    return pawl_arena_printf(
        arena,
        "the budget ended before the gate judged %zu faster configuration%s; use --resume and %s",
        tune->unjudged, tune->unjudged == 1 ? "" : "s", larger_budget(tune, arena));
  if (failed)
    return pawl_arena_printf(arena, "all %zu other configurations failed; suggestions.md says why",
                             tune->count);
  if (!complete && tune->count && count_same(tune) == tune->count)
    return pawl_arena_printf(arena,
                             "all %zu other configurations that pawl tried have the machine code "
                             "of the current parameters; does a source read them?",
                             tune->count);
  if (!complete && tune->building)
    return pawl_arena_printf(arena, "the time went before %s was built (%zu of %zu tried)",
                             tune->building, tried, all);
  if (!complete)
    return pawl_arena_printf(
        arena, "pawl timed no other configuration (%zu of %zu tried); use a larger --budget", tried,
        all);
  return pawl_arena_printf(
      arena, "the gate was inconclusive about %zu of %zu finalists%s%s; %suse --resume and %s",
      open->count, tune->finalist_count, open->reason ? ": " : "", open->reason ? open->reason : "",
      open->loaded ? "stop what else runs here, or set 'gate: {busy: count}'; then " : "",
      larger_budget(tune, arena));
}

/* Concludes a search without a winner. */
static void conclude_without(struct pawl_tune *tune, struct pawl_arena *arena) {
  size_t losing = 0;
  const struct open_finalists open = find_open(tune, arena);
  const struct pawl_tune_verdict *loss = find_loss(tune, &losing);
  const size_t tried = pawl_tune_tried(tune), all = tune->space->count;
  const bool failed = tried == all && tune->count && pawl_tune_failed(tune) == tune->count;
  const bool complete = pawl_tune_count_timed(tune) || (tried == all && !failed);
  tune->decided = complete && !open.count && !tune->unjudged && !tune->stopped;
  if (!tune->decided)
    tune->conclusion = pawl_arena_printf(arena, "no decision: %s",
                                         why_undecided(tune, &open, complete, failed, arena));
  else if (loss)
    tune->conclusion = pawl_arena_printf(
        arena, "no one setting: %s is %.2f times as fast over %zu cases, but %.1f %% slower on %s",
        pawl_tune_plain_key(tune, tune->finalists[losing].candidate),
        tune->finalists[losing].speedup, tune->case_count, loss->paired.slowdown.estimate * 100,
        loss->paired.case_name);
  else
    tune->conclusion = pawl_arena_printf(
        arena, "nothing better found: none of %zu of %zu configurations is proven to be faster",
        tried, all);
}

static const char *harm_on(const struct pawl_tune_other *other) {
  return other->outcome == PAWL_OUTCOME_OK ? "slower" : "fails";
}

/* Concludes a search with a winner. If it cannot be recommended, an unjudged or inconclusive
   candidate may be the answer. */
static void conclude_with(struct pawl_tune *tune, struct pawl_arena *arena) {
  const struct pawl_tune_finalist *winner = &tune->finalists[tune->winner];
  const char *key = pawl_tune_plain_key(tune, winner->candidate);
  const struct pawl_tune_other *harmed = find_harmed(winner);
  const struct open_finalists open = find_open(tune, arena);
  if (tune->stopped) {
    tune->conclusion = pawl_arena_printf(
        arena,
        "no decision: stopped while %s, %.2f times as fast on %s, was judged; --resume goes on",
        key, winner->speedup, tune->case_name);
  } else if (!(winner->speedup > 1 + tune->improve)) {
    tune->conclusion = pawl_arena_printf(
        arena, "nothing better found: %s is %.1f %% faster, and the limit is %.3g %%", key,
        (winner->speedup - 1) * 100, tune->improve * 100);
  } else if (harmed) {
    tune->conclusion = pawl_arena_printf(
        arena, "not recommended: %s is %.2f times as fast on %s, but %s on %s", key,
        winner->speedup, tune->case_name, harm_on(harmed), harmed->case_name);
  } else {
    tune->recommended = true;
    tune->conclusion = pawl_arena_printf(arena, "recommended: %s is %.2f times as fast on %s%s",
                                         key, winner->speedup, tune->case_name,
                                         pawl_tune_limits(winner->low, winner->high, arena));
  }
  tune->decided = tune->recommended || !(tune->stopped || tune->unjudged || open.count);
  if (!tune->decided && !tune->stopped)
    tune->conclusion = pawl_arena_printf(arena, "no decision: %s; %s", tune->conclusion,
                                         why_undecided(tune, &open, true, false, arena));
}

static size_t choose_winner(const struct pawl_tune *tune) {
  size_t first = tune->finalist_count;
  for (size_t i = 0; i < tune->finalist_count; i++) {
    if (!is_faster(&tune->finalists[i])) continue;
    if (!find_harmed(&tune->finalists[i])) return i;
    if (first == tune->finalist_count) first = i;
  }
  return first;
}

/* A rule may be worth using, but the gate did not judge it. */
static bool rule_is_open(const struct pawl_tune *tune) {
  return tune->selection && !pawl_rule_is_one_setting(&tune->selection->rule) &&
         !tune->selection->verdicts;
}

void pawl_tune_conclude(struct pawl_tune *tune, struct pawl_arena *arena) {
  tune->winner = choose_winner(tune);
  tune->recommended = false;
  if (tune->winner == tune->finalist_count)
    conclude_without(tune, arena);
  else
    conclude_with(tune, arena);
  pawl_tune_conclude_rule(tune, arena);
  if (tune->decided && !tune->recommended && rule_is_open(tune)) {
    tune->decided = false;
    tune->conclusion = pawl_arena_printf(arena,
                                         "no decision: %s; the budget ended before the gate judged "
                                         "a rule for the cases: use --resume and %s",
                                         tune->conclusion, larger_budget(tune, arena));
  }
  tune->finished = tune->decided && !rule_is_open(tune);
  if (!tune->selection || !tune->selection->offered) return;
  const char *one = tune->decided ? tune->conclusion : "no one setting is proven to be better";
  /* A search that is not finished may still prove one setting after --resume. */
  tune->decided = !tune->stopped;
  tune->conclusion = pawl_arena_printf(arena, "%s; %s", one, tune->selection->conclusion);
}

/* --- JSON --- */

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
  const struct pawl_tune_other *harmed = find_harmed(finalist);
  if (finalist->reason || !harmed)
    return finalist->reason ? json_string(finalist->reason) : json_null();
  return json_sprintf("%s on %s", harm_on(harmed), harmed->case_name);
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
  char seed[24]; /* as text, because some readers of JSON lose bits of a 64-bit number */
  snprintf(seed, sizeof seed, "%" PRIu64, tune->seed);
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
  pawl_json_set_string(object, "seed", seed);
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
