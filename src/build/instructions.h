/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the instructions of a plug-in's machine code. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/jobs.h"

/* The classes of the instruction mix. */
enum pawl_instruction_class {
#define CLASS(ID, NAME) PAWL_CLASS_##ID,
#include "build/instruction_classes.inc"
#undef CLASS
  PAWL_CLASSES
};
extern const char *const pawl_class_names[PAWL_CLASSES];

struct pawl_instruction {
  /* the operation and the size of its access, without registers and addresses: "LDS.128" */
  const char *name;
  enum pawl_instruction_class kind;
  uint64_t form;    /* equal for equal operations on operands of equal classes */
  const char *text; /* "IMAD R, R, 0x84, R": without the numbers of registers; NULL: a CPU */
  uint64_t address; /* in the function, in bytes */
  int64_t target;   /* the address to which it jumps in the function; -1: none */
  bool ends;        /* the next instruction never follows it */
  int loops;        /* the loops around it: 0 is straight code */
};

/* The instructions of one function, without the padding at its end. */
struct pawl_function_code {
  const char *symbol; /* the linker's name, which differs between overloads */
  const char *plain; /* the symbol without the hash of the source's path: pawl_fatbin_normalise() */
  const char *name;  /* demangled, without parameters */
  const char *arch;  /* "sm_90a"; NULL: a CPU */
  uint64_t begin;    /* its address in a CPU's file; 0: a GPU */
  struct pawl_instruction *items;
  size_t count;
};

struct pawl_machine_code {
  struct pawl_function_code *items; /* by name */
  size_t count;
};

/* The listings of plug-ins that cuobjdump and objdump write, side by side and beside other work. A
   list of cuobjdump takes a second and more. A zeroed struct has none. It must not move between
   begin and clear. */
struct pawl_listings {
  struct pawl_listing *items;
  size_t count, capacity;
  struct pawl_jobs *jobs; /* pause the commands; NULL: none has begun */
  pthread_t thread;
  bool running;
};
/* Adds the GPU's or the CPU's code of a plug-in, once, before pawl_listings_begin. The path must
   live until pawl_listings_clear. */
void pawl_listings_add(struct pawl_listings *listings, const char *plugin, bool gpu);
/* Begins to run the tools, on half of the CPUs. */
void pawl_listings_begin(struct pawl_listings *listings);
/* Waits until all are read, or ends them where the budget of the command is over. Several threads
   may wait. */
void pawl_listings_await(struct pawl_listings *listings);
/* Ends those that still run. */
void pawl_listings_clear(struct pawl_listings *listings);

/* Lists the functions of a plug-in's machine code: of its GPU code by cuobjdump, or of its CPU code
 * by objdump. The listings have the code of their plug-ins when their commands have ended, which
 * this awaits, and keep it until pawl_listings_clear; NULL: none. Fails with PAWL_UNAVAILABLE if
 * that tool is absent. */
pawl_status pawl_disassemble(const char *plugin, bool gpu, struct pawl_listings *listings,
                             struct pawl_arena *arena, struct pawl_machine_code *out,
                             struct pawl_error *err);
/* Reads the listing of cuobjdump -sass or of objdump -d, which it changes. */
void pawl_disassembly_read(char *text, bool gpu, struct pawl_arena *arena,
                           struct pawl_machine_code *out);

/* Returns the function of the code with the symbol and the architecture of `like`, or NULL. */
const struct pawl_function_code *pawl_machine_code_find(const struct pawl_machine_code *code,
                                                        const struct pawl_function_code *like);

/* Counts the loops around each instruction. */
void pawl_find_loops(struct pawl_function_code *function);
