/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a sweep: everything that a stranger needs to believe and to repeat it. */
#pragma once

#include "sweep/files.h"

/* Writes all files that follow from the sweep, then their checksums. If all shapes are complete,
   the samples become one compressed file. `key` (NULL: none) is a private key that signs the
   checksums. Fails with PAWL_UNAVAILABLE without ssh-keygen, and with PAWL_NOT_PERMITTED if it does
   not sign. */
pawl_status pawl_sweep_write_folder(const struct pawl_sweep_view *view, const char *folder,
                                    const char *key, struct pawl_error *err);
