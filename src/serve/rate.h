/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the requests a second of each address: a token bucket, two seconds deep. Addresses share a
 * table of fixed size, so no flood of addresses takes memory. Two addresses in one place share its
 * tokens. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAWL_RATE_PLACES 1024

struct pawl_rate {
  double per_second;
  uint64_t salt; /* keeps an address's place secret */
  pthread_mutex_t lock;
  struct {
    double tokens, time;
  } places[PAWL_RATE_PLACES];
};

void pawl_rate_init(struct pawl_rate *rate, double per_second, uint64_t salt);
void pawl_rate_release(struct pawl_rate *rate);
/* Returns whether this address may make one more request. `now` is in seconds of a steady clock.
 * Any thread may call it. */
bool pawl_rate_take(struct pawl_rate *rate, const void *address, size_t length, double now);
