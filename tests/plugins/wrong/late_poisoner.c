/* SPDX-License-Identifier: Apache-2.0 */
/* Right, but a thread waits for the next inputs at the same address and spoils them: the blame must
   not fall on the operator, whose answer they spoil as well. */
#include <pthread.h>
#include <time.h>
struct pawl_launch;
static void lie_in_wait(const struct pawl_launch *launch);
#define AFTER(launch) lie_in_wait(launch)
#include "attention.h"

static struct pawl_tensor queries;

static void *spoil(void *unused) {
  const int64_t last = pawl_tensor_elements(&queries) - 1;
  const size_t size = pawl_dtype_size(queries.dtype);
  unsigned char before[8];
  (void)unused;
  memcpy(before, (unsigned char *)queries.data + (size_t)last * size, size);
  for (int i = 0;
       i < 1000000 && !memcmp(before, (unsigned char *)queries.data + (size_t)last * size, size);
       i++)
    nanosleep(&(struct timespec){0, 1000}, NULL);
  for (int i = 0; i < 200; i++) {
    pawl_store_f64(queries.data, queries.dtype, last / 2, (double)NAN);
    nanosleep(&(struct timespec){0, 1000}, NULL);
  }
  return NULL;
}

static void lie_in_wait(const struct pawl_launch *launch) {
  pthread_t thread;
  queries = launch->tensors[Q];
  if (!pthread_create(&thread, NULL, spoil, NULL)) pthread_detach(thread);
}
