/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/rate.h"

#include <math.h>

#include "base/hash.h"

#define DEPTH_SECONDS 2.0

void pawl_rate_init(struct pawl_rate *rate, double per_second, uint64_t salt) {
  *rate = (struct pawl_rate){.per_second = per_second, .salt = salt};
  pthread_mutex_init(&rate->lock, NULL);
  for (size_t i = 0; i < PAWL_RATE_PLACES; i++)
    rate->places[i].tokens = fmax(1, per_second * DEPTH_SECONDS);
}

void pawl_rate_release(struct pawl_rate *rate) {
  if (rate) pthread_mutex_destroy(&rate->lock);
}

bool pawl_rate_take(struct pawl_rate *rate, const void *address, size_t length, double now) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add(&hasher, &rate->salt, sizeof rate->salt);
  pawl_hasher_add(&hasher, address, length);
  const size_t place = (size_t)pawl_hasher_finish(&hasher).low % PAWL_RATE_PLACES;
  pthread_mutex_lock(&rate->lock);
  double *tokens = &rate->places[place].tokens, *time = &rate->places[place].time;
  *tokens = fmin(fmax(1, rate->per_second * DEPTH_SECONDS),
                 *tokens + fmax(0, now - *time) * rate->per_second);
  *time = now;
  const bool granted = *tokens >= 1;
  if (granted) *tokens -= 1;
  pthread_mutex_unlock(&rate->lock);
  return granted;
}
