/* SPDX-License-Identifier: Apache-2.0 */
/* Large pieces of memory, which one CPU alone takes milliseconds for: by all CPUs. Small ones by
 * one. */
#ifndef PAWL_BASE_BULK_H
#define PAWL_BASE_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/hash.h"

/* Memory in large pages where the system has them, which no child process gets: a fork would copy
   its page tables. NULL: there is none. pawl_bulk_free takes the same number of bytes; NULL is
   fine. */
void *pawl_bulk_alloc(size_t bytes);
void pawl_bulk_free(void *data, size_t bytes);

/* As memcpy. */
void pawl_bulk_copy(void *to, const void *from, size_t bytes);

/* Reads so many bytes of a file from an offset on. False: there are not as many, or they cannot be
 * read. */
bool pawl_bulk_read(int fd, void *to, size_t bytes, off_t offset);

/* The hash of the hashes of pieces of 1 MiB: another value than that of pawl_hash_bytes. */
struct pawl_hash pawl_bulk_hash(const void *data, size_t bytes);

/* How many elements of `size` bytes differ, where nearly all are equal; more than `most` are not
   counted to the end. `size` divides 4096. */
size_t pawl_bulk_count_different(const void *a, const void *b, size_t bytes, size_t size,
                                 size_t most);

#endif
