/* SPDX-License-Identifier: Apache-2.0 */
#include "host/thread_placement.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "process/cpus.h"

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* How many threads stay on each CPU. One for the process: pthread_create() takes no context. */
static struct {
  pthread_mutex_t lock;
  struct pawl_cpus cpus; /* none: threads are not placed */
  int *loads;
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

void host_threads_place(const char *cpus) {
  static struct pawl_arena arena; /* as long as the process */
  if (!cpus || !pawl_cpus_parse(cpus, &arena, &places.cpus)) return;
  places.loads = pawl_arena_alloc(&arena, places.cpus.count, sizeof *places.loads);
  places.loads[0] = 1; /* the main thread */
}

static size_t take_place(void) {
  size_t best = 0;
  pthread_mutex_lock(&places.lock);
  for (size_t i = 1; i < places.cpus.count; i++) {
    if (places.loads[i] < places.loads[best]) best = i;
  }
  places.loads[best]++;
  pthread_mutex_unlock(&places.lock);
  return best;
}

static void leave_place(void *place) {
  pthread_mutex_lock(&places.lock);
  places.loads[*(size_t *)place]--;
  pthread_mutex_unlock(&places.lock);
}

static cpu_set_t cpu_of(size_t place) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)places.cpus.numbers[place], &one);
  return one;
}

void host_threads_go_home(void) {
  cpu_set_t before, home;
  if (!places.cpus.count || sched_getaffinity(0, sizeof before, &before)) return;
  home = cpu_of(0);
  /* a CPU that went offline: the scheduler decides, as without us */
  (void)!sched_setaffinity(0, sizeof home, &home);
  (void)!sched_setaffinity(0, sizeof before, &before);
}

struct start {
  void *(*run)(void *);
  void *argument;
  size_t place;
  bool is_there; /* born on its CPU */
};

static void *run_placed(void *context) {
  struct start start = *(struct start *)context;
  pawl_free(context);
  const cpu_set_t cpu = cpu_of(start.place);
  void *result;
  pthread_cleanup_push(leave_place, &start.place);
  if (!start.is_there) (void)!sched_setaffinity(0, sizeof cpu, &cpu);
  result = start.run(start.argument);
  pthread_cleanup_pop(1);
  return result;
}

/* Whether the creator says itself where the thread runs. */
static bool names_cpus(const pthread_attr_t *attributes) {
  cpu_set_t wanted;
  if (!attributes || pthread_attr_getaffinity_np(attributes, sizeof wanted, &wanted)) return false;
  for (size_t i = 0; i < places.cpus.count; i++) {
    if (!CPU_ISSET((size_t)places.cpus.numbers[i], &wanted))
      return true; /* glibc: all CPUs where the attributes name none */
  }
  return false;
}

static create_function *real_create(void) {
  create_function *create;
  void *symbol = dlsym(RTLD_NEXT, "pthread_create");
  PAWL_ASSERT(symbol);
  memcpy(&create, &symbol,
         sizeof create); /* ISO C has no conversion from an object's pointer to a function's */
  return create;
}

/* Creates the thread on its CPU where the attributes are the default ones; a thread that moves
   there itself costs each call of a kernel without a pool some 20 us. */
static int create_there(pthread_t *thread, const pthread_attr_t *attributes, struct start *start) {
  pthread_attr_t there;
  const cpu_set_t cpu = cpu_of(start->place);
  if (attributes || pthread_attr_init(&there))
    return real_create()(thread, attributes, run_placed, start);
  start->is_there = !pthread_attr_setaffinity_np(&there, sizeof cpu, &cpu);
  const int number = real_create()(thread, &there, run_placed, start);
  pthread_attr_destroy(&there);
  return number;
}

/* Stands in front of the C library's: the program's symbols come first for every library that it
 * loads. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument) {
  if (places.cpus.count < 2 || names_cpus(attributes))
    return real_create()(thread, attributes, run, argument);
  struct start *start = pawl_alloc(1, sizeof *start);
  *start = (struct start){.run = run, .argument = argument, .place = take_place()};
  size_t place = start->place; /* `start` is the thread's once it runs */
  const int number = create_there(thread, attributes, start);
  if (number == 0) return 0;
  leave_place(&place);
  pawl_free(start);
  return number;
}
