/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "profile/finding.h"
#include "profile/quantity.h"

#define ISSUES_A_CYCLE 4.0 /* Since Volta an SM issues at most four instructions per cycle. */
/* A wait that changes by a smaller share of the base's time is left out. */
#define STALL_MATTERS 0.02
/* A flaw that explains a smaller share of the time change takes its place among the counters. */
#define FLAW_LEADS 0.5
/* A flaw whose share of the kernel's time changes by less is no finding, only a fact. */
#define FLAW_CAME 0.10
/* A profile that is off the paired change by a larger share of it shows another change. */
#define NOT_THE_CHANGE (1.0 / 3)
#define OCCUPANCY_NOISE 0.1
/* A flaw whose share of the kernel's time changes by less is left out. */
#define FLAW_MOVED 0.03

/* How a counter's change turns into time. */
enum cost {
  COST_NONE,         /* a fact, which has no time of its own */
  COST_UNIT,         /* percent of the time that a unit is busy */
  COST_INSTRUCTIONS, /* instructions, each of which takes an issue slot */
  COST_WAVEFRONTS,   /* events, each of which takes a cycle of an SM */
  COST_DRAM,         /* bytes, which take time at the rate of this kernel */
  COST_IDLE,         /* cycles of an SM without work */
  COST_CLOCK,        /* the same cycles at another clock */
  COST_PART,         /* instructions of a CPU kernel: its time grows in proportion to them */
  COST_CPU           /* the CPU time of a CPU kernel, divided by the CPUs that it used */
};

/* The compared counters. A relative change below the threshold is noise. */
static const struct {
  enum pawl_counter counter;
  enum cost cost;
  double noise;
} compared[] = {
    {PAWL_COUNTER_SM_CLOCK, COST_CLOCK, 0.01},
    {PAWL_COUNTER_SPILLS, COST_WAVEFRONTS, 0},
    {PAWL_COUNTER_LOCAL_LOADS, COST_WAVEFRONTS, 0},
    {PAWL_COUNTER_LOCAL_STORES, COST_WAVEFRONTS, 0},
    {PAWL_COUNTER_CONFLICTS, COST_WAVEFRONTS, 0.1},
    {PAWL_COUNTER_INSTRUCTIONS, COST_INSTRUCTIONS, 0.005},
    {PAWL_COUNTER_DRAM_READ, COST_DRAM, 0.05},
    {PAWL_COUNTER_DRAM_WRITE, COST_DRAM, 0.1},
    {PAWL_COUNTER_CYCLES_ACTIVE, COST_IDLE, 0.03},
    {PAWL_COUNTER_TENSOR, COST_UNIT, 0.03},
    {PAWL_COUNTER_XU, COST_UNIT, 0.03},
    {PAWL_COUNTER_FMA, COST_UNIT, 0.03},
    {PAWL_COUNTER_ALU, COST_UNIT, 0.03},
    {PAWL_COUNTER_FP64, COST_UNIT, 0.03},
    {PAWL_COUNTER_SHARED_PIPE, COST_UNIT, 0.03},
    {PAWL_COUNTER_L2, COST_UNIT, 0.05},
    {PAWL_COUNTER_CPU_INSTRUCTIONS, COST_PART, 0.01},
    {PAWL_COUNTER_LOAD_SECTORS, COST_NONE, 0.03},
    {PAWL_COUNTER_STORE_SECTORS, COST_NONE, 0.03},
    {PAWL_COUNTER_COALESCED_LOADS, COST_NONE, 0.02},
    {PAWL_COUNTER_COALESCED_STORES, COST_NONE, 0.02},
    {PAWL_COUNTER_L2_HIT, COST_NONE, 0.05},
    {PAWL_COUNTER_L1_HIT, COST_NONE, 0.1},
    {PAWL_COUNTER_LANES, COST_NONE, 0.02},
    {PAWL_COUNTER_REGISTERS, COST_NONE, 0},
    {PAWL_COUNTER_SHARED, COST_NONE, 0},
    {PAWL_COUNTER_GRID, COST_NONE, 0},
    {PAWL_COUNTER_BLOCK, COST_NONE, 0},
    {PAWL_COUNTER_WAVES, COST_NONE, 0.01},
    {PAWL_COUNTER_OCCUPANCY_MOST, COST_NONE, 0},
    {PAWL_COUNTER_OCCUPANCY, COST_NONE, 0.05},
    {PAWL_COUNTER_CPU_TIME, COST_CPU, 0.05},
    {PAWL_COUNTER_CPU_CYCLES, COST_NONE, 0.05},
    {PAWL_COUNTER_CPU_CACHE_MISSES, COST_NONE, 0.3},
    {PAWL_COUNTER_CPU_BRANCH_MISSES, COST_NONE, 0.3},
    {PAWL_COUNTER_CPU_TLB_MISSES, COST_NONE, 0.3},
    {PAWL_COUNTER_PAGE_FAULTS, COST_NONE, 0.3},
    {PAWL_COUNTER_CPU_SYSTEM, COST_NONE, 0.3},
};

