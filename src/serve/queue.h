/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of jobs and machines, kept in a journal: after a crash it is as it was. Not for two
   threads at once, but for pawl_queue_sync. Times are seconds since 1970. */
#ifndef PAWL_SERVE_QUEUE_H
#define PAWL_SERVE_QUEUE_H

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
  struct pawl_lock lock; /* one process at a time */
  struct pawl_journal journal;
  struct pawl_queue_tables tables;
  struct pawl_machine *machines;      /* as in the configuration */
  struct pawl_machine_demand *demand; /* likewise: the work for each */
  bool turned; /* set when a machine's work begins or ends; the reader clears it */
};

enum pawl_offer {
  PAWL_OFFER_ACCEPTED = 0, /* it changed what is known, and is in the journal */
  PAWL_OFFER_DUPLICATE,    /* this delivery, or the same body under another name */
  PAWL_OFFER_STALE,        /* its job was made longer ago than `job_age`: GitHub has given it up */
  PAWL_OFFER_OLD_NEWS,     /* the job is as far or farther already */
  PAWL_OFFER_NO_MACHINE    /* no machine offers its labels */
};

/* PAWL_TRY_AGAIN: another process has it. Warnings of damage go to the log. */
pawl_status pawl_queue_open(struct pawl_queue *queue, const struct pawl_wake_config *config,
                            double now, struct pawl_log *log, struct pawl_error *err);
void pawl_queue_close(struct pawl_queue *queue);

/* A job's news. delivery and body identify a hook, NULL for news from elsewhere. A change is safe
   only after pawl_queue_sync(*number), which may be called from any thread. */
pawl_status pawl_queue_offer(struct pawl_queue *queue, const struct pawl_job *job,
                             const struct pawl_hash *delivery, const struct pawl_hash *body,
                             double now, enum pawl_offer *out, uint64_t *number,
                             struct pawl_error *err);
pawl_status pawl_queue_sync(struct pawl_queue *queue, uint64_t number, struct pawl_error *err);

/* Jobs of a repository that a complete answer of the code host, asked for at `asked`, does not list
   (ids, sorted) are done. Counts them. */
pawl_status pawl_queue_missing(struct pawl_queue *queue, const char *repository, const int64_t *ids,
                               size_t count, double asked, double now, size_t *out,
                               struct pawl_error *err);

/* Keeps the machine's record. */
pawl_status pawl_queue_keep_machine(struct pawl_queue *queue, int machine, struct pawl_error *err);

/* Writes all that is known into a new file, in place of one that could not be written. */
pawl_status pawl_queue_rewrite(struct pawl_queue *queue, struct pawl_error *err);
/* Forgets what is too old, and rewrites the journal when most of it is of no use any more. */
pawl_status pawl_queue_tidy(struct pawl_queue *queue, double now, struct pawl_error *err);

#endif
