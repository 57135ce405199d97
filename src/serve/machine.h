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
  /* pawl ended while a command ran: pawl starts the machine for a job, and stops it without one */
  PAWL_MACHINE_UNKNOWN
};
/* Returns "off", "starting", "up", "stopping" or "unknown". */
const char *pawl_machine_state_name(enum pawl_machine_state state);
/* Returns PAWL_MACHINE_UNKNOWN for any other name. */
enum pawl_machine_state pawl_machine_state_parse(const char *name);

enum pawl_machine_action { PAWL_ACTION_NONE = 0, PAWL_ACTION_START, PAWL_ACTION_STOP };

/* in seconds */
struct pawl_machine_policy {
  double idle_stop; /* stop after this time without work */
  double min_up;    /* but not sooner than this time after the start, which costs money anyway */
  /* start again if a job waits for this time and none runs: the machine may be gone (preempted) */
  double start_again;
};

struct pawl_machine {
  enum pawl_machine_state state;
  double started; /* when the last successful start command ended */
  double idle;    /* since when there is no work; 0: there is work */
  double retry;   /* pawl runs no command before this time */
  int failures;   /* commands failed in a row */
};

struct pawl_machine_demand {
  long queued, running;
  double waiting; /* since when jobs wait and none began or ended; 0: no job waits */
};

/* Notes the demand. Returns true if the caller must keep the machine's record, which changed. */
bool pawl_machine_note(struct pawl_machine *machine, const struct pawl_machine_demand *demand,
                       double now);

/* Decides the next action. *again is the time to ask again if nothing happens before, INFINITY for
 * never. */
enum pawl_machine_action pawl_machine_decide(const struct pawl_machine *machine,
                                             const struct pawl_machine_policy *policy,
                                             const struct pawl_machine_demand *demand, double now,
                                             double *again);

/* Records the begin or the end of a command. After a failure the next command waits 10 s, then 20 s
 * and so on, at most 10 minutes. */
void pawl_machine_begin(struct pawl_machine *machine, enum pawl_machine_action action);
void pawl_machine_end(struct pawl_machine *machine, enum pawl_machine_action action, bool ok,
                      double now);
/* Notes that pawl restarted: nobody knows how an unfinished command ended. */
void pawl_machine_recover(struct pawl_machine *machine);
