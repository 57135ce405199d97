/* SPDX-License-Identifier: Apache-2.0 */
/* The two hash tables of the queue: open addressing with linear probing (Knuth, TAOCP 3, 6.4, L).
 * Entries leave only when pawl makes a table anew. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "serve/job.h"

/* A job for a machine. A finished job stays as long as news of it may come. */
struct pawl_queue_job {
  int64_t id;
  enum pawl_job_state state; /* OTHER: the place is free */
  int machine;
  /* ended only because the code host does not list the job: pawl believes later news */
  bool guessed;
  double since, updated; /* first heard of, last changed */
  char repository[208];
};

struct pawl_queue_seen {
  struct pawl_hash hash;
  double time;
  bool used;
};

/* A zeroed struct is empty. */
struct pawl_queue_tables {
  struct pawl_queue_job *jobs; /* by id; capacity a power of two */
  size_t job_count, job_capacity;
  struct pawl_queue_seen *seen; /* by hash; capacity a power of two */
  size_t seen_count, seen_capacity;
};
void pawl_queue_tables_release(struct pawl_queue_tables *tables);

/* Returns NULL if the table has no such job. */
struct pawl_queue_job *pawl_queue_find_job(const struct pawl_queue_tables *tables, int64_t id);
/* Returns the job, or a free entry for it, which counts as taken: the caller sets its state. */
struct pawl_queue_job *pawl_queue_job_at(struct pawl_queue_tables *tables, int64_t id);

bool pawl_queue_has_seen(const struct pawl_queue_tables *tables, struct pawl_hash hash);
void pawl_queue_see(struct pawl_queue_tables *tables, struct pawl_hash hash, double time);

/* Drops finished jobs and deliveries from before `limit`. */
void pawl_queue_forget(struct pawl_queue_tables *tables, double limit);
