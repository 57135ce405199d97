/* SPDX-License-Identifier: Apache-2.0 */
/* The two hash tables of the queue: open addressing with linear probing (Knuth, TAOCP 3, 6.4, L).
   Entries leave only when a table is made anew. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "serve/job.h"

/* A job that concerns a machine. A finished job stays as long as news of it may come. */
struct pawl_queue_job {
  int64_t id;
  enum pawl_job_state state; /* OTHER: the place is free */
  int machine;
  bool guessed; /* ended only because the code host does not list it: pawl believes later news */
  double since, updated; /* first heard of, last changed */
  char repository[208];
};

/* A delivery. */
struct pawl_queue_seen {
  struct pawl_hash hash;
  double time;
  bool used;
};

/* Zero is empty. */
struct pawl_queue_tables {
  struct pawl_queue_job *jobs; /* by id; capacity a power of two */
  size_t job_count, job_capacity;
  struct pawl_queue_seen *seen; /* by hash; likewise */
  size_t seen_count, seen_capacity;
};
void pawl_queue_tables_release(struct pawl_queue_tables *tables);

/* NULL: none. */
struct pawl_queue_job *pawl_queue_find_job(const struct pawl_queue_tables *tables, int64_t id);
/* The job, or a free place for it, counted as taken: the caller sets its state. */
struct pawl_queue_job *pawl_queue_job_at(struct pawl_queue_tables *tables, int64_t id);

bool pawl_queue_has_seen(const struct pawl_queue_tables *tables, struct pawl_hash hash);
void pawl_queue_see(struct pawl_queue_tables *tables, struct pawl_hash hash, double time);

/* Drops done jobs and deliveries from before `limit`. */
void pawl_queue_forget(struct pawl_queue_tables *tables, double limit);
