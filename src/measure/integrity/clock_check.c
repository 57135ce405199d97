/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/clock_check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/parallel.h"
#include "measure/block_verify.h"
#include "measure/integrity/permutation.h"
#include "measure/integrity/permuted_calls.h"
#include "process/cpus.h"
#include "protocol/stamp.h"

#define EVERY 2   /* blocks: one of so many is watched, by chance */
#define PIECES 32 /* of the outputs, looked at when a call ends */
#define PIECE_BYTES 64

/* Of a request in which one call lasted longer, by the calls that it had; a request with none takes
 * 1 away. */
#define ALONE 7
#define AMONG_OTHERS 5
#define ENOUGH 12

#define ATTEMPTS 4 /* where others use the CPUs, the watcher has none at times */

/* What a worker's own readings may miss of a call: the code between a stamp and the clock, in
 * Python some 5 us. */
#define UNCLOCKED_NS 20000
#define UNCLOCKED_SHARE 0.1

/* A piece of an output when its call ended. */
struct piece {
  uint64_t offset; /* in the shared memory */
  size_t bytes;
  unsigned char seen[PIECE_BYTES];
};

struct watched_call {
  int64_t least_ns; /* that it lasted; 0: it was not seen well enough */
  /* From the moment when its inputs had changed to the last at which its first piece was not as it
     is in the end: a call takes no less, less the time until it was seen to begin (begun_ns). -1:
     the inputs did not come late, or nobody saw it. */
  int64_t written_ns, begun_ns;
  bool absent; /* memory of its outputs was not there then */
  bool ended;  /* its end was seen: the pieces hold what it had written */
  struct piece pieces[PIECES];
  int piece_count;
};

struct watcher {
  const unsigned char *map;
  pid_t worker;
  pawl_stamp *word, *go;    /* go: changes when the inputs of a call have changed */
  uint32_t first, first_go; /* the words before the first call */
  struct watched_call calls[PAWL_MEASURE_SETS];
  uint32_t call_count;
  _Atomic bool stop;
};

/* The piece that is watched from the moment when the inputs of its call have changed. */
struct follower {
  uint32_t turn;             /* of `go` */
  struct watched_call *call; /* NULL: none yet */
  int64_t given,
      looked; /* when its inputs were seen to have changed; right before the last look at it */
  unsigned char now[PIECE_BYTES];
};

/* A call of one of the last blocks lasted longer than its worker said. */
static bool is_suspected(const struct pawl_arm_run *arm) {
  return arm->verified && arm->verified->suspicion > 0;
}

pawl_status pawl_clock_check_draw(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                                  int rounds, int *round, struct pawl_error *err) {
  uint32_t words[2];
  *round = -1;
  if (!arm->worker || arm->device != PAWL_CPU || !pawl_block_is_checked(run)) return PAWL_OK;
  if (!pawl_worker_stamps(arm->worker) || pawl_cpu_count() < 2)
    return PAWL_OK; /* on one CPU nobody can watch */
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  if (words[0] % EVERY == 0 || is_suspected(arm)) *round = (int)(words[1] % (uint32_t)rounds);
  return PAWL_OK;
}

/* Pieces of the outputs of a set, at places that nobody can foresee. */
static pawl_status choose_pieces(const struct pawl_tensor_set *set, struct watched_call *call,
                                 struct pawl_error *err) {
  uint64_t random[PIECES];
  int outputs[PAWL_MAX_TENSORS], count = 0;
  PAWL_TRY(pawl_entropy(random, sizeof random, err));
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_OUT) outputs[count++] = i;
  }
  for (int i = 0; i < PIECES && count; i++) {
    const struct pawl_placed_tensor *placed = &set->tensors[outputs[i % count]];
    const size_t bytes = placed->bytes < PIECE_BYTES ? (size_t)placed->bytes : PIECE_BYTES;
    call->pieces[i] = (struct piece){
        .offset = placed->offset + random[i] % (placed->bytes - bytes + 1), .bytes = bytes};
    call->piece_count = i + 1;
  }
  return PAWL_OK;
}

/* Whether memory is there: it was when the worker spoiled the outputs, before the call. A look by
 * us would make some.
 */
static bool has_pages(const struct watcher *watcher, const struct piece *piece) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = piece->offset / page;
  const uint64_t last = (piece->offset + piece->bytes - 1) / page;
  unsigned char there[2] = {1, 1};
  if (mincore((void *)(uintptr_t)(watcher->map + first * page), (size_t)((last - first + 1) * page),
              there) != 0)
    return true;
  return (there[0] & 1) && (first == last || (there[1] & 1));
}