typedef const struct pawl_profile_kernel *profiled;

static double value(profiled kernel, enum pawl_counter counter) { return kernel->values[counter]; }

/* Converts cycles of one SM to seconds at the candidate's clock. */
static double cycles(profiled candidate, double count) {
  return count / value(candidate, PAWL_COUNTER_SM_CLOCK);
}

/* Returns the seconds that a kernel spends on a counter. */
static double seconds_on(profiled kernel, enum pawl_counter counter, enum cost cost) {
  const double time = value(kernel, PAWL_COUNTER_DURATION),
               sms = value(kernel, PAWL_COUNTER_SM_COUNT);
  const double bytes =
      value(kernel, PAWL_COUNTER_DRAM_READ) + value(kernel, PAWL_COUNTER_DRAM_WRITE);
  switch (cost) {
    case COST_NONE: return NAN;
    case COST_UNIT: return time * value(kernel, counter) / 100;
    case COST_INSTRUCTIONS: return cycles(kernel, value(kernel, counter) / sms / ISSUES_A_CYCLE);
    case COST_WAVEFRONTS: return cycles(kernel, value(kernel, counter) / sms);
    case COST_DRAM:
      return bytes > 0
                 ? value(kernel, counter) / bytes * time * value(kernel, PAWL_COUNTER_DRAM) / 100
                 : 0;
    case COST_IDLE:
      return time *
             (1 - value(kernel, PAWL_COUNTER_CYCLES_ACTIVE) / value(kernel, PAWL_COUNTER_CYCLES));
    case COST_CLOCK:
    case COST_PART: return NAN;
    case COST_CPU:
      return value(kernel, counter) / fmax(1, value(kernel, PAWL_COUNTER_CPU_TIME) / time);
  }
  return NAN;
}

static double explained(profiled base, profiled candidate, enum pawl_counter counter,
                        enum cost cost) {
  if (cost == COST_CLOCK)
    return value(base, PAWL_COUNTER_DURATION) *
           (value(base, counter) / value(candidate, counter) - 1);
  if (cost == COST_PART)
    return value(base, PAWL_COUNTER_DURATION) *
           (value(candidate, counter) / value(base, counter) - 1);
  return seconds_on(candidate, counter, cost) - seconds_on(base, counter, cost);
}

static void percent_change(double before, double after, enum pawl_unit unit, char *out,
                           size_t size) {
  if (unit == PAWL_UNIT_PERCENT || !(before > 0))
    *out = '\0';
  else if (after >= 2 * before)
    snprintf(out, size, " (%.3g times)", after / before);
  else
    snprintf(out, size, " (%+.*f %%)", fabs(after / before - 1) < 0.0995 ? 1 : 0,
             (after / before - 1) * 100);
}

/* Idle time is easier to understand than active cycles. */
static void describe_idle(profiled base, profiled candidate, char *out) {
  const double before = value(base, PAWL_COUNTER_CYCLES_ACTIVE) / value(base, PAWL_COUNTER_CYCLES);
  const double after =
      value(candidate, PAWL_COUNTER_CYCLES_ACTIVE) / value(candidate, PAWL_COUNTER_CYCLES);
  snprintf(out, PAWL_CHANGE_TEXT, "an SM has no block for %.1f %% -> %.1f %% of the time",
           (1 - before) * 100, (1 - after) * 100);
}

static void change_describe(profiled base, profiled candidate, enum pawl_counter counter,
                            char *out) {
  const struct pawl_counter_info *info = &pawl_counter_infos[counter];
  const double before = value(base, counter), after = value(candidate, counter);
  char from[PAWL_QUANTITY], to[PAWL_QUANTITY], percent[32];
  pawl_quantity_text(before, info->unit, from);
  pawl_quantity_text(after, info->unit, to);
  percent_change(before, after, info->unit, percent, sizeof percent);
  if (counter == PAWL_COUNTER_SPILLS && before == 0)
    snprintf(out, PAWL_CHANGE_TEXT, "now spills: %s requests", to);
  else if (counter == PAWL_COUNTER_SPILLS && after == 0)
    snprintf(out, PAWL_CHANGE_TEXT, "spills no more: %s requests before", from);
  else
    snprintf(out, PAWL_CHANGE_TEXT, "%s %s -> %s%s", info->label, from, to, percent);
}

