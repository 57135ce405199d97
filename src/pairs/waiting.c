/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/waiting.h"

#include <signal.h>

/* Pairs that get ready together before a block takes one. More would take the driver from other
   work. */
#define SIDE_BY_SIDE 4

/* The other pairs get ready when a block takes a pair. */
static void waiting_get_ready(struct pawl_waiting_pairs *pairs, bool all) {
  for (size_t i = 0; i < pairs->count && (all || i < SIDE_BY_SIDE); i++) {
    struct pawl_waiting_pair *pair = pairs->items[i];
    if (!pair->begun) pawl_starting_add(pairs->starting, pair->problem, &pair->block);
    pair->begun = true;
  }
}

void pawl_waiting_pairs_launch(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem,
                               const struct pawl_worker_options *const arms[2], int threads,
                               const enum pawl_arm_order *orders, size_t count) {
  PAWL_ASSERT(pairs->count + count <= PAWL_WAITING_PAIRS);
  if (!pairs->starting) pairs->starting = pawl_starting_begin(SIDE_BY_SIDE, 2, threads);
  for (size_t i = 0; i < count; i++) {
    struct pawl_waiting_pair *pair = pawl_alloc(1, sizeof *pair);
    *pair = (struct pawl_waiting_pair){.order = orders[i], .problem = problem};
    pair->block = (struct pawl_starting_block){&pair->processes,
                                               orders[i] == PAWL_ORDER_CANDIDATE_FIRST, NULL};
    pairs->items[pairs->count++] = pair;
    pawl_ahead_launch(problem, arms, 2, &pair->block, 1, true);
    waiting_get_ready(pairs, pairs->taken_any);
  }
}

size_t pawl_waiting_pairs_of(const struct pawl_waiting_pairs *pairs, enum pawl_arm_order order) {
  size_t count = 0;
  for (size_t i = 0; i < pairs->count; i++)
    count += !pairs->items[i]->taken && pairs->items[i]->order == order;
  return count;
}

struct pawl_block_processes *pawl_waiting_pairs_take(struct pawl_waiting_pairs *pairs,
                                                     enum pawl_arm_order order) {
  for (size_t i = 0; i < pairs->count; i++) {
    struct pawl_waiting_pair *pair = pairs->items[i];
    if (pair->taken || pair->order != order) continue;
    pairs->taken_any = true;
    waiting_get_ready(pairs, true);
    pawl_starting_await(pairs->starting, &pair->processes);
    pair->taken = true;
    return &pair->processes;
  }
  return NULL;
}

static void waiting_leave(struct pawl_waiting_pairs *pairs, size_t number) {
  struct pawl_waiting_pair *pair = pairs->items[number];
  for (int arm = 0; arm < PAWL_MAX_ARMS; arm++) {
    if (!pair->begun) pawl_worker_signal(pair->processes.workers[arm], SIGKILL);
    pawl_shutdown_add(pairs->shutdown, pair->processes.workers[arm]);
  }
  pawl_free(pair);
  for (size_t i = number + 1; i < pairs->count; i++) pairs->items[i - 1] = pairs->items[i];
  pairs->count--;
}

void pawl_waiting_pairs_leave(struct pawl_waiting_pairs *pairs,
                              struct pawl_block_processes *processes) {
  for (size_t i = pairs->count; i > 0; i--)
    if (&pairs->items[i - 1]->processes == processes) waiting_leave(pairs, i - 1);
}

void pawl_waiting_pairs_release(struct pawl_waiting_pairs *pairs) {
  /* This does not wait for the pairs: a kernel may hang. */
  pawl_starting_stop(pairs->starting);
  pairs->starting = NULL;
  pairs->taken_any = false;
  while (pairs->count) waiting_leave(pairs, pairs->count - 1);
  pawl_shutdown_ask(pairs->shutdown);
}
