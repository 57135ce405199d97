/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/variation.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/parallel.h"

#define NAP_NS 10000000 /* after which the thread looks whether it is to stop */

/* Between a worker that is let go and its clock there are some 300 ns. Who takes longer has done something else. */
#define PROMPT_NS 20000
#define MOST_DELAY_NS 100000000 /* it may wait for what is held */

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

/* How long, for certain, the call has not begun: until the last look at which it had not. */
static int64_t watch_begin(const struct pawl_variation *variation, int call) {
  const uint32_t before = variation->first_stamp + 2 * (uint32_t)call;
  const int64_t free_at = pawl_clock_ns();
  int64_t looked = free_at, waited = 0;
  while (atomic_load(variation->stamp) == before && looked - free_at < MOST_DELAY_NS) {
    waited = looked - free_at;
    looked = pawl_clock_ns();
    sched_yield(); /* the worker may be on our CPU */
  }
  return waited;
}

static void *give_inputs(void *context) {
  struct pawl_variation *variation = context;
  struct pawl_hold hold = {0};
  for (int call = 0; call < variation->count; call++) {
    const uint32_t turn = variation->first_ready + (uint32_t)call + 1;
    if (!await_turn(variation, turn)) break;
    if (!pawl_hold_others(&hold, &variation->process)) variation->arm->out->unheld = true;
    vary(variation, call);
    variation->given = call + 1;
    atomic_store(variation->go, turn);
    variation->delayed_ns[call] = watch_begin(variation, call);
    pawl_hold_end(&hold); /* not before: the first thread may lose its CPU on the way to its clock */
  }
  pawl_hold_release(&hold);
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

void pawl_variation_judge(const struct pawl_variation *variation, struct pawl_time_reply *reply) {
  if (!variation->late) return;
  for (int i = 0; i < variation->count; i++)
    if (variation->delayed_ns[i] > PROMPT_NS) reply->seconds[i] += (double)variation->delayed_ns[i] * 1e-9;
  const uint32_t turns = *variation->ready - variation->first_ready;
  if (variation->given != variation->count || turns != (uint32_t)variation->count)
    pawl_block_give_up(variation->run, variation->arm, PAWL_OUTCOME_WRONG,
                       "something else than the worker says when its caches are flushed");
}

void pawl_variation_end(struct pawl_variation *variation) {
  for (; variation->given > 0; variation->given--) vary(variation, variation->given - 1);
  variation->run->problem->varied = false;
  if (variation->noted >= 0) pawl_problem_note_inputs(variation->run->problem, variation->noted);
}