static bool changed(double before, double after, double noise) {
  if (isnan(before) || isnan(after) || before == after) return false;
  return fabs(after - before) > noise * fmax(fabs(before), fabs(after));
}

/* Returns whether the flaw "register spills" includes the time of this counter. */
static bool is_local(enum pawl_counter counter) {
  return counter == PAWL_COUNTER_SPILLS || counter == PAWL_COUNTER_LOCAL_LOADS ||
         counter == PAWL_COUNTER_LOCAL_STORES;
}

static bool compare_counter(profiled base, profiled candidate, size_t row,
                            struct pawl_change *out) {
  const enum pawl_counter counter = compared[row].counter;
  double before = value(base, counter), after = value(candidate, counter);
  /* A longer kernel has more active cycles, so only their share of all cycles counts. */
  if (compared[row].cost == COST_IDLE) {
    before /= value(base, PAWL_COUNTER_CYCLES);
    after /= value(candidate, PAWL_COUNTER_CYCLES);
  }
  if (compared[row].cost == COST_UNIT) { /* as busy time, not percent */
    before *= value(base, PAWL_COUNTER_DURATION);
    after *= value(candidate, PAWL_COUNTER_DURATION);
  }
  if (!changed(before, after, compared[row].noise)) return false;
  out->kind =
      compared[row].cost == COST_NONE || is_local(counter) ? PAWL_CHANGE_FACT : PAWL_CHANGE_TIME;
  out->seconds = explained(base, candidate, counter, compared[row].cost);
  if (compared[row].cost == COST_IDLE)
    describe_idle(base, candidate, out->text);
  else if (compared[row].cost == COST_UNIT) {
    char from[PAWL_QUANTITY], to[PAWL_QUANTITY], percent[32];
    percent_change(before, after, PAWL_UNIT_SECONDS, percent, sizeof percent);
    snprintf(out->text, sizeof out->text, "%s busy for %s -> %s%s",
             pawl_counter_infos[counter].label,
             pawl_quantity_text(before / 100, PAWL_UNIT_SECONDS, from),
             pawl_quantity_text(after / 100, PAWL_UNIT_SECONDS, to), percent);
  } else
    change_describe(base, candidate, counter, out->text);
  return true;
}

/* The time of warps is the time of the kernel. If a stall takes more of it, the kernel may take
   that much longer. */
static bool compare_stall(profiled base, profiled candidate, enum pawl_stall stall,
                          struct pawl_change *out) {
  const double before = base->stalls[stall] * value(base, PAWL_COUNTER_DURATION);
  const double after = candidate->stalls[stall] * value(candidate, PAWL_COUNTER_DURATION);
  if (stall == PAWL_STALL_SELECTED || stall == PAWL_STALL_NOT_SELECTED) return false;
  if (!(fabs(after - before) > STALL_MATTERS * value(base, PAWL_COUNTER_DURATION))) return false;
  char from[PAWL_QUANTITY], to[PAWL_QUANTITY];
  out->kind = PAWL_CHANGE_TIME;
  out->seconds = after - before;
  snprintf(out->text, sizeof out->text, "a warp waits %s -> %s for %s",
           pawl_quantity_text(before, PAWL_UNIT_SECONDS, from),
           pawl_quantity_text(after, PAWL_UNIT_SECONDS, to), pawl_stall_infos[stall].wait_for);
  return true;
}

/* Returns the estimated share of the time that a flaw costs, or 0 if the kernel lacks the flaw. */
static double flaw(profiled kernel, const struct pawl_rule *rule, struct pawl_finding *finding) {
  *finding = (struct pawl_finding){.rule = rule};
  const double cost = rule->holds(kernel, finding) ? finding->cost : 0;
  return isnan(cost) ? 0 : cost;
}

/* Returns whether the rule is low occupancy and the occupancy has not changed. The rule's cost is
   idle time, whose change then has another reason. */
static bool as_few_warps(profiled base, profiled candidate, const struct pawl_rule *rule) {
  return !strcmp(rule->id, "low-occupancy") &&
         !changed(value(base, PAWL_COUNTER_OCCUPANCY), value(candidate, PAWL_COUNTER_OCCUPANCY),
                  OCCUPANCY_NOISE);
}

