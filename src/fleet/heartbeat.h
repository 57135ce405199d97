/* SPDX-License-Identifier: Apache-2.0 */
/* Heart-beats: a thread writes a number that grows into a file, and watches the file of another
   process. Clocks of two machines may differ, so that what counts is whether the number changes, by
   the clock of who looks. */
#ifndef PAWL_FLEET_HEARTBEAT_H
#define PAWL_FLEET_HEARTBEAT_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What is known of another's heartbeat. Zero but for `path` and `seen_ns` is nothing yet. */
struct pawl_heartbeat_watch {
  const char *path;
  uint64_t last;
  int64_t seen_ns; /* when it changed last, or the watch began */
};
/* Seconds since the beat changed last. */
double pawl_heartbeat_silence(struct pawl_heartbeat_watch *watch);

struct pawl_heartbeat {
  const char *path;
  struct pawl_heartbeat_watch other; /* path NULL: nobody is watched */
  double most_silence;               /* of the other, in seconds */
  volatile sig_atomic_t alone;       /* the other was silent for longer */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t end;
  bool ending, running;
};
/* Begins to beat into heartbeat->path, in a thread. The struct must stay where it is. */
pawl_status pawl_heartbeat_start(struct pawl_heartbeat *heartbeat, struct pawl_error *err);
void pawl_heartbeat_stop(struct pawl_heartbeat *heartbeat);

#endif
