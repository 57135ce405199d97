/* SPDX-License-Identifier: Apache-2.0 */
/* Heartbeats: a thread writes a growing number into a file and watches the file of another
   process. Clocks of two machines may differ, so the watcher only checks by its own clock whether
   the number changes. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Watches the heartbeat of another process. Set `path`; the other fields start at zero. */
struct pawl_heartbeat_watch {
  const char *path;
  uint64_t last;
  int64_t seen_ns; /* when the number changed last, or when the watch began */
};
/* Returns the seconds since the last change of the number. */
double pawl_heartbeat_silence(struct pawl_heartbeat_watch *watch);

struct pawl_heartbeat {
  const char *path;
  struct pawl_heartbeat_watch other; /* path NULL: the thread watches no process */
  double most_silence;               /* seconds that the other process may be silent */
  /* a file with the name of the process that works here, and this process's name; NULL: none */
  const char *place, *name;
  /* the other process was silent for too long, or another one took this place */
  volatile sig_atomic_t alone;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t end;
  bool ending, running;
};
/* Returns whether the file `place` has this name. An unreadable file counts as the name. */
bool pawl_heartbeat_has_place(const char *place, const char *name);
/* Starts a thread that writes into heartbeat->path. The struct must not move. */
pawl_status pawl_heartbeat_start(struct pawl_heartbeat *heartbeat, struct pawl_error *err);
void pawl_heartbeat_stop(struct pawl_heartbeat *heartbeat);
