/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "profile/quantity.h"
#include "profile/rules.h"

#define SYSTEM_SHARE 0.10
#define IDLE_SHARE 0.15
#define ALONE 1.25         /* CPUs: one thread, and a little of the system beside it */
#define BRANCH_CYCLES 15.0 /* cycles: a wrong prediction costs about 15 to 20 */
#define BRANCH_SHARE 0.05
/* From about this number of last-level cache misses per 1000 instructions on, memory matters. */
#define MISSES 5.0
#define FEW 1.0       /* instructions per cycle; with fewer the core mostly waits */
#define MANY 2.0      /* with more it mostly works */
#define WIDTH 4.0     /* instructions per cycle that every core can retire */
#define PREEMPTED 1.0 /* times per call */

typedef const struct pawl_profile_kernel *profiled;

static double value(profiled kernel, enum pawl_counter counter) { return kernel->values[counter]; }

static double instructions_a_cycle(profiled kernel) {
  return value(kernel, PAWL_COUNTER_CPU_INSTRUCTIONS) / value(kernel, PAWL_COUNTER_CPU_CYCLES);
}

static double misses_of_1000(profiled kernel) {
  return value(kernel, PAWL_COUNTER_CPU_CACHE_MISSES) /
         value(kernel, PAWL_COUNTER_CPU_INSTRUCTIONS) * 1000;
}

static void say_rate(profiled kernel, struct pawl_finding *out) {
  pawl_finding_say(out, "%.2f instructions a cycle", instructions_a_cycle(kernel));
  if (!isnan(misses_of_1000(kernel)))
    pawl_finding_say(out, ", %.1f misses of the last-level cache for 1000 instructions",
                     misses_of_1000(kernel));
}

bool pawl_rule_cpu_system(profiled kernel, struct pawl_finding *out) {
  const double share =
      value(kernel, PAWL_COUNTER_CPU_SYSTEM) / value(kernel, PAWL_COUNTER_CPU_TIME);
  const double reasons =
      value(kernel, PAWL_COUNTER_PAGE_FAULTS) + value(kernel, PAWL_COUNTER_CPU_WAITS);
  char faults[PAWL_QUANTITY], waits[PAWL_QUANTITY];
  if (!(share > SYSTEM_SHARE) || !(reasons >= 1))
    return false; /* without them the clock's ticks hit by chance */
  out->cost = fmin(share, 1);
  pawl_finding_say(
      out,
      "%.0f %% of the CPU time is the system's; a call has %s page faults, and its threads wait %s "
      "times",
      out->cost * 100,
      pawl_quantity_text(round(value(kernel, PAWL_COUNTER_PAGE_FAULTS)), PAWL_UNIT_COUNT, faults),
      pawl_quantity_text(round(value(kernel, PAWL_COUNTER_CPU_WAITS)), PAWL_UNIT_COUNT, waits));
  return true;
}

/* With one thread, the call itself is that thread. If other processes take the CPUs, they are the
   reason. */
bool pawl_rule_cpu_idle(profiled kernel, struct pawl_finding *out) {
  const double threads = value(kernel, PAWL_COUNTER_CPU_THREADS);
  const double used = value(kernel, PAWL_COUNTER_CPU_TIME) / value(kernel, PAWL_COUNTER_DURATION);
  if (!(threads > 1) || !(used < threads * (1 - IDLE_SHARE))) return false;
  if (value(kernel, PAWL_COUNTER_CPU_PREEMPTIONS) >= PREEMPTED / 2) return false;
  out->cost = 1 - used / threads;
  pawl_finding_say(out, "of %.0f threads that the kernel may use, %.1f work", threads, used);
  if (used < ALONE)
    out->remedy =
        "share the work among the threads that a launch gives: the kernel uses one of them";
  return true;
}

bool pawl_rule_cpu_branches(profiled kernel, struct pawl_finding *out) {
  const double misses = value(kernel, PAWL_COUNTER_CPU_BRANCH_MISSES);
  const double cost = misses * BRANCH_CYCLES / value(kernel, PAWL_COUNTER_CPU_CYCLES);
  char text[PAWL_QUANTITY];
  if (!(cost > BRANCH_SHARE)) return false;
  out->cost = fmin(cost, 1);
  pawl_finding_say(out, "%s wrong predictions, %.1f %% of the branches",
                   pawl_quantity_text(misses, PAWL_UNIT_COUNT, text),
                   misses / value(kernel, PAWL_COUNTER_CPU_BRANCHES) * 100);
  return true;
}

static bool waits_for_memory(profiled kernel) {
  return instructions_a_cycle(kernel) < MANY && misses_of_1000(kernel) >= MISSES;
}

bool pawl_rule_cpu_memory(profiled kernel, struct pawl_finding *out) {
  char rate[PAWL_QUANTITY];
  if (!waits_for_memory(kernel)) return false;
  out->cost = 1 - instructions_a_cycle(kernel) / WIDTH;
  say_rate(kernel, out);
  pawl_finding_say(out, ": %s/s by lines of 64 bytes",
                   pawl_quantity_text(value(kernel, PAWL_COUNTER_CPU_CACHE_MISSES) * 64 /
                                          value(kernel, PAWL_COUNTER_DURATION),
                                      PAWL_UNIT_BYTES, rate));
  return true;
}

bool pawl_rule_cpu_instructions(profiled kernel, struct pawl_finding *out) {
  if (!(instructions_a_cycle(kernel) >= MANY)) return false;
  out->cost = fmin(instructions_a_cycle(kernel) / WIDTH, 1);
  say_rate(kernel, out);
  return true;
}

bool pawl_rule_cpu_latency(profiled kernel, struct pawl_finding *out) {
  if (!(instructions_a_cycle(kernel) < FEW) || waits_for_memory(kernel)) return false;
  out->cost = 1 - instructions_a_cycle(kernel) / WIDTH;
  say_rate(kernel, out);
  return true;
}

bool pawl_rule_cpu_preempted(profiled kernel, struct pawl_finding *out) {
  const double times = value(kernel, PAWL_COUNTER_CPU_PREEMPTIONS);
  if (!(times >= PREEMPTED)) return false;
  out->cost = 0.05; /* a note, because the machine is the cause and not the kernel */
  pawl_finding_say(out, "another process took a CPU %.0f time%s a call", times,
                   times < 1.5 ? "" : "s");
  return true;
}
