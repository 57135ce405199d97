/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: a child process that runs code under test, or an operator, and speaks docs/protocol.md.
 * It has three drivers: a plug-in (.so in pawl-worker), a protocol program, and a one-shot command.
 * The program of a plug-in is $PAWL_WORKER, else libexec/pawl/pawl-worker of pawl's own folder. The
 * environment of a worker holds no credentials. A worker dies with pawl. pawl kills it if its
 * resident set beyond the shared memory exceeds memory_limit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/measure_spec.h"
#include "model/operator_info.h"
#include "process/freeze.h"
#include "process/sandbox.h"
#include "protocol/output_hash.h"
#include "protocol/tensor.h"
#include "worker/worker_options.h"

struct pawl_worker;

/* pawl_worker_launch() starts the process and pawl_worker_greet() waits for its hello, so several
 * can start side by side. pawl_worker_start() does both. They fail with PAWL_FAILED if the code
 * under test fails; the message has the cause and the end of its log. They fail with PAWL_NO_INPUT
 * if there is no such plug-in, and with PAWL_UNAVAILABLE if the program, or a device or library
 * that it needs, is missing. */
pawl_status pawl_worker_start(struct pawl_worker **worker,
                              const struct pawl_worker_options *options, struct pawl_error *err);
pawl_status pawl_worker_launch(struct pawl_worker **worker,
                               const struct pawl_worker_options *options, struct pawl_error *err);
/* Free the worker after a failure too. */
pawl_status pawl_worker_greet(struct pawl_worker *worker, struct pawl_error *err);
/* Loads another kernel's plug-in into the process of a plug-in that has no sandbox, so that the
 * next requests are its. For profiles alone: a kernel can spoil another one of its process. Free
 * the worker after a failure. */
pawl_status pawl_worker_load(struct pawl_worker *worker, const struct pawl_worker_options *options,
                             struct pawl_error *err);
/* Asks the worker to quit and does not wait, so several end side by side. Only pawl_worker_free()
 * may follow. NULL is allowed. */
void pawl_worker_dismiss(struct pawl_worker *worker);
/* Asks the worker to quit, waits a moment, then kills it. NULL is allowed. */
void pawl_worker_free(struct pawl_worker *worker);

enum pawl_worker_cause pawl_worker_cause(const struct pawl_worker *worker);
/* Returns the bytes of the machine's memory that its process uses beyond the shared memory, or 0 if
 * the process has ended. */
uint64_t pawl_worker_private_bytes(const struct pawl_worker *worker);
/* Returns the isolation of its process: process/sandbox.h. */
enum pawl_isolation pawl_worker_isolation(const struct pawl_worker *worker);
/* Returns the limits of its control group: enum pawl_bounds of process/cgroup.h. */
unsigned pawl_worker_bounds(const struct pawl_worker *worker);
/* Returns whether it stamps its timed calls: protocol/stamp.h. */
bool pawl_worker_stamps(const struct pawl_worker *worker);
/* Returns whether its inputs can change after its flush of the caches: protocol/stamp.h. */
bool pawl_worker_takes_late_inputs(const struct pawl_worker *worker);
/* Returns whether it compiles its kernel when it prepares: it is a program, not a plug-in. */
bool pawl_worker_compiles(const struct pawl_worker *worker);
/* Returns whether it makes pairs of calls. The second call of a pair has fresh inputs. */
bool pawl_worker_takes_pairs(const struct pawl_worker *worker);
/* Returns whether pawl can give each held call of a pair its inputs. */
bool pawl_worker_takes_given_inputs(const struct pawl_worker *worker);
/* Returns whether pawl can freeze the processes and threads beside its first thread. pawl must be
 * the parent of its process. */
bool pawl_worker_can_be_frozen(const struct pawl_worker *worker);
/* Freezes its process and the others of its sandbox until the next request or pawl_worker_wake().
 * So the worker neither uses the machine during another worker's calls nor writes to shared memory.
 * A worker that runs at rest three times ends with its next request. Returns false if a part of it
 * runs on. NULL is allowed. */
