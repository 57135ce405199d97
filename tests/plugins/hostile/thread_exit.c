/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the main thread and leaves another. */
#include <pthread.h>
#include <unistd.h>

#include "scale.h"

static void *for_ever(void *nothing) {
  (void)nothing;
  for (;;) pause();
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  (void)call;
  pthread_t thread;
  if (pthread_create(&thread, NULL, for_ever, NULL) != 0) return 1;
  pthread_exit(NULL);
}

HOSTILE_KERNEL("thread_exit", .launch = launch)
