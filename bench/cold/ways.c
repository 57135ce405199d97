/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to make caches cold: what each takes, and where the data then comes from.

   Usage: ways BYTES_FLUSHED BYTES_OF_DATA       (bench/cold/run.sh builds and runs it)

   The data is one cycle through its lines in random order, so that each line waits for the one
   before. First it is read until the caches have it, then one way is taken, then it is read once
   more: the time of that, for each line, is some ns from a core's own cache, 10 to 30 ns from a
   shared one, and 80 to 150 ns from memory. Medians of 15. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/cache_evict.h"

#define LINE 64
#define TURNS 15

static unsigned char *buffer, *data;
static size_t buffer_bytes, data_bytes;
static unsigned char value;
static volatile uint64_t sink; /* the compiler must not drop the work */

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void nothing(void) {}

static void fill(void) { memset(buffer, ++value, buffer_bytes); }

static void write_lines(void) {
  for (size_t i = 0; i < buffer_bytes; i += LINE) *(volatile uint64_t *)(void *)(buffer + i) = i;
}

static void read_lines(void) {
  uint64_t sum = 0;
  for (size_t i = 0; i < buffer_bytes; i += LINE) sum += *(volatile unsigned char *)(buffer + i);
  sink = sum;
}

static void evict(void) { pawl_cache_evict_all(data, data_bytes); }

static const struct way {
  const char *name;
  void (*take)(void);
} ways[] = {{"nothing", nothing},
            {"memset() of a buffer", fill},
            {"write a buffer's lines", write_lines},
            {"read a buffer's lines", read_lines},
            {"evict the data's lines", evict}};

static unsigned char *map(size_t bytes) {
  unsigned char *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) perror("ways: memory"), exit(1);
  memset(memory, 1, bytes);
  return memory;
}

static uint32_t *next_of(uint32_t line) { return (uint32_t *)(void *)(data + (size_t)line * LINE); }

/* One cycle through all lines (Sattolo's algorithm). */
static void link_lines(void) {
  const uint32_t lines = (uint32_t)(data_bytes / LINE);
  for (uint32_t i = 0; i < lines; i++) *next_of(i) = i;
  for (uint32_t i = lines - 1; i > 0; i--) {
    const uint32_t j = (uint32_t)rand() % i, other = *next_of(j);
    *next_of(j) = *next_of(i);
    *next_of(i) = other;
  }
}

static void follow_lines(void) {
  uint32_t line = 0;
  for (size_t i = 0; i < data_bytes / LINE; i++) line = *(volatile uint32_t *)next_of(line);
  sink = line;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, TURNS, sizeof *values, compare);
  return values[TURNS / 2];
}

static void measure(const struct way *way) {
  double taken[TURNS], followed[TURNS];
  for (int turn = 0; turn < TURNS; turn++) {
    for (int i = 0; i < 3; i++) follow_lines();
    const int64_t begin = now_ns();
    way->take();
    const int64_t middle = now_ns();
    follow_lines();
    followed[turn] = (double)(now_ns() - middle);
    taken[turn] = (double)(middle - begin);
  }
  printf("%-24s %9.3f ms %9.1f ns a line\n", way->name, median(taken) / 1e6,
         median(followed) / (double)(data_bytes / LINE));
}

int main(int count, char **arguments) {
  if (count != 3) return fputs("usage: ways BYTES_FLUSHED BYTES_OF_DATA\n", stderr), 64;
  buffer_bytes = strtoull(arguments[1], NULL, 10) / LINE * LINE;
  data_bytes = strtoull(arguments[2], NULL, 10) / LINE * LINE;
  if (!buffer_bytes || data_bytes < 2 * LINE) return fputs("ways: too few bytes\n", stderr), 64;
  buffer = map(buffer_bytes);
  data = map(data_bytes);
  link_lines();
  printf("%zu MiB flushed, %zu KiB of data\n", buffer_bytes >> 20, data_bytes >> 10);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) measure(&ways[i]);
  return 0;
}
