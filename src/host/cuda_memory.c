/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_memory.h"

#include <stdio.h>

#include "base/memory.h"

#define BAND_BYTES 4096 /* keeps the data aligned */
#define BAND_VALUE 0xa5
#define ALIGNMENT 256
#define MOST_SPARE ((size_t)1 << 30)

static size_t band_bytes(const struct host_cuda_memory *memory) {
  return memory->bare ? 0 : BAND_BYTES;
}

/* The band after the data begins right after its last byte. */
static size_t whole_bytes(const struct host_cuda_memory *memory, size_t bytes) {
  if (memory->bare) return bytes ? bytes : 1;
  return (BAND_BYTES + bytes + BAND_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static pawl_status paint(const struct host_cuda_memory *memory, pawl_cu_pointer whole, size_t bytes,
                         struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = memory->driver;
  if (memory->bare) return PAWL_OK;
  const size_t rest = whole_bytes(memory, bytes) - BAND_BYTES - bytes;
  pawl_cu_result result = driver->fill_async(whole, BAND_VALUE, BAND_BYTES, PAWL_CU_STREAM_LEGACY);
  if (result == PAWL_CU_SUCCESS)
    result =
        driver->fill_async(whole + BAND_BYTES + bytes, BAND_VALUE, rest, PAWL_CU_STREAM_LEGACY);
  return pawl_cuda_check(driver, result, "cannot write guard bands", err);
}

size_t host_cuda_memory_left(const struct host_cuda_memory *memory) {
  size_t left = 0, total = 0;
  return memory->driver->memory_info(&left, &total) == PAWL_CU_SUCCESS ? left : 0;
}

void host_cuda_memory_resume(struct host_cuda_memory *memory) {
  const size_t left = host_cuda_memory_left(memory);
  memory->free_at_start = left ? left + (size_t)memory->of_others : 0;
  memory->ours = 0;
}

void host_cuda_memory_count(struct host_cuda_memory *memory, size_t left) {
  memory->ours += (int64_t)left - (int64_t)host_cuda_memory_left(memory);
}

int64_t host_cuda_memory_of_others(struct host_cuda_memory *memory) {
  const size_t left = host_cuda_memory_left(memory);
  if (!memory->free_at_start || !left) return -1;
  const int64_t taken = (int64_t)memory->free_at_start - (int64_t)left - memory->ours;
  memory->of_others = taken > 0 ? taken : 0;
  return memory->of_others;
}

/* Takes the smallest spare block with this room. Returns false if there is none. */
static bool take_spare(struct host_cuda_memory *memory, size_t room, struct host_cuda_block *out) {
  struct host_cuda_block *best = NULL;
  for (size_t i = 0; i < memory->spare_count; i++) {
    struct host_cuda_block *spare = &memory->spare[i];
    if (spare->room >= room && (!best || spare->room < best->room)) best = spare;
  }
  if (!best) return false;
  *out = *best;
  memory->spare_bytes -= best->room;
  *best = memory->spare[--memory->spare_count];
  return true;
}

static void drop_spare(struct host_cuda_memory *memory) {
  while (memory->spare_count)
    memory->driver->free(memory->spare[--memory->spare_count].data - band_bytes(memory));
  memory->spare_bytes = 0;
}

static pawl_status find_room(struct host_cuda_memory *memory, size_t bytes,
                             struct host_cuda_block *out, struct pawl_error *err) {
  const size_t room = whole_bytes(memory, bytes);
  pawl_cu_pointer whole = 0;
  char what[96];
  if (take_spare(memory, room, out)) return PAWL_OK;
  drop_spare(memory);
  snprintf(what, sizeof what, "cannot allocate %zu bytes of the GPU's memory", bytes);
  PAWL_TRY(pawl_cuda_check(memory->driver, memory->driver->alloc(&whole, room), what, err));
  *out = (struct host_cuda_block){.data = whole + band_bytes(memory), .room = room};
  return PAWL_OK;
}

pawl_status host_cuda_allocate(struct host_cuda_memory *memory, size_t bytes, pawl_cu_pointer *out,
                               struct pawl_error *err) {
  struct host_cuda_block block;
  if (bytes > SIZE_MAX / 2)
    return pawl_fail(err, PAWL_FAILED, "asks for %zu bytes of the GPU's memory", bytes);
  PAWL_TRY(find_room(memory, bytes, &block, err));
  block.bytes = bytes;
  memory->blocks =
      pawl_grow(memory->blocks, memory->count, &memory->capacity, sizeof *memory->blocks);
  memory->blocks[memory->count++] = block;
  const enum pawl_status_code status = paint(memory, block.data - band_bytes(memory), bytes, err);
  if (status == PAWL_OK)
    *out = block.data;
  else
    host_cuda_free(memory, block.data);
  return status;
}

static struct host_cuda_block *find_block(struct host_cuda_memory *memory, pawl_cu_pointer data) {
  for (size_t i = 0; i < memory->count; i++) {
    if (memory->blocks[i].data == data) return &memory->blocks[i];
  }
  return NULL;
}

void host_cuda_free(struct host_cuda_memory *memory, pawl_cu_pointer data) {
  struct host_cuda_block *block = data ? find_block(memory, data) : NULL;
  if (!block) return;
  if (memory->bare || block->room > MOST_SPARE - memory->spare_bytes) {
    memory->driver->free(data - band_bytes(memory));
  } else {
    memory->spare = pawl_grow(memory->spare, memory->spare_count, &memory->spare_capacity,
                              sizeof *memory->spare);
    memory->spare[memory->spare_count++] = *block;
    memory->spare_bytes += block->room;
  }
  *block = memory->blocks[--memory->count];
}

void host_cuda_memory_release(struct host_cuda_memory *memory) {
  while (memory->count) host_cuda_free(memory, memory->blocks[memory->count - 1].data);
  drop_spare(memory);
  pawl_free(memory->blocks);
  pawl_free(memory->spare);
  *memory = (struct host_cuda_memory){0};
}

pawl_status host_cuda_check_bands(struct host_cuda_memory *memory, pawl_cu_pointer data,
                                  struct pawl_error *err) {
  const struct host_cuda_block *block = find_block(memory, data);
  unsigned char bands[2][BAND_BYTES];
  if (!block || memory->bare) return PAWL_OK;
  const struct pawl_cuda_driver *driver = memory->driver;
  pawl_cu_result result = driver->download(bands[0], data - BAND_BYTES, BAND_BYTES);
  if (result == PAWL_CU_SUCCESS)
    result = driver->download(bands[1], data + block->bytes, BAND_BYTES);
  PAWL_TRY(pawl_cuda_check(driver, result, "cannot read guard bands", err));
  for (int i = 0; i < BAND_BYTES; i++) {
    if (bands[0][BAND_BYTES - 1 - i] != BAND_VALUE)
      return pawl_fail(err, PAWL_FAILED, "wrote outside a tensor: %d bytes before its start",
                       i + 1);
    if (bands[1][i] != BAND_VALUE)
      return pawl_fail(err, PAWL_FAILED, "wrote outside a tensor: %d bytes after its end", i + 1);
  }
  return PAWL_OK;
}
