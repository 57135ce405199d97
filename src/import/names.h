/* SPDX-License-Identifier: Apache-2.0 */
/* The names of a file's benchmarks: clean, short, and each only once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* Names by their hashes: 64 bits make two names equal once in 10^7 files of 10^6 names. */
struct pawl_name_set {
  uint64_t *hashes; /* 0: the place is free */
  size_t *times;    /* for each place; NULL in a set that does not count */
  size_t room, count;
};

#define PAWL_NAME_SETS 8 /* a power of two: a set grows alone, so a copy of few names is needed */

/* A set of names that were taken. Zero is empty. Nearly all names are taken once, and take 8
 * bytes. */
struct pawl_names {
  struct pawl_name_set taken[PAWL_NAME_SETS];
  struct pawl_name_set again; /* how often the names were taken after the first time */
};

/* Returns the name that pawl writes for `raw`, in the arena. A control character becomes its code
 * point, so names that differ in one stay apart. A name above `limit` bytes loses its end and gets
 * its hash. NULL and "" become `none`. */
const char *pawl_name_make(const char *raw, const char *none, size_t limit,
                           struct pawl_arena *arena);

/* Takes the name of several parts. Returns how often it is taken now: 1 where it is new. */
size_t pawl_names_take(struct pawl_names *names, const char *const *parts, size_t count);
bool pawl_names_has(const struct pawl_names *names, const char *const *parts, size_t count);
/* Forgets all names and keeps the memory. */
void pawl_names_empty(struct pawl_names *names);
void pawl_names_clear(struct pawl_names *names);
