/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the source line of each instruction of a plug-in: .debug_line of DWARF 2 to 4 (DWARF
 * Debugging Information Format 4, section 6.2), in the file itself for a CPU and in its cubins for
 * a GPU. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

/* A line where code was inlined. */
struct pawl_line_place {
  const char *file; /* as the compiler wrote it */
  int line;
  const struct pawl_line_place *caller; /* where that code was inlined itself; NULL: nowhere */
};

/* The line of the code from this address to that of the next row. */
struct pawl_line_row {
  const char *symbol; /* the function of a GPU that the address counts from; NULL: a CPU */
  int arch;           /* 90: sm_90; 0: a CPU */
  uint64_t address;
  const char *file; /* as the compiler wrote it */
  int line;         /* 0: none */
  const struct pawl_line_place
      *caller; /* where a GPU's code was inlined; NULL: unknown, or nowhere */
};

struct pawl_line_table {
  struct pawl_line_row *rows; /* by architecture, symbol and address */
  size_t count;
  struct pawl_hash code;   /* the hash of the code that the lines are about */
  struct pawl_hash layout; /* the hash of the addresses and sizes of its sections */
};

/* Reads the rows of a plug-in with line tables. A plug-in without them has no rows, and `code` all
 * the same. Fails with PAWL_BAD_DATA if a table is damaged or of another version. */
pawl_status pawl_line_table_read(const char *plugin, bool gpu, struct pawl_arena *arena,
                                 struct pawl_line_table *out, struct pawl_error *err);

/* Returns the row of an address, or NULL. */
const struct pawl_line_row *pawl_line_table_find(const struct pawl_line_table *table,
                                                 const char *symbol, int arch, uint64_t address);
