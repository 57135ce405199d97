/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the line-number programs of a .debug_line section. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of a line table. `place` is the offset in the section of the address that the sequence
 * began with, which a relocation may name. Strings end with the section. */
struct pawl_line_event {
  uint64_t address;
  size_t place;
  const char *folder, *file; /* folder is NULL: the compiler's own */
  int line;                  /* 0: the sequence ends here */
  uint64_t number;           /* its place in its sequence, from 1 */
  uint64_t caller; /* the number of the row where NVIDIA's compilers inlined the code; 0: nowhere */
};

/* Calls `row` for each row. Returns false if the section is damaged, or of another version than 2
 * to 4. */
bool pawl_line_program_run(const unsigned char *data, size_t size,
                           void (*row)(void *context, const struct pawl_line_event *event),
                           void *context);