bool pawl_worker_rest(struct pawl_worker *worker);
/* Asks a worker that pawl just launched to rest. pawl_worker_rest() must check that it does. */
void pawl_worker_rest_soon(struct pawl_worker *worker);
/* Resumes it without a request. NULL is allowed. */
void pawl_worker_wake(struct pawl_worker *worker);
/* Notes that something else stopped the worker, or resumed it. The time between does not count for
 * time limits. Any thread may call it. */
void pawl_worker_stand(struct pawl_worker *worker, bool stands);
/* Sends its process a signal, even while another thread waits for its answer. Returns false if it
 * has ended, or for NULL. */
bool pawl_worker_signal(const struct pawl_worker *worker, int number);
/* Returns its process for process/freeze.h. */
struct pawl_freezable pawl_worker_freezable(const struct pawl_worker *worker);
/* Returns the seconds of CPU time of its process, or 0 if it is unknown or there is no process. */
double pawl_worker_cpu_seconds(const struct pawl_worker *worker);

/* Makes one request and returns its result, a new reference. After PAWL_FAILED of any cause but
 * REPORTED the worker is dead. An "unsupported" answer is PAWL_UNDECIDED. */
pawl_status pawl_worker_call(struct pawl_worker *worker, const char *method,
                             json_t *params /* takes the reference */, json_t **result,
                             struct pawl_error *err);

/* The requests of docs/protocol.md with types. Strings live in the arena. */
struct pawl_kernel_info {
  const char *name, *operator_name;
  int32_t device;      /* enum pawl_device_kind */
  bool deterministic;  /* as the suite says, else as the worker says */
  json_t *environment; /* a new reference or NULL */
};
pawl_status pawl_worker_describe_kernel(struct pawl_worker *worker, struct pawl_arena *arena,
                                        struct pawl_kernel_info *out, struct pawl_error *err);

/* Prepares the kernel. *reason is NULL if the kernel supports the shape. */
pawl_status pawl_worker_prepare(struct pawl_worker *worker, const struct pawl_shape *shape,
                                const struct pawl_tensor_set *sets, int set_count, int threads,
                                struct pawl_arena *arena, const char **reason,
                                uint64_t *workspace_bytes, struct pawl_error *err);
pawl_status pawl_worker_run(struct pawl_worker *worker, int set, double *seconds,
                            struct pawl_error *err);
/* Does the same in the range that a profiler records (cudaProfilerStart, cudaProfilerStop).
 * *counters, unless `counters` is NULL, gets the worker's own counters: a new reference, or
 * NULL. */
pawl_status pawl_worker_run_profiled(struct pawl_worker *worker, int set, double *seconds,
                                     json_t **counters, struct pawl_error *err);

/* Calls the kernel as often as the counting of these metrics needs. `metrics` is a list of lists of
 * names, or "samples"; the call takes the reference. *counters gets the counters, or why there are
 * none (a new reference): docs/protocol.md. */
pawl_status pawl_worker_run_counted(struct pawl_worker *worker, int set, json_t *metrics, bool cold,
                                    json_t **counters, struct pawl_error *err);

/* Returns the bytes that a worker with these options writes or reads before a cold call, from those
 * of the plan. A CPU plug-in's worker evicts the tensors line by line. Then the flush only has to
 * evict the kernel's code, tables and buffers: 64 MiB exceed the caches of one core. */
uint64_t pawl_worker_flush_bytes(const struct pawl_worker_options *options, uint64_t bytes);

