/* SPDX-License-Identifier: Apache-2.0 */
/* An arena for data that lives as long as a command, and checked allocation for the rest. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* Every allocation of pawl goes through these functions, so tests can make each fail in turn.
 * Without memory, the program prints one line and exits with PAWL_NO_MEMORY. The memory is zeroed,
 * and count * size cannot overflow. */
void *pawl_alloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *pawl_realloc(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));
void pawl_free(void *memory);
/* Frees the pointer that `pointer` points to, for PAWL_CLEANUP. */
void pawl_free_pointer(void *pointer);

/* Makes the n-th allocation from now fail (1 is the next). 0 turns it off. For tests only. */
void pawl_memory_fail_at(long n);

struct pawl_arena_chunk;
/* A zeroed arena is empty and ready. It is not thread-safe. */
struct pawl_arena {
  struct pawl_arena_chunk *chunk;
};

/* Allocates zeroed memory with an alignment of 16. Clearing the arena frees it. */
void *pawl_arena_alloc(struct pawl_arena *arena, size_t count, size_t size)
    __attribute__((returns_nonnull));
char *pawl_arena_copy(struct pawl_arena *arena, const char *text); /* NULL stays NULL */
char *pawl_arena_printf(struct pawl_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pawl_arena_clear(struct pawl_arena *arena);
/* Moves all that `from` holds into the arena, and leaves `from` empty. */
void pawl_arena_join(struct pawl_arena *arena, struct pawl_arena *from);

/* Returns `items` with room for one more element: items = pawl_grow(items, count, &capacity, sizeof
 * items). */
void *pawl_grow(void *items, size_t count, size_t *capacity, size_t size)
    __attribute__((returns_nonnull));
