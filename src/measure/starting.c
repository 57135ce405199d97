/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/starting.h"

#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "process/freeze.h"

/* Pinning gigabytes is one call of the driver, which ends before the process stops. */
#define STOP_SECONDS 10
#define MOST_ACTIVE (PAWL_STARTING_MOST * PAWL_MAX_ARMS)

struct block {
  struct pawl_starting_block ahead;
  struct pawl_problem *problem;
  bool ready;
};

/* A process that gets ready now. */
struct active {
  struct pawl_worker *worker; /* NULL: none */
  struct pawl_freezable
      process;   /* a copy from its launch, because the worker's own is gone when it ends */
  bool stopping; /* the pause in progress stops it */
  struct pawl_freeze pause;
};

struct pawl_starting {
  pthread_t threads[PAWL_STARTING_MOST];
  int thread_count, arm_count, kernel_threads;
  pthread_mutex_t mutex; /* guards the rest */
  pthread_cond_t changed;
  struct block *blocks;
  size_t count, capacity;
  size_t next; /* the next block to begin */
  bool paused, stopping, ending;
  int dying; /* killed processes that have not ended yet */
  struct active active[MOST_ACTIVE];
};

static void lock(struct pawl_starting *starting) { pthread_mutex_lock(&starting->mutex); }

static void unlock(struct pawl_starting *starting) { pthread_mutex_unlock(&starting->mutex); }

static void await_change(struct pawl_starting *starting) {
  pthread_cond_wait(&starting->changed, &starting->mutex);
}

static void starting_await_resume(struct pawl_starting *starting) {
  while (starting->paused && !starting->stopping) await_change(starting);
}

static int nth_arm(const struct pawl_starting *starting, const struct block *block, int n) {
  return pawl_nth_start(block->ahead.start_order, block->ahead.first_arm, starting->arm_count, n);
}

/* --- one process --- */

/* Lets the process run, so that a pause stops it. */
static void activate(struct pawl_starting *starting, struct pawl_worker *worker) {
  struct active *slot = starting->active;
  while (slot->worker) slot++;
  slot->worker = worker;
  slot->process = pawl_worker_freezable(worker);
  pawl_worker_wake(worker);
}

static void deactivate(struct pawl_starting *starting, const struct pawl_worker *worker) {
  for (size_t i = 0; i < MOST_ACTIVE; i++) {
    struct active *active = &starting->active[i];
    if (active->worker != worker) continue;
    active->worker = NULL;
    active->stopping = false;
    pawl_freeze_release(&active->pause);
  }
}

/* Kills a process that nobody needs. It must not end by itself beside timed calls, so a pause waits
 * for its end. */
static void leave_out(struct pawl_starting *starting, struct pawl_block_processes *processes,
                      int arm) {
  struct pawl_worker *worker = processes->workers[arm];
  lock(starting);
  starting_await_resume(starting);
  starting->dying++;
  pawl_worker_signal(worker, SIGKILL);
  deactivate(starting, worker);
  processes->workers[arm] = NULL;
  processes->prepared[arm] = NULL;
  unlock(starting);
  pawl_worker_free(worker);
  lock(starting);
  starting->dying--;
  pthread_cond_broadcast(&starting->changed);
  unlock(starting);
}

static void greet_arm(struct pawl_starting *starting, struct pawl_block_processes *processes,
                      int arm) {
  struct pawl_error ignored;
  if (!processes->workers[arm] || !processes->owes_hello[arm]) return;
  processes->owes_hello[arm] = false;
  if (pawl_worker_greet(processes->workers[arm], &ignored) != PAWL_OK)
    leave_out(starting, processes, arm);
}

