/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"

#define FINE_READS 16

int64_t pawl_clock_read_ns(clockid_t clock) {
  struct timespec now = {0};
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t pawl_clock_ns(void) { return pawl_clock_read_ns(CLOCK_MONOTONIC_RAW); }

bool pawl_clock_of_process(pid_t pid, clockid_t *clock) {
  for (int64_t i = 0, last = 0, now; i < FINE_READS; i++, last = now)
    if ((now = pawl_clock_read_ns(CLOCK_THREAD_CPUTIME_ID)) <= last) return false;
  return clock_getcpuclockid(pid, clock) == 0;
}

double pawl_seconds_since(int64_t ns) { return (double)(pawl_clock_ns() - ns) * 1e-9; }

double pawl_seconds_lap(int64_t *ns) {
  const int64_t now = pawl_clock_ns(), from = *ns;
  *ns = now;
  return (double)(now - from) * 1e-9;
}

void pawl_sleep_seconds(double seconds) {
  if (!(seconds > 0)) return;
  const double whole = floor(seconds);
  struct timespec left = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
  while (nanosleep(&left, &left) && errno == EINTR) continue;
}

time_t pawl_wall_clock(void) {
  const char *fixed = getenv("SOURCE_DATE_EPOCH");
  int64_t when;
  if (fixed && pawl_parse_i64(fixed, &when) && when >= 0) return (time_t)when;
  return time(NULL);
}

void pawl_format_time(time_t when, char out[20]) {
  struct tm parts;
  if (!gmtime_r(&when, &parts) || !strftime(out, 20, "%Y-%m-%d %H:%M:%S", &parts)) out[0] = '\0';
}
