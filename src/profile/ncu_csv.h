/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the output of `ncu --csv --page raw`: noise up to the first quoted line, a row of names, a
   row of units, a row for each kernel. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"

/* Strings live in the arena. PAWL_BAD_DATA with one line that says what to do: no kernel was
   profiled, another page of ncu's, a file cut off, numbers of another locale; PAWL_NOT_PERMITTED:
   the driver refused the counters to this user.
 */
pawl_status pawl_ncu_csv_parse(const char *text, size_t length, const char *name,
                               struct pawl_arena *arena, struct pawl_profile *out,
                               struct pawl_error *err);
pawl_status pawl_ncu_csv_read(const char *path, struct pawl_arena *arena, struct pawl_profile *out,
                              struct pawl_error *err);

#define PAWL_COUNTERS_PERMISSION_REMEDY                                                           \
  "the driver gives GPU counters to administrators only (ERR_NVGPUCTRPERM); set "                 \
  "NVreg_RestrictProfilingToAdminUsers=0 for the module nvidia and reboot, or run as root; in a " \
  "container "                                                                                    \
  "add the capability SYS_ADMIN"
