/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a worker, shared by the files of this room: its state, and the table of drivers. */
#ifndef PAWL_WORKER_DRIVER_H
#define PAWL_WORKER_DRIVER_H

#include "base/json.h"
#include "base/text.h"
#include "process/freeze.h"
#include "process/process.h"
#include "protocol/frame.h"
#include "protocol/tensor.h"
#include "worker/log_tail.h"
#include "worker/worker_options.h"

struct pawl_worker;

/* One way to run code under test: a row of the table in worker.c. */
struct pawl_driver {
  enum pawl_worker_driver id;
  pawl_status (*start)(struct pawl_worker *worker, struct pawl_error *err);
  pawl_status (*greet)(struct pawl_worker *worker,
                       struct pawl_error *err); /* NULL: it says no hello */
  pawl_status (*call)(struct pawl_worker *worker, const char *method, const json_t *params,
                      json_t **result, struct pawl_error *err);
  void (*dismiss)(struct pawl_worker *worker); /* NULL: nothing to ask */
  /* Ends it in good order, or not; called once. */
  void (*stop)(struct pawl_worker *worker);
};

extern const struct pawl_driver pawl_driver_plugin, pawl_driver_protocol, pawl_driver_command;

struct pawl_worker {
  const struct pawl_driver *driver;
  struct pawl_worker_options options; /* strings copied into the arena */
  struct pawl_arena arena;
  struct pawl_log_tail log;
  struct pawl_text log_text; /* what pawl_worker_log returned last */
  enum pawl_worker_cause cause;
  enum pawl_isolation isolation; /* of its last process */
  unsigned bounds;               /* enum pawl_bounds: of its last process */
  const char *error_kind; /* of the last answer that was an error: "invalid" ...; NULL: none */
  /* A process that talks: plug-in and protocol. */
  struct pawl_process process;
  int pid_fd, request_fd, reply_fd; /* -1: none */
  struct pawl_freeze resting;       /* what is stopped until the next request */
  bool asked_to_rest;               /* it was not looked at whether it does */
  int woken;                        /* how often it has run at rest */
  _Atomic int64_t
      stands_since;         /* pawl_clock_ns(), while something else has stopped it; 0: it runs */
  _Atomic int64_t stood_ns; /* in all, before that */
  struct pawl_frame frame;
  long long last_id;
  bool can_delay, stamps, late,
      unseen;                   /* its hello announces "delay", "stamps", "late", "unseen" */
  bool dismissed;               /* asked to quit */
  uint64_t extra_bytes;         /* that our own requests make it use: the flush buffer */
  int64_t next_memory_watch;    /* moment, ns */
  uint64_t oom_kills;           /* of the machine when it started */
  struct pawl_tensor_set *sets; /* of the last prepare; in set_arena */
  int set_count;
  struct pawl_arena set_arena;
};

/* "kernel": what the protocol calls a role, and pawl-worker's first argument. */
const char *pawl_worker_role_name(enum pawl_worker_role role);

/* "kernel 'fa'", "operator 'attention'" or "the GPU oracle of 'attention'". */
void pawl_worker_title(const struct pawl_worker *worker, struct pawl_text *out);

/* argv with a relative program that has a folder in its name found from the working folder, as a
   shell there would; in the worker's arena. */
const char *const *pawl_worker_argv(struct pawl_worker *worker);

/* The wrapper, then argv; in the worker's arena. */
const char *const *pawl_worker_wrap(struct pawl_worker *worker, const char *const *argv);

/* Seconds that the start has, and a kernel's "prepare". */
double pawl_worker_start_limit(const struct pawl_worker *worker);

/* What makes the process see its one GPU, for its environment; NULL: nothing. In the worker's
 * arena. */
const char *pawl_worker_visible_gpu(struct pawl_worker *worker);

/* Adds to an environment of `used` variables what a process that talks needs for its GPU: at most
 * two, and NULL. */
void pawl_worker_add_gpu(struct pawl_worker *worker, const char **environment, size_t used);

/* The sandbox of the worker's process, in `sandbox`; NULL: it has none. A profiler or a sanitizer
   needs what a sandbox takes away, and its times count for nothing. */
const struct pawl_sandbox *pawl_worker_sandbox(const struct pawl_worker *worker, const char *shared,
                                               struct pawl_sandbox *sandbox);
/* The connection to a process that talks. Argv and what is added to the environment come from the
 * driver. */
pawl_status pawl_connection_start(struct pawl_worker *worker, const char *const *argv,
                                  const char *const *environment, struct pawl_error *err);
pawl_status pawl_connection_greet(struct pawl_worker *worker, struct pawl_error *err);
pawl_status pawl_connection_call(struct pawl_worker *worker, const char *method,
                                 const json_t *params, json_t **result, struct pawl_error *err);
void pawl_connection_dismiss(struct pawl_worker *worker);
void pawl_connection_stop(struct pawl_worker *worker);

/* What pawl_fork_server_import does, with the environment of the driver. */
struct pawl_fork_server;
void pawl_fork_server_import_for(struct pawl_fork_server *server, struct pawl_worker *worker,
                                 const char *const *environment);

/* Ends the worker for the cause and says so: "kernel 'fa' WHAT [in 'run']; it printed last: ...".
 * PAWL_FAILED. */
enum pawl_status_code pawl_worker_terminate(struct pawl_worker *worker,
                                            enum pawl_worker_cause cause, const char *doing,
                                            struct pawl_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The answer to `method` breaks the protocol: ends the worker and says what is wrong. */
enum pawl_status_code pawl_worker_protocol_error(struct pawl_worker *worker, const char *method,
                                                 const char *what, struct pawl_error *err);

#endif
