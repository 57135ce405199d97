/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps out of the call to where it was set up: a stack frame that is gone. */
#include <setjmp.h>
#include <string.h>

#include "scale.h"

static jmp_buf mark;

static int __attribute__((noinline)) set_mark(void) { return setjmp(mark); }

static int __attribute__((noinline)) overwrite_stack(void) {
  volatile char bytes[2048];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
  return bytes[100];
}

static int launch(const struct pawl_launch *call) {
  if (set_mark() != 0) return 0;
  if (overwrite_stack() == 0) longjmp(mark, 1);
  return scale(call);
}

HOSTILE_KERNEL("jumps", .launch = launch)
