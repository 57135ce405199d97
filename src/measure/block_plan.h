/* SPDX-License-Identifier: Apache-2.0 */
/* A block: how it is to be measured, and what came of it. */
#ifndef PAWL_MEASURE_BLOCK_PLAN_H
#define PAWL_MEASURE_BLOCK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "device/device.h"
#include "model/measure_spec.h"
#include "model/result.h"
#include "oracle/oracle.h"
#include "worker/shutdown.h"
#include "worker/worker.h"

#define PAWL_MAX_ARMS 17            /* of a race; a pair has two */
#define PAWL_MEASURE_SETS 4         /* sets of buffers that the timed calls rotate over */
#define PAWL_COMMAND_CASE "command" /* the case of a kernel that is a command */

/* What earlier blocks found out about an arm: its outputs, by the hash of each set, when they were
   compared with the oracle. */
struct pawl_verified {
  const char *hash[PAWL_MEASURE_SETS]; /* NULL: not compared yet */
  bool permuted; /* a timed call on inputs of its own was right: measure/integrity/permuted_calls.h
                  */
  bool fresh; /* a call on inputs that it had not seen was right: measure/integrity/fresh_pairs.h */
  double fresh_ratio; /* how many times as long such calls take, for certain; 1 or 0: no longer */
  int suspicion;      /* of calls that lasted longer than the worker says:
                         measure/integrity/clock_check.c */
};

/* Processes that serve several measurements, one an arm: a fresh pair then costs its start once for
   one block of each of several cases. Zero: none is started yet. An arm that fails loses its
   process, and the next measurement starts one anew. */
struct pawl_block_processes {
  struct pawl_worker *workers[PAWL_MAX_ARMS];
  const struct pawl_problem
      *prepared[PAWL_MAX_ARMS];            /* what they were made ready for last; NULL: nothing */
  uint64_t workspace_bytes[PAWL_MAX_ARMS]; /* then */
  bool owes_hello[PAWL_MAX_ARMS];          /* it was launched, and not greeted yet */
};
struct pawl_starting;
struct pawl_block_plan {
  int warmup;  /* calls before the first sample of a process */
  int samples; /* of each arm */
  int rounds;  /* chunks that the samples are shared over; the second of two rounds has the arms of
                * the first backwards
                */
  enum pawl_cache_mode cache;
  uint64_t flush_bytes; /* before each cold call: more than the last-level cache holds;
                           pawl_worker_flush_bytes() */
  int threads;
  int64_t delay_ns[PAWL_MAX_ARMS]; /* put into each timed call of an arm, for a selftest; 0: none */
  bool unproven;  /* arms from the second on are code that no check has seen: on a CPU each of their
                     turns ends with a look at the memory that all arms share
                     (measure/integrity/stray_writes.h) */
  bool unchecked; /* the outputs are not compared: the gate is tested, not the kernel */
  /* Carried from block to block, one an arm: a deterministic arm whose outputs are, bit for bit,
     those that passed before is not compared on the usual inputs again. NULL: every block compares.
   */
  struct pawl_verified *verified;
  struct pawl_block_processes
      *processes; /* to be used, and kept; NULL: fresh ones, which end with the block */
  struct pawl_shutdown
      *shutdown; /* processes of others, which end when the timed calls are done; NULL: none */
  struct pawl_starting *starting; /* the same, which start while nothing is timed; NULL: none */
  struct pawl_jobs
      *jobs; /* commands, such as builds, that stand still while calls are timed; NULL: none */
  int fresh_pairs; /* at least, of calls of a plug-in: on inputs that it has seen, and not; 0: by
                       chance, on a GPU */
  uint64_t seed;   /* of the inputs that end the block */
  uint64_t order_seed; /* of the order of the arms in the rounds */
  int first_arm;       /* is started first, gets its memory first, makes the first call */
  const struct pawl_tolerance *tolerance;
  const struct pawl_device *device; /* whose state is read around the block; NULL: not read */
};

/* What one arm did. */
struct pawl_arm_block {
  enum pawl_outcome outcome; /* OK, WRONG, CRASHED, UNSUPPORTED */
  const char *reason;        /* NULL when OK */
  double *seconds;           /* plan->samples of them, in the order taken */
  size_t count;
  struct pawl_benchmarks
      benchmarks;     /* of a harness, in place of the samples: see measure/harness.h */
  size_t waited;      /* samples in which the device may have waited for the host */
  long long repeated; /* samples that were taken again for that reason */
  double
      *fresh_seconds; /* pairs: on inputs as timed, and on ones that it had not seen; NULL: none */
  size_t fresh_pairs;
  double fresh_ratio; /* the samples count so many times as long as they took, because such calls
                          do; 0: as they are */
  uint64_t workspace_bytes;
  long long memory_bytes;         /* of the device, that it took by itself; -1: unknown */
  struct pawl_error_stats errors; /* of the last, freshly drawn inputs */
  enum pawl_isolation isolation;  /* of its process */
  unsigned bounds;                /* enum pawl_bounds: of its process */
  bool early;                     /* unseen inputs changed before the GPU's caches were flushed */
  bool unfrozen; /* threads or processes of the kernel could not be held while its inputs changed */
  size_t
      charged; /* samples that pawl did not see begin, each counted as long as it can have taken */
  double *added; /* of each sample: how much longer than the worker says it counts for that; or 0 */
  json_t *environment; /* what the worker says of itself; a new reference, or NULL */
};

struct pawl_block {
  struct pawl_arm_block arms[PAWL_MAX_ARMS];
  struct pawl_device_state before,
      after;        /* around it; of a GPU: after the first and the last round, with
                       the event reasons of the last that had any */
  bool disturbed;   /* a process that pawl had stopped ran while calls were timed */
  bool stray_write; /* of more than two arms, one wrote where it may not: who, only a block of two
                      can say */
  /* Of a CPU: CPUs' worth of time that this program with its workers used while calls were timed,
     and that other processes used; NaN: unknown. */
  double own_busy, other_busy;
  double start_seconds, state_seconds, total_seconds; /* of starting and preparing the workers; of
                                                         reading the device's state; of all */
};

#endif
