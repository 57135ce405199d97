/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_exchange.h"

#include "base/entropy.h"
#include "protocol/swap.h"

#define NAME "pawl_exchange"

/* The layout that the program reads. */
struct exchanged_input {
  uint64_t address, elements, size;
};

/* x = (x ^ x >> 33) * constant, the constants of base/sum_hash.h */
#define MIX(FACTOR) \
  "  shr.u64 word, x, 33;\n  xor.b64 x, x, word;\n  mul.lo.u64 x, x, " FACTOR ";\n"
#define MIX_ALL             \
  MIX("0xff51afd7ed558ccd") \
  MIX("0xc4ceb9fe1a85ec53") "  shr.u64 word, x, 33;\n  xor.b64 x, x, word;\n"

/* Loads the two elements of a pair, of BITS bits. Stores each in the place of the other if
   `swapped`, else in its own place. */
#define MOVE(LABEL, BITS, ONE, TWO)                    \
  LABEL ":\n  ld.global." BITS " " ONE                 \
        ", [first];\n"                                 \
        "  ld.global." BITS " " TWO                    \
        ", [second];\n"                                \
        "  @swapped st.global." BITS " [first], " TWO  \
        ";\n"                                          \
        "  @swapped st.global." BITS " [second], " ONE \
        ";\n"                                          \
        "  @!swapped st.global." BITS " [first], " ONE \
        ";\n"                                          \
        "  @!swapped st.global." BITS " [second], " TWO ";\n  ret;\n"

/* Block b has input b. Each of its 8 threads (PAWL_SWAPS) has a pair of elements, and each element
   has its own part of the input. Mode 2 reads the last places. The other modes draw places from a
   seed, the time and the cycles of the SM, and keep them. The driver compiles PTX for the GPU of
   this machine. Specification: PTX ISA, %globaltimer, %clock64. */
static const char program[] =
    ".version 5.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry " NAME
    "(.param .u64 table, .param .u64 places, .param .u64 seed, .param .u64 mode) {\n"
    "  .reg .pred p, swapped;\n"
    "  .reg .u32 small;\n"
    "  .reg .u64 at, place, x, word, kind, thread, block, elements, size;\n"
    "  .reg .u64 pairs, stretch, first, second;\n"
    "  .reg .u16 h1, h2;\n"
    "  .reg .u32 w1, w2;\n"
    "  .reg .u64 d1, d2;\n"
    "  ld.param.u64 at, [table];\n"
    "  ld.param.u64 place, [places];\n"
    "  ld.param.u64 x, [seed];\n"
    "  ld.param.u64 kind, [mode];\n"
    "  cvta.to.global.u64 at, at;\n"
    "  cvta.to.global.u64 place, place;\n"
    "  mov.u32 small, %tid.x;\n"
    "  cvt.u64.u32 thread, small;\n"
    "  mov.u32 small, %ctaid.x;\n"
    "  cvt.u64.u32 block, small;\n"
    "  mad.lo.u64 at, block, 24, at;\n"
    "  ld.global.u64 elements, [at+8];\n"
    "  ld.global.u64 size, [at+16];\n"
    "  ld.global.u64 at, [at];\n"
    "  cvta.to.global.u64 at, at;\n"
    "  shr.u64 pairs, elements, 1;\n"
    "  min.u64 pairs, pairs, 8;\n"
    "  setp.ge.u64 p, thread, pairs;\n"
    "  @p bra end;\n"
    "  mad.lo.u64 block, block, 8, thread;\n"
    "  mad.lo.u64 place, block, 16, place;\n"
    "  setp.ne.u64 swapped, kind, 0;\n"
    "  setp.eq.u64 p, kind, 2;\n"
    "  @p bra known;\n"
    "  mad.lo.u64 x, block, 0x9e3779b97f4a7c15, x;\n"
    "  mov.u64 word, %globaltimer;\n"
    "  add.u64 x, x, word;\n" MIX_ALL
    "  mov.u64 word, %clock64;\n"
    "  add.u64 x, x, word;\n" MIX_ALL
    "  shl.b64 pairs, pairs, 1;\n"
    "  div.u64 stretch, elements, pairs;\n"
    "  shl.b64 thread, thread, 1;\n"
    "  rem.u64 first, x, stretch;\n"
    "  mad.lo.u64 first, thread, stretch, first;\n"
    "  add.u64 x, x, 0x9e3779b97f4a7c15;\n" MIX_ALL
    "  add.u64 thread, thread, 1;\n"
    "  rem.u64 second, x, stretch;\n"
    "  mad.lo.u64 second, thread, stretch, second;\n"
    "  st.global.u64 [place], first;\n"
    "  st.global.u64 [place+8], second;\n"
    "  bra chosen;\n"
    "known:\n"
    "  ld.global.u64 first, [place];\n"
    "  ld.global.u64 second, [place+8];\n"
    "chosen:\n"
    "  mad.lo.u64 first, first, size, at;\n"
    "  mad.lo.u64 second, second, size, at;\n"
    "  setp.eq.u64 p, size, 1;\n"
    "  @p bra bytes;\n"
    "  setp.eq.u64 p, size, 2;\n"
    "  @p bra halves;\n"
    "  setp.eq.u64 p, size, 4;\n"
    "  @p bra words;\n" MOVE("doubles", "u64", "d1", "d2") MOVE("bytes", "u8", "h1", "h2")
        MOVE("halves", "u16", "h1", "h2") MOVE("words", "u32", "w1", "w2")
    "end:\n"
    "  ret;\n"
    "}\n";

