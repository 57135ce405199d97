/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"

int64_t pawl_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double pawl_seconds_since(int64_t ns) {
  return (double)(pawl_clock_ns() - ns) * 1e-9;
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
