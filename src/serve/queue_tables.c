/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/queue_tables.h"

#include <math.h>

#include "base/memory.h"

#define FIRST_CAPACITY 256
#define MOST_SEEN ((size_t)1 << 20) /* hashes: beyond them the oldest go first */

void pawl_queue_tables_release(struct pawl_queue_tables *tables) {
  if (!tables) return;
  pawl_free(tables->jobs);
  pawl_free(tables->seen);
  *tables = (struct pawl_queue_tables){0};
}

/* Returns the place of this id, or a free one. Tables are at most half full. */
static struct pawl_queue_job *probe_job(struct pawl_queue_job *jobs, size_t capacity, int64_t id) {
  size_t slot = (size_t)pawl_hash_bytes(&id, sizeof id).low & (capacity - 1);
  while (jobs[slot].state != PAWL_JOB_OTHER && jobs[slot].id != id)
    slot = (slot + 1) & (capacity - 1);
  return &jobs[slot];
}

static struct pawl_queue_seen *probe_seen(struct pawl_queue_seen *seen, size_t capacity,
                                          struct pawl_hash hash) {
  size_t slot = (size_t)hash.low & (capacity - 1);
  while (seen[slot].used && !pawl_hash_equal(seen[slot].hash, hash))
    slot = (slot + 1) & (capacity - 1);
  return &seen[slot];
}

struct pawl_queue_job *pawl_queue_find_job(const struct pawl_queue_tables *tables, int64_t id) {
  if (!tables->job_capacity) return NULL;
  struct pawl_queue_job *job = probe_job(tables->jobs, tables->job_capacity, id);
  return job->state == PAWL_JOB_OTHER ? NULL : job;
}

bool pawl_queue_has_seen(const struct pawl_queue_tables *tables, struct pawl_hash hash) {
  return tables->seen_capacity && probe_seen(tables->seen, tables->seen_capacity, hash)->used;
}

/* Makes the tables anew with `capacity` places, without entries from before `limit`. */
static void move_jobs(struct pawl_queue_tables *tables, size_t capacity, double limit) {
  struct pawl_queue_job *jobs = pawl_alloc(capacity, sizeof *jobs);
  size_t count = 0;
  for (size_t i = 0; i < tables->job_capacity; i++) {
    const struct pawl_queue_job *job = &tables->jobs[i];
    if (job->state == PAWL_JOB_OTHER || (job->state == PAWL_JOB_DONE && job->updated < limit))
      continue;
    *probe_job(jobs, capacity, job->id) = *job;
    count++;
  }
  pawl_free(tables->jobs);
  tables->jobs = jobs, tables->job_count = count, tables->job_capacity = capacity;
}

static void move_seen(struct pawl_queue_tables *tables, size_t capacity, double limit) {
  struct pawl_queue_seen *seen = pawl_alloc(capacity, sizeof *seen);
  size_t count = 0;
  for (size_t i = 0; i < tables->seen_capacity; i++) {
    if (!tables->seen[i].used || tables->seen[i].time < limit) continue;
    *probe_seen(seen, capacity, tables->seen[i].hash) = tables->seen[i];
    count++;
  }
  pawl_free(tables->seen);
  tables->seen = seen, tables->seen_count = count, tables->seen_capacity = capacity;
}

static size_t larger(size_t capacity) { return capacity ? 2 * capacity : FIRST_CAPACITY; }

struct pawl_queue_job *pawl_queue_job_at(struct pawl_queue_tables *tables, int64_t id) {
  struct pawl_queue_job *job = pawl_queue_find_job(tables, id);
  if (job) return job;
  if (2 * (tables->job_count + 1) > tables->job_capacity)
    move_jobs(tables, larger(tables->job_capacity), 0);
  tables->job_count++;
  job = probe_job(tables->jobs, tables->job_capacity, id);
  *job = (struct pawl_queue_job){.id = id};
  return job;
}

void pawl_queue_see(struct pawl_queue_tables *tables, struct pawl_hash hash, double time) {
  if (tables->seen_count >= MOST_SEEN) { /* the older half of the remembered time goes */
    double oldest = time;
    for (size_t i = 0; i < tables->seen_capacity; i++)
      if (tables->seen[i].used) oldest = fmin(oldest, tables->seen[i].time);
    move_seen(tables, tables->seen_capacity, oldest + (time - oldest) / 2);
    if (tables->seen_count >= MOST_SEEN) move_seen(tables, tables->seen_capacity, time);
  }
  if (2 * (tables->seen_count + 1) > tables->seen_capacity)
    move_seen(tables, larger(tables->seen_capacity), 0);
  struct pawl_queue_seen *place = probe_seen(tables->seen, tables->seen_capacity, hash);
  tables->seen_count += !place->used;
  *place = (struct pawl_queue_seen){.hash = hash, .time = time, .used = true};
}

void pawl_queue_forget(struct pawl_queue_tables *tables, double limit) {
  if (tables->job_capacity) move_jobs(tables, tables->job_capacity, limit);
  if (tables->seen_capacity) move_seen(tables, tables->seen_capacity, limit);
}
