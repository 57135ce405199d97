/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_BASE_CLOCK_H
#define PAWL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC_RAW: steady, not slewed by NTP. */
int64_t pawl_clock_ns(void);
/* Since a moment that pawl_clock_ns() gave. */
double pawl_seconds_since(int64_t ns);
/* The clock of the CPU time of a process, all its threads. False: there is none, or it counts in
   ticks, as some sandboxes do that are kernels of their own. */
bool pawl_clock_of_process(pid_t pid, clockid_t *clock);
int64_t pawl_clock_read_ns(clockid_t clock);
void pawl_sleep_seconds(double seconds);

/* Now, or the moment that SOURCE_DATE_EPOCH names (reproducible reports, golden tests). */
time_t pawl_wall_clock(void);
/* "2026-11-20 23:14:05", UTC, into 20 bytes. */
void pawl_format_time(time_t when, char out[20]);

#endif
