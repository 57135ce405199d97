/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a worker and the interface of its drivers, shared by the files of this room. */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "process/freeze.h"
#include "process/process.h"
#include "protocol/frame.h"
#include "protocol/tensor.h"
#include "worker/log_tail.h"
#include "worker/worker_options.h"

struct pawl_worker;

/* One way to run code under test. */
struct pawl_driver {
  enum pawl_worker_driver id;
  pawl_status (*start)(struct pawl_worker *worker, struct pawl_error *err);
  /* NULL: it sends no hello */
  pawl_status (*greet)(struct pawl_worker *worker, struct pawl_error *err);
  pawl_status (*call)(struct pawl_worker *worker, const char *method, const json_t *params,
                      json_t **result, struct pawl_error *err);
  /* NULL: there is nothing to ask */
  void (*dismiss)(struct pawl_worker *worker);
  /* ends the process, whatever its state; called once */
  void (*stop)(struct pawl_worker *worker);
};

extern const struct pawl_driver pawl_driver_plugin, pawl_driver_protocol, pawl_driver_command;

struct pawl_worker {
  const struct pawl_driver *driver;
  struct pawl_worker_options options; /* its strings are in the arena */
  struct pawl_arena arena;
  bool placed;                           /* pawl_worker_find_views() has planned the views */
  const struct pawl_sandbox_view *views; /* NULL: the process sees all files where they are */
  size_t view_count;
  /* The views by which pawl names the process's paths: `views`, or those of its copies. */
  const struct pawl_sandbox_view *seen;
  size_t seen_count;
  const char *copies; /* without namespaces: the folder of its copies; NULL: none */
  struct pawl_log_tail log;
  double pause_seconds; /* the request under way may take so much longer */
  enum pawl_worker_cause cause;
  enum pawl_isolation isolation; /* that the last process has */
  unsigned bounds;               /* enum pawl_bounds that the last process has */
  /* the kind of the last answer that was an error, such as "invalid"; NULL: none */
  const char *error_kind;
  /* for the process of a plug-in or a protocol program */
  struct pawl_process process;
  int pid_fd, request_fd, reply_fd; /* -1: none */
  struct pawl_freeze resting;       /* the processes that pawl froze until the next request */
  bool asked_to_rest;               /* pawl has not checked whether it rests */
  int woken;                        /* how often the worker ran at rest */
  /* pawl_clock_ns() when something else stopped the worker; 0: it runs */
  _Atomic int64_t stands_since;
  _Atomic int64_t stood_ns; /* the total before that */
  struct pawl_frame frame;
  long long last_id;
  /* the worker's hello announces "delay", "stamps", "late", "unseen", "given" */
  bool can_delay, stamps, late, unseen, given;
  bool dismissed;               /* pawl asked it to quit */
  uint64_t extra_bytes;         /* memory that pawl's own requests make it use: the flush buffer */
  int64_t next_memory_watch;    /* in ns of pawl_clock_ns() */
  uint64_t oom_kills;           /* out-of-memory kills of the machine at its start */
  struct pawl_tensor_set *sets; /* the tensors of the last prepare, in set_arena */
  int set_count;
  struct pawl_arena set_arena;
};

/* Returns the protocol's name of the role, such as "kernel". It is pawl-worker's first argument. */
const char *pawl_worker_role_name(enum pawl_worker_role role);

/* Returns "kernel 'fa'", "operator 'attention'" or "the GPU oracle of 'attention'". */
void pawl_worker_title(const struct pawl_worker *worker, struct pawl_text *out);
/* Adds the words on the files that git ignores and the process does not see. They may be why it
 * failed. */
void pawl_worker_add_ignored_words(const struct pawl_worker *worker, struct pawl_text *out);

/* Returns argv in the worker's arena. A program with a folder in its relative name is resolved from
 * the working folder, as a shell there does. */
const char *const *pawl_worker_argv(struct pawl_worker *worker);

/* Returns the wrapper followed by argv, in the worker's arena. */
const char *const *pawl_worker_wrap(struct pawl_worker *worker, const char *const *argv);

/* Returns the time limit in seconds of a start, and of a kernel's "prepare". */
double pawl_worker_start_limit(const struct pawl_worker *worker);

/* Returns the environment variable that shows the process only its GPU, in the worker's arena, or
 * NULL. */
const char *pawl_worker_visible_gpu(struct pawl_worker *worker);

/* Adds the variables for its GPU to an environment of `used` variables: at most two, and NULL. */
void pawl_worker_add_gpu(struct pawl_worker *worker, const char **environment, size_t used);

/* Fills `sandbox` for the worker's process. Returns NULL if the process has none. A profiler or a
 * sanitizer does not work in a sandbox, and its times do not count. */
const struct pawl_sandbox *pawl_worker_sandbox(struct pawl_worker *worker, const char *shared,
                                               struct pawl_sandbox *sandbox);
/* Connects to a process that speaks the protocol. The driver gives argv and the additions to the
 * environment. */
pawl_status pawl_connection_start(struct pawl_worker *worker, const char *const *argv,
                                  const char *const *environment, struct pawl_error *err);
pawl_status pawl_connection_greet(struct pawl_worker *worker, struct pawl_error *err);
pawl_status pawl_connection_call(struct pawl_worker *worker, const char *method,
                                 const json_t *params, json_t **result, struct pawl_error *err);
void pawl_connection_dismiss(struct pawl_worker *worker);
void pawl_connection_stop(struct pawl_worker *worker);

/* Ends the worker for the cause with the message "kernel 'fa' WHAT [in 'run']; it printed last:
 * ...". Returns PAWL_FAILED. */
enum pawl_status_code pawl_worker_terminate(struct pawl_worker *worker,
                                            enum pawl_worker_cause cause, const char *doing,
                                            struct pawl_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Ends the worker, because its answer to `method` breaks the protocol, and says why. */
enum pawl_status_code pawl_worker_protocol_error(struct pawl_worker *worker, const char *method,
                                                 const char *what, struct pawl_error *err);
