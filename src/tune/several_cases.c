/* SPDX-License-Identifier: Apache-2.0 */
/* A search for several cases: the joint verdict, and the rule that the verdicts prove. */
#include <math.h>

#include "stats/describe.h"
#include "stats/sign_test.h"
#include "stats/sort.h"
#include "tune/tune.h"

#define DOUBT 0.05 /* the error of the limits of all cases together */

/* --- verdicts --- */

/* Reads the confirming blocks, if they are as many as the verdict's blocks; fewer mean that the
   confirmation ended early. */
static bool read_confirmation(struct pawl_tune_verdict *verdict, size_t cases,
                              struct pawl_arena *arena) {
  const struct pawl_paired_test *paired = &verdict->paired;
  double *ratios = pawl_arena_alloc(arena, paired->confirmation_count + 1, sizeof *ratios),
         *sorted = NULL;
  struct pawl_summary summary;
  struct pawl_error ignored;
  size_t count = 0;
  double low, high;
  for (size_t i = 0; i < paired->confirmation_count; i++) {
    const struct pawl_paired_block *block = &paired->confirmation[i];
    if (!block->spoiled) ratios[count++] = log(block->base_ms / block->candidate_ms);
  }
  if (count < paired->counted || !count) return false;
  if (pawl_summarize(ratios, count, &summary, &ignored) != PAWL_OK ||
      pawl_sorted_copy(ratios, count, &sorted, &ignored) != PAWL_OK)
    return false;
  pawl_sign_fixed_limits(sorted, (int)count, 1 - DOUBT / (double)cases, &low, &high);
  pawl_free(sorted);
  verdict->speedup = exp(summary.median);
  verdict->low = exp(low);
  verdict->high = exp(high);
  return true;
}

void pawl_tune_verdict_read(struct pawl_tune_verdict *verdict, size_t cases,
                            struct pawl_arena *arena) {
  const struct pawl_paired_test *paired = &verdict->paired;
  const struct pawl_slowdown *slowdown = &paired->slowdown;
  verdict->speedup = verdict->low = verdict->high = NAN;
  /* With a large `detect`, the gate maintains a kernel that seems slower than `tolerate`. */
  const bool slower = paired->decision == PAWL_DECISION_INCONCLUSIVE
                          ? !(slowdown->estimate <= paired->policy.tolerate)
                          : paired->decision == PAWL_DECISION_MAINTAINED &&
                                slowdown->estimate > paired->policy.tolerate;
  verdict->harmed = cases > 1 && (verdict->outcome != PAWL_OUTCOME_OK ||
                                  paired->decision == PAWL_DECISION_REGRESSION || slower);
  if (verdict->outcome != PAWL_OUTCOME_OK || read_confirmation(verdict, cases, arena)) return;
  if (cases == 1 || paired->decision == PAWL_DECISION_IMPROVEMENT || !isfinite(slowdown->estimate))
    return;
  verdict->speedup = 1 / (1 + slowdown->estimate);
  if (!isfinite(slowdown->high) || !(slowdown->low > -1)) return; /* too few blocks for limits */
  verdict->low = 1 / (1 + slowdown->high);
  verdict->high = 1 / (1 + slowdown->low);
}

void pawl_tune_mean_speedup(const struct pawl_tune_verdict *verdicts, size_t count, double *speedup,
                            double *low, double *high) {
  double sums[3] = {0};
  for (size_t i = 0; i < count; i++) {
    sums[0] += log(verdicts[i].speedup);
    sums[1] += log(verdicts[i].low);
    sums[2] += log(verdicts[i].high);
  }
  *speedup = count == 1 ? verdicts->speedup : exp(sums[0] / (double)count);
  *low = count == 1 ? verdicts->low : exp(sums[1] / (double)count);
  *high = count == 1 ? verdicts->high : exp(sums[2] / (double)count);
}

enum pawl_decision pawl_tune_answer(const struct pawl_tune_finalist *finalist) {
  size_t faster = 0, same = 0, doubtful = 0;
  if (finalist->verdict_count == 1) return finalist->verdicts->paired.decision;
  for (size_t i = 0; i < finalist->verdict_count; i++) {
    const struct pawl_tune_verdict *verdict = &finalist->verdicts[i];
    const bool proven =
        verdict->outcome != PAWL_OUTCOME_OK || verdict->paired.decision == PAWL_DECISION_REGRESSION;
    if (verdict->harmed && proven) return PAWL_DECISION_REGRESSION;
    doubtful += verdict->harmed;
    faster += verdict->paired.decision == PAWL_DECISION_IMPROVEMENT;
    same += verdict->paired.decision == PAWL_DECISION_MAINTAINED;
  }
  if (faster && !doubtful) return PAWL_DECISION_IMPROVEMENT;
  return same && same == finalist->verdict_count ? PAWL_DECISION_MAINTAINED
                                                 : PAWL_DECISION_INCONCLUSIVE;
}

/* --- the rule --- */

size_t pawl_tune_rule_candidate(const struct pawl_tune *tune, size_t case_number) {
  const struct pawl_tune_selection *selection = tune->selection;
  struct pawl_arena arena = {0};
  size_t dims;
  const int64_t *values = pawl_tune_shapes(tune, &arena, &dims);
  const size_t setting = pawl_rule_choose(&selection->rule, &values[case_number * dims]);
  pawl_arena_clear(&arena);
  return selection->settings[setting];
}

