/* SPDX-License-Identifier: Apache-2.0 */
/* A limit of requests a second for each address: a token bucket, two seconds deep. Addresses share
   a table of fixed size: two that fall on one place share its tokens, so that no flood of addresses
   takes memory. */
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
/* Whether this address may make one more request. `now` in seconds of a steady clock. From any
 * thread. */
bool pawl_rate_take(struct pawl_rate *rate, const void *address, size_t length, double now);
