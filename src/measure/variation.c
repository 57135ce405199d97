/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/variation.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/entropy.h"
#include "base/parallel.h"

#define NAP_NS 10000000 /* after which the thread looks whether it is to stop */

/* Between a worker that is let go and its clock there are some 300 ns. Who takes longer has done something else. */
#define PROMPT_NS 20000
#define PATIENCE_NS 1000000    /* then whoever shares our CPU gets it */
#define MOST_HELD_NS 100000000 /* a call may wait for what is held */

static int set_of(const struct pawl_variation *variation, int call) {
  return (variation->first_set + call) % variation->run->problem->set_count;
}

static void vary(struct pawl_variation *variation, int call) {
  const int set = set_of(variation, call);
  pawl_problem_vary(variation->run->problem, set, variation->seed + (uint64_t)set);
}

/* Until the worker has taken one more turn. False: the thread is to stop. */
static bool await_turn(const struct pawl_variation *variation, uint32_t turn) {
  const struct timespec nap = {.tv_nsec = NAP_NS};
  for (uint32_t now; (now = atomic_load(variation->ready)) != turn;) {
    if (atomic_load(&variation->stop)) return false;
    syscall(SYS_futex, variation->ready, FUTEX_WAIT, now, &nap, NULL, 0);
  }
  return true;
}

/* The time by two clocks: what passes by the first and not by the second, this thread had no CPU. */
struct moment {
  int64_t wall_ns, ours_ns;
};

static struct moment moment_now(void) {
  struct timespec spent;
  const int64_t wall_ns = pawl_clock_ns();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return (struct moment){wall_ns, spent.tv_sec * INT64_C(1000000000) + spent.tv_nsec};
}

/* Lets the call begin. Returns the longest that the kernel can have worked before that on inputs that had all changed:
   while we were away since `begin`, when they began to change, and until we see the call begin. */
static int64_t let_begin(const struct pawl_variation *variation, int call, const struct moment *begin,
                         struct pawl_hold *hold) {
  const uint32_t before = variation->first_stamp + 2 * (uint32_t)call;
  const struct moment changed = moment_now();
  const int64_t away = changed.wall_ns - begin->wall_ns - (changed.ours_ns - begin->ours_ns);
  atomic_store(variation->go, variation->first_ready + (uint32_t)call + 1);
  while (atomic_load(variation->stamp) == before && !atomic_load(&variation->stop)) {
    const int64_t waited = pawl_clock_ns() - changed.wall_ns;
    if (waited > MOST_HELD_NS) pawl_hold_end(hold);
    if (waited > PATIENCE_NS) sched_yield();
  }
  return away + (pawl_clock_ns() - changed.wall_ns);
}

static void *give_inputs(void *context) {
  struct pawl_variation *variation = context;
  struct pawl_hold hold = {0};
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  for (int call = 0; call < variation->count; call++) {
    if (!await_turn(variation, variation->first_ready + (uint32_t)call + 1)) break;
    pawl_cpus_keep_off(&ours, variation->process.pid);
    if (!pawl_hold_others(&hold, &variation->process)) variation->arm->out->unheld = true;
    const struct moment begin = moment_now();
    vary(variation, call);
    variation->given = call + 1;
    variation->ahead_ns[call] = let_begin(variation, call, &begin, &hold);
    pawl_hold_end(&hold); /* not before: the first thread may lose its CPU on the way to its clock */
  }
  pawl_hold_release(&hold);
  pawl_arena_clear(&arena);
  return NULL;
}

static pawl_status begin_late(struct pawl_variation *variation, struct pawl_error *err) {
  unsigned char *page = variation->run->problem->oracle->tensors.map;
  variation->stamp = (pawl_stamp *)(void *)page;
  variation->ready = (pawl_stamp *)(void *)(page + PAWL_READY_BYTE);
  variation->go = (pawl_stamp *)(void *)(page + PAWL_GO_BYTE);
  variation->first_stamp = *variation->stamp;
  variation->first_ready = *variation->ready;
  atomic_store(variation->go, variation->first_ready);
  const int number = pthread_create(&variation->thread, NULL, give_inputs, variation);
  return number ? pawl_fail_errno(err, number, "cannot start a thread that gives a kernel its inputs") : PAWL_OK;
}

/* The hash of inputs that are not there yet: read later it would bring them into the caches. */
static void note_ahead(struct pawl_variation *variation) {
  const int sets = variation->run->problem->set_count;
  const int call = (variation->noted - variation->first_set + sets) % sets;
  vary(variation, call);
  pawl_problem_note_inputs(variation->run->problem, variation->noted);
  vary(variation, call);
}

pawl_status pawl_variation_begin(struct pawl_variation *variation, struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 struct pawl_time_request *request, int noted, struct pawl_error *err) {
  uint64_t seed;
  PAWL_ASSERT(request->samples <= PAWL_MEASURE_SETS);
  PAWL_TRY(pawl_entropy(&seed, sizeof seed, err));
  *variation = (struct pawl_variation){.run = run,
                                       .arm = arm,
                                       .first_set = request->first_set,
                                       .count = request->samples,
                                       .noted = noted,
                                       .seed = seed,
                                       .process = pawl_worker_holdable(arm->worker),
                                       .late = pawl_worker_takes_late_inputs(arm->worker) && pawl_cpu_count() > 1};
  request->late = variation->late;
  if (noted >= 0) note_ahead(variation);
  if (variation->late) {
    PAWL_TRY(begin_late(variation, err));
  } else {
    for (; variation->given < variation->count; variation->given++) vary(variation, variation->given);
  }
  run->problem->varied = true;
  return PAWL_OK;
}

void pawl_variation_join(struct pawl_variation *variation) {
  if (!variation->late) return;
  atomic_store(&variation->stop, true);
  syscall(SYS_futex, variation->ready, FUTEX_WAKE, 1, NULL, NULL, 0);
  pthread_join(variation->thread, NULL);
}

bool pawl_variation_judge(const struct pawl_variation *variation) {
  if (!variation->late) return true;
  const uint32_t turns = *variation->ready - variation->first_ready;
  if (variation->given == variation->count && turns == (uint32_t)variation->count) return true;
  pawl_block_give_up(variation->run, variation->arm, PAWL_OUTCOME_WRONG,
                     "something else than the worker says when its caches are flushed");
  return false;
}

size_t pawl_variation_sift(const struct pawl_variation *variation, bool charge, struct pawl_time_reply *reply) {
  size_t late = 0, kept = 0;
  for (size_t i = 0; i < reply->count; i++) {
    const bool prompt = variation->ahead_ns[i] <= PROMPT_NS;
    late += !prompt;
    if (!prompt && charge) reply->seconds[i] += (double)variation->ahead_ns[i] * 1e-9;
    if (prompt || charge) reply->seconds[kept++] = reply->seconds[i];
  }
  reply->count = kept;
  return late;
}

void pawl_variation_end(struct pawl_variation *variation) {
  for (; variation->given > 0; variation->given--) vary(variation, variation->given - 1);
  variation->run->problem->varied = false;
  if (variation->noted >= 0) pawl_problem_note_inputs(variation->run->problem, variation->noted);
}
