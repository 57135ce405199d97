/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel for tests: y = 2 x in the first call of its own variable, and 0 after it. The loader gives
   all plug-ins of a process one variable of this kind, which C++ makes of a template's static. */
#include "hostile/scale.h"

__attribute__((visibility("default"))) int shared_calls;
#ifndef __clang__ /* its assembler knows no such variable */
__asm__(".type shared_calls, %gnu_unique_object");
#endif

static int launch(const struct pawl_launch *call) {
  if (!shared_calls++) return scale(call);
  float *y = call->tensors[1].data;
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 0;
  return 0;
}

HOSTILE_KERNEL("shared_name", .launch = launch)