static void prepare_arm(struct pawl_starting *starting, const struct block *block, int arm) {
  struct pawl_block_processes *processes = block->ahead.processes;
  const struct pawl_problem *problem = block->problem;
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const char *reason = NULL;
  struct pawl_error ignored;
  struct pawl_worker *worker = processes->workers[arm];
  if (!worker) return;
  enum pawl_status_code status = PAWL_OK;
  if (processes->prepared[arm] != problem)
    status = pawl_worker_prepare(worker, &shape, problem->sets, problem->set_count,
                                 starting->kernel_threads, &arena, &reason,
                                 &processes->workspace_bytes[arm], &ignored);
  if (status != PAWL_OK || reason) {
    leave_out(starting, processes, arm);
    return;
  }
  processes->prepared[arm] = problem;
  lock(starting);
  /* a process that the pause stopped must not resume from its rest */
  starting_await_resume(starting);
  const bool rests = pawl_worker_rest(worker);
  if (rests) deactivate(starting, worker);
  unlock(starting);
  if (!rests) leave_out(starting, processes, arm);
}

/* --- the threads --- */

/* One of two arms that get ready side by side. */
struct second_arm {
  struct pawl_starting *starting;
  const struct block *block;
  int arm;
};

static void *prepare_second(void *context) {
  const struct second_arm *second = context;
  prepare_arm(second->starting, second->block, second->arm);
  return NULL;
}

/* Allocates for one arm after the other, unless both compile, which takes longer. */
static void prepare_arms(struct pawl_starting *starting, const struct block *block) {
  struct pawl_worker *const *workers = block->ahead.processes->workers;
  struct second_arm second = {starting, block, 0};
  pthread_t thread;
  int last = starting->arm_count;
  if (last == 2 && workers[0] && workers[1] && pawl_worker_compiles(workers[0]) &&
      pawl_worker_compiles(workers[1])) {
    second.arm = nth_arm(starting, block, 1);
    if (!pthread_create(&thread, NULL, prepare_second, &second)) last = 1;
  }
  for (int n = 0; n < last; n++) prepare_arm(starting, block, nth_arm(starting, block, n));
  if (last < starting->arm_count) pthread_join(thread, NULL);
}

/* Makes the arms ready in the block's order. Both make their contexts side by side. */
static void starting_get_ready(struct pawl_starting *starting, const struct block *block) {
  struct pawl_block_processes *processes = block->ahead.processes;
  lock(starting);
  starting_await_resume(starting);
  for (int n = 0; n < starting->arm_count && !starting->stopping; n++) {
    struct pawl_worker *worker = processes->workers[nth_arm(starting, block, n)];
    if (worker) activate(starting, worker);
  }
  const bool stopping = starting->stopping;
  unlock(starting);
  if (stopping) return;
  for (int n = 0; n < starting->arm_count; n++)
    greet_arm(starting, processes, nth_arm(starting, block, n));
  prepare_arms(starting, block);
}

/* Expects the mutex locked. */
static void get_next_ready(struct pawl_starting *starting) {
  const size_t number = starting->next++;
  const struct block block = starting->blocks[number];
  unlock(starting);
  starting_get_ready(starting, &block);
  lock(starting);
  starting->blocks[number].ready = true;
  pthread_cond_broadcast(&starting->changed);
}

static void *make_ready(void *context) {
  struct pawl_starting *starting = context;
  lock(starting);
  for (;;) {
    while (starting->next == starting->count && !starting->ending) await_change(starting);
    if (starting->next == starting->count) break;
    get_next_ready(starting);
  }
  unlock(starting);
  return NULL;
}

struct pawl_starting *pawl_starting_begin(int side_by_side, int arm_count, int threads) {
  PAWL_ASSERT(side_by_side <= PAWL_STARTING_MOST);
  struct pawl_starting *starting = pawl_alloc(1, sizeof *starting);
  starting->arm_count = arm_count;
  starting->kernel_threads = threads;
  pthread_mutex_init(&starting->mutex, NULL);
  pthread_cond_init(&starting->changed, NULL);
  while (starting->thread_count < side_by_side &&
         !pthread_create(&starting->threads[starting->thread_count], NULL, make_ready, starting))
    starting->thread_count++;
  return starting;
}

void pawl_starting_add(struct pawl_starting *starting, struct pawl_problem *problem,
                       const struct pawl_starting_block *block) {
  lock(starting);
  starting->blocks =
      pawl_grow(starting->blocks, starting->count, &starting->capacity, sizeof *starting->blocks);
  starting->blocks[starting->count++] = (struct block){.ahead = *block, .problem = problem};
  if (starting->thread_count == 0) get_next_ready(starting);
  pthread_cond_broadcast(&starting->changed);
  unlock(starting);
}

