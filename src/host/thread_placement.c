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

/* The number of threads on each CPU. The process has one table, because pthread_create() passes no
   context. */
static struct {
  pthread_mutex_t lock;
  struct pawl_cpus cpus; /* none: pawl places no threads */
  int *loads;
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

void host_threads_place(const char *cpus) {
  static struct pawl_arena arena; /* lives as long as the process */
  if (!cpus || !pawl_cpus_parse(cpus, &arena, &places.cpus)) return;
  places.loads = pawl_arena_alloc(&arena, places.cpus.count, sizeof *places.loads);
  places.loads[0] = 1; /* the main thread */
}

static size_t thread_placement_take_place(void) {
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
  /* if a CPU went offline, the scheduler decides, as it would without us */
  (void)!sched_setaffinity(0, sizeof home, &home);
  (void)!sched_setaffinity(0, sizeof before, &before);
}

struct start {
  void *(*run)(void *);
  void *argument;
  size_t place;
  bool is_there; /* starts on its CPU */
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

/* Returns whether the creator chose the thread's CPUs. */
static bool names_cpus(const pthread_attr_t *attributes) {
  cpu_set_t wanted;
  if (!attributes || pthread_attr_getaffinity_np(attributes, sizeof wanted, &wanted)) return false;
  for (size_t i = 0; i < places.cpus.count; i++) {
    if (!CPU_ISSET((size_t)places.cpus.numbers[i], &wanted))
      return true; /* glibc returns all CPUs if the attributes name none */
  }
  return false;
}

static create_function *real_create(void) {
  create_function *create;
  void *symbol = dlsym(RTLD_NEXT, "pthread_create");
  PAWL_ASSERT(symbol);
  memcpy(&create, &symbol,
         sizeof create); /* ISO C cannot convert an object pointer to a function pointer */
  return create;
}

/* Creates the thread on its CPU if the attributes are the defaults. If each thread moved itself, a
   call of a kernel without a pool would take about 20 us longer. */
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

/* Replaces the C library's function, because every loaded library finds the program's symbols
   first. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument) {
  if (places.cpus.count < 2 || names_cpus(attributes))
    return real_create()(thread, attributes, run, argument);
  struct start *start = pawl_alloc(1, sizeof *start);
  *start = (struct start){.run = run, .argument = argument, .place = thread_placement_take_place()};
  size_t place = start->place; /* the running thread owns `start` */
  const int number = create_there(thread, attributes, start);
  if (number == 0) return 0;
  leave_place(&place);
  pawl_free(start);
  return number;
}
