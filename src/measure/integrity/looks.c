/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/looks.h"

#include <math.h>
#include <stdio.h>

/* The first look comes this share and time after the end of the shortest call, and each further one
 * after this share of the time. A thread that wakes takes some 5 us of another CPU. */
#define STEP 1.05
#define FIRST_NS 30000
/* The error of a worker's readings: between its clock and its word it runs a few instructions, in
 * Python for some 5 us. */
#define SHARE 1.02
#define ERROR_NS 20000
#define FEWEST 2 /* calls that take longer */

/* Points of suspicion for a request in which a call lasted longer than reported: where it is the
 * only call, where it has others beside it, and where the worker's wait for a CPU explains it. A
 * request without such a call takes 1 point away. */
#define ALONE 7
#define AMONG_OTHERS 5
#define EXPLAINED 4
#define ENOUGH 12

/* The shortest time that the worker has told, in seconds; INFINITY: none. */
static double shortest(const struct pawl_arm_run *arm) {
  double least = arm->verified && arm->verified->shortest > 0 ? arm->verified->shortest : INFINITY;
  for (size_t i = 0; i < arm->out->count; i++) least = fmin(least, arm->out->seconds[i]);
  return least;
}

int64_t pawl_looks_from(const struct pawl_arm_run *arm) {
  const double ns = shortest(arm) * 1e9 * STEP + FIRST_NS;
  return ns < 1e18 ? (int64_t)ns : INT64_MAX;
}

int64_t pawl_looks_next(int64_t elapsed_ns) { return (int64_t)(STEP * (double)elapsed_ns) + 1; }

void pawl_looks_note(struct pawl_arm_run *arm, int64_t least_ns, double seconds) {
  const double says = seconds * 1e9, seen = (double)least_ns;
  if (!least_ns) return;
  arm->looks.facts.calls++;
  if (!(seen > says * SHARE + ERROR_NS)) return;
  arm->looks.facts.longer++;
  arm->looks.facts.excess_ns += seen - says;
  arm->looks.seen_ns = seen;
  arm->looks.says_ns = says;
}

bool pawl_clock_is_impossible(const struct pawl_clock_facts *facts, int *suspicion) {
  const bool explained = facts->excess_ns <= (double)facts->waited_ns;
  if (!facts->longer) {
    *suspicion -= *suspicion > 0;
    return false;
  }
  *suspicion += explained ? EXPLAINED : facts->calls == 1 ? ALONE : AMONG_OTHERS;
  return *suspicion >= ENOUGH || (facts->longer >= 2 && !explained);
}

void pawl_clock_give_up(struct pawl_block_run *run, struct pawl_arm_run *arm, double seen_ns,
                        double claimed_ns) {
  char reason[160];
  snprintf(
      reason, sizeof reason,
      "it reports impossible times: a call that took at least %.3g ms by pawl's clock as %.3g ms",
      seen_ns * 1e-6, claimed_ns * 1e-6);
  pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, reason);
}

void pawl_looks_judge(struct pawl_block_run *run, struct pawl_arm_run *arm) {
  const struct pawl_looks *looks = &arm->looks;
  if (!arm->worker) return;
  if (arm->verified && isfinite(shortest(arm))) arm->verified->shortest = shortest(arm);
  if (looks->facts.longer < FEWEST || 2 * looks->facts.longer < looks->facts.calls) return;
  int unkept = 0;
  if (pawl_clock_is_impossible(&looks->facts, arm->verified ? &arm->verified->suspicion : &unkept))
    pawl_clock_give_up(run, arm, looks->seen_ns, looks->says_ns);
}
