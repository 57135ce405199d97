/* SPDX-License-Identifier: Apache-2.0 */
/* How long pawl waits for an answer. What keeps a worker from running is no fault of it: the time
   in which something has stopped it does not count, nor that in which one of its threads waits for
   a CPU, up to PAWL_DEADLINE_MOST times its limit. A kernel that hangs ends after five times its
   limit at the latest.

   Linux says who waits and not for whom: where a kernel has more threads than CPUs, their waits for
   each other count too. pawl does not see the waits of threads that have ended, of other processes
   than the worker's first one, nor those of a virtual machine for its host. */
#ifndef PAWL_WORKER_DEADLINE_H
#define PAWL_WORKER_DEADLINE_H

#include "process/schedstat.h"
#include "worker/driver.h"

#define PAWL_DEADLINE_MOST 4
#define PAWL_DEADLINE_THREADS 64

struct pawl_deadline {
  const struct pawl_worker *worker;
  int64_t limit_ns, begin_ns, stood_ns;
  bool looked;        /* at how long the threads had waited by then */
  int64_t granted_ns; /* for waits for a CPU */
  size_t count;
  struct pawl_schedstat threads[PAWL_DEADLINE_THREADS];
};

struct pawl_deadline pawl_deadline_begin(const struct pawl_worker *worker, double seconds);
/* Nanoseconds until it ends, or until pawl must ask again; 0: it has ended. */
int64_t pawl_deadline_left(struct pawl_deadline *deadline);

#endif
