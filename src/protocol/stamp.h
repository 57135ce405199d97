/* SPDX-License-Identifier: Apache-2.0 */
/* Words at the beginning of the tensors' shared memory, before the first guard band. A worker with
 * the capability "stamps" adds 1 to the first word right after it reads the clock, at the begin and
 * at the end of each sample, so pawl can time it with its own clock. Three more words follow, each
 * in its own cache line: ready, go and wish. With the capability "late", a request can have `late`.
 * Before each timed region, the worker flushes the caches, adds 1 to `ready`, wakes the futex
 * there, and waits until `go` is equal. Meanwhile pawl changes the inputs. With the capability
 * "unseen", a request can have `held`. The worker then takes two turns of `ready` for each sample
 * of a pair. Before the flush it waits for `go`, and `wish` says whether pawl must freeze the other
 * threads. After the call it waits for `go` again, and repeats the call if `wish` is
 * PAWL_FREEZE_AGAIN. The word `call` behind `wish` names the call. With the capability "given", a
 * held request can have `given`: pawl gives the inputs of each call before `go`, and the usual ones
 * after it. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* The page of the words; tensors begin behind it. */
#define PAWL_STAMP_BYTES 4096u

#define PAWL_READY_BYTE 64u
#define PAWL_GO_BYTE 128u
#define PAWL_WISH_BYTE 192u
#define PAWL_CALL_BYTE 256u

/* pawl had to resume the other threads before the call ended. */
#define PAWL_FREEZE_AGAIN 2u

/* The word `call` holds the number of the set, and this bit after a call whose inputs and outputs
 * are in the shared memory. */
#define PAWL_CALL_SHOWN 0x80000000u

typedef _Atomic uint32_t pawl_stamp;
