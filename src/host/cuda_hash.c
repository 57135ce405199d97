/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_hash.h"

#define NAME "pawl_sum_hash"
#define BLOCKS 1024
#define THREADS 256
#define WORD sizeof(uint64_t)

/* One step of the sum over a warp: adds a 64-bit register of the lane `DISTANCE` above, half by
   half. */
#define FOLD(SUM, DISTANCE)                      \
  "  mov.b64 {lower, upper}, " SUM               \
  ";\n"                                          \
  "  shfl.sync.down.b32 lower, lower, " DISTANCE \
  ", 31, -1;\n"                                  \
  "  shfl.sync.down.b32 upper, upper, " DISTANCE \
  ", 31, -1;\n"                                  \
  "  mov.b64 word, {lower, upper};\n"            \
  "  add.u64 " SUM ", " SUM ", word;\n"
#define FOLD_WARP(SUM) FOLD(SUM, "16") FOLD(SUM, "8") FOLD(SUM, "4") FOLD(SUM, "2") FOLD(SUM, "1")

/* x = x ^ (x >> 33) */
#define SHIFT "  shr.u64 word, x, 33;\n  xor.b64 x, x, word;\n"

/* Thread t of n sums the words t, t + n, t + 2n and so on. The first lane of each warp adds the
   warp's sums to memory. The driver compiles PTX for the GPU of this machine, Maxwell or newer. The
   constants are those of base/sum_hash.h. Specification: PTX ISA 6.0, shfl.sync, red. */
