/* SPDX-License-Identifier: Apache-2.0 */
/* A call to profile. */
#pragma once

#include <semaphore.h>
#include <stdbool.h>

#include "build/instructions.h"
#include "oracle/oracle.h"
#include "worker/worker_options.h"

/* The seconds of the parts of a call. */
struct pawl_profiled_seconds {
  double start;   /* until its process was ready; that of ncu takes longest */
  double turn;    /* until no other process counted */
  double prepare; /* until its inputs were on the GPU */
  double calls;   /* on the GPU, counted or not */
  double end;     /* until its own process had ended; a shared one goes on */
};

/* A process that makes the calls of several kernels, one after the other: pawl_worker_load(). The
 * context of the GPU and the start of the counters take longer than the calls. One thread uses it,
 * because it dies with the thread that started it. */
struct pawl_profiled_process {
  struct pawl_worker *worker; /* NULL: none */
  bool has_turn;              /* from a call until pawl_profiled_process_rest() */
  sem_t *gate;                /* it takes its turn when this is open; NULL: at once */
  bool loaded;                /* it had served another kernel before this call */
  uint64_t workspace_bytes;   /* the kernel of the last call has it */
};

struct pawl_profiled_call {
  /* how to start the kernel; the profiler fills in the tensors */
  const struct pawl_worker_options *worker;
  struct pawl_listings *listings; /* they may have the kernel's machine code; NULL: none */
  /* one set, whose inputs are drawn; several calls share it, because they take turns */
  struct pawl_problem *problem;
  int threads;
  bool full; /* Nsight Compute with all its sections, and nothing else */
  bool warm; /* the caches stay as the last call left them; false: empty caches */
  /* the limit for the start, for each call and for the export */
  double timeout_seconds;
  /* the files are PATH.csv, and those of Nsight Compute: PATH.ncu-rep and PATH.log */
  const char *path;
  struct pawl_profiled_seconds *seconds; /* the profiler fills them in */
  /* NULL: the call has a process of its own */
  struct pawl_profiled_process *process;
};
