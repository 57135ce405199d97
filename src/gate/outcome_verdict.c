/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/outcome_verdict.h"

#include <math.h>

#include "base/text.h"
#include "gate/result_interval.h"

/* Returns the outcome. A failed check decides even if the file calls the outcome ok, as the earlier
   scripts' files do. */
static enum pawl_outcome outcome_of(const struct pawl_result *result) {
  const bool wrong = result->correctness.known && !result->correctness.passed;
  return result->outcome == PAWL_OUTCOME_OK && wrong ? PAWL_OUTCOME_WRONG : result->outcome;
}

bool pawl_result_timed(const struct pawl_result *result) {
  const struct pawl_performance *p = &result->performance;
  return outcome_of(result) == PAWL_OUTCOME_OK &&
         (p->sample_count > 0 || !isnan(p->median_ms) || !isnan(p->mean_time_ms));
}

static bool broken(const struct pawl_result *result) {
  const enum pawl_outcome outcome = outcome_of(result);
  return pawl_outcome_fails(outcome) || (outcome == PAWL_OUTCOME_OK && !pawl_result_timed(result));
}

static const char *outcome_verdict_describe(const struct pawl_result *result,
                                            struct pawl_arena *arena) {
  static const char *const texts[] = {
      [PAWL_OUTCOME_OK] = "there is no time",
      [PAWL_OUTCOME_WRONG] = "the result is wrong",
      [PAWL_OUTCOME_BUILD] = "it does not build",
      [PAWL_OUTCOME_CRASHED] = "it crashed",
      [PAWL_OUTCOME_HUNG] = "it hung",
      [PAWL_OUTCOME_NO_TIMES] = "it gives no times",
      [PAWL_OUTCOME_DROPPED] = "it refuses shapes that the base takes",
      [PAWL_OUTCOME_UNSUPPORTED] = "not supported",
      [PAWL_OUTCOME_ABSENT] = "a device or a tool is missing",
      [PAWL_OUTCOME_INCONCLUSIVE] = "no time was valid",
  };
  const char *text = texts[outcome_of(result)];
  if (result->reason && (pawl_starts_with(result->reason, "kernel '") ||
                         pawl_starts_with(result->reason, "not measured: ")))
    return result->reason; /* the reason is already a whole sentence */
  return result->reason ? pawl_arena_printf(arena, "%s: %s", text, result->reason) : text;
}

static bool outcome_verdict_decide(struct pawl_comparison *out, enum pawl_verdict verdict,
                                   const char *reason) {
  out->verdict = verdict;
  out->reason = reason;
  return true;
}

/* Says that the candidate lost a time that the baseline has, without being broken. */
static bool lost(const struct pawl_result *candidate, struct pawl_arena *arena,
                 struct pawl_comparison *out) {
  const char *why = outcome_verdict_describe(candidate, arena);
  if (candidate->outcome == PAWL_OUTCOME_ABSENT)
    return outcome_verdict_decide(out, PAWL_VERDICT_INCONCLUSIVE, why);
  return outcome_verdict_decide(out, PAWL_VERDICT_DROPPED,
                                pawl_arena_printf(arena, "the baseline has a time; now: %s", why));
}

bool pawl_outcome_verdict(const struct pawl_result *baseline, const struct pawl_result *candidate,
                          struct pawl_arena *arena, struct pawl_comparison *out) {
  if (!candidate) {
    if (baseline->outcome == PAWL_OUTCOME_UNSUPPORTED || baseline->outcome == PAWL_OUTCOME_ABSENT)
      return outcome_verdict_decide(
          out, PAWL_VERDICT_UNSUPPORTED,
          "the baseline has no time for it, and the candidate does not have it");
    return outcome_verdict_decide(out, PAWL_VERDICT_MISSING,
                                  "the baseline has it, but the candidate does not");
  }
  if (candidate->outcome == PAWL_OUTCOME_DROPPED) /* the reason is a whole sentence */
    return outcome_verdict_decide(
        out, PAWL_VERDICT_DROPPED,
        candidate->reason ? candidate->reason : outcome_verdict_describe(candidate, arena));
  if (broken(candidate))
    return outcome_verdict_decide(out, PAWL_VERDICT_BROKEN,
                                  outcome_verdict_describe(candidate, arena));
  if (candidate->outcome == PAWL_OUTCOME_INCONCLUSIVE)
    return outcome_verdict_decide(out, PAWL_VERDICT_INCONCLUSIVE,
                                  outcome_verdict_describe(candidate, arena));
  const bool timed = pawl_result_timed(candidate),
             timed_before = baseline && pawl_result_timed(baseline);
  if (!timed && timed_before) return lost(candidate, arena, out);
  if (!timed)
    return outcome_verdict_decide(out, PAWL_VERDICT_UNSUPPORTED,
                                  outcome_verdict_describe(candidate, arena));
  if (!baseline)
    return outcome_verdict_decide(out, PAWL_VERDICT_NEW, "the baseline does not have it");
  if (!timed_before)
    return outcome_verdict_decide(out, PAWL_VERDICT_NEW,
                                  pawl_arena_printf(arena, "the baseline has no time for it: %s",
                                                    outcome_verdict_describe(baseline, arena)));
  return false;
}

struct pawl_sample_side pawl_result_sample_side(const struct pawl_result *result) {
  const struct pawl_performance *p = &result->performance;
  struct pawl_sample_side side = {.median_ms = p->median_ms,
                                  .mean_ms = p->mean_time_ms,
                                  .samples_ms = p->samples_ms,
                                  .sample_count = p->sample_count};
  side.by_process = pawl_result_interval(result, &side.ci_low, &side.ci_high);
  pawl_result_fastest(result, &side.fastest_least, &side.fastest_greatest);
  return side;
}