/* Returns the last block with these processes, because an address may be reused. */
static const struct block *find_starting(const struct pawl_starting *starting,
                                         const struct pawl_block_processes *processes) {
  for (size_t i = starting->count; i > 0; i--)
    if (starting->blocks[i - 1].ahead.processes == processes) return &starting->blocks[i - 1];
  return NULL;
}

void pawl_starting_await(struct pawl_starting *starting,
                         const struct pawl_block_processes *processes) {
  lock(starting);
  for (const struct block *block; (block = find_starting(starting, processes)) && !block->ready;)
    await_change(starting);
  unlock(starting);
}

/* --- pauses, and the end --- */

/* Kills a process that does not stop, with its whole sandbox. */
static void kill_active(const struct active *active) {
  if (active->process.first > 0) kill(active->process.first, SIGKILL);
  pawl_worker_signal(active->worker, SIGKILL);
}

/* The blocks that have not begun have launched processes, which rest since then. Kills those that
 * do not rest. */
static void have_others_rest(struct pawl_starting *starting) {
  for (size_t i = starting->next; i < starting->count; i++)
    for (int arm = 0; arm < starting->arm_count; arm++) {
      struct pawl_worker *worker = starting->blocks[i].ahead.processes->workers[arm];
      if (!pawl_worker_rest(worker)) pawl_worker_signal(worker, SIGKILL);
    }
}

void pawl_starting_pause(struct pawl_starting *starting) {
  if (!starting) return;
  lock(starting);
  starting->paused = true;
  const int64_t begin = pawl_clock_ns();
  for (size_t i = 0; i < MOST_ACTIVE;
       /* all at once, because each may be in the driver for some milliseconds */
       i++) {
    struct active *active = &starting->active[i];
    active->stopping = active->process.pid > 0 && pawl_worker_signal(active->worker, SIGSTOP);
    if (active->stopping) pawl_worker_stand(active->worker, true);
  }
  for (size_t i = 0; i < MOST_ACTIVE; i++) {
    struct active *active = &starting->active[i];
    const double left = STOP_SECONDS - pawl_seconds_since(begin);
    if (active->stopping && !pawl_freeze_all(&active->pause, &active->process, left))
      kill_active(active);
  }
  have_others_rest(starting);
  while (starting->dying && !starting->stopping) await_change(starting);
  unlock(starting);
}

bool pawl_starting_resume(struct pawl_starting *starting) {
  bool stood = true;
  if (!starting) return true;
  lock(starting);
  starting->paused = false;
  for (size_t i = 0; i < MOST_ACTIVE; i++) {
    struct active *active = &starting->active[i];
    if (!active->stopping) continue;
    active->stopping = false;
    pawl_worker_stand(active->worker, false);
    if (pawl_freeze_end(&active->pause)) continue;
    stood = false;
    kill_active(active);
  }
  pthread_cond_broadcast(&starting->changed);
  unlock(starting);
  return stood;
}

void pawl_starting_end(struct pawl_starting *starting) {
  if (!starting) return;
  pawl_starting_resume(starting);
  lock(starting);
  starting->ending = true;
  pthread_cond_broadcast(&starting->changed);
  unlock(starting);
  for (int i = 0; i < starting->thread_count; i++) pthread_join(starting->threads[i], NULL);
  for (size_t i = 0; i < MOST_ACTIVE; i++) pawl_freeze_release(&starting->active[i].pause);
  pthread_cond_destroy(&starting->changed);
  pthread_mutex_destroy(&starting->mutex);
  pawl_free(starting->blocks);
  pawl_free(starting);
}

void pawl_starting_stop(struct pawl_starting *starting) {
  if (!starting) return;
  lock(starting);
  starting->stopping = true;
  for (size_t i = 0; i < starting->count; i++) {
    const struct block *block = &starting->blocks[i];
    for (int arm = 0; arm < starting->arm_count && !block->ready; arm++)
      pawl_worker_signal(block->ahead.processes->workers[arm], SIGKILL);
  }
  unlock(starting);
  pawl_starting_end(starting);
}