struct pawl_time_request {
  int warmup, samples, first_set;
  enum pawl_cache_mode cache;
  uint64_t flush_bytes;
  /* nanoseconds that the worker adds to each timed call; 0: none */
  int64_t delay_ns;
  /* more timed calls follow, so the worker need not copy the outputs to shared memory yet */
  bool keep;
  /* the worker waits before each sample, after the flush, while the inputs change */
  bool late;
  /* the samples are pairs, on usual and on fresh inputs */
  bool unseen;
  /* only with `unseen`: the worker waits until its other threads are frozen (protocol/stamp.h) */
  bool held;
  /* only with `held`: pawl gives the inputs of each call (protocol/stamp.h) */
  bool given;
  /* only with `unseen`: no elements change places, because an operator has given them an order */
  bool ordered;
  /* only with `unseen`: the pair, from 1 on, whose fresh inputs and outputs the worker shows; 0:
   * none */
  int look;
  /* the inputs need not be the usual ones: pawl changes them, or ignores the outputs */
  bool any_inputs;
  /* for how long the worker waits for pawl meanwhile: its time limit is so much longer */
  double pause_seconds;
};
struct pawl_time_reply {
  double *seconds; /* one for each sample, in the arena */
  /* the hash of the outputs after each sample; NULL from a one-shot command */
  const char **hashes;
  enum pawl_output_hash_kind hash_kind;
  /* the outputs are in the shared memory; false: with `keep`, only on the device */
  bool shown;
  size_t count;
  long long calls; /* a sample is the mean of this many calls */
  /* bytes of the device's memory beyond tensors and workspace; -1: unknown */
  long long memory_bytes;
  /* samples in which the device may have waited for the host */
  size_t waited;
  long long repeated; /* samples that the worker took again for that reason */
  /* no elements changed places behind the flush of the caches: the device could not do it */
  bool early;
  /* the set whose inputs and outputs the worker shows for `look`; -1: none */
  int looked_set;
  /* the worker saw that calls of a batch skipped work */
  bool left_out;
  /* seconds that the worker hashed in the request; 0: unknown */
  double hash_seconds;
  /* the request's duration by pawl's clock, into which the sum of the samples must fit */
  double wall_seconds;
};
/* Fails with PAWL_UNDECIDED if the worker cannot delay its timed calls. Fails with PAWL_FAILED also
 * if the times are not finite and positive, do not fit into the wall time, or if the outputs
 * changed after the last calls. */
pawl_status pawl_worker_time(struct pawl_worker *worker, const struct pawl_time_request *request,
                             struct pawl_arena *arena, struct pawl_time_reply *out,
                             struct pawl_error *err);

/* Runs a command with a reader once and returns at least one benchmark. Fails with PAWL_FAILED also
 * if the times of a benchmark do not fit into the wall time. */
pawl_status pawl_worker_run_harness(struct pawl_worker *worker, struct pawl_arena *arena,
                                    struct pawl_benchmarks *out, struct pawl_error *err);

pawl_status pawl_worker_describe_operator(struct pawl_worker *worker, struct pawl_arena *arena,
                                          struct pawl_operator_info *out, struct pawl_error *err);
/* Fails with PAWL_CONFIG and the operator's reason if the values do not fit together. */
pawl_status pawl_worker_tensors(struct pawl_worker *worker, const struct pawl_shape *shape,
                                struct pawl_arena *arena, struct pawl_work *out,
                                struct pawl_error *err);
pawl_status pawl_worker_adjust(struct pawl_worker *worker, const struct pawl_shape *shape,
                               const char *distribution, uint64_t seed,
                               const struct pawl_tensor_set *tensors, struct pawl_error *err);
/* expected[i] belongs to the i-th output or inout. */
pawl_status pawl_worker_oracle(struct pawl_worker *worker, const struct pawl_shape *shape,
                               const struct pawl_tensor_set *tensors,
                               const struct pawl_placed_tensor *expected, int expected_count,
                               struct pawl_error *err);

/* Makes the same request to an operator's GPU oracle, which fails with PAWL_UNDECIDED if it does
 * not support the shape, and reads its description. */
struct pawl_gpu_oracle_info {
  const char *operator_name;
  /* parameters and their largest values in a trial against the operator's own oracle */
  const struct pawl_dim *trial;
  int trial_count;
};
pawl_status pawl_worker_describe_gpu_oracle(struct pawl_worker *worker, struct pawl_arena *arena,
                                            struct pawl_gpu_oracle_info *out,
                                            struct pawl_error *err);
