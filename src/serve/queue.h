/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the jobs and machines that pawl knows in a journal, so a crash loses nothing. Only one
 * thread at a time may use the queue, except for pawl_queue_sync. Times are seconds since 1970. */
#pragma once

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "serve/job.h"
#include "serve/machine.h"
#include "serve/queue_journal.h"
#include "serve/queue_tables.h"
#include "serve/wake_config.h"

struct pawl_queue {
  const struct pawl_wake_config *config;
  struct pawl_lock lock; /* one process at a time has the queue */
  struct pawl_journal journal;
  struct pawl_queue_tables tables;
  struct pawl_machine *machines;      /* as in the configuration */
  struct pawl_machine_demand *demand; /* the work for each machine */
  bool turned; /* set when a machine's work begins or ends; the reader clears it */
};

enum pawl_offer {
  PAWL_OFFER_ACCEPTED = 0, /* the queue changed, and the journal has the change */
  PAWL_OFFER_DUPLICATE,    /* the queue knows this delivery, or the same body under another name */
  PAWL_OFFER_STALE,        /* GitHub has given the job up: it is older than `job_age` */
  PAWL_OFFER_OLD_NEWS,     /* the queue has this state of the job, or a later one */
  PAWL_OFFER_NO_MACHINE    /* no machine has the job's labels */
};

/* Fails with PAWL_TRY_AGAIN if another process has the queue. Warnings of damage go to the log. */
pawl_status pawl_queue_open(struct pawl_queue *queue, const struct pawl_wake_config *config,
                            double now, struct pawl_log *log, struct pawl_error *err);
void pawl_queue_close(struct pawl_queue *queue);

/* Offers news of a job. `delivery` and `body` identify a hook; other news has NULL. A crash can
 * lose a change until pawl_queue_sync(*number), which any thread may call. */
pawl_status pawl_queue_offer(struct pawl_queue *queue, const struct pawl_job *job,
                             const struct pawl_hash *delivery, const struct pawl_hash *body,
                             double now, enum pawl_offer *out, uint64_t *number,
                             struct pawl_error *err);
pawl_status pawl_queue_sync(struct pawl_queue *queue, uint64_t number, struct pawl_error *err);

/* Ends the repository's jobs that are not in `ids`, the code host's sorted and complete answer to a
 * question at the time `asked`. *out counts the ended jobs. */
pawl_status pawl_queue_missing(struct pawl_queue *queue, const char *repository, const int64_t *ids,
                               size_t count, double asked, double now, size_t *out,
                               struct pawl_error *err);

/* Writes the machine's record to the journal. */
pawl_status pawl_queue_keep_machine(struct pawl_queue *queue, int machine, struct pawl_error *err);

/* Writes the whole queue to a new file, after a write to the old file failed. */
pawl_status pawl_queue_rewrite(struct pawl_queue *queue, struct pawl_error *err);
/* Forgets old entries. Rewrites the journal if most of it is useless. */
pawl_status pawl_queue_tidy(struct pawl_queue *queue, double now, struct pawl_error *err);
