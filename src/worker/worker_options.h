/* SPDX-License-Identifier: Apache-2.0 */
/* How a worker is to be started, and why one fails. */
#ifndef PAWL_WORKER_WORKER_OPTIONS_H
#define PAWL_WORKER_WORKER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/known_file.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/kernel_spec.h"
#include "model/measure_spec.h"
#include "process/cpus.h"
#include "process/sandbox.h"
#include "worker/benchmarks.h"
#include "worker/shared.h"

/* How many streams of a CUDA context can run without waiting for each other. A context with fewer
 * is made faster. */
#define PAWL_CUDA_CONNECTIONS "CUDA_DEVICE_MAX_CONNECTIONS"

struct pawl_fork_server;

enum pawl_worker_driver { PAWL_DRIVER_PLUGIN = 1, PAWL_DRIVER_PROTOCOL, PAWL_DRIVER_COMMAND };
enum pawl_worker_role { PAWL_ROLE_KERNEL = 1, PAWL_ROLE_OPERATOR, PAWL_ROLE_GPU_ORACLE };

/* Reads the benchmarks that a one-shot command, a harness, wrote to `path` (or printed: `output`,
   both streams); given by the importers. A harness warms up itself. */
struct pawl_benchmarks_reader {
  const char *format;
  bool folder; /* `path` is a folder, not a file */
  /* NULL: there is none; the command is no harness, and its wall time is the sample. */
  pawl_status (*read)(const char *format, const char *path, const char *output,
                      struct pawl_arena *arena, struct pawl_benchmarks *out,
                      struct pawl_error *err);
};

struct pawl_worker_options {
  enum pawl_isolate isolate;
  /* Folders that the process does not see into, where it can be kept apart; NULL: none. */
  const char *hidden[PAWL_SANDBOX_HIDDEN];
  enum pawl_worker_driver driver;
  enum pawl_worker_role role;
  const char *name;   /* for messages: the kernel's or the operator's */
  const char *plugin; /* PLUGIN: path of the .so */
  /* PLUGIN: what the process loads, as pawl built it; a worker whose files have changed since does
     not start. NULL: it was not built. Outlives the worker. */
  const struct pawl_known_files *files;
  const char *const *wrapper; /* PLUGIN and PROTOCOL: a command that starts the process, a sanitizer
                                 or a profiler; NULL: none. A plug-in then lays the GPU's memory out
                                 without guard bands, so that the command sees every byte */
  const char *const
      *argv; /* PROTOCOL and COMMAND; in COMMAND "{out}" is replaced by a file to write to */
  /* PROTOCOL, of a command that is a Python script: forks the process; NULL: the process starts by
     itself. It outlives the worker. */
  struct pawl_fork_server *fork_server;
  const char *folder;                           /* working folder; NULL: ours */
  struct pawl_benchmarks_reader reader;         /* COMMAND */
  const struct pawl_shared *tensors, *expected; /* descriptors 5 and 6; may be NULL */
  bool show_output;      /* what the process prints goes to our standard error, not into messages */
  uint64_t memory_limit; /* bytes beyond the shared memory; 0: none */
  uint64_t most_processes; /* and threads, where control groups can be made; 0:
                              pawl_cgroup_usual_processes() */
  int connections; /* PLUGIN and PROTOCOL: PAWL_CUDA_CONNECTIONS of the process; 0: as the driver
                      likes */
  const char *gpu; /* UUID of the one GPU that the process is to see; NULL: those that we see */
  bool cuda; /* no RLIMIT_AS: it breaks CUDA's address reservation; the resident set is watched */
  enum pawl_determinism
      deterministic;      /* of a kernel: what the suite says goes before its own words */
  double timeout_seconds; /* of one request: worker/deadline.h */
  double start_seconds; /* of the start, and of a kernel's "prepare", where these may take longer */
  struct pawl_cpus cpus; /* the process runs on these alone; count 0: on those that pawl runs on */
  const char *placement; /* PLUGIN: threads of code under test get CPUs of their own, from this
                            list, best first
                            ("0,2,1,3"); NULL: the scheduler places them */
  struct pawl_log
      *log;       /* for a warning where the process does not end when it is asked to; NULL: none */
  bool *lingered; /* such a warning was given, by any worker of the same code; NULL: each gives its
                     own */
};

/* Why a worker failed. */
enum pawl_worker_cause {
  PAWL_CAUSE_NONE = 0,
  PAWL_CAUSE_SIGNAL, /* killed by a signal: SIGSEGV ... */
  PAWL_CAUSE_EXIT,   /* exited while it owed an answer */
  PAWL_CAUSE_TIMEOUT,
  PAWL_CAUSE_MEMORY,    /* broke the memory limit */
  PAWL_CAUSE_PROCESSES, /* broke the limit of processes */
  PAWL_CAUSE_NO_TIMES,  /* a harness that ran, without a time that can be read or believed */
  PAWL_CAUSE_PROTOCOL,  /* a frame or an answer that breaks the protocol */
  PAWL_CAUSE_REPORTED   /* answered with an error */
};

#endif
