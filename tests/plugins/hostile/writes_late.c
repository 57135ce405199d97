/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a thread that goes on changing the output after the call has returned. */
#include <pthread.h>
#include <time.h>

#include "scale.h"

static void *later(void *y) {
  for (int i = 0; i < 200; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    *(volatile float *)y += 1;
  }
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  pthread_t thread;
  const int status = scale(call);
  if (pthread_create(&thread, NULL, later, call->tensors[1].data) != 0) return 1;
  pthread_detach(thread);
  return status;
}

HOSTILE_KERNEL("writes_late", .launch = launch)
