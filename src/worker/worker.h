/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: a child process that runs code under test, or an operator, and answers the protocol of
   docs/protocol.md. Three drivers stand behind this one interface: a plug-in (.so in pawl-worker),
   a protocol command, a one-shot command. A plug-in's process is the program $PAWL_WORKER, else
   libexec/pawl/pawl-worker of pawl's own folder. Its environment holds no credentials; it dies with
   us; it is watched: the resident set beyond the shared memory may not exceed memory_limit. */
#ifndef PAWL_WORKER_WORKER_H
#define PAWL_WORKER_WORKER_H

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

/* pawl_worker_launch() starts the process, pawl_worker_greet() waits for its hello: several can be
   launched before the first is greeted, so that they start side by side. pawl_worker_start() does
   both. PAWL_FAILED: the code under test's fault, with the cause and the end of its log in the
   message; PAWL_NO_INPUT: no such plug-in; PAWL_UNAVAILABLE: the program is not there, or says that
   what it needs (a device, a library) is not. */
pawl_status pawl_worker_start(struct pawl_worker **worker,
                              const struct pawl_worker_options *options, struct pawl_error *err);
pawl_status pawl_worker_launch(struct pawl_worker **worker,
                               const struct pawl_worker_options *options, struct pawl_error *err);
/* A worker that it fails on is still to be freed. */
pawl_status pawl_worker_greet(struct pawl_worker *worker, struct pawl_error *err);
/* Asks it to quit and does not wait: several end side by side. Nothing but pawl_worker_free may
 * follow; NULL is fine.
 */
void pawl_worker_dismiss(struct pawl_worker *worker);
/* Asks it to quit, waits a moment, then kills; NULL is fine. */
void pawl_worker_free(struct pawl_worker *worker);

enum pawl_worker_cause pawl_worker_cause(const struct pawl_worker *worker);
/* Memory of the machine that its process holds beyond what is shared with pawl; 0: it cannot be
 * read (it is gone). */
uint64_t pawl_worker_private_bytes(const struct pawl_worker *worker);
/* What the sandbox of its process keeps apart: process/sandbox.h. */
enum pawl_isolation pawl_worker_isolation(const struct pawl_worker *worker);
/* What its control group bounds: enum pawl_bounds of process/cgroup.h. */
unsigned pawl_worker_bounds(const struct pawl_worker *worker);
/* Whether it stamps its timed calls: protocol/stamp.h. */
bool pawl_worker_stamps(const struct pawl_worker *worker);
/* Whether its inputs can change after it has flushed the caches: protocol/stamp.h. */
bool pawl_worker_takes_late_inputs(const struct pawl_worker *worker);
/* Whether it makes pairs of calls, of which one, the second in the reply, is on inputs that it has
 * not seen. */
bool pawl_worker_takes_pairs(const struct pawl_worker *worker);
/* Whether pawl can hold what is beside its first thread: the parent of its process is pawl. */
bool pawl_worker_can_be_frozen(const struct pawl_worker *worker);
/* Stops its process, and others of its sandbox, until the next request or pawl_worker_wake: it is
   not to use the machine while another is measured, nor to write into what they share. A request
   ends a worker that has run meanwhile the third time. False: some of it runs on. NULL: nothing. */
bool pawl_worker_rest(struct pawl_worker *worker);
/* The same for one that was launched just now; does not look whether it rests, which
 * pawl_worker_rest then does. */
void pawl_worker_rest_soon(struct pawl_worker *worker);
/* Lets it go on without a request. NULL: nothing. */
void pawl_worker_wake(struct pawl_worker *worker);
/* Something else has stopped it, or lets it go on: the time between counts for no time limit. By
 * any thread. */
void pawl_worker_stand(struct pawl_worker *worker, bool stands);
/* Sends its process a signal, also while another thread waits for its answer. False: it has ended,
   or the worker is NULL. */
bool pawl_worker_signal(const struct pawl_worker *worker, int number);
/* Its process, for process/freeze.h. */
struct pawl_freezable pawl_worker_freezable(const struct pawl_worker *worker);
/* Seconds of CPU that its process has used so far; 0: it has none, or they cannot be read. */
double pawl_worker_cpu_seconds(const struct pawl_worker *worker);
/* The last lines of what it printed; "" when nothing. Lives until the next call. */
const char *pawl_worker_log(struct pawl_worker *worker);

/* One request and its answer (a new reference). After PAWL_FAILED of any cause but REPORTED the
   worker is dead. A reply of kind "unsupported" is PAWL_UNDECIDED. */
pawl_status pawl_worker_call(struct pawl_worker *worker, const char *method,
                             json_t *params /* taken */, json_t **result, struct pawl_error *err);

/* The requests of docs/protocol.md, typed. Strings live in the arena. */
struct pawl_kernel_info {
  const char *name, *operator_name;
  int32_t device;      /* enum pawl_device_kind */
  bool deterministic;  /* by the suite, else by its own words */
  json_t *environment; /* new reference or NULL */
};
pawl_status pawl_worker_describe_kernel(struct pawl_worker *worker, struct pawl_arena *arena,
                                        struct pawl_kernel_info *out, struct pawl_error *err);

