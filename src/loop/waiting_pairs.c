/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/waiting_pairs.h"

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

void pawl_waiting_pairs_ready(struct pawl_waiting_pairs *pairs, struct pawl_problem *problem,
                              const struct pawl_worker_options *const arms[2], int threads) {
  struct pawl_ahead_block blocks[PAWL_WAITING_PAIRS];
  if (pairs->ready) return;
  pawl_leaving_end(pairs->leaving);
  describe_blocks(pairs, blocks);
  pawl_ahead_start(problem, arms, 2, threads, blocks, pairs->count);
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

void pawl_waiting_pairs_release(struct pawl_waiting_pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++) pawl_waiting_pairs_leave(pairs, &pairs->items[i].processes);
  pawl_leaving_ask(pairs->leaving);
  *pairs = (struct pawl_waiting_pairs){.leaving = pairs->leaving};
}