pawl_status host_cuda_exchange_init(struct host_cuda_exchange *exchange,
                                    const struct pawl_cuda_driver *driver, struct pawl_error *err) {
  static const char what[] = "cannot allocate the GPU's memory";
  struct host_cuda_exchange made = {.driver = driver};
  *exchange = (struct host_cuda_exchange){0};
  if (driver->module_load(&made.module, program) != PAWL_CU_SUCCESS) return PAWL_OK;
  if (driver->module_function(&made.function, made.module, NAME) != PAWL_CU_SUCCESS) {
    driver->module_unload(made.module);
    return PAWL_OK;
  }
  /* from here on the owner releases its parts */
  *exchange = made;
  const size_t places = sizeof(uint64_t[PAWL_MAX_TENSORS][PAWL_SWAPS][2]);
  PAWL_TRY(pawl_cuda_check(
      driver, driver->alloc(&exchange->table, PAWL_MAX_TENSORS * sizeof(struct exchanged_input)),
      what, err));
  return pawl_cuda_check(driver, driver->alloc(&exchange->places, places), what, err);
}

void host_cuda_exchange_release(struct host_cuda_exchange *exchange) {
  if (!exchange->driver) return;
  exchange->driver->module_unload(exchange->module);
  if (exchange->table) exchange->driver->free(exchange->table);
  if (exchange->places) exchange->driver->free(exchange->places);
  *exchange = (struct host_cuda_exchange){0};
}

bool host_cuda_exchange_plan(struct host_cuda_exchange *exchange,
                             const struct host_elements *inputs, int count,
                             enum host_cuda_exchange_mode mode) {
  struct exchanged_input entries[PAWL_MAX_TENSORS];
  if (!exchange->driver) return false;
  exchange->mode = mode;
  exchange->count = (unsigned)count;
  exchange->pending = count > 0;
  for (int i = 0; i < count; i++)
    entries[i] = (struct exchanged_input){(uint64_t)(uintptr_t)inputs[i].data, inputs[i].count,
                                          inputs[i].size};
  return !count || exchange->driver->upload(exchange->table, entries,
                                            (size_t)count * sizeof *entries) == PAWL_CU_SUCCESS;
}

static pawl_cu_result cuda_exchange_launch(const struct host_cuda_exchange *exchange, uint64_t mode,
                                           pawl_cu_stream stream) {
  uint64_t seed = 0, table = exchange->table, places = exchange->places;
  void *parameters[] = {&table, &places, &seed, &mode};
  if (pawl_entropy(&seed, sizeof seed, NULL) != PAWL_OK) return PAWL_CU_OUT_OF_MEMORY;
  return exchange->driver->launch(exchange->function, exchange->count, 1, 1, PAWL_SWAPS, 1, 1, 0,
                                  stream, parameters, NULL);
}

pawl_cu_result host_cuda_exchange_enqueue(struct host_cuda_exchange *exchange,
                                          pawl_cu_stream stream) {
  if (!exchange->pending) return PAWL_CU_SUCCESS;
  exchange->pending = false;
  return cuda_exchange_launch(exchange, exchange->mode, stream);
}

pawl_cu_result host_cuda_exchange_take_back(struct host_cuda_exchange *exchange,
                                            pawl_cu_stream stream) {
  return exchange->count ? cuda_exchange_launch(exchange, HOST_CUDA_TAKE_BACK, stream)
                         : PAWL_CU_SUCCESS;
}
