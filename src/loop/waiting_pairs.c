/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/waiting_pairs.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

struct pawl_getting_ready {
  pthread_t thread;
  struct pawl_waiting_pairs *pairs;
  struct pawl_problem *problem;
  int threads;
  int pid_fds[PAWL_WAITING_PAIRS * PAWL_MAX_ARMS]; /* of the processes, which the thread may free meanwhile; -1: none */
  _Atomic bool stop;
};

static struct pawl_waiting_pair *find(const struct pawl_waiting_pairs *pairs, enum pawl_place place) {
  for (size_t i = 0; i < pairs->count; i++) {
    const struct pawl_waiting_pair *pair = &pairs->items[i];
    if (!pair->used && pair->place == place) return (struct pawl_waiting_pair *)(uintptr_t)pair;
  }
  return NULL;
}

static void describe_blocks(struct pawl_waiting_pairs *pairs, struct pawl_ahead_block *blocks) {
  for (size_t i = 0; i < pairs->count; i++) {
    struct pawl_waiting_pair *pair = &pairs->items[i];
    blocks[i] =
        (struct pawl_ahead_block){&pair->processes, pair->seed, pair->place == PAWL_PLACE_CANDIDATE_FIRST, NULL};
  }
}

void pawl_waiting_pairs_launch(struct pawl_waiting_pairs *pairs, const struct pawl_problem *problem,
                               const struct pawl_worker_options *const arms[2], uint64_t seed,
                               const enum pawl_place *places, size_t count) {
  struct pawl_ahead_block blocks[PAWL_WAITING_PAIRS];
  PAWL_ASSERT(count <= PAWL_WAITING_PAIRS);
  pawl_waiting_pairs_release(pairs);
  for (size_t i = 0; i < count; i++) pairs->items[i] = (struct pawl_waiting_pair){.place = places[i], .seed = seed + i};
  pairs->count = count;
  describe_blocks(pairs, blocks);
  pawl_ahead_launch(problem, arms, 2, blocks, count);
}

static void forget(struct pawl_getting_ready *now) {
  for (size_t i = 0; i < PAWL_WAITING_PAIRS * PAWL_MAX_ARMS; i++) pawl_close(&now->pid_fds[i]);
  pawl_free(now);
}

static void *get_ready(void *context) {
  struct pawl_getting_ready *now = context;
  struct pawl_ahead_block blocks[PAWL_WAITING_PAIRS];
  describe_blocks(now->pairs, blocks);
  pawl_ahead_finish(now->problem, 2, now->threads, blocks, now->pairs->count, &now->stop);
  return NULL;
}

void pawl_waiting_pairs_get_ready(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem, int threads) {
  if (pairs->ready || pairs->getting_ready || !pairs->count) return;
  struct pawl_getting_ready *now = pawl_alloc(1, sizeof *now);
  *now = (struct pawl_getting_ready){.pairs = pairs, .problem = problem, .threads = threads};
  for (size_t i = 0; i < PAWL_WAITING_PAIRS * PAWL_MAX_ARMS; i++) {
    const struct pawl_block_processes *processes = &pairs->items[i / PAWL_MAX_ARMS].processes;
    now->pid_fds[i] = i / PAWL_MAX_ARMS < pairs->count ? pawl_worker_watch(processes->workers[i % PAWL_MAX_ARMS]) : -1;
  }
  if (pthread_create(&now->thread, NULL, get_ready, now) == 0)
    pairs->getting_ready = now;
  else
    forget(now); /* pawl_waiting_pairs_ready does it */
}

/* False: no thread was at it. */
static bool await(struct pawl_waiting_pairs *pairs) {
  if (!pairs->getting_ready) return false;
  pthread_join(pairs->getting_ready->thread, NULL);
  forget(pairs->getting_ready);
  pairs->getting_ready = NULL;
  return true;
}

void pawl_waiting_pairs_ready(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem,
                              const struct pawl_worker_options *const arms[2], int threads) {
  struct pawl_ahead_block blocks[PAWL_WAITING_PAIRS];
  if (pairs->ready) return;
  pawl_leaving_end(pairs->leaving);
  const int64_t begin = pawl_clock_ns();
  if (await(pairs)) {
    problem->oracle->spent.start += pawl_seconds_since(begin);
  } else {
    describe_blocks(pairs, blocks);
    pawl_ahead_start(problem, arms, 2, threads, blocks, pairs->count);
  }
  pairs->ready = true;
}

struct pawl_block_processes *pawl_waiting_pairs_take(struct pawl_waiting_pairs *pairs, enum pawl_place place) {
  struct pawl_waiting_pair *pair = find(pairs, place);
  if (!pair) return NULL;
  pair->used = true;
  return &pair->processes;
}

bool pawl_waiting_pairs_have(const struct pawl_waiting_pairs *pairs, enum pawl_place place) {
  return find(pairs, place) != NULL;
}

void pawl_waiting_pairs_leave(struct pawl_waiting_pairs *pairs, struct pawl_block_processes *processes) {
  for (int arm = 0; arm < PAWL_MAX_ARMS; arm++) pawl_leaving_add(pairs->leaving, processes->workers[arm]);
  *processes = (struct pawl_block_processes){0};
}

/* Nobody wants them any more: what they wait for, a kernel that hangs perhaps, is not awaited. */
static void stop_getting_ready(struct pawl_waiting_pairs *pairs) {
  if (!pairs->getting_ready) return;
  pairs->getting_ready->stop = true;
  for (size_t i = 0; i < PAWL_WAITING_PAIRS * PAWL_MAX_ARMS; i++)
    if (pairs->getting_ready->pid_fds[i] >= 0)
      syscall(SYS_pidfd_send_signal, pairs->getting_ready->pid_fds[i], SIGKILL, NULL, 0);
  await(pairs);
}

void pawl_waiting_pairs_release(struct pawl_waiting_pairs *pairs) {
  stop_getting_ready(pairs);
  for (size_t i = 0; i < pairs->count; i++) pawl_waiting_pairs_leave(pairs, &pairs->items[i].processes);
  pawl_leaving_ask(pairs->leaving);
  *pairs = (struct pawl_waiting_pairs){.leaving = pairs->leaving};
}
