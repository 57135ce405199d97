/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when a machine starts and stops. The caller gives the time; there is no I/O. Times are
 * seconds since 1970; 0 is never. */
#pragma once

#include <stdbool.h>

enum pawl_machine_state {
  PAWL_MACHINE_OFF = 0,  /* pawl has started nothing */
  PAWL_MACHINE_STARTING, /* the start command runs */
  PAWL_MACHINE_UP,
  PAWL_MACHINE_STOPPING, /* the stop command runs */
  /* pawl ended while a command ran. It starts the machine when needed and stops it when not. */
  PAWL_MACHINE_UNKNOWN
};
const char *pawl_machine_state_name(
    enum pawl_machine_state state); /* "off" "starting" "up" "stopping" "unknown" */
/* PAWL_MACHINE_UNKNOWN for a name that is none. */
enum pawl_machine_state pawl_machine_state_parse(const char *name);

enum pawl_machine_action { PAWL_ACTION_NONE = 0, PAWL_ACTION_START, PAWL_ACTION_STOP };

/* Seconds. */
struct pawl_machine_policy {
  double idle_stop; /* stop after this time without work */
  double min_up;    /* but not sooner after the start, because it costs money anyway */
  /* A job waits for this time and none runs: the machine may be gone (preempted), so start it
   * again. */
  double start_again;
};

struct pawl_machine {
  enum pawl_machine_state state;
  double started; /* the end of the last start command that succeeded */
  double idle;    /* the time since which there is no work; 0: there is work */
  double retry;   /* no command before this moment */
  int failures;   /* commands failed in a row */
};

/* The work for a machine. */
struct pawl_machine_demand {
  long queued, running;
  double waiting; /* the time since which jobs wait and none began or ended; 0: no job waits */
};

/* Notes the demand. True: the machine's record changed and the caller should keep it. */
bool pawl_machine_note(struct pawl_machine *machine, const struct pawl_machine_demand *demand,
                       double now);

/* Decides the next action. *again: the time to ask again if nothing happens before; INFINITY:
 * never. */
enum pawl_machine_action pawl_machine_decide(const struct pawl_machine *machine,
                                             const struct pawl_machine_policy *policy,
                                             const struct pawl_machine_demand *demand, double now,
                                             double *again);

/* Record the begin and the end of a command. After a failure the next command waits 10 s, then 20 s
 * and so on, at most 10 minutes. */
void pawl_machine_begin(struct pawl_machine *machine, enum pawl_machine_action action);
void pawl_machine_end(struct pawl_machine *machine, enum pawl_machine_action action, bool ok,
                      double now);
/* After a restart of pawl, the end of a command that ran before is unknown. */
void pawl_machine_recover(struct pawl_machine *machine);
