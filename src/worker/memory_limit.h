/* SPDX-License-Identifier: Apache-2.0 */
/* Limits memory and processes of a worker: watches them, and chooses the process that the system
 * kills first. */
#pragma once

#include "worker/driver.h"

/* The interval of the watch; one look costs about 30 us on another core. */
#define PAWL_MEMORY_WATCH_NS 100000000

/* Returns the bytes of the shared memory that the process sees. */
uint64_t pawl_memory_shared_bytes(const struct pawl_worker *worker);
/* Kills a worker that exceeds its limit or one of its control group. Looks at most every
 * PAWL_MEMORY_WATCH_NS. */
pawl_status pawl_memory_watch(struct pawl_worker *worker, const char *doing,
                              struct pawl_error *err);
/* Kills the worker and reports that it ran out of memory. Returns PAWL_FAILED. */
enum pawl_status_code pawl_memory_exhausted(struct pawl_worker *worker, const char *doing,
                                            struct pawl_error *err);

/* Sets a second limit behind pawl_memory_watch(): a soft limit on the address space, at which a
 * fast allocation fails. It is soft because the shared memory may grow. A worker with CUDA has no
 * such limit, because CUDA reserves terabytes of address space. */
void pawl_memory_limit_address_space(struct pawl_worker *worker);

/* Returns the limit in bytes for the worker, everything that it starts, the tensors and the files
 * that it writes, or 0 for none. */
uint64_t pawl_memory_of_group(const struct pawl_worker *worker);
/* Kills the worker and reports that it started too many processes. Returns PAWL_FAILED. */
enum pawl_status_code pawl_processes_exhausted(struct pawl_worker *worker, const char *doing,
                                               struct pawl_error *err);

/* Returns how many processes the system has killed since its start because memory ran out, or 0 if
 * unknown. */
uint64_t pawl_memory_oom_kills(void);
/* Makes the system kill this process, not pawl, if the machine runs out of memory. */
void pawl_memory_prefer_as_victim(pid_t pid);