/* *reason is NULL when the kernel supports the shape, else why not. */
pawl_status pawl_worker_prepare(struct pawl_worker *worker, const struct pawl_shape *shape,
                                const struct pawl_tensor_set *sets, int set_count, int threads,
                                uint64_t seed, struct pawl_arena *arena, const char **reason,
                                uint64_t *workspace_bytes, struct pawl_error *err);
pawl_status pawl_worker_run(struct pawl_worker *worker, int set, double *seconds,
                            struct pawl_error *err);
/* The same, with the call marked as the range that a profiler looks at (cudaProfilerStart,
   cudaProfilerStop). What the worker itself counted in it goes to *counters (a new reference; NULL:
   nothing), which may be NULL. */
pawl_status pawl_worker_run_profiled(struct pawl_worker *worker, int set, double *seconds,
                                     json_t **counters, struct pawl_error *err);

/* Calls the kernel as often as counting these metrics takes (a list of lists of names, taken):
   docs/protocol.md. What was counted, or why not, goes to *counters (a new reference). */
pawl_status pawl_worker_run_counted(struct pawl_worker *worker, int set, json_t *metrics, bool cold,
                                    json_t **counters, struct pawl_error *err);

/* What a worker with these options writes or reads before a cold call, of what the plan wants. The
   worker of a CPU plug-in removes the tensors from the caches line by line. So the flush is for
   what else the kernel uses, its code, tables and buffers: 64 MiB are more than the caches of one
   core. */
uint64_t pawl_worker_flush_bytes(const struct pawl_worker_options *options, uint64_t bytes);

struct pawl_time_request {
  int warmup, samples, first_set;
  enum pawl_cache_mode cache;
  uint64_t flush_bytes;
  int64_t delay_ns; /* put into every timed call; 0: none */
  bool keep; /* more timed calls follow: what they have made of the tensors need not be shown yet */
  bool late; /* it waits before each sample, when the caches are flushed: the inputs change then */
  bool unseen; /* the samples are pairs, on inputs as they are and on ones that it has not seen */
  bool held;   /* with unseen: it waits until its other threads are held (protocol/stamp.h) */
  int look; /* with unseen: shows the inputs and outputs of this pair's unseen call, from 1 on; 0:
               of none */
};
struct pawl_time_reply {
  double *seconds;     /* samples of them, in the arena */
  const char **hashes; /* of the outputs after each sample; NULL from a one-shot command */
  enum pawl_output_hash_kind hash_kind;
  bool shown; /* the outputs are in the shared memory; false: with `keep`, on the device alone */
  size_t count;
  long long calls;        /* that a sample is the mean of */
  long long memory_bytes; /* of the device, beyond tensors and workspace; -1: unknown */
  size_t waited; /* samples in which the device may have been idle until the host had enqueued the
                    work */
  long long repeated;  /* samples that the worker took again for that reason */
  bool early;          /* inputs that nobody had seen changed before the caches were flushed */
  int looked_set;      /* whose inputs and outputs are shown as `look` wants it; -1: none */
  bool left_out;       /* by what the worker saw, calls of a batch left work out */
  double hash_seconds; /* of the request: that the worker says it hashed; 0: it does not say */
  double wall_seconds; /* pawl's own clock around the request: the sum of the samples must fit into
                          it */
};
/* PAWL_UNDECIDED: it cannot put a delay into its timed calls. PAWL_FAILED also when the claimed
   times do not fit into the wall time, are not finite or not positive, or when the outputs changed
   after the last calls had returned. */
pawl_status pawl_worker_time(struct pawl_worker *worker, const struct pawl_time_request *request,
                             struct pawl_arena *arena, struct pawl_time_reply *out,
                             struct pawl_error *err);

/* One run of a command with a reader: every benchmark that it wrote, one at least. PAWL_FAILED also
   when the times of a benchmark do not fit into the wall time of the run. */
pawl_status pawl_worker_run_harness(struct pawl_worker *worker, struct pawl_arena *arena,
                                    struct pawl_benchmarks *out, struct pawl_error *err);

pawl_status pawl_worker_describe_operator(struct pawl_worker *worker, struct pawl_arena *arena,
                                          struct pawl_operator_info *out, struct pawl_error *err);
/* PAWL_CONFIG with the operator's reason when the values do not belong together. */
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

/* The same request to an operator's GPU oracle (PAWL_UNDECIDED: it does not do this shape), and
   what that says of itself. */
struct pawl_gpu_oracle_info {
  const char *operator_name;
  const struct pawl_dim *trial; /* parameters and what they are cut down to where it is held against
                                   the operator's own */
  int trial_count;
};
pawl_status pawl_worker_describe_gpu_oracle(struct pawl_worker *worker, struct pawl_arena *arena,
                                            struct pawl_gpu_oracle_info *out,
                                            struct pawl_error *err);

#endif
