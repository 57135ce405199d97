/* SPDX-License-Identifier: Apache-2.0 */
/* When a machine is started and stopped: rules over a clock that the caller gives, no I/O. Times
   are seconds since 1970; 0 is never. */
#ifndef PAWL_SERVE_MACHINE_H
#define PAWL_SERVE_MACHINE_H

#include <stdbool.h>

enum pawl_machine_state {
  PAWL_MACHINE_OFF = 0,  /* as far as we know: nothing was started */
  PAWL_MACHINE_STARTING, /* the start command runs */
  PAWL_MACHINE_UP,
  PAWL_MACHINE_STOPPING, /* the stop command runs */
  PAWL_MACHINE_UNKNOWN   /* we went down while a command ran: start it when needed, stop it when not
                          */
};
const char *pawl_machine_state_name(
    enum pawl_machine_state state); /* "off" "starting" "up" "stopping" "unknown" */
/* PAWL_MACHINE_UNKNOWN for a name that is none. */
enum pawl_machine_state pawl_machine_state_parse(const char *name);

enum pawl_machine_action { PAWL_ACTION_NONE = 0, PAWL_ACTION_START, PAWL_ACTION_STOP };

/* Seconds. */
struct pawl_machine_policy {
  double idle_stop;   /* without work for so long: stop it */
  double min_up;      /* but never sooner after its start: what is billed is used */
  double start_again; /* a job waits for so long and none runs: the machine may be gone (preempted),
                         start it again */
};

struct pawl_machine {
  enum pawl_machine_state state;
  double started; /* when the last start command had ended well */
  double idle;    /* since when there is no work; 0: there is */
  double retry;   /* no command before this moment */
  int failures;   /* commands failed in a row */
};

/* The work for a machine. */
struct pawl_machine_demand {
  long queued, running;
  double waiting; /* since when jobs wait and none has begun or ended; 0: none waits */
};

/* Takes note of the demand; true when the machine's record changed and should be kept. */
bool pawl_machine_note(struct pawl_machine *machine, const struct pawl_machine_demand *demand,
                       double now);

/* What is to be done now. *again: when to ask next if nothing happens before; INFINITY: not at all.
 */
enum pawl_machine_action pawl_machine_decide(const struct pawl_machine *machine,
                                             const struct pawl_machine_policy *policy,
                                             const struct pawl_machine_demand *demand, double now,
                                             double *again);

/* A command begins, a command has ended. After a failure the next one waits 10 s, 20 s, ... at most
 * 10 minutes. */
void pawl_machine_begin(struct pawl_machine *machine, enum pawl_machine_action action);
void pawl_machine_end(struct pawl_machine *machine, enum pawl_machine_action action, bool ok,
                      double now);
/* After a restart of ours: a command that ran then has an unknown end. */
void pawl_machine_recover(struct pawl_machine *machine);

#endif
