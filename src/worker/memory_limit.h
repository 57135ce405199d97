/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a worker's process, of memory and of processes: how they are watched, and which
 * process the system kills first. */
#ifndef PAWL_WORKER_MEMORY_LIMIT_H
#define PAWL_WORKER_MEMORY_LIMIT_H

#include "worker/driver.h"

/* How often a working process is watched; one look costs about 30 us on another core. */
#define PAWL_MEMORY_WATCH_NS 100000000

/* Bytes of the shared memory that the process sees. */
uint64_t pawl_memory_shared_bytes(const struct pawl_worker *worker);
/* Bytes that the process holds beyond the shared memory; 0 when they cannot be read (it is gone).
 */
uint64_t pawl_memory_private_bytes(const struct pawl_worker *worker);
/* Terminates a worker that has grown beyond its limit, or hit one of its control group; looks at
 * most every PAWL_MEMORY_WATCH_NS. */
pawl_status pawl_memory_watch(struct pawl_worker *worker, const char *doing,
                              struct pawl_error *err);
/* Terminates it and says that it ran out of memory. PAWL_FAILED. */
enum pawl_status_code pawl_memory_exhausted(struct pawl_worker *worker, const char *doing,
                                            struct pawl_error *err);

/* The backstop behind pawl_memory_watch(): an allocation that runs far ahead of it fails. It sets
   the soft limit, because the shared memory may grow; not for CUDA, which reserves address space by
   the terabyte. */
void pawl_memory_limit_address_space(struct pawl_worker *worker);

/* Bytes of all that the worker starts, and of itself, the tensors and the files that it writes; 0:
 * no limit. */
uint64_t pawl_memory_of_group(const struct pawl_worker *worker);
/* Terminates it and says that it started too many processes. PAWL_FAILED. */
enum pawl_status_code pawl_processes_exhausted(struct pawl_worker *worker, const char *doing,
                                               struct pawl_error *err);

/* How many processes the system has killed because memory ran out since it started; 0 when it does
 * not say. */
uint64_t pawl_memory_oom_kills(void);
/* Has the system kill this process, not pawl, when the machine runs out of memory. */
void pawl_memory_prefer_as_victim(pid_t pid);

#endif
