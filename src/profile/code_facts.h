/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the machine code of kernels, in place of counters whose names begin with "pawl__".
 * They say of what kind the instructions are that the counters see, for this room alone. */
#pragma once

#include "build/cubin.h"
#include "build/instructions.h"
#include "profile/profile.h"

struct pawl_code_facts {
  struct pawl_machine_code code; /* empty: unknown, as without cuobjdump */
  struct pawl_device_function *functions;
  size_t count;
  /* the operator's count for a call of one kernel; NAN: unknown */
  double compulsory_bytes;
};

/* Reads the plug-in; NULL: there is none. The listings: as for pawl_disassemble. It cannot fail:
 * facts that pawl does not find are unknown. */
void pawl_code_facts_read(const char *plugin, struct pawl_listings *listings,
                          struct pawl_arena *arena, struct pawl_code_facts *out);

/* Writes the facts of a kernel into its values. `name` is the linker's name, or the name that
 * Nsight Compute writes. Facts of the code stay as they are if no function or more than one has
 * that name. */
void pawl_code_facts_of(const struct pawl_code_facts *facts, const char *name,
                        double values[PAWL_COUNTERS]);
