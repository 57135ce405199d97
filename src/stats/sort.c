/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

#define DIGITS 8 /* bytes of a key */
#define BUCKETS 256
#define SMALL 32    /* values; insertion sort is faster up to here */
#define MEDIUM 2048 /* values; merging is faster than a pass for each byte up to here */

static void insertion_sort(double *values, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const double value = values[i];
    size_t j = i;
    for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
    values[j] = value;
  }
}

/* Merges both halves after it has sorted them. `room` holds the first half. */
static void merge_sort(double *values, size_t count, double *room) {
  if (count <= SMALL) {
    insertion_sort(values, count);
    return;
  }
  const size_t half = count / 2;
  merge_sort(values, half, room);
  merge_sort(values + half, count - half, room);
  memcpy(room, values, half * sizeof *values);
  for (size_t i = 0, j = half, to = 0; i < half && j < count; to++) {
    const bool left = room[i] <= values[j];
    values[to] = left ? room[i] : values[j];
    i += left, j += !left;
    if (j == count) memcpy(values + to + 1, room + i, (half - i) * sizeof *values);
  }
}

/* Returns a key that orders as an unsigned integer. IEEE 754 numbers order as sign-magnitude
   integers. */
static uint64_t sort_key_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double sort_value_of(uint64_t key) {
  const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Sorts by the least significant digit first. A digit that all keys share costs no pass, as most
   exponents of timings do. */
void pawl_sort_keys(uint64_t *keys, size_t count) {
  if (count < 2) return;
  uint64_t *memory = pawl_alloc(count, sizeof *memory), *from = keys, *to = memory;
  size_t histogram[DIGITS][BUCKETS] = {{0}};
  for (size_t i = 0; i < count; i++)
    for (int digit = 0; digit < DIGITS; digit++) histogram[digit][keys[i] >> (8 * digit) & 0xff]++;
  for (int digit = 0; digit < DIGITS; digit++) {
    size_t *next = histogram[digit];
    if (next[from[0] >> (8 * digit) & 0xff] == count) continue;
    for (size_t bucket = 0, start = 0; bucket < BUCKETS; bucket++) {
      const size_t members = next[bucket];
      next[bucket] = start;
      start += members;
    }
    for (size_t i = 0; i < count; i++) to[next[from[i] >> (8 * digit) & 0xff]++] = from[i];
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != keys) memcpy(keys, from, count * sizeof *keys);
  pawl_free(memory);
}

void pawl_sort_doubles(double *values, size_t count) {
  if (count <= MEDIUM) {
    double room[MEDIUM / 2];
    merge_sort(values, count, room);
    return;
  }
  uint64_t *keys = pawl_alloc(count, sizeof *keys);
  for (size_t i = 0; i < count; i++) keys[i] = sort_key_of(values[i]);
  pawl_sort_keys(keys, count);
  for (size_t i = 0; i < count; i++) values[i] = sort_value_of(keys[i]);
  pawl_free(keys);
}

pawl_status pawl_sorted_copy(const double *samples, size_t count, double **out,
                             struct pawl_error *err) {
  if (count == 0) return pawl_fail(err, PAWL_BAD_DATA, "no samples: at least one is needed");
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(samples[i]))
      return pawl_fail(err, PAWL_BAD_DATA,
                       "sample %zu of %zu is '%g': every sample must be a finite number", i, count,
                       samples[i]);
  }
  double *sorted = pawl_alloc(count, sizeof *sorted);
  memcpy(sorted, samples, count * sizeof *sorted);
  pawl_sort_doubles(sorted, count);
  *out = sorted;
  return PAWL_OK;
}
