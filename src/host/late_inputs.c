/* SPDX-License-Identifier: Apache-2.0 */
#include "host/late_inputs.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOKS 100000 /* about 1 ms, after which another process on our CPU may run */

static pawl_stamp *word(pawl_stamp *stamp, unsigned byte) { return stamp + byte / sizeof *stamp; }

static uint32_t late_inputs_take_turn(pawl_stamp *stamp) {
  pawl_stamp *ready = word(stamp, PAWL_READY_BYTE);
  const uint32_t turn = atomic_fetch_add_explicit(ready, 1, memory_order_seq_cst) + 1;
  syscall(SYS_futex, ready, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  return turn;
}

/* Spins and does not sleep, because a core is slow after it has slept. The time limit of the
   request bounds the wait. */
void host_await_inputs(pawl_stamp *stamp) {
  const pawl_stamp *go = word(stamp, PAWL_GO_BYTE);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const uint32_t turn = late_inputs_take_turn(stamp);
  for (int looks = 0; atomic_load_explicit(go, memory_order_seq_cst) != turn; looks++) {
    if (looks > LOOKS) sched_yield();
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
}

void host_tell_end(pawl_stamp *stamp) {
  syscall(SYS_futex, stamp, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void host_await_freeze(pawl_stamp *stamp, int set, bool hold) {
  atomic_store_explicit(word(stamp, PAWL_CALL_BYTE), (uint32_t)set, memory_order_seq_cst);
  atomic_store_explicit(word(stamp, PAWL_WISH_BYTE), hold, memory_order_seq_cst);
  host_await_inputs(stamp);
}

bool host_end_hold(pawl_stamp *stamp, bool shown) {
  if (shown) atomic_fetch_or(word(stamp, PAWL_CALL_BYTE), PAWL_CALL_SHOWN);
  host_await_inputs(stamp);
  return atomic_load_explicit(word(stamp, PAWL_WISH_BYTE), memory_order_seq_cst) ==
         PAWL_FREEZE_AGAIN;
}
