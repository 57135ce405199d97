/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC_RAW in nanoseconds. NTP does not slew it. */
int64_t pawl_clock_ns(void);
/* Returns the seconds since a moment of pawl_clock_ns(). */
double pawl_seconds_since(int64_t ns);
/* Does the same, and makes *ns now. */
double pawl_seconds_lap(int64_t *ns);
/* Finds the clock of the CPU time of a process with all its threads. Returns false if there is
 * none, or if the clock counts in ticks, as in sandboxes with their own kernel. */
bool pawl_clock_of_process(pid_t pid, clockid_t *clock);
int64_t pawl_clock_read_ns(clockid_t clock);
void pawl_sleep_seconds(double seconds);

/* Returns the current time, or the moment of SOURCE_DATE_EPOCH for reproducible reports and golden
   tests. */
time_t pawl_wall_clock(void);
/* Writes UTC as "2026-11-20 23:14:05". */
void pawl_format_time(time_t when, char out[20]);
