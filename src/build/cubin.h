/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the facts that the machine code of a CUDA plug-in holds about itself, without a GPU, a
 * disassembler or a compiler. They are in each cubin's ELF sections: .nv.info (attributes;
 * cuobjdump and readelf show their numbers for the output of nvcc 12 and 13), .text.<function>,
 * .nv.shared.<function>. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

/* One function of the device; -1: unknown. */
struct pawl_device_function {
  const char *name; /* mangled */
  int arch;         /* 90: sm_90 */
  long long registers, stack_bytes;
  /* bytes that its spill stores write; each store counts once, as in `ptxas -v` */
  long long spill_bytes;
  /* bytes of its other stores to local memory: arrays with an index that only a run knows */
  long long local_bytes;
  long long shared_bytes; /* static; the launch may add more */
  long long code_bytes;
  long long max_threads; /* a block's most threads, from the launch bounds */
};

/* Lists the functions of every uncompressed cubin in a plug-in, sorted by name. The list is empty
 * without device code. Fails with PAWL_BAD_DATA if the file is no ELF file. */
pawl_status pawl_device_functions(const char *plugin, struct pawl_arena *arena,
                                  struct pawl_device_function **out, size_t *count,
                                  struct pawl_error *err);
/* Calls `visit` for each uncompressed cubin in a plug-in: that of the linked code first. Fails with
 * PAWL_BAD_DATA if the file is no ELF file. */
pawl_status pawl_each_cubin(const char *plugin,
                            void (*visit)(void *context, const unsigned char *cubin, size_t size),
                            void *context, struct pawl_error *err);
/* Returns the architecture of a cubin, 90 for sm_90, from two fields of its ELF header. */
int pawl_cubin_arch(const unsigned char *ident, uint32_t flags);
/* Adds the functions of one cubin in memory to the list. */
void pawl_cubin_read(const unsigned char *cubin, size_t size, struct pawl_arena *arena,
                     struct pawl_device_function **functions, size_t *count);

/* Returns an upper bound of the occupancy: the percentage of an SM's threads that can run at once,
 * limited by registers, static shared memory and blocks of max_threads (CUDA C++ Programming Guide,
 * "Technical Specifications per Compute Capability"). Returns NaN for an unknown chip or without
 * launch bounds. */
double pawl_device_function_occupancy(const struct pawl_device_function *function);
