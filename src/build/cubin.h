/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that the machine code of a CUDA plug-in holds about itself. pawl needs no GPU, no
   disassembler and no compiler for them. It reads each cubin's ELF sections: .nv.info (attributes;
   their numbers as cuobjdump and readelf show them on the output of nvcc 12 and 13),
   .text.<function>, .nv.shared.<function>. */
#pragma once

#include "base/error.h"
#include "base/memory.h"

/* One function of the device; -1: not known. */
struct pawl_device_function {
  const char *name; /* mangled */
  int arch;         /* 90: sm_90 */
  long long registers, stack_bytes;
  long long spill_bytes;  /* that its spill stores write, each counted once, as `ptxas -v` does */
  long long local_bytes;  /* bytes that its other stores to local memory write: arrays with an index
                             that only a run knows */
  long long shared_bytes; /* static; what the launch adds is not known here */
  long long code_bytes;
  long long max_threads; /* most threads of a block, where launch bounds give it */
};

/* The functions of every uncompressed cubin in a plug-in (none in one without device code), sorted
   by name. PAWL_BAD_DATA when the file is no ELF file. */
pawl_status pawl_device_functions(const char *plugin, struct pawl_arena *arena,
                                  struct pawl_device_function **out, size_t *count,
                                  struct pawl_error *err);
/* Adds the functions of one cubin in memory to the list. */
void pawl_cubin_read(const unsigned char *cubin, size_t size, struct pawl_arena *arena,
                     struct pawl_device_function **functions, size_t *count);

/* Threads that an SM can hold at once over those it has room for, in percent: an upper bound, by
   registers, static shared memory, and blocks of max_threads (CUDA C++ Programming Guide,
   "Technical Specifications per Compute Capability"). NaN: unknown chip, or no launch bounds. */
double pawl_device_function_occupancy(const struct pawl_device_function *function);
