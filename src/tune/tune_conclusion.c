/* SPDX-License-Identifier: Apache-2.0 */
/* The conclusion of a search: its winner, or why there is none. */
#include <math.h>
#include <string.h>

#include "gate/paired_advice.h"
#include "tune/tune.h"

/* Counts the candidates with the machine code of the current parameters. */
static size_t count_same(const struct pawl_tune *tune) {
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++)
    count += tune->candidates[i].same_as && !strcmp(tune->candidates[i].same_as, PAWL_TUNE_CURRENT);
  return count;
}

const struct pawl_tune_other *pawl_tune_find_harmed(const struct pawl_tune_finalist *finalist) {
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
  return finalist->outcome == PAWL_OUTCOME_OK &&
         (find_loss_of(finalist) || pawl_tune_find_harmed(finalist));
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
    if (pawl_paired_load_spoiled(&finalist->verdicts[i].paired)) return true;
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
    open.loaded |= met_load(&tune->finalists[i]);
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

const char *pawl_tune_harm(const struct pawl_tune_other *other) {
  return other->outcome == PAWL_OUTCOME_OK ? "slower" : "fails";
}

/* Concludes a search with a winner. If it cannot be recommended, an unjudged or inconclusive
   candidate may be the answer. */
static void conclude_with(struct pawl_tune *tune, struct pawl_arena *arena) {
  const struct pawl_tune_finalist *winner = &tune->finalists[tune->winner];
  const char *key = pawl_tune_plain_key(tune, winner->candidate);
  const struct pawl_tune_other *harmed = pawl_tune_find_harmed(winner);
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
        winner->speedup, tune->case_name, pawl_tune_harm(harmed), harmed->case_name);
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
    if (!pawl_tune_find_harmed(&tune->finalists[i])) return i;
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
