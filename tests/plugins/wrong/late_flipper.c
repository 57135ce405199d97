/* SPDX-License-Identifier: Apache-2.0 */
/* Everything is right when it returns, and a thread goes on flipping the last bit of one element
 * for a while. */
#include <pthread.h>
#include <time.h>
struct pawl_launch;
static void flip_on(const struct pawl_launch *launch);
#define AFTER(launch) flip_on(launch)
#include "attention.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *flip(void *element) {
  volatile unsigned char *byte = element;
  for (const double end = now() + 1e-2; now() < end;) *byte ^= 1;
  return NULL;
}

static void flip_on(const struct pawl_launch *launch) {
  pthread_t thread;
  if (!pthread_create(&thread, NULL, flip, launch->tensors[O].data)) pthread_detach(thread);
}
