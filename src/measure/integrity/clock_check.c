/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/clock_check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/parallel.h"
#include "measure/block_verify.h"
#include "measure/integrity/looks.h"
#include "measure/integrity/permutation.h"
#include "measure/integrity/permuted_calls.h"
#include "process/cpus.h"
#include "process/schedstat.h"
#include "protocol/stamp.h"

/* Chance selects one block of this number. */
#define EVERY 2
/* The pieces of the outputs that pawl reads at the end of a call. */
#define PIECES 32
#define PIECE_BYTES 64

/* pawl asks again where it missed calls, because on a busy machine the watching thread has no CPU
 * at times, and where a call lasted longer than reported. */
#define ATTEMPTS 4

/* The error of a worker's own readings: the code between a stamp and the clock takes some 5 us in
 * Python. */
#define UNCLOCKED_NS 20000
#define UNCLOCKED_SHARE 0.1

/* A piece of an output and its bytes at the end of the call. */
struct piece {
  uint64_t offset; /* in the shared memory */
  size_t bytes;
  unsigned char seen[PIECE_BYTES];
};

struct watched_call {
  /* A lower bound of its duration; 0: unknown. */
  int64_t least_ns;
  /* The time from the change of its inputs to the last moment at which its first piece was not
   * final. The call takes at least this time less begun_ns, its time until pawl saw it begin. -1:
   * unknown, or the inputs did not come late. */
  int64_t written_ns, begun_ns;
  /* Memory of its outputs did not exist at its end. */
  bool absent;
  /* pawl saw its end, and the pieces hold its outputs. */
  bool ended;
  struct piece pieces[PIECES];
  int piece_count;
};

struct watcher {
  const unsigned char *map;
  pid_t worker;
  /* `go` changes when the inputs of a call have changed. */
  pawl_stamp *word, *go;
  uint32_t first, first_go; /* their values before the first call */
  /* For how long the worker's first thread waited for a CPU during the request. -1: unknown. */
  int64_t waited_ns;
  struct watched_call calls[PAWL_MEASURE_SETS];
  uint32_t call_count;
  bool went_back; /* the word did, which no worker does */
  _Atomic bool stop;
};

/* The first piece of a call's outputs, which pawl reads from the change of its inputs on. */
struct follower {
  uint32_t turn;             /* the value of `go` */
  struct watched_call *call; /* NULL: none yet */
  /* When pawl saw that the inputs had changed, and the time right before its last look. */
  int64_t given, looked;
  unsigned char now[PIECE_BYTES];
};

/* Returns whether a call of the last blocks lasted longer than its worker said. */
static bool is_suspected(const struct pawl_arm_run *arm) {
  return arm->verified && arm->verified->suspicion > 0;
}

pawl_status pawl_clock_check_draw(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                                  int rounds, int *round, struct pawl_error *err) {
  uint32_t words[2];
  *round = -1;
  if (!arm->worker || arm->device != PAWL_CPU || !pawl_block_is_checked(run)) return PAWL_OK;
  /* one CPU cannot run a watching thread beside the call */
  if (!pawl_worker_stamps(arm->worker) || pawl_cpu_count() < 2) return PAWL_OK;
  PAWL_TRY(pawl_entropy(words, sizeof words, err));
  if (words[0] % EVERY == 0 || is_suspected(arm)) *round = (int)(words[1] % (uint32_t)rounds);
  return PAWL_OK;
}

/* Chooses pieces of a set's outputs at random offsets. */
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

/* Returns whether the pages of a piece exist. They existed when the worker overwrote the outputs,
 * before the call. mincore() does not create them; a read would. */
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

/* A kernel can forge the stamps of the beginning and the end of its call. It still has to write the
 * outputs, so pawl watches those too. */
static void clock_check_follow(struct watcher *watcher, struct follower *f) {
  const uint32_t turn = atomic_load_explicit(watcher->go, memory_order_seq_cst);
  if (turn != f->turn) begin_to_follow(watcher, f, turn);
  if (!f->call) return;
  const struct piece *piece = &f->call->pieces[0];
  /* before the look, because this thread may lose its CPU right after it */
  const int64_t now = pawl_clock_ns();
  if (memcmp(f->now, watcher->map + piece->offset, piece->bytes) != 0) {
    f->call->written_ns = f->looked - f->given;
    memcpy(f->now, watcher->map + piece->offset, piece->bytes);
  }
  f->looked = now;
}

/* Measures a lower bound of each duration: from the first look at which the call had begun to the
 * last at which it had not ended. It holds even if this thread had no CPU between two looks. */
