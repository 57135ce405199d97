/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, fills, reads, hashes and compares large pieces of memory with all CPUs, because one CPU
 * alone takes milliseconds. One CPU does the small pieces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/hash.h"

/* Allocates zeroed memory in large pages if the system has them. A child process does not get it,
 * because a fork would copy its page tables. Returns NULL if there is no memory. Free it with
 * pawl_bulk_free and the same number of bytes; NULL is fine there. */
void *pawl_bulk_alloc(size_t bytes);
void pawl_bulk_free(void *data, size_t bytes);

/* Copies like memcpy. */
void pawl_bulk_copy(void *to, const void *from, size_t bytes);

/* Fills like memset. */
void pawl_bulk_fill(void *data, int byte, size_t bytes);

/* Reads `bytes` bytes of a file from an offset. Returns false if the file has fewer, or on an
   error. */
bool pawl_bulk_read(int fd, void *to, size_t bytes, off_t offset);

/* Hashes pieces of 1 MiB, then their hashes. The value differs from that of pawl_hash_bytes. */
struct pawl_hash pawl_bulk_hash(const void *data, size_t bytes);

/* Returns how many elements of `size` bytes differ if nearly all are equal. Stops counting soon
 * after `most`. `size` divides 4096. */
size_t pawl_bulk_count_different(const void *a, const void *b, size_t bytes, size_t size,
                                 size_t most);
