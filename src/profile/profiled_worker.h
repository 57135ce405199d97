/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "profile/profile.h"
#include "profile/profiled_call.h"
#include "worker/worker.h"

/* Starts a worker of the call's kernel with `options`, or takes that of the call's process, waits
   for its turn, restores the tensors and prepares the worker. Calls on several threads take turns,
   because counters count what any process does. Fails with PAWL_UNDECIDED if the kernel does not
   support this case, or the other version changed its inputs. After a failure the turn and the
   worker are over. */
pawl_status pawl_profiled_worker_start(const struct pawl_profiled_call *call,
                                       struct pawl_worker_options options, struct pawl_arena *arena,
                                       struct pawl_worker **out, struct pawl_error *err);

/* Ends the turn and the worker, but keeps both for the next call of a shared process if this one
   worked. `holds`: the counters are in use until the worker's process has ended, so the turn ends
   later. */
void pawl_profiled_worker_end(const struct pawl_profiled_call *call, struct pawl_worker *worker,
                              bool works, bool holds);

/* Ends the turn of several calls. The process waits for more. */
void pawl_profiled_process_rest(struct pawl_profiled_process *process);
/* Ends the process, and its turn. */
void pawl_profiled_process_end(struct pawl_profiled_process *process);

/* Samples the program counter in more calls, and keeps the samples in PATH.samples.json. A profile
   needs none: a failure only sets out->no_samples. */
void pawl_profiled_worker_sample(const struct pawl_profiled_call *call, struct pawl_worker *worker,
                                 struct pawl_arena *arena, struct pawl_profile *out);