/* Returns whether more or less work, and not idle threads, explains the change. The time of a call
   is the CPU time divided by the working threads. In a short call, even work of the caller can look
   like that of another thread. */
static bool more_work(profiled base, profiled candidate, const struct pawl_rule *rule) {
  if (strcmp(rule->id, "cpu-idle-threads") != 0) return false;
  const double work =
      log(value(candidate, PAWL_COUNTER_CPU_TIME) / value(base, PAWL_COUNTER_CPU_TIME));
  const double time =
      log(value(candidate, PAWL_COUNTER_DURATION) / value(base, PAWL_COUNTER_DURATION));
  return fabs(work) > fabs(time - work);
}

/* A flaw that came or went, or whose cost changed much, may lead the list. A flaw that only moves
   is a fact. */
static bool compare_flaw(profiled base, profiled candidate, const struct pawl_rule *rule,
                         struct pawl_change *out) {
  struct pawl_finding before, after;
  const double was = flaw(base, rule, &before), is = flaw(candidate, rule, &after);
  if (rule->kind != PAWL_FINDING_CAUSE || !(fabs(is - was) > FLAW_MOVED)) return false;
  if (was > 0 && is > 0 && as_few_warps(base, candidate, rule)) return false;
  const bool leads = fabs(is - was) >= FLAW_CAME && !more_work(base, candidate, rule);
  out->kind = leads ? PAWL_CHANGE_FINDING : PAWL_CHANGE_FACT;
  out->seconds =
      is * value(candidate, PAWL_COUNTER_DURATION) - was * value(base, PAWL_COUNTER_DURATION);
  if (out->kind == PAWL_CHANGE_FACT)
    snprintf(out->text, sizeof out->text, "%s: %.0f %% -> %.0f %% of the time", rule->title,
             was * 100, is * 100);
  else if (was > 0 && is > 0)
    snprintf(out->text, sizeof out->text, "%s (%s from %.0f %% to %.0f %% of the time): %s",
             rule->title, is > was ? "grew" : "shrank", was * 100, is * 100,
             is > was ? after.evidence : before.evidence);
  else
    snprintf(out->text, sizeof out->text, "%s (%s): %s", rule->title, is > 0 ? "new" : "gone",
             is > 0 ? after.evidence : before.evidence);
  return true;
}

struct ranked_change {
  struct pawl_change change;
  /* the largest share of the time change that it can explain, 0 to 1; 0: it has no time, or its
     time changed the other way */
  double share;
  size_t order;
};

static int change_by_share(const void *a, const void *b) {
  const struct ranked_change *left = a, *right = b;
  if (left->change.kind != right->change.kind)
    return left->change.kind < right->change.kind ? -1 : 1;
  if (left->share != right->share) return left->share > right->share ? -1 : 1;
  return left->order < right->order ? -1 : 1;
}

/* Compares item i of the counters, waits and flaws, in this order. */
static bool compare_one(profiled base, profiled candidate, size_t i, struct pawl_change *out) {
  const size_t counters = PAWL_COUNT(compared);
  if (i < counters) return compare_counter(base, candidate, i, out);
  i -= counters;
  if (i < PAWL_STALLS) return compare_stall(base, candidate, (enum pawl_stall)i, out);
  return compare_flaw(base, candidate, &pawl_rules[i - PAWL_STALLS], out);
}

/* A flaw that only one of two tables can show is not new. */
static struct pawl_profile_kernel only_counted(profiled kernel, profiled other) {
  struct pawl_profile_kernel copy = *kernel;
  for (int i = PAWL_COUNTER_COMPULSORY; i <= PAWL_COUNTER_CODE_ARRAYS; i++)
    if (isnan(other->values[i])) copy.values[i] = NAN;
  return copy;
}