static void look_at_outputs(const struct watcher *watcher, struct watched_call *call) {
  for (int i = 0; i < call->piece_count; i++) {
    struct piece *piece = &call->pieces[i];
    if (!has_pages(watcher, piece)) call->absent = true;
    memcpy(piece->seen, watcher->map + piece->offset, piece->bytes);
  }
  call->ended = true;
}

static void begin_to_follow(struct watcher *watcher, struct follower *f, uint32_t turn) {
  const uint32_t number = turn - watcher->first_go;
  f->turn = turn;
  f->call = number >= 1 && number <= watcher->call_count ? &watcher->calls[number - 1] : NULL;
  if (f->call && !f->call->piece_count) f->call = NULL;
  if (!f->call) return;
  f->given = f->looked = pawl_clock_ns();
  memcpy(f->now, watcher->map + f->call->pieces[0].offset, f->call->pieces[0].bytes);
  f->call->written_ns = 0;
}

/* Whoever says in place of the worker that a call has begun, or that it has ended, still has to
 * write the outputs. */
static void follow(struct watcher *watcher, struct follower *f) {
  const uint32_t turn = atomic_load_explicit(watcher->go, memory_order_seq_cst);
  if (turn != f->turn) begin_to_follow(watcher, f, turn);
  if (!f->call) return;
  const struct piece *piece = &f->call->pieces[0];
  const int64_t now =
      pawl_clock_ns(); /* before the look: this thread may lose its CPU right behind it */
  if (memcmp(f->now, watcher->map + piece->offset, piece->bytes) != 0) {
    f->call->written_ns = f->looked - f->given;
    memcpy(f->now, watcher->map + piece->offset, piece->bytes);
  }
  f->looked = now;
}

/* A duration that is certain: from the first look at which the call had begun to the last at which
   it had not ended, however long this thread was away between two looks. */
static void *watch(void *context) {
  struct watcher *watcher = context;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  pawl_cpus_go_first(); /* where others use the CPUs it sees little else */
  pawl_cpus_keep_off(&ours, watcher->worker);
  pawl_arena_clear(&arena);
  uint32_t last = watcher->first;
  struct follower follower = {.turn = watcher->first_go};
  int64_t looked = pawl_clock_ns(), before = looked,
          begun = 0; /* before: a moment when the word was still the last */
  while (!atomic_load_explicit(&watcher->stop, memory_order_relaxed)) {
    const uint32_t word = atomic_load_explicit(watcher->word, memory_order_seq_cst),
                   steps = word - watcher->first;
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
    follow(watcher, &follower);
    if (word == last) before = looked;
    last = word;
    looked = pawl_clock_ns();
  }
  return NULL;
}

static void give_up(struct pawl_block_run *run, struct pawl_arm_run *arm, double seen,
                    double claimed) {
  char reason[160];
  snprintf(
      reason, sizeof reason,
      "it reports impossible times: a call that took at least %.3g ms by pawl's clock as %.3g ms",
      seen * 1e-6, claimed * 1e-6);
  pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG, reason);
}

static bool outputs_are_the_same(const struct watcher *watcher, const struct watched_call *call) {
  for (int i = 0; i < call->piece_count && call->ended; i++) {
    const struct piece *piece = &call->pieces[i];
    if (memcmp(piece->seen, watcher->map + piece->offset, piece->bytes) != 0) return false;
  }
  return true;
}

/* What is certain of its duration, beyond what a worker's own readings may miss. */
static double certain_ns(const struct watched_call *call) {
  const double written = call->begun_ns >= 0 ? (double)(call->written_ns - call->begun_ns) : 0;
  return fmax((double)call->least_ns, written);
}

/* One call of a request may lose its CPU between a stamp and its clock. Who does that again within
   a few blocks, each of which is watched then, is no honest kernel: of a request of one call twice,
   else three times. */
static bool adds_up(const struct pawl_arm_run *arm, int longer, size_t calls) {
  if (!arm->verified) return false;
  int *suspicion = &arm->verified->suspicion;
  *suspicion = longer           ? *suspicion + (calls == 1 ? ALONE : AMONG_OTHERS)
               : *suspicion > 0 ? *suspicion - 1
                                : 0;
  return longer && *suspicion >= ENOUGH;
}

