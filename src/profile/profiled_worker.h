/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "profile/profiled_call.h"
#include "worker/worker.h"

/* Starts a worker of the call's kernel by these options, and has it ready for the inputs of the
   problem, which are drawn. The caller frees it. PAWL_UNDECIDED: the kernel does not do this case.
 */
pawl_status pawl_profiled_worker_start(const struct pawl_profiled_call *call,
                                       struct pawl_worker_options options,
                                       const struct pawl_problem *problem, struct pawl_arena *arena,
                                       struct pawl_worker **out, struct pawl_error *err);