static const char program[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry " NAME
    "(.param .u64 data, .param .u64 words, .param .u64 first, .param .u64 sums) {\n"
    "  .reg .pred done;\n"
    "  .reg .u32 thread, block, size, blocks, lane, lower, upper;\n"
    "  .reg .u64 at, count, place, step, jump, i, x, word, low, high, out;\n"
    "  ld.param.u64 at, [data];\n"
    "  ld.param.u64 count, [words];\n"
    "  ld.param.u64 place, [first];\n"
    "  ld.param.u64 out, [sums];\n"
    "  cvta.to.global.u64 at, at;\n"
    "  cvta.to.global.u64 out, out;\n"
    "  mov.u32 thread, %tid.x;\n"
    "  mov.u32 block, %ctaid.x;\n"
    "  mov.u32 size, %ntid.x;\n"
    "  mov.u32 blocks, %nctaid.x;\n"
    "  and.b32 lane, thread, 31;\n"
    "  mad.lo.u32 thread, block, size, thread;\n"
    "  mul.lo.u32 size, size, blocks;\n"
    "  cvt.u64.u32 i, thread;\n"
    "  cvt.u64.u32 step, size;\n"
    "  shl.b64 jump, step, 3;\n"
    "  shl.b64 word, i, 3;\n"
    "  add.u64 at, at, word;\n"
    "  add.u64 place, place, i;\n"
    "  add.u64 place, place, 1;\n"
    "  mov.u64 low, 0;\n"
    "  mov.u64 high, 0;\n"
    "next:\n"
    "  setp.ge.u64 done, i, count;\n"
    "  @done bra fold;\n"
    "  ld.global.u64 x, [at];\n"
    "  mad.lo.u64 x, place, 0x9e3779b97f4a7c15, x;\n" SHIFT
    "  mul.lo.u64 x, x, 0xff51afd7ed558ccd;\n" SHIFT
    "  add.u64 low, low, x;\n"
    "  mul.lo.u64 x, x, 0xc4ceb9fe1a85ec53;\n" SHIFT
    "  add.u64 high, high, x;\n"
    "  add.u64 i, i, step;\n"
    "  add.u64 place, place, step;\n"
    "  add.u64 at, at, jump;\n"
    "  bra next;\n"
    "fold:\n" FOLD_WARP("low") FOLD_WARP("high")
    "  setp.ne.u32 done, lane, 0;\n"
    "  @done bra end;\n"
    "  red.global.add.u64 [out], low;\n"
    "  red.global.add.u64 [out+8], high;\n"
    "end:\n"
    "  ret;\n"
    "}\n";

pawl_status host_cuda_hash_init(struct host_cuda_hash *hash, const struct pawl_cuda_driver *driver,
                                struct pawl_error *err) {
  struct host_cuda_hash made = {.driver = driver};
  PAWL_TRY(pawl_cuda_check(driver, driver->alloc(&made.sums, 2 * WORD),
                           "cannot allocate the GPU's memory", err));
  if (driver->module_load(&made.module, program) != PAWL_CU_SUCCESS) made.module = NULL;
  if (made.module && driver->module_function(&made.function, made.module, NAME) != PAWL_CU_SUCCESS)
    made.function = NULL;
  *hash = made;
  return PAWL_OK;
}

void host_cuda_hash_release(struct host_cuda_hash *hash) {
  if (!hash->driver) return;
  if (hash->module) hash->driver->module_unload(hash->module);
  if (hash->staging) hash->driver->host_free(hash->staging);
  hash->driver->free(hash->sums);
  *hash = (struct host_cuda_hash){0};
}

/* Enqueues the sum of whole words, which reads each of them. */
static pawl_cu_result enqueue_sum(struct host_cuda_hash *hash, pawl_cu_stream stream,
                                  pawl_cu_pointer data, uint64_t words, uint64_t first) {
  void *parameters[] = {&data, &words, &first, &hash->sums};
  const uint64_t useful = (words + THREADS - 1) / THREADS;
  const unsigned blocks = useful < BLOCKS ? (unsigned)useful : BLOCKS;
  return hash->driver->launch(hash->function, blocks, 1, 1, THREADS, 1, 1, 0, stream, parameters,
                              NULL);
}

/* Sums whole words on the device. The download waits for the stream, which is a blocking one. */
static pawl_cu_result cuda_hash_sum_words(struct host_cuda_hash *hash, pawl_cu_stream stream,
                                          pawl_cu_pointer data, uint64_t words, uint64_t first,
                                          struct pawl_hash *out) {
  const struct pawl_cuda_driver *driver = hash->driver;
  uint64_t sums[2] = {0, 0};
  pawl_cu_result result = driver->fill_async(hash->sums, 0, sizeof sums, stream);
  if (result == PAWL_CU_SUCCESS) result = enqueue_sum(hash, stream, data, words, first);
  if (result == PAWL_CU_SUCCESS) result = driver->download(sums, hash->sums, sizeof sums);
  *out = (struct pawl_hash){.low = sums[0], .high = sums[1]};
  return result;
}

/* Copies through pinned memory are a few times faster than into pageable memory. */
static pawl_status need_staging(struct host_cuda_hash *hash, size_t bytes, struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = hash->driver;
  if (bytes <= hash->staging_bytes) return PAWL_OK;
  if (hash->staging) driver->host_free(hash->staging);
  hash->staging = NULL;
  hash->staging_bytes = 0;
  PAWL_TRY(pawl_cuda_check(driver, driver->host_alloc(&hash->staging, bytes, PAWL_CU_HOST_PORTABLE),
                           "cannot allocate pinned memory", err));
  hash->staging_bytes = bytes;
  return PAWL_OK;
}

static pawl_status add_on_host(struct host_cuda_hash *hash, pawl_cu_pointer data, size_t bytes,
                               struct pawl_sum_hasher *hasher, struct pawl_error *err) {
  PAWL_TRY(need_staging(hash, bytes ? bytes : 1, err));
  if (bytes)
    PAWL_TRY(pawl_cuda_check(hash->driver, hash->driver->download(hash->staging, data, bytes),
                             "cannot read the GPU's memory", err));
  pawl_sum_hash_add(hasher, hash->staging, bytes);
  return PAWL_OK;
}

pawl_status host_cuda_hash_add(struct host_cuda_hash *hash, pawl_cu_stream stream,
                               pawl_cu_pointer data, size_t bytes, struct pawl_sum_hasher *hasher,
                               struct pawl_error *err) {
  static const char what[] = "cannot hash the GPU's memory";
  const uint64_t words = bytes / WORD;
  struct pawl_hash sum;
  if (!hash->function || !words) return add_on_host(hash, data, bytes, hasher, err);
  pawl_sum_hash_word(hasher, bytes);
  PAWL_TRY(pawl_cuda_check(hash->driver,
                           cuda_hash_sum_words(hash, stream, data, words, hasher->words, &sum),
                           what, err));
  pawl_sum_hash_add_sum(hasher, sum, words);
  if (bytes % WORD == 0) return PAWL_OK;
  uint64_t rest = 0;
  PAWL_TRY(pawl_cuda_check(
      hash->driver, hash->driver->download(&rest, data + words * WORD, bytes % WORD), what, err));
  pawl_sum_hash_word(hasher, rest);
  return PAWL_OK;
}

pawl_status host_cuda_hash_read(struct host_cuda_hash *hash, pawl_cu_stream stream,
                                pawl_cu_pointer data, size_t bytes, struct pawl_error *err) {
  struct pawl_sum_hasher ignored = {0};
  if (!hash->function) return host_cuda_hash_add(hash, stream, data, bytes, &ignored, err);
  if (bytes < WORD) return PAWL_OK;
  return pawl_cuda_check(hash->driver, enqueue_sum(hash, stream, data, bytes / WORD, 0),
                         "cannot read the GPU's memory", err);
}
