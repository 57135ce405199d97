/* SPDX-License-Identifier: Apache-2.0 */
/* The wake-up service without its network: it takes hooks and runs commands. Each machine has a
 * thread for its commands. A hook only puts its job into the queue. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/log.h"
#include "serve/metrics.h"
#include "serve/queue.h"

struct pawl_wake_worker; /* the thread of a machine */

struct pawl_wake {
  const struct pawl_wake_config *config;
  struct pawl_log *log;
  struct pawl_text secret, token; /* an empty token: no polling */
  struct pawl_metrics metrics;
  struct pawl_queue queue;
  pthread_mutex_t lock;   /* guards the queue and the log */
  pthread_cond_t changed; /* signals a new demand on a machine, or `stopping` */
  atomic_bool stopping;
  /* the queue is not writable, which /healthz reports */
  atomic_bool failed;
  double failure_logged; /* the time of the last logged failure; later failures are only counted */
  unsigned failures_unlogged;
  struct pawl_wake_worker *workers;
  size_t worker_count;
  pthread_t poller;
  bool polling;
};

/* Opens the queue and loads the secrets; `hooks` says that it needs the webhook's secret. */
pawl_status pawl_wake_open(struct pawl_wake *wake, const struct pawl_wake_config *config,
                           bool hooks, struct pawl_log *log, struct pawl_error *err);
void pawl_wake_close(struct pawl_wake *wake);

/* Starts the threads of the machines and of the poller. pawl_wake_stop gives a running command 20
 * seconds, then kills it. At the next start the state of its machine is unknown. */
pawl_status pawl_wake_start(struct pawl_wake *wake, struct pawl_error *err);
void pawl_wake_stop(struct pawl_wake *wake);

/* Does all due work once, for cron. Fails with PAWL_UNAVAILABLE if a command fails. */
pawl_status pawl_wake_step(struct pawl_wake *wake, struct pawl_error *err);
/* Runs a machine's start or stop command by hand. */
pawl_status pawl_wake_act(struct pawl_wake *wake, int machine, enum pawl_machine_action action,
                          struct pawl_error *err);

/* The parts of a hook's request. A missing header is NULL. */
struct pawl_hook {
  /* X-GitHub-Event, X-GitHub-Delivery and X-Hub-Signature-256 */
  const char *event, *delivery, *signature;
  const void *body;
  size_t length;
};
/* Verifies, reads and enqueues a hook. Returns the HTTP status. *words is the text of the answer,
 * *receipt the kind for the counters. */
int pawl_wake_receive(struct pawl_wake *wake, const struct pawl_hook *hook, const char **words,
                      enum pawl_receipt *receipt);

/* Puts news of a job into the queue and wakes its machine's thread. A crash can lose the news until
 * a sync with *number. The caller holds the lock. */
pawl_status pawl_wake_offer(struct pawl_wake *wake, const struct pawl_job *job,
                            const struct pawl_hash *delivery, const struct pawl_hash *body,
                            enum pawl_offer *offer, uint64_t *number, struct pawl_error *err);

/* Notes that the queue is not writable: /healthz shows it, and the log has it at most every ten
 * seconds. The caller holds the lock. */
void pawl_wake_note_failure(struct pawl_wake *wake, const struct pawl_error *err);
/* Tries to write the whole queue after a failure. Call it once a second. */
void pawl_wake_recover(struct pawl_wake *wake);

/* Asks the code host for the queued and running jobs, and corrects the queue. */
pawl_status pawl_wake_poll(struct pawl_wake *wake, struct pawl_error *err);

/* Write machines and jobs: as metrics, and as JSON. */
void pawl_wake_metrics(struct pawl_wake *wake, struct pawl_text *out);
json_t *pawl_wake_to_json(struct pawl_wake *wake);

/* Returns seconds since 1970, with a fraction. */
double pawl_wake_now(void);
