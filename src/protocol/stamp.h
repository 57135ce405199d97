/* SPDX-License-Identifier: Apache-2.0 */
/* A word at the beginning of the tensors' shared memory, in front of the first guard band. A worker
   with the capability "stamps" adds 1 to it right before and right after the timed region of each
   sample, so that pawl can watch with a clock that is not the worker's.

   Three more words follow, in cache lines of their own. A worker with the capability "late" uses
   the first two: in a request with `late` it adds 1 to `ready` before the timed region of each
   sample, once the caches are flushed, wakes who waits there (futex), and goes on when `go` is
   equal. In between pawl changes the inputs.

   A worker with the capability "unseen" uses all three: in a request with `held` it takes two turns
   of `ready` for each sample of a pair: before the caches are flushed, where it waits for `go` and
   `wish` says whether pawl is to hold the other threads; and when the call has ended, where it
   waits for `go` again, and makes the call anew if `wish` is PAWL_FREEZE_AGAIN now. */
#ifndef PAWL_PROTOCOL_STAMP_H
#define PAWL_PROTOCOL_STAMP_H

#include <stdatomic.h>
#include <stdint.h>

#define PAWL_STAMP_BYTES 4096u /* the page of the word: tensors begin behind it */

#define PAWL_READY_BYTE 64u
#define PAWL_GO_BYTE 128u
#define PAWL_WISH_BYTE 192u

#define PAWL_FREEZE_AGAIN 2u /* pawl had to let the others go before the call had ended */

typedef _Atomic uint32_t pawl_stamp;

#endif