const int64_t *pawl_tune_shapes(const struct pawl_tune *tune, struct pawl_arena *arena,
                                size_t *dims) {
  const size_t count = (size_t)tune->cases[0]->count;
  int64_t *values = pawl_arena_alloc(arena, tune->case_count * count + 1, sizeof *values);
  for (size_t i = 0; i < tune->case_count; i++)
    for (size_t dim = 0; dim < count; dim++)
      values[i * count + dim] = tune->cases[i]->dims[dim].value;
  *dims = count;
  return values;
}

/* Returns whether it looks faster by more than noise, but its blocks do not prove it. */
static bool is_unproven(const struct pawl_tune *tune, const struct pawl_tune_verdict *verdict) {
  return verdict->paired.decision == PAWL_DECISION_INCONCLUSIVE &&
         verdict->speedup > 1 + tune->improve;
}

/* With a large `detect` the gate maintains a kernel that looks faster. A rule needs a case on
   which it is proven to be faster. */
static bool is_faster_somewhere(const struct pawl_tune *tune) {
  for (size_t i = 0; i < tune->case_count; i++)
    if (tune->selection->verdicts[i].paired.decision == PAWL_DECISION_IMPROVEMENT) return true;
  return false;
}

/* The first case on which the rule's setting is not as good as it looked; case_count: none. */
static size_t find_harmed(const struct pawl_tune *tune) {
  const struct pawl_tune_selection *selection = tune->selection;
  for (size_t i = 0; i < tune->case_count; i++) {
    const struct pawl_tune_verdict *verdict = &selection->verdicts[i];
    if (verdict->harmed || !isfinite(verdict->speedup) || is_unproven(tune, verdict)) return i;
  }
  return tune->case_count;
}

static const char *setting_key(const struct pawl_tune *tune, size_t candidate) {
  return candidate == PAWL_TUNE_NO_CANDIDATE ? "the current parameters"
                                             : pawl_tune_plain_key(tune, candidate);
}

static const char *describe_rule(struct pawl_tune *tune, struct pawl_arena *arena) {
  struct pawl_tune_selection *selection = tune->selection;
  const struct pawl_tune_rule *rule = &selection->rule;
  const double most = (rule->one / rule->best - 1) * 100;
  const bool proven = tune->winner < tune->finalist_count && selection->one > 0;
  const char *one = setting_key(tune, selection->settings[selection->one]);
  if (rule->one_is_enough && isfinite(most) && most > PAWL_RULE_GAIN * 100)
    return pawl_arena_printf(
        arena,
        "one setting is enough: the best setting of each case looks %.1f %% faster than %s, and "
        "luck explains that much: the standard error of a ratio is %.1f %%",
        most, one, selection->noise * 100);
  if (rule->one_is_enough && isfinite(most))
    return pawl_arena_printf(arena,
                             "one setting is enough: with the best setting of each case the kernel "
                             "is at most %.1f %% faster than with %s",
                             most, one);
  if (rule->one_is_enough) return "no rule: no setting works on all cases";
  if (pawl_rule_is_one_setting(rule)) /* a finalist, whose own verdict decides */
    return pawl_arena_printf(arena, "one setting is enough: no rule looks better than %s alone",
                             setting_key(tune, selection->settings[rule->nodes[0].setting]));
  if (!selection->verdicts)
    return "no rule: the budget ended before the gate judged it; use --resume and a larger "
           "--budget";
  const size_t harmed = find_harmed(tune);
  if (harmed < tune->case_count)
    return pawl_arena_printf(
        arena, "no rule: its setting for %s is not proven there%s%s", tune->cases[harmed]->name,
        selection->verdicts[harmed].reason ? ": " : "",
        selection->verdicts[harmed].reason ? selection->verdicts[harmed].reason : "");
  if (!is_faster_somewhere(tune))
    return "no rule: none of its settings is proven to be faster on its cases";
  pawl_tune_mean_speedup(selection->verdicts, tune->case_count, &selection->speedup,
                         &selection->low, &selection->high);
  selection->gain = selection->speedup / (proven ? tune->finalists[tune->winner].speedup : 1) - 1;
  if (!(selection->gain >= PAWL_RULE_GAIN))
    return pawl_arena_printf(arena,
                             "one setting is enough: new blocks gave the rule %.1f %% over %s",
                             selection->gain * 100, one);
  if (!(selection->speedup > 1 + tune->improve))
    return pawl_arena_printf(
        arena,
        "no rule: it is %.1f %% faster than the current parameters, and the limit is %.3g %%",
        (selection->speedup - 1) * 100, tune->improve * 100);
  selection->offered = true;
  return pawl_arena_printf(
      arena, "a rule of %zu settings is %.2f times as fast over %zu cases%s, %.1f %% more than %s",
      rule->settings, selection->speedup, tune->case_count,
      pawl_tune_limits(selection->low, selection->high, arena), selection->gain * 100, one);
}

void pawl_tune_conclude_rule(struct pawl_tune *tune, struct pawl_arena *arena) {
  struct pawl_tune_selection *selection = tune->selection;
  if (!selection) return;
  selection->offered = false;
  selection->speedup = selection->low = selection->high = selection->gain = NAN;
  selection->conclusion = describe_rule(tune, arena);
}