static void *watch(void *context) {
  struct watcher *watcher = context;
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  /* so that it gets a CPU on a busy machine */
  pawl_cpus_go_first();
  pawl_cpus_keep_off(&ours, watcher->worker);
  pawl_arena_clear(&arena);
  uint32_t last = watcher->first;
  struct follower follower = {.turn = watcher->first_go};
  /* `before` is a time at which the word was still the last. */
  int64_t looked = pawl_clock_ns(), before = looked, begun = 0;
  while (!atomic_load_explicit(&watcher->stop, memory_order_relaxed)) {
    const uint32_t word = atomic_load_explicit(watcher->word, memory_order_seq_cst),
                   steps = word - watcher->first;
    if ((int32_t)(word - last) < 0) watcher->went_back = true;
    if (word != last && word == last + 1 && steps <= 2 * watcher->call_count) {
      struct watched_call *call = &watcher->calls[(steps - 1) / 2];
      if (steps % 2 == 1) {
        begun = pawl_clock_ns();
      } else {
        look_at_outputs(watcher, call);
        if (begun && before > begun) call->least_ns = before - begun;
      }
    } else if (word != last) {
      begun = 0; /* this thread missed the change */
    }
    clock_check_follow(watcher, &follower);
    if (word == last) before = looked;
    last = word;
    looked = pawl_clock_ns();
  }
  return NULL;
}

static bool outputs_are_the_same(const struct watcher *watcher, const struct watched_call *call) {
  for (int i = 0; i < call->piece_count && call->ended; i++) {
    const struct piece *piece = &call->pieces[i];
    if (memcmp(piece->seen, watcher->map + piece->offset, piece->bytes) != 0) return false;
  }
  return true;
}

/* Returns the certain duration of a call. */
static double certain_ns(const struct watched_call *call) {
  const double written = call->begun_ns >= 0 ? (double)(call->written_ns - call->begun_ns) : 0;
  return fmax((double)call->least_ns, written);
}

/* Ends the arm if its times are impossible. Returns whether a call lasted longer than reported. */
static bool judge_clock(struct pawl_block_run *run, struct pawl_arm_run *arm,
                        const struct watcher *watcher, const struct pawl_time_reply *reply) {
  struct pawl_clock_facts facts = {.calls = (int)reply->count, .waited_ns = watcher->waited_ns};
  double seen = 0, claimed = 0;
  int unkept = 0, *suspicion = arm->verified ? &arm->verified->suspicion : &unkept;
  if (watcher->went_back || *watcher->word - watcher->first != 2 * watcher->call_count) {
    pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                       "something else than the worker stamps its timed calls");
    return true;
  }
  for (size_t i = 0; i < reply->count; i++) {
    const struct watched_call *call = &watcher->calls[i];
    const double says = reply->seconds[i] * 1e9 * (double)reply->calls;
    if (call->absent) {
      pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                         "the memory of its outputs was gone when the call ended");
      return true;
    }
    if (!outputs_are_the_same(watcher, call)) {
      pawl_block_give_up(run, arm, PAWL_OUTCOME_WRONG,
                         "it wrote its outputs after the call returned");
      return true;
    }
    if (!(certain_ns(call) > says * (1 + UNCLOCKED_SHARE) + UNCLOCKED_NS)) continue;
    seen = certain_ns(call), claimed = says;
    facts.excess_ns += seen - claimed;
    facts.longer++;
  }
  if (pawl_clock_is_impossible(&facts, suspicion)) pawl_clock_give_up(run, arm, seen, claimed);
  return facts.longer > 0;
}

/* Returns whether the watching thread had a CPU for enough calls. */
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
  /* `go` starts each request with the value of `ready` */
  out->first_go = *(pawl_stamp *)(void *)(map + PAWL_READY_BYTE);
  for (int i = 0; i < request->samples; i++) {
    const int set = (request->first_set + i) % problem->set_count;
    PAWL_TRY(choose_pieces(&problem->sets[set], &out->calls[i], err));
    out->calls[i].written_ns = out->calls[i].begun_ns = -1;
  }
  return PAWL_OK;
}

/* Makes the same request as for samples that count. */
static pawl_status take_watched(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                const struct pawl_time_request *usual, struct watcher *watcher,
                                struct pawl_time_reply *reply, struct pawl_error *err) {
  struct pawl_time_request request = *usual;
  struct pawl_permutation permutation;
  if (!arm->permuted) return pawl_block_take_time(run, arm, &request, reply, err);
  PAWL_TRY(pawl_permutation_begin(&permutation, run, arm, &request, -1,
                                  arm->is_new + arm->out->count, err));
  const enum pawl_status_code status = pawl_block_take_time(run, arm, &request, reply, err);
  pawl_permutation_join(&permutation);
  PAWL_TRY(pawl_permutation_failure(&permutation, err));
  for (int i = 0; i < request.samples && permutation.late; i++)
    watcher->calls[i].begun_ns = permutation.begun_ns[i];
  pawl_permutation_end(&permutation);
  return status;
}

/* *enough is whether another attempt is unnecessary. */
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
  /* without a thread there is no check */
  if (pthread_create(&thread, NULL, watch, &watcher)) return PAWL_OK;
  const int64_t waited = pawl_schedstat_waited_ns(watcher.worker);
  const enum pawl_status_code status = take_watched(run, arm, request, &watcher, &reply, err);
  watcher.waited_ns = waited < 0 ? -1 : pawl_schedstat_waited_ns(watcher.worker) - waited;
  atomic_store(&watcher.stop, true);
  pthread_join(thread, NULL);
  if (status != PAWL_OK) return pawl_block_settle(run, arm, status, err);
  if (!arm->worker || !pawl_block_hashes_written(run, arm, &reply)) return PAWL_OK;
  const bool longer = judge_clock(run, arm, &watcher, &reply);
  *enough = !arm->worker || (!longer && saw_enough(&watcher));
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
