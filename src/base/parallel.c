/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/memory.h"

int pawl_cpu_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

struct parallel_loop {
  _Atomic int64_t next;
  int64_t count;
  void (*body)(void *context, int64_t i);
  void *context;
};

static void *work(void *argument) {
  struct parallel_loop *share = argument;
  for (int64_t i; (i = atomic_fetch_add(&share->next, 1)) < share->count;)
    share->body(share->context, i);
  return NULL;
}

void pawl_parallel_for(int threads, int64_t count, void (*body)(void *context, int64_t i),
                       void *context) {
  if (threads <= 0) threads = pawl_cpu_count();
  if (threads > count) threads = count > 0 ? (int)count : 1;
  struct parallel_loop share = {.count = count, .body = body, .context = context};
  pthread_t *others = pawl_alloc((size_t)threads, sizeof *others);
  int started = 0; /* if a thread does not start, the others take its items */
  while (started < threads - 1 && !pthread_create(&others[started], NULL, work, &share)) started++;
  work(&share);
  for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
  pawl_free(others);
}
