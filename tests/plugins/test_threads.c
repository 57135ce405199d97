/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel for tests: the first elements of y say where its threads run, in the order of enum place.
 */
#include "test_threads.h"

#include <pawl/kernel.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int cpus_of_thread(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? -1 : CPU_COUNT(&set);
}

static pthread_barrier_t all_run;

/* y[0]: how many CPUs the thread may run on, y[1]: the one it runs on. */
static void *report(void *argument) {
  float *y = argument;
  y[0] = (float)cpus_of_thread();
  y[1] = (float)sched_getcpu();
  pthread_barrier_wait(&all_run);
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  float *y = call->tensors[1].data;
  cpu_set_t first;
  pthread_attr_t bound, detached;
  pthread_t threads[3];
  CPU_ZERO(&first);
  CPU_SET((size_t)sched_getcpu(), &first);
  if (pthread_attr_init(&bound) || pthread_attr_init(&detached) ||
      pthread_barrier_init(&all_run, NULL, 4))
    return 1;
  pthread_attr_setaffinity_np(&bound, sizeof first, &first);
  y[MAIN_CPUS] = (float)cpus_of_thread();
  y[MAIN_CPU] = (float)sched_getcpu();
  if (pthread_create(&threads[0], NULL, report, y + PLAIN_CPUS)) return 1;
  if (pthread_create(&threads[1], &detached, report, y + ATTRIBUTES_CPUS)) return 1;
  if (pthread_create(&threads[2], &bound, report, y + BOUND_CPUS)) return 1;
  pthread_barrier_wait(&all_run);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  pthread_attr_destroy(&bound);
  pthread_attr_destroy(&detached);
  pthread_barrier_destroy(&all_run);
  return 0;
}

const struct pawl_kernel *pawl_kernel_entry(void) {
  static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                            .struct_size = sizeof kernel,
                                            .name = "threads",
                                            .operator_name = "scale",
                                            .device = PAWL_CPU,
                                            .supports = supports,
                                            .launch = launch};
  return &kernel;
}
