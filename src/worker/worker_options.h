/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a worker, and the causes of its failures. */
#pragma once

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

/* How many streams of a CUDA context run without waits for each other. A context with fewer starts
 * faster. */
#define PAWL_CUDA_CONNECTIONS "CUDA_DEVICE_MAX_CONNECTIONS"

struct pawl_fork_servers;
struct pawl_surroundings;

enum pawl_worker_driver { PAWL_DRIVER_PLUGIN = 1, PAWL_DRIVER_PROTOCOL, PAWL_DRIVER_COMMAND };
enum pawl_worker_role { PAWL_ROLE_KERNEL = 1, PAWL_ROLE_OPERATOR, PAWL_ROLE_GPU_ORACLE };

/* Reads the benchmarks that a harness wrote to `path` or printed to `output`, which has both
 * streams. The importers provide it. A harness warms up itself. */
struct pawl_benchmarks_reader {
  const char *format;
  bool folder; /* `path` is a folder, not a file */
  /* NULL: the command is no harness, and its wall time is the sample */
  pawl_status (*read)(const char *format, const char *path, const char *output,
                      struct pawl_arena *arena, struct pawl_benchmarks *out,
                      struct pawl_error *err);
};

struct pawl_worker_options {
  enum pawl_isolate isolate;
  /* the files that a sandboxed process sees, which outlive the worker; NULL: all files */
  const struct pawl_surroundings *surroundings;
  /* folders that a sandboxed process cannot read; NULL: none */
  const char *hidden[PAWL_SANDBOX_HIDDEN];
  enum pawl_worker_driver driver;
  enum pawl_worker_role role;
  const char *name;   /* the kernel's or the operator's, for messages */
  const char *plugin; /* PLUGIN: path of the .so */
  /* PLUGIN: the files that the process loads, as pawl built them, which outlive the worker; a
   * worker does not start if one has changed; NULL: pawl did not build them */
  const struct pawl_known_files *files;
  const char *code_hash; /* PLUGIN: build/identity.h; NULL: pawl did not build it */
  /* PLUGIN and PROTOCOL: a sanitizer or profiler that starts the process; a plug-in then has no
   * guard bands in the GPU's memory, so the tool sees every byte; NULL: none */
  const char *const *wrapper;
  /* PROTOCOL and COMMAND; in a COMMAND, pawl replaces "{out}" by an output file */
  const char *const *argv;
  /* PROTOCOL: they fork the process of a Python script, and outlive the worker; NULL: pawl starts
   * it */
  struct pawl_fork_servers *fork_servers;
  const char *folder;                           /* working folder; NULL: pawl's */
  struct pawl_benchmarks_reader reader;         /* COMMAND */
  const struct pawl_shared *tensors, *expected; /* descriptors 5 and 6; may be NULL */
  /* the process prints to pawl's standard error, and messages do not quote it */
  bool show_output;
  uint64_t memory_limit; /* bytes beyond the shared memory; 0: none */
  /* with control groups, the limit of processes and threads; 0: pawl_cgroup_usual_processes() */
  uint64_t most_processes;
  /* PLUGIN and PROTOCOL: PAWL_CUDA_CONNECTIONS of the process; 0: the driver's default */
  int connections;
  /* the UUID of the only visible GPU; NULL: all that pawl sees */
  const char *gpu;
  /* no RLIMIT_AS, which breaks CUDA's address reservation; pawl watches the resident set */
  bool cuda;
  /* the suite's word on a kernel, which overrides the kernel's own */
  enum pawl_determinism deterministic;
  double timeout_seconds; /* for one request: worker/deadline.h */
  /* the limit for the start, and for a kernel's "prepare", if it is longer */
  double start_seconds;
  /* the CPUs of the process; count 0: those of pawl */
  struct pawl_cpus cpus;
  /* PLUGIN: CPUs for the threads of code under test, best first ("0,2,1,3"), one each; NULL: the
   * scheduler decides */
  const char *placement;
  /* for a warning if the process does not end on request; NULL: none */
  struct pawl_log *log;
  /* whether a worker of the same code has given this warning; NULL: each gives its own */
  bool *lingered;
};

/* The cause of a worker's failure. */
enum pawl_worker_cause {
  PAWL_CAUSE_NONE = 0,
  PAWL_CAUSE_SIGNAL, /* killed by a signal, such as SIGSEGV */
  PAWL_CAUSE_EXIT,   /* exited before its answer */
  PAWL_CAUSE_TIMEOUT,
  PAWL_CAUSE_MEMORY,    /* exceeded the memory limit */
  PAWL_CAUSE_PROCESSES, /* exceeded the limit of processes */
  PAWL_CAUSE_NO_TIMES,  /* a harness ran without a readable and plausible time */
  PAWL_CAUSE_PROTOCOL,  /* a frame or an answer that breaks the protocol */
  PAWL_CAUSE_REPORTED   /* answered with an error */
};
