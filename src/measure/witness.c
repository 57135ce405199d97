/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/witness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/parallel.h"
#include "measure/block_verify.h"
#include "measure/variation.h"
#include "measure/varied.h"
#include "protocol/stamp.h"

#define EVERY 2   /* blocks: one of so many is watched, by chance */
#define PIECES 32 /* of the outputs, looked at when a call ends */
#define PIECE_BYTES 64

#define ATTEMPTS 4 /* where others use the CPUs, the watcher has none at times */

/* What a worker's own readings may miss of a call: the code between a stamp and the clock, in Python some 5 us. */
#define UNSEEN_NS 20000
#define UNSEEN_SHARE 0.1

/* A piece of an output when its call ended. */
struct piece {
  uint64_t offset; /* in the shared memory */
  size_t bytes;
  unsigned char seen[PIECE_BYTES];
};

struct watched_call {
  int64_t least_ns; /* that it lasted; 0: it was not seen well enough */
  bool ended;       /* its end was seen: the pieces hold what it had written */
  struct piece pieces[PIECES];
  int piece_count;
};

struct watcher {
  const unsigned char *map;
  pawl_stamp *word;
  uint32_t first; /* the word before the first call */
  struct watched_call calls[PAWL_MEASURE_SETS];
  uint32_t call_count;
  _Atomic bool stop;
};

/* One call of an earlier block lasted longer than its worker said. */
static bool is_suspected(const struct pawl_arm_run *arm) {
  return arm->verified && arm->verified->longer_calls > 0;
}

pawl_status pawl_witness_draw(const struct pawl_block_run *run, const struct pawl_arm_run *arm, int rounds, int *round,
                              struct pawl_error *err) {
  uint32_t words[2];
  *round = -1;
  if (!arm->worker || arm->device != PAWL_CPU || !pawl_block_is_checked(run)) return PAWL_OK;
  if (!pawl_worker_stamps(arm->worker) || pawl_cpu_count() < 2) return PAWL_OK; /* on one CPU nobody can watch */
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  if (words[0] % EVERY == 0 || is_suspected(arm)) *round = (int)(words[1] % (uint32_t)rounds);
  return PAWL_OK;
}

/* Pieces of the outputs of a set, at places that nobody can foresee. */
static pawl_status choose_pieces(const struct pawl_tensor_set *set, struct watched_call *call, struct pawl_error *err) {
  uint64_t random[PIECES];
  int outputs[PAWL_MAX_TENSORS], count = 0;
  PAWL_TRY(pawl_entropy(random, sizeof random, err));
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_OUT) outputs[count++] = i;
  }
  for (int i = 0; i < PIECES && count; i++) {
    const struct pawl_placed_tensor *placed = &set->tensors[outputs[i % count]];
    const size_t bytes = placed->bytes < PIECE_BYTES ? (size_t)placed->bytes : PIECE_BYTES;
    call->pieces[i] =
        (struct piece){.offset = placed->offset + random[i] % (placed->bytes - bytes + 1), .bytes = bytes};
    call->piece_count = i + 1;
  }
  return PAWL_OK;
}

static void look_at_outputs(const struct watcher *watcher, struct watched_call *call) {
  for (int i = 0; i < call->piece_count; i++) {
    struct piece *piece = &call->pieces[i];
    memcpy(piece->seen, watcher->map + piece->offset, piece->bytes);
  }
  call->ended = true;
}

/* A duration that is certain: from the first look at which the call had begun to the last at which it had not ended,
   however long this thread was away between two looks. */
static void *watch(void *context) {
  struct watcher *watcher = context;
  uint32_t last = watcher->first;
  int64_t looked = pawl_clock_ns(), before = looked, begun = 0; /* before: a moment when the word was still the last */
  while (!atomic_load_explicit(&watcher->stop, memory_order_relaxed)) {
    const uint32_t word = atomic_load_explicit(watcher->word, memory_order_seq_cst), steps = word - watcher->first;
    if (word != last && word == last + 1 && steps <= 2 * watcher->call_count) {
      struct watched_call *call = &watcher->calls[(steps - 1) / 2];
      if (steps % 2 == 1) {
        begun = pawl_clock_ns();
      } else {
        look_at_outputs(watcher, call);
        if (begun && before > begun) call->least_ns = before - begun;
      }
    } else if (word != last) {
      begun = 0; /* away for too long */
    }
    if (word == last) before = looked;
    last = word;
    looked = pawl_clock_ns();
  }
  return NULL;
}

static void give_up(struct pawl_block_run *run, struct pawl_arm_run *arm, double seen, double claimed) {
  char reason[160];
  snprintf(reason, sizeof reason,
           "it reports impossible times: a call that took at least %.3g ms by pawl's clock as %.3g ms", seen * 1e-6,
           claimed * 1e-6);
  pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, reason);
}

