/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/frozen_calls.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/parallel.h"
#include "process/cpus.h"
#include "process/freeze.h"

/* The thread checks `stop` at this interval. */
#define NAP_NS 10000000
/* A flush, a change of the inputs and the call each take no longer than a few calls. */
#define CALLS_OF_ONE 8
/* How long pawl waits at first for the end of a call, beyond the call's own time. A thread that
 * stopped inside the driver can block the worker for ever. A busy machine needs some milliseconds.
 * The wait doubles after every second freeze. A call that ends in no freeze needs a frozen thread.
 */
#define FIRST_WAIT_NS 20000000
#define HOLDS_OF_A_WAIT 2
#define MOST_HOLDS 6
/* The longest useless freezes of one request, together. */
#define MOST_NS 2000000000
#define LONGEST_PAUSE_NS 1000000
/* A worker loads the inputs of a call and shows its tensors at this rate at least. */
#define NS_OF_BYTE 2

/* Waits until the worker has taken this turn or a later one, for at most `limit_ns`. 0: without a
 * limit; no thread stays frozen meanwhile. Returns whether the worker has taken it. */
static bool await_frozen_turn(struct pawl_frozen_calls *frozen, uint32_t turn, int64_t limit_ns) {
  const struct timespec nap = {.tv_nsec = limit_ns && limit_ns < NAP_NS ? limit_ns : NAP_NS};
  const int64_t begin = pawl_clock_ns();
  for (uint32_t now; (int32_t)((now = atomic_load(frozen->ready)) - turn) < 0;) {
    if (atomic_load(&frozen->stop) || (limit_ns && pawl_clock_ns() - begin > limit_ns))
      return false;
    if (!limit_ns) pawl_freeze_end(&frozen->freeze);
    syscall(SYS_futex, frozen->ready, FUTEX_WAIT, now, &nap, NULL, 0);
  }
  return true;
}

static void wait_as_long(int64_t ns) {
  const struct timespec pause = {.tv_nsec = (long)(ns < NAP_NS ? ns : NAP_NS)};
  if (ns > 0) nanosleep(&pause, NULL);
}

/* Waits for a random time. */
static void pause_by_chance(void) {
  uint32_t word = 0;
  struct pawl_error ignored;
  if (pawl_entropy(&word, sizeof word, &ignored) == PAWL_OK) wait_as_long(word % LONGEST_PAUSE_NS);
}

/* Makes the call of this turn while the other threads are frozen. If one of them stopped inside the
 * driver, the call does not end. Then this resumes them and freezes them again at another moment,
 * for the same call. *turn becomes the turn with which the worker says that the call has ended.
 * Returns false if it ended in no freeze, or if the request ended. */
static bool freeze_and_call(struct pawl_frozen_calls *frozen, uint32_t *turn) {
  for (int holds = 0;; holds++) {
    const int64_t limit_ns = frozen->call_ns + ((int64_t)FIRST_WAIT_NS << holds / HOLDS_OF_A_WAIT);
    pawl_given_inputs_prepare(frozen->given);
    const int64_t begin = pawl_clock_ns();
    if (!pawl_freeze_others(&frozen->freeze, &frozen->process)) frozen->failed = true;
    pawl_given_inputs_put(frozen->given);
    frozen->took_ns = pawl_clock_ns() - begin;
    atomic_store(frozen->go, *turn);
    const bool ended = await_frozen_turn(frozen, ++*turn, limit_ns);
    pawl_freeze_end(&frozen->freeze);
    if (!ended) frozen->lost_ns += pawl_clock_ns() - begin;
    if (ended || holds + 1 == MOST_HOLDS || frozen->lost_ns > MOST_NS ||
        !await_frozen_turn(frozen, *turn, 0))
      return ended;
    pawl_given_inputs_take_back(frozen->given);
    atomic_store(frozen->wish, PAWL_FREEZE_AGAIN);
    atomic_store(frozen->go, *turn);
    if (!await_frozen_turn(frozen, ++*turn, 0)) return false;
    pause_by_chance();
  }
}

