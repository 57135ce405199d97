/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the queue: its two hash tables, open addressing with linear probing (Knuth, TAOCP 3, 6.4, L).
   Entries leave only when a table is made anew. */
#ifndef PAWL_SERVE_QUEUE_TABLES_H
#define PAWL_SERVE_QUEUE_TABLES_H

#include "serve/queue.h"

struct pawl_queue_job {
  int64_t id;
  enum pawl_job_state state; /* OTHER: the place is free */
  int machine;
  bool guessed;          /* done because the code host does not list it: news of it are believed again */
  double since, updated; /* first heard of, last changed */
  char repository[208];
};

struct pawl_queue_seen {
  struct pawl_hash hash;
  double time;
  bool used;
};

/* NULL when there is none. */
struct pawl_queue_job *pawl_queue_find_job(const struct pawl_queue *queue, int64_t id);
/* The job, or a free place for it, counted as taken: the caller sets its state. */
struct pawl_queue_job *pawl_queue_job_at(struct pawl_queue *queue, int64_t id);

bool pawl_queue_has_seen(const struct pawl_queue *queue, struct pawl_hash hash);
void pawl_queue_see(struct pawl_queue *queue, struct pawl_hash hash, double time);

/* Drops done jobs and deliveries from before `limit`. */
void pawl_queue_forget(struct pawl_queue *queue, double limit);

#endif
