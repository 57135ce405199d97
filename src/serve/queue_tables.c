/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/queue_tables.h"

#include <math.h>

#include "base/memory.h"

#define FIRST_CAPACITY 256
#define MOST_SEEN ((size_t)1 << 20) /* hashes: beyond them the oldest go first */

/* A place that is the id's or free; tables are at most half full. */
static struct pawl_queue_job *probe_job(struct pawl_queue_job *jobs, size_t capacity, int64_t id) {
  size_t at = (size_t)pawl_hash_bytes(&id, sizeof id).low & (capacity - 1);
  while (jobs[at].state != PAWL_JOB_OTHER && jobs[at].id != id) at = (at + 1) & (capacity - 1);
  return &jobs[at];
}

static struct pawl_queue_seen *probe_seen(struct pawl_queue_seen *seen, size_t capacity, struct pawl_hash hash) {
  size_t at = (size_t)hash.low & (capacity - 1);
  while (seen[at].used && !pawl_hash_equal(seen[at].hash, hash)) at = (at + 1) & (capacity - 1);
  return &seen[at];
}

struct pawl_queue_job *pawl_queue_find_job(const struct pawl_queue *queue, int64_t id) {
  if (!queue->job_capacity) return NULL;
  struct pawl_queue_job *job = probe_job(queue->jobs, queue->job_capacity, id);
  return job->state == PAWL_JOB_OTHER ? NULL : job;
}

bool pawl_queue_has_seen(const struct pawl_queue *queue, struct pawl_hash hash) {
  return queue->seen_capacity && probe_seen(queue->seen, queue->seen_capacity, hash)->used;
}

/* Makes the tables anew: `capacity` places for what is not from before `limit`. */
static void move_jobs(struct pawl_queue *queue, size_t capacity, double limit) {
  struct pawl_queue_job *jobs = pawl_alloc(capacity, sizeof *jobs);
  size_t count = 0;
  for (size_t i = 0; i < queue->job_capacity; i++) {
    const struct pawl_queue_job *job = &queue->jobs[i];
    if (job->state == PAWL_JOB_OTHER || (job->state == PAWL_JOB_DONE && job->updated < limit)) continue;
    *probe_job(jobs, capacity, job->id) = *job;
    count++;
  }
  pawl_free(queue->jobs);
  queue->jobs = jobs, queue->job_count = count, queue->job_capacity = capacity;
}

static void move_seen(struct pawl_queue *queue, size_t capacity, double limit) {
  struct pawl_queue_seen *seen = pawl_alloc(capacity, sizeof *seen);
  size_t count = 0;
  for (size_t i = 0; i < queue->seen_capacity; i++) {
    if (!queue->seen[i].used || queue->seen[i].time < limit) continue;
    *probe_seen(seen, capacity, queue->seen[i].hash) = queue->seen[i];
    count++;
  }
  pawl_free(queue->seen);
  queue->seen = seen, queue->seen_count = count, queue->seen_capacity = capacity;
}

static size_t larger(size_t capacity) {
  return capacity ? 2 * capacity : FIRST_CAPACITY;
}

struct pawl_queue_job *pawl_queue_job_at(struct pawl_queue *queue, int64_t id) {
  struct pawl_queue_job *job = pawl_queue_find_job(queue, id);
  if (job) return job;
  if (2 * (queue->job_count + 1) > queue->job_capacity) move_jobs(queue, larger(queue->job_capacity), 0);
  queue->job_count++;
  job = probe_job(queue->jobs, queue->job_capacity, id);
  *job = (struct pawl_queue_job){.id = id};
  return job;
}

void pawl_queue_see(struct pawl_queue *queue, struct pawl_hash hash, double time) {
  if (queue->seen_count >= MOST_SEEN) { /* the older half of the time that is remembered goes */
    double oldest = time;
    for (size_t i = 0; i < queue->seen_capacity; i++)
      if (queue->seen[i].used) oldest = fmin(oldest, queue->seen[i].time);
    move_seen(queue, queue->seen_capacity, oldest + (time - oldest) / 2);
    if (queue->seen_count >= MOST_SEEN) move_seen(queue, queue->seen_capacity, time);
  }
  if (2 * (queue->seen_count + 1) > queue->seen_capacity) move_seen(queue, larger(queue->seen_capacity), 0);
  struct pawl_queue_seen *place = probe_seen(queue->seen, queue->seen_capacity, hash);
  queue->seen_count += !place->used;
  *place = (struct pawl_queue_seen){.hash = hash, .time = time, .used = true};
}

void pawl_queue_forget(struct pawl_queue *queue, double limit) {
  if (queue->job_capacity) move_jobs(queue, queue->job_capacity, limit);
  if (queue->seen_capacity) move_seen(queue, queue->seen_capacity, limit);
}