/* Makes a call while the other threads run. A call on usual inputs waits as long as the last unseen
 * call did. */
static bool let_call(struct pawl_frozen_calls *frozen, bool unseen, uint32_t *turn) {
  if (unseen) pawl_given_inputs_prepare(frozen->given);
  const int64_t begin = pawl_clock_ns();
  if (unseen) {
    pawl_given_inputs_put(frozen->given);
    frozen->took_ns = pawl_clock_ns() - begin;
  } else {
    wait_as_long(frozen->took_ns);
  }
  atomic_store(frozen->go, *turn);
  return await_frozen_turn(frozen, ++*turn, 0);
}

static void *run_calls(void *context) {
  struct pawl_frozen_calls *frozen = context;
  pawl_cpus_go_first();
  for (uint32_t turn = frozen->first_ready + 1;
       !atomic_load(&frozen->stop) && await_frozen_turn(frozen, turn, 0); turn++) {
    const bool unseen = atomic_load(frozen->wish),
               wanted = unseen && frozen->freezes && !frozen->cut && !frozen->failed;
    const bool ended = wanted ? freeze_and_call(frozen, &turn) : let_call(frozen, unseen, &turn);
    if (wanted && !ended && !atomic_load(&frozen->stop)) frozen->cut = true;
    if (!ended && !await_frozen_turn(frozen, turn, 0)) break;
    pawl_given_inputs_take_back(frozen->given);
    atomic_store(frozen->go, turn);
  }
  pawl_freeze_release(&frozen->freeze);
  return NULL;
}

/* PAWL_FROZEN_CALLS=0 turns it off, for a comparison. */
static bool frozen_calls_is_wanted(void) {
  const char *given = getenv("PAWL_FROZEN_CALLS");
  return !given || strcmp(given, "0") != 0;
}

void pawl_frozen_calls_begin(struct pawl_frozen_calls *frozen, const struct pawl_block_run *run,
                             const struct pawl_arm_run *arm, double longest,
                             struct pawl_given_inputs *given, struct pawl_time_request *request) {
  unsigned char *page = run->problem->oracle ? run->problem->oracle->tensors.map : NULL;
  /* an earlier request of the block can have found that it does not work */
  const bool freezes =
      frozen_calls_is_wanted() && pawl_worker_can_be_frozen(arm->worker) && !arm->out->unfrozen;
  *frozen = (struct pawl_frozen_calls){.given = given};
  /* with one CPU, this thread could not resume the others */
  frozen->failed = page && freezes && pawl_cpu_count() < 2;
  frozen->freezes = freezes && !frozen->failed;
  if (!page || !(frozen->freezes || given->problem)) return;
  frozen->process = pawl_worker_freezable(arm->worker);
  frozen->ready = (pawl_stamp *)(void *)(page + PAWL_READY_BYTE);
  frozen->go = (pawl_stamp *)(void *)(page + PAWL_GO_BYTE);
  frozen->wish = (pawl_stamp *)(void *)(page + PAWL_WISH_BYTE);
  frozen->first_ready = *frozen->ready;
  frozen->call_ns = (int64_t)(CALLS_OF_ONE * longest * 1e9) + NS_OF_BYTE * (int64_t)given->bytes;
  atomic_store(frozen->go, frozen->first_ready);
  frozen->running = !pthread_create(&frozen->thread, NULL, run_calls, frozen);
  frozen->failed = !frozen->running;
  request->held = frozen->running;
  request->given = frozen->running && given->problem;
}

void pawl_frozen_calls_end(struct pawl_frozen_calls *frozen) {
  if (!frozen->running) return;
  atomic_store(&frozen->stop, true);
  syscall(SYS_futex, frozen->ready, FUTEX_WAKE, 1, NULL, NULL, 0);
  pthread_join(frozen->thread, NULL);
  pawl_given_inputs_take_back(frozen->given); /* the worker ended within a call */
  frozen->running = false;
}