static bool outputs_are_the_same(const struct watcher *watcher, const struct watched_call *call) {
  for (int i = 0; i < call->piece_count && call->ended; i++) {
    const struct piece *piece = &call->pieces[i];
    if (memcmp(piece->seen, watcher->map + piece->offset, piece->bytes) != 0) return false;
  }
  return true;
}

/* One call may lose its CPU between a stamp and its clock: two do not. A request of one call needs another block. */
static void judge(struct pawl_block_run *run, struct pawl_arm_run *arm, const struct watcher *watcher,
                  const struct pawl_time_reply *reply) {
  double seen = 0, claimed = 0;
  int longer = 0;
  if (*watcher->word - watcher->first != 2 * watcher->call_count) {
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, "something else than the worker stamps its timed calls");
    return;
  }
  for (size_t i = 0; i < reply->count; i++) {
    const struct watched_call *call = &watcher->calls[i];
    const double says = reply->seconds[i] * 1e9 * (double)reply->calls;
    if (!outputs_are_the_same(watcher, call)) {
      pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, "it wrote its outputs after the call returned");
      return;
    }
    if (!((double)call->least_ns > says * (1 + UNSEEN_SHARE) + UNSEEN_NS)) continue;
    seen = (double)call->least_ns, claimed = says;
    longer++;
  }
  if (longer == 1 && reply->count == 1 && arm->verified) longer = ++arm->verified->longer_calls;
  if (longer >= 2) give_up(run, arm, seen, claimed);
}

/* Whether the watcher had a CPU where it counts. */
static bool saw_enough(const struct watcher *watcher) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < watcher->call_count; i++) seen += watcher->calls[i].least_ns > 0;
  return seen >= 2 || seen == watcher->call_count;
}

static pawl_status prepare_watcher(const struct pawl_problem *problem, const struct pawl_time_request *request,
                                   struct watcher *out, struct pawl_error *err) {
  unsigned char *map = problem->oracle->tensors.map;
  *out = (struct watcher){.map = map, .word = (pawl_stamp *)(void *)map, .call_count = (uint32_t)request->samples};
  out->first = *out->word;
  for (int i = 0; i < request->samples; i++) {
    const int set = (request->first_set + i) % problem->set_count;
    PAWL_TRY(choose_pieces(&problem->sets[set], &out->calls[i], err));
  }
  return PAWL_OK;
}

/* The request as it is made for samples that count. */
static pawl_status take_watched(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                const struct pawl_time_request *usual, struct pawl_time_reply *reply,
                                struct pawl_error *err) {
  struct pawl_time_request request = *usual;
  struct pawl_variation variation;
  if (!arm->varied) return pawl_block_take_time(run, arm, &request, reply, err);
  PAWL_TRY(pawl_variation_begin(&variation, run, arm, &request, -1, err));
  const enum pawl_status_code status = pawl_block_take_time(run, arm, &request, reply, err);
  pawl_variation_join(&variation);
  pawl_variation_end(&variation);
  return status;
}

/* *enough: it need not be done again. */
static pawl_status watch_once(struct pawl_block_run *run, struct pawl_arm_run *arm,
                              const struct pawl_time_request *request, bool *enough, struct pawl_error *err) {
  struct watcher watcher;
  struct pawl_time_reply reply = {0};
  pthread_t thread;
  *enough = true;
  PAWL_TRY(prepare_watcher(run->problem, request, &watcher, err));
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  if (pthread_create(&thread, NULL, watch, &watcher)) return PAWL_OK; /* without a thread nobody watches */
  const enum pawl_status_code status = take_watched(run, arm, request, &reply, err);
  atomic_store(&watcher.stop, true);
  pthread_join(thread, NULL);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (!arm->worker || !pawl_block_hashes_written(run, arm, &reply)) return PAWL_OK;
  judge(run, arm, &watcher, &reply);
  *enough = !arm->worker || saw_enough(&watcher);
  return PAWL_OK;
}

pawl_status pawl_witness_calls(struct pawl_block_run *run, struct pawl_arm_run *arm, int samples, int warmup,
                               int first_set, struct pawl_error *err) {
  struct pawl_time_request request = {.warmup = warmup,
                                      .samples = samples < run->problem->set_count ? samples : run->problem->set_count,
                                      .first_set = first_set,
                                      .keep = true,
                                      .cache = run->plan->cache,
                                      .flush_bytes = run->plan->flush_bytes,
                                      .delay_ns = run->plan->delay_ns[arm - run->arms]};
  bool enough = false;
  if (arm->varied) {
    PAWL_TRY(pawl_varied_warm_up(run, arm, warmup, first_set, err));
    request.warmup = 0;
  }
  for (int i = 0; i < ATTEMPTS && arm->worker && !enough; i++) {
    PAWL_TRY(watch_once(run, arm, &request, &enough, err));
    if (!arm->varied) request.warmup = 1;
  }
  return PAWL_OK;
}
