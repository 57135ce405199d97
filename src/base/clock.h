/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_BASE_CLOCK_H
#define PAWL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC_RAW: steady, not slewed by NTP. */
int64_t pawl_clock_ns(void);
/* Since a moment that pawl_clock_ns() gave. */
double pawl_seconds_since(int64_t ns);
void pawl_sleep_seconds(double seconds);

/* Now, or the moment that SOURCE_DATE_EPOCH names (reproducible reports, golden tests). */
time_t pawl_wall_clock(void);
/* "2026-11-20 23:14:05", UTC, into 20 bytes. */
void pawl_format_time(time_t when, char out[20]);

#endif