static void compare_kernels(profiled before, profiled after, struct pawl_arena *arena,
                            struct pawl_kernel_change *out) {
  const struct pawl_profile_kernel both[] = {only_counted(before, after),
                                             only_counted(after, before)};
  profiled base = &both[0], candidate = &both[1];
  const size_t limit = PAWL_COUNT(compared) + PAWL_STALLS + pawl_rule_count;
  struct ranked_change *ranked = pawl_alloc(limit, sizeof *ranked);
  const double total = out->candidate_seconds - out->base_seconds;
  size_t count = 0;
  for (size_t i = 0; i < limit; i++) {
    struct pawl_change *change = &ranked[count].change;
    if (!compare_one(base, candidate, i, change)) continue;
    const double share = change->seconds / total;
    ranked[count].share = share > 0 ? fmin(share, 1) : 0;
    ranked[count].order = count;
    if (change->kind == PAWL_CHANGE_FINDING && ranked[count].share < FLAW_LEADS)
      change->kind = PAWL_CHANGE_TIME;
    count++;
  }
  qsort(ranked, count, sizeof *ranked, change_by_share);
  out->changes = pawl_arena_alloc(arena, count + 1, sizeof *out->changes);
  for (size_t i = 0; i < count; i++) out->changes[i] = ranked[i].change;
  out->count = count;
  pawl_free(ranked);
}

static double seconds_of(profiled kernel) {
  return kernel ? value(kernel, PAWL_COUNTER_DURATION) : 0;
}

static void add(struct pawl_profile_change *out, profiled base, profiled candidate,
                struct pawl_arena *arena) {
  struct pawl_kernel_change *row = &out->kernels[out->count++];
  *row = (struct pawl_kernel_change){.base = base,
                                     .candidate = candidate,
                                     .base_seconds = seconds_of(base),
                                     .candidate_seconds = seconds_of(candidate)};
  out->base_seconds += row->base_seconds;
  out->candidate_seconds += row->candidate_seconds;
  if (base && candidate) compare_kernels(base, candidate, arena, row);
}

/* Returns the first kernel of that name without a partner. */
static size_t partner(const struct pawl_profile *profile, const bool *taken, const char *name) {
  for (size_t i = 0; i < profile->count; i++)
    if (!taken[i] && !strcmp(profile->kernels[i].name, name)) return i;
  return profile->count;
}

static size_t next_free(const struct pawl_profile *profile, const bool *taken) {
  size_t i = 0;
  while (i < profile->count && taken[i]) i++;
  return i;
}

static int change_by_time(const void *a, const void *b) {
  const struct pawl_kernel_change *x = a, *y = b;
  const double left = fabs(x->candidate_seconds - x->base_seconds);
  const double right = fabs(y->candidate_seconds - y->base_seconds);
  if (left == right || isnan(left) || isnan(right)) return 0;
  return left > right ? -1 : 1;
}

void pawl_profile_compare(const struct pawl_profile *base, const struct pawl_profile *candidate,
                          struct pawl_arena *arena, struct pawl_profile_change *out) {
  bool *base_taken = pawl_arena_alloc(arena, base->count + 1, sizeof *base_taken);
  bool *taken = pawl_arena_alloc(arena, candidate->count + 1, sizeof *taken);
  struct pawl_profile_change change = {
      .paired = {NAN, NAN, NAN},
      .kernels =
          pawl_arena_alloc(arena, base->count + candidate->count + 1, sizeof *change.kernels)};
  for (size_t i = 0; i < base->count; i++) {
    const size_t found = partner(candidate, taken, base->kernels[i].name);
    if (found == candidate->count) continue;
    base_taken[i] = taken[found] = true;
    add(&change, &base->kernels[i], &candidate->kernels[found], arena);
  }
  const bool by_order = base->count == candidate->count;
  for (size_t i = next_free(base, base_taken); i < base->count; i = next_free(base, base_taken)) {
    const size_t other = by_order ? next_free(candidate, taken) : candidate->count;
    base_taken[i] = true;
    if (other < candidate->count) taken[other] = true;
    add(&change, &base->kernels[i], other < candidate->count ? &candidate->kernels[other] : NULL,
        arena);
  }
  for (size_t i = next_free(candidate, taken); i < candidate->count;
       i = next_free(candidate, taken)) {
    taken[i] = true;
    add(&change, NULL, &candidate->kernels[i], arena);
  }
  qsort(change.kernels, change.count, sizeof *change.kernels, change_by_time);
  *out = change;
}

bool pawl_profile_reproduces(const struct pawl_profile_change *change) {
  const struct pawl_slowdown *paired = &change->paired;
  const double shown = change->candidate_seconds / change->base_seconds - 1;
  if (isnan(paired->estimate) || (shown >= paired->low && shown <= paired->high)) return true;
  return fabs(shown - paired->estimate) <=
         fmax(PAWL_PROFILE_NOISE, NOT_THE_CHANGE * fabs(paired->estimate));
}

const char *pawl_change_kind_name(enum pawl_change_kind kind) {
  static const char *const names[] = {"finding", "time", "fact"};
  return names[kind];
}
