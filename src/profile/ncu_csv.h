/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the output of `ncu --csv --page raw`. It ignores all lines before the first quoted line.
   Then come a row of names, a row of units, and a row for each kernel. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"

/* Strings live in the arena. Fails with PAWL_BAD_DATA if no kernel was profiled, the output is of
   another page of ncu, the file is cut off, or its numbers follow another locale. Fails with
   PAWL_NOT_PERMITTED if the driver refused counters to this user. The message says what to do. */
pawl_status pawl_ncu_csv_parse(const char *text, size_t length, const char *name,
                               struct pawl_arena *arena, struct pawl_profile *out,
                               struct pawl_error *err);
pawl_status pawl_ncu_csv_read(const char *path, struct pawl_arena *arena, struct pawl_profile *out,
                              struct pawl_error *err);

/* Reads the samples of the program counter from the same page with --print-metric-instances
   details, which lists the samples of each instruction in the columns of the stalls. The symbol of
   a sample is the kernel's name as ncu prints it. The page has the kernels of `count` calls, one
   after the other, of which call i launches launches[i]. Fails with PAWL_BAD_DATA if it has another
   number, or if a call has no samples. */
pawl_status pawl_ncu_samples_parse(const char *text, size_t length, const char *name,
                                   const size_t *launches, size_t count, struct pawl_arena *arena,
                                   struct pawl_code_samples *out, struct pawl_error *err);

#define PAWL_COUNTERS_PERMISSION_REMEDY                                                           \
  "the driver gives GPU counters to administrators only (ERR_NVGPUCTRPERM); set "                 \
  "NVreg_RestrictProfilingToAdminUsers=0 for the module nvidia and reboot, or run as root; in a " \
  "container "                                                                                    \
  "add the capability SYS_ADMIN"