/* Two calls of a request do not lose their CPUs there. */
static void judge(struct pawl_block_run *run, struct pawl_arm_run *arm,
                  const struct watcher *watcher, const struct pawl_time_reply *reply) {
  double seen = 0, claimed = 0;
  int longer = 0;
  if (*watcher->word - watcher->first != 2 * watcher->call_count) {
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                       "something else than the worker stamps its timed calls");
    return;
  }
  for (size_t i = 0; i < reply->count; i++) {
    const struct watched_call *call = &watcher->calls[i];
    const double says = reply->seconds[i] * 1e9 * (double)reply->calls;
    if (call->absent) {
      pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                         "the memory of its outputs was gone when the call ended");
      return;
    }
    if (!outputs_are_the_same(watcher, call)) {
      pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                         "it wrote its outputs after the call returned");
      return;
    }
    if (!(certain_ns(call) > says * (1 + UNCLOCKED_SHARE) + UNCLOCKED_NS)) continue;
    seen = certain_ns(call), claimed = says;
    longer++;
  }
  if (longer >= 2 || adds_up(arm, longer, reply->count)) give_up(run, arm, seen, claimed);
}

/* Whether the watcher had a CPU where it counts. */
static bool saw_enough(const struct watcher *watcher) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < watcher->call_count; i++) seen += watcher->calls[i].least_ns > 0;
  return seen >= 2 || seen == watcher->call_count;
}

static pawl_status prepare_watcher(const struct pawl_problem *problem,
                                   const struct pawl_time_request *request, struct watcher *out,
                                   struct pawl_error *err) {
  unsigned char *map = problem->oracle->tensors.map;
  *out = (struct watcher){.map = map,
                          .word = (pawl_stamp *)(void *)map,
                          .go = (pawl_stamp *)(void *)(map + PAWL_GO_BYTE),
                          .call_count = (uint32_t)request->samples};
  out->first = *out->word;
  out->first_go =
      *(pawl_stamp *)(void *)(map +
                              PAWL_READY_BYTE); /* `go` is made equal to it as the request begins */
  for (int i = 0; i < request->samples; i++) {
    const int set = (request->first_set + i) % problem->set_count;
    PAWL_TRY(choose_pieces(&problem->sets[set], &out->calls[i], err));
    out->calls[i].written_ns = out->calls[i].begun_ns = -1;
  }
  return PAWL_OK;
}

/* The request as it is made for samples that count. */
static pawl_status take_watched(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                const struct pawl_time_request *usual, struct watcher *watcher,
                                struct pawl_time_reply *reply, struct pawl_error *err) {
  struct pawl_time_request request = *usual;
  struct pawl_permutation permutation;
  if (!arm->permuted) return pawl_block_take_time(run, arm, &request, reply, err);
  PAWL_TRY(pawl_permutation_begin(&permutation, run, arm, &request, -1, err));
  const enum pawl_status_code status = pawl_block_take_time(run, arm, &request, reply, err);
  pawl_permutation_join(&permutation);
  for (int i = 0; i < request.samples && permutation.late; i++)
    watcher->calls[i].begun_ns = permutation.begun_ns[i];
  pawl_permutation_end(&permutation);
  return status;
}

/* *enough: it need not be done again. */
static pawl_status watch_once(struct pawl_block_run *run, struct pawl_arm_run *arm,
                              const struct pawl_time_request *request, bool *enough,
                              struct pawl_error *err) {
  struct watcher watcher;
  struct pawl_time_reply reply = {0};
  pthread_t thread;
  *enough = true;
  PAWL_TRY(prepare_watcher(run->problem, request, &watcher, err));
  watcher.worker = pawl_worker_freezable(arm->worker).pid;
  PAWL_TRY(pawl_block_restore_inouts(run, err));
  if (pthread_create(&thread, NULL, watch, &watcher))
    return PAWL_OK; /* without a thread nobody watches */
  const enum pawl_status_code status = take_watched(run, arm, request, &watcher, &reply, err);
  atomic_store(&watcher.stop, true);
  pthread_join(thread, NULL);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (!arm->worker || !pawl_block_hashes_written(run, arm, &reply)) return PAWL_OK;
  judge(run, arm, &watcher, &reply);
  *enough = !arm->worker || saw_enough(&watcher);
  return PAWL_OK;
}

pawl_status pawl_clock_check_calls(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   int samples, int warmup, int first_set, struct pawl_error *err) {
  const int sets = run->problem->set_count;
  struct pawl_time_request request =
      pawl_block_time_request(run, arm, samples < sets ? samples : sets, warmup, first_set);
  bool enough = false;
  if (arm->permuted) {
    PAWL_TRY(pawl_permuted_warm_up(run, arm, warmup, first_set, err));
    request.warmup = 0;
  }
  for (int i = 0; i < ATTEMPTS && arm->worker && !enough; i++) {
    PAWL_TRY(watch_once(run, arm, &request, &enough, err));
    if (!arm->permuted) request.warmup = 1;
  }
  return PAWL_OK;
}
