/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bulk.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

#define PIECE ((size_t)1 << 20)
#define WORTH_THREADS ((size_t)4 << 20) /* Starting the threads takes longer below this size. */
#define PAGE ((size_t)4096)

struct bulk {
  unsigned char *to;
  const unsigned char *from;
  size_t bytes;
  int byte;
  int fd;
  off_t offset;
  _Atomic bool failed;
  struct pawl_hash *hashes; /* one for each piece */
  size_t size, most;
  _Atomic size_t different;
};

void *pawl_bulk_alloc(size_t bytes) {
  void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return NULL;
  madvise(data, bytes, MADV_DONTFORK);
  madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

void pawl_bulk_free(void *data, size_t bytes) {
  if (data) munmap(data, bytes);
}

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

static void for_pieces(struct bulk *bulk, void (*body)(void *context, int64_t piece)) {
  const int64_t pieces = (int64_t)((bulk->bytes + PIECE - 1) / PIECE);
  pawl_parallel_for(bulk->bytes < WORTH_THREADS ? 1 : 0, pieces, body, bulk);
}

static void copy_piece(void *context, int64_t piece) {
  const struct bulk *bulk = context;
  const size_t at = (size_t)piece * PIECE;
  memcpy(bulk->to + at, bulk->from + at, min(PIECE, bulk->bytes - at));
}

void pawl_bulk_copy(void *to, const void *from, size_t bytes) {
  struct bulk bulk = {.to = to, .from = from, .bytes = bytes};
  for_pieces(&bulk, copy_piece);
}

static void fill_piece(void *context, int64_t piece) {
  const struct bulk *bulk = context;
  const size_t at = (size_t)piece * PIECE;
  memset(bulk->to + at, bulk->byte, min(PIECE, bulk->bytes - at));
}

void pawl_bulk_fill(void *data, int byte, size_t bytes) {
  struct bulk bulk = {.to = data, .byte = byte, .bytes = bytes};
  for_pieces(&bulk, fill_piece);
}

static void read_piece(void *context, int64_t piece) {
  struct bulk *bulk = context;
  const size_t end = min(((size_t)piece + 1) * PIECE, bulk->bytes);
  for (size_t at = (size_t)piece * PIECE; at < end && !bulk->failed;) {
    const ssize_t got = pread(bulk->fd, bulk->to + at, end - at, bulk->offset + (off_t)at);
    if (got > 0)
      at += (size_t)got;
    else if (got == 0 || errno != EINTR)
      bulk->failed = true;
  }
}

bool pawl_bulk_read(int fd, void *to, size_t bytes, off_t offset) {
  struct bulk bulk = {.to = to, .bytes = bytes, .fd = fd, .offset = offset};
  for_pieces(&bulk, read_piece);
  return !bulk.failed;
}

static void hash_piece(void *context, int64_t piece) {
  const struct bulk *bulk = context;
  const size_t at = (size_t)piece * PIECE;
  bulk->hashes[piece] = pawl_hash_bytes(bulk->from + at, min(PIECE, bulk->bytes - at));
}

struct pawl_hash pawl_bulk_hash(const void *data, size_t bytes) {
  const size_t pieces = (bytes + PIECE - 1) / PIECE;
  PAWL_CLEANUP(pawl_free_pointer) struct pawl_hash *hashes = pawl_alloc(pieces + 1, sizeof *hashes);
  struct bulk bulk = {.from = data, .bytes = bytes, .hashes = hashes};
  for_pieces(&bulk, hash_piece);
  return pawl_hash_bytes(hashes, pieces * sizeof *hashes);
}

/* Compares page by page first, because nearly all pages are equal. */
static void count_piece(void *context, int64_t piece) {
  struct bulk *bulk = context;
  const size_t end = min(((size_t)piece + 1) * PIECE, bulk->bytes);
  for (size_t page = (size_t)piece * PIECE; page < end && bulk->different <= bulk->most;
       page += PAGE) {
    const size_t last = min(page + PAGE, end);
    size_t differ = 0;
    if (!memcmp(bulk->to + page, bulk->from + page, last - page)) continue;
    for (size_t at = page; at + bulk->size <= last; at += bulk->size)
      differ += memcmp(bulk->to + at, bulk->from + at, bulk->size) != 0;
    atomic_fetch_add(&bulk->different, differ);
  }
}

size_t pawl_bulk_count_different(const void *a, const void *b, size_t bytes, size_t size,
                                 size_t most) {
  PAWL_ASSERT(size && PAGE % size == 0);
  struct bulk bulk = {
      .to = (unsigned char *)(uintptr_t)a, .from = b, .bytes = bytes, .size = size, .most = most};
  for_pieces(&bulk, count_piece);
  return bulk.different;
}
