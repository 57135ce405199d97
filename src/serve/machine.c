/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/machine.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/count.h"

#define FIRST_RETRY_SECONDS 10.0
#define MOST_RETRY_SECONDS 600.0

static const char *const names[] = {"off", "starting", "up", "stopping", "unknown"};

const char *pawl_machine_state_name(enum pawl_machine_state state) { return names[state]; }

enum pawl_machine_state pawl_machine_state_parse(const char *name) {
  for (size_t i = 0; i < PAWL_COUNT(names); i++)
    if (strcmp(names[i], name) == 0) return (enum pawl_machine_state)i;
  return PAWL_MACHINE_UNKNOWN;
}

static bool wanted(const struct pawl_machine_demand *demand) {
  return demand->queued > 0 || demand->running > 0;
}

bool pawl_machine_note(struct pawl_machine *machine, const struct pawl_machine_demand *demand,
                       double now) {
  const double before = machine->idle;
  if (wanted(demand)) {
    machine->idle = 0;
  } else if (!(machine->idle > 0) ||
             machine->idle > now) { /* later than now, because somebody set the clock back */
    machine->idle = now;
  }
  return before > machine->idle || before < machine->idle;
}

static enum pawl_machine_action at(double when, enum pawl_machine_action action, double now,
                                   double *again) {
  if (now >= when) return action;
  *again = when;
  return PAWL_ACTION_NONE;
}

enum pawl_machine_action pawl_machine_decide(const struct pawl_machine *machine,
                                             const struct pawl_machine_policy *policy,
                                             const struct pawl_machine_demand *demand, double now,
                                             double *again) {
  *again = (double)INFINITY;
  switch (machine->state) {
    case PAWL_MACHINE_STARTING:
    case PAWL_MACHINE_STOPPING: return PAWL_ACTION_NONE;
    case PAWL_MACHINE_OFF:
      return wanted(demand) ? at(machine->retry, PAWL_ACTION_START, now, again) : PAWL_ACTION_NONE;
    case PAWL_MACHINE_UNKNOWN:
      if (wanted(demand)) return at(machine->retry, PAWL_ACTION_START, now, again);
      break;
    case PAWL_MACHINE_UP:
      if (demand->running > 0) return PAWL_ACTION_NONE;
      if (demand->queued > 0) {
        const double due = fmax(machine->started, demand->waiting) + policy->start_again;
        return at(fmax(due, machine->retry), PAWL_ACTION_START, now, again);
      }
      break;
  }
  const double due = fmax(machine->idle + policy->idle_stop, machine->started + policy->min_up);
  return at(fmax(due, machine->retry), PAWL_ACTION_STOP, now, again);
}

void pawl_machine_begin(struct pawl_machine *machine, enum pawl_machine_action action) {
  machine->state = action == PAWL_ACTION_START ? PAWL_MACHINE_STARTING : PAWL_MACHINE_STOPPING;
}

void pawl_machine_end(struct pawl_machine *machine, enum pawl_machine_action action, bool ok,
                      double now) {
  const bool start = action == PAWL_ACTION_START;
  if (ok) {
    machine->state = start ? PAWL_MACHINE_UP : PAWL_MACHINE_OFF;
    machine->failures = 0;
    machine->retry = 0;
    if (start) machine->started = now;
    return;
  }
  /* a failed start may have left a machine that costs money; a failed stop certainly may */
  machine->state = PAWL_MACHINE_UNKNOWN;
  machine->failures++;
  machine->retry =
      now + fmin(FIRST_RETRY_SECONDS * pow(2, fmin(machine->failures - 1, 10)), MOST_RETRY_SECONDS);
}

void pawl_machine_recover(struct pawl_machine *machine) {
  if (machine->state == PAWL_MACHINE_STARTING || machine->state == PAWL_MACHINE_STOPPING)
    machine->state = PAWL_MACHINE_UNKNOWN;
}
