/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHUNK_SIZE ((size_t)64 << 10)
/* Many arenas are small. With its header this chunk is of a size that malloc keeps at hand. */
#define FIRST_CHUNK ((size_t)960)
#define ALIGNMENT ((size_t)16)

/* A hook for tests, and the one global state: allocation has no context to carry it. */
static atomic_long fail_countdown;

void pawl_memory_fail_at(long n) { atomic_store(&fail_countdown, n); }

static _Noreturn void out_of_memory(size_t bytes) {
  fprintf(stderr, "pawl: out of memory: cannot allocate %zu bytes\n", bytes);
  exit(PAWL_NO_MEMORY);
}

static size_t checked_bytes(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) out_of_memory(SIZE_MAX);
  if (atomic_load(&fail_countdown) > 0 && atomic_fetch_sub(&fail_countdown, 1) == 1)
    out_of_memory(bytes);
  return bytes ? bytes : 1;
}

void *pawl_alloc(size_t count, size_t size) {
  const size_t bytes = checked_bytes(count, size);
  void *memory = calloc(1, bytes);
  if (!memory) out_of_memory(bytes);
  return memory;
}

void *pawl_realloc(void *memory, size_t count, size_t size) {
  const size_t bytes = checked_bytes(count, size);
  void *moved = realloc(memory, bytes);
  if (!moved) out_of_memory(bytes);
  return moved;
}

void pawl_free(void *memory) { free(memory); }

void pawl_free_pointer(void *pointer) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  free(memory);
}

struct pawl_arena_chunk {
  struct pawl_arena_chunk *next;
  size_t used, size; /* bytes in `bytes` */
  _Alignas(16) unsigned char bytes[];
};

/* The bytes of the next chunk. Chunks double in size. A large part has a chunk of its own. */
static size_t arena_room(const struct pawl_arena_chunk *last, size_t bytes) {
  size_t room = last ? 2 * last->size : FIRST_CHUNK;
  if (bytes > CHUNK_SIZE / 4) return bytes;
  while (room < 4 * bytes) room *= 2;
  return room < CHUNK_SIZE ? room : CHUNK_SIZE;
}

void *pawl_arena_alloc(struct pawl_arena *arena, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - CHUNK_SIZE)
    out_of_memory(SIZE_MAX);
  bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  struct pawl_arena_chunk *chunk = arena->chunk;
  if (!chunk || chunk->size - chunk->used < bytes) {
    const size_t room = arena_room(chunk, bytes);
    struct pawl_arena_chunk *fresh = pawl_realloc(NULL, 1, sizeof *fresh + room);
    fresh->next = NULL;
    fresh->used = 0;
    fresh->size = room;
    /* puts a large chunk behind, so that the open chunk stays in use */
    if (chunk && room == bytes) {
      fresh->next = chunk->next;
      chunk->next = fresh;
    } else {
      fresh->next = chunk;
      arena->chunk = fresh;
    }
    chunk = fresh;
  }
  void *memory = chunk->bytes + chunk->used;
  chunk->used += bytes;
  return memset(memory, 0, bytes); /* most chunks are cleared before they are full */
}

char *pawl_arena_copy(struct pawl_arena *arena, const char *text) {
  if (!text) return NULL;
  const size_t bytes = strlen(text) + 1;
  return memcpy(pawl_arena_alloc(arena, bytes, 1), text, bytes);
}

char *pawl_arena_printf(struct pawl_arena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  PAWL_ASSERT(length >= 0);
  char *text = pawl_arena_alloc(arena, (size_t)length + 1, 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void pawl_arena_clear(struct pawl_arena *arena) {
  if (!arena) return;
  for (struct pawl_arena_chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
    next = chunk->next;
    pawl_free(chunk);
  }
  arena->chunk = NULL;
}

void pawl_arena_join(struct pawl_arena *arena, struct pawl_arena *from) {
  struct pawl_arena_chunk **end = &arena->chunk;
  while (*end) end = &(*end)->next;
  *end = from->chunk;
  from->chunk = NULL;
}

void *pawl_grow(void *items, size_t count, size_t *capacity, size_t size) {
  if (items && count < *capacity) return items;
  const size_t wanted = *capacity < 8 ? 8 : *capacity * 2;
  items = pawl_realloc(items, wanted, size);
  *capacity = wanted;
  return items;
}
