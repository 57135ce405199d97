/* SPDX-License-Identifier: Apache-2.0 */
/* The plan and the result of a block. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "device/device.h"
#include "model/measure_spec.h"
#include "model/result.h"
#include "oracle/oracle.h"
#include "worker/shutdown.h"
#include "worker/worker.h"

#define PAWL_MAX_ARMS 17            /* a race has up to this many; a pair has two */
#define PAWL_MEASURE_SETS 4         /* sets of buffers that the timed calls rotate over */
#define PAWL_COMMAND_CASE "command" /* the case of a command */

/* The facts about an arm that earlier blocks found. `hash` holds the hash of each set's outputs
 * that passed the comparison with the oracle. */
struct pawl_verified {
  const char *hash[PAWL_MEASURE_SETS]; /* NULL: not compared yet */
  /* a timed call on permuted inputs was right: measure/integrity/permuted_calls.h */
  bool permuted;
  /* a call on fresh inputs was right: measure/integrity/fresh_pairs.h */
  bool fresh;
  /* the certain ratio of the time on fresh inputs to the time on usual ones; 1 or 0: no
   * difference */
  double fresh_ratio;
  /* points for calls that lasted longer than the worker says: measure/integrity/clock_check.c */
  int suspicion;
  /* the shortest time of a call in seconds; 0: unknown */
  double shortest;
};

/* Processes that serve several measurements, one for each arm. One start then serves a block of
 * each of several cases. A zeroed struct has started none. An arm that fails loses its process, and
 * the next measurement starts another. */
struct pawl_block_processes {
  struct pawl_worker *workers[PAWL_MAX_ARMS];
  /* the problem that each process prepared last; NULL: none */
  const struct pawl_problem *prepared[PAWL_MAX_ARMS];
  uint64_t workspace_bytes[PAWL_MAX_ARMS]; /* the bytes that it took */
  bool owes_hello[PAWL_MAX_ARMS];          /* pawl launched it and has not read its hello yet */
  bool served[PAWL_MAX_ARMS];              /* it has served a measurement */
};
struct pawl_starting;
struct pawl_block_plan {
  /* calls before the first sample of a process. If a process on a GPU serves a second case, its
   * code is loaded and the clocks are up. Then one call of each set is enough. */
  int warmup;
  int samples; /* for each arm */
  /* the number of rounds into which pawl splits the samples; every second round reverses the order
   * of the arms */
  int rounds;
  enum pawl_cache_mode cache;
  /* bytes to write before each cold call, more than the last-level cache holds:
   * pawl_worker_flush_bytes() */
  uint64_t flush_bytes;
  int threads;
  /* nanoseconds that a selftest adds to each timed call of an arm; 0: none */
  int64_t delay_ns[PAWL_MAX_ARMS];
  /* no check has run the arms from the second on; on a CPU pawl looks for stray writes after each
   * of their turns: measure/integrity/stray_writes.h */
  bool unproven;
  /* pawl does not compare the outputs: a test of the gate, not of a kernel */
  bool unchecked;
  /* pawl compares the usual sets, and makes no call on fresh inputs after the samples */
  bool skips_fresh;
  /* for each arm: it is a reference of the suite. It gains nothing for its owner by results that it
   * keeps, so on a GPU no pairs of calls look for that. NULL: none is */
  const bool *references;
  /* the facts of earlier blocks, one for each arm; an arm whose outputs are bit for bit those
   * that passed is not compared again; NULL: each block compares */
  struct pawl_verified *verified;
  /* the processes to use and to keep; NULL: fresh ones, which end with the block */
  struct pawl_block_processes *processes;
  /* processes that end after the timed calls; NULL: none */
  struct pawl_shutdown *shutdown;
  /* processes that start while pawl times nothing; NULL: none */
  struct pawl_starting *starting;
  /* commands, such as builds, that stop during timed calls; NULL: none */
  struct pawl_jobs *jobs;
  /* the least number of pairs on usual and fresh inputs; 0: random blocks have some, and cold
   * calls of a CPU kernel whose inputs take long to draw have one a block */
  int fresh_pairs;
  /* all cold calls of a CPU kernel have new inputs: the measurement has too few for pairs */
  bool renews_all;
  /* the seed of the fresh inputs at the end of the block */
  uint64_t seed;
  /* the seed of the order of the arms in the rounds */
  uint64_t order_seed;
  /* this arm starts first, gets its memory first and makes the first call */
  int first_arm;
  /* the order in which the arms start, which begins with first_arm; NULL: they count up from it */
  const int *start_order;
  const struct pawl_tolerance *tolerance;
  /* pawl reads its state before and after the block; NULL: not read */
  const struct pawl_device *device;
};

/* Returns the arm that starts as the n-th, from 0. */
static inline int pawl_nth_start(const int *start_order, int first_arm, int count, int n) {
  return start_order ? start_order[n] : (first_arm + n) % count;
}

/* The result of one arm. */
struct pawl_arm_block {
  enum pawl_outcome outcome; /* OK, WRONG, CRASHED, UNSUPPORTED */
  const char *reason;        /* NULL when OK */
  double *seconds;           /* plan->samples of them, in time order */
  size_t count;
  /* the benchmarks of a harness, which has no samples: measure/harness.h */
  struct pawl_benchmarks benchmarks;
  /* samples in which the device may have waited for the host */
  size_t waited;
  /* samples that the worker took again for that reason */
  long long repeated;
  /* pairs of times, on usual and on fresh inputs; NULL: none */
  double *fresh_seconds;
  size_t fresh_pairs;
  /* the ratio by which pawl multiplied the samples, because calls on fresh inputs take that much
   * longer; 0: none */
  double fresh_ratio;
  uint64_t workspace_bytes;
  /* bytes of the device's memory that the process allocated by itself; -1: unknown */
  long long memory_bytes;
  struct pawl_error_stats errors; /* on the fresh inputs at the end */
  enum pawl_isolation isolation;  /* that the process has */
  unsigned bounds;                /* enum pawl_bounds of the process */
  /* the GPU could not exchange elements of fresh inputs behind the flush */
  bool early;
  /* its worker takes no late inputs, so they were in place before its timed calls */
  bool ahead;
  /* pawl could not freeze all threads and processes of the kernel while its inputs changed */
  bool unfrozen;
  /* samples whose beginning pawl missed; each counts with the longest possible time */
  size_t charged;
  /* for each sample, the seconds that pawl added to the time that the worker reports, or 0 */
  double *added;
  json_t *environment; /* the worker's description of itself; a new reference, or NULL */
};

struct pawl_block {
  struct pawl_arm_block arms[PAWL_MAX_ARMS];
  /* the states before and after the block; a GPU's are those after the first and the last round,
   * with the event reasons of the last round that had any */
  struct pawl_device_state before, after;
  /* a process that pawl had stopped ran during timed calls */
  bool disturbed;
  /* one of more than two arms wrote to memory of another; only a block of two arms can say which
   * one */
  bool stray_write;
  /* on a CPU: the CPUs in use by this program with its workers, and by other processes, averaged
   * over the timed calls; NaN: unknown */
  double own_busy, other_busy;
  /* seconds for the start and preparation of the workers, for reading the device's state, until
   * nothing else ran or ended, and in total */
  double start_seconds, state_seconds, stop_seconds, total_seconds;
};
