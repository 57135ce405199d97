/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a sweep: everything that a stranger needs to believe and to repeat it. */
#pragma once

#include "sweep/files.h"

struct pawl_sweep_writing {
  const char *key; /* a private key that signs the checksums; NULL: none */
  bool no_png;     /* the pictures are SVG alone: a smaller folder */
};

/* Writes all files that follow from the sweep, then their checksums. If all shapes are complete,
   the samples become one compressed file. Fails with PAWL_UNAVAILABLE without the program that
   signs, and with PAWL_NOT_PERMITTED if it does not sign. */
pawl_status pawl_sweep_write_folder(const struct pawl_sweep_view *view, const char *folder,
                                    const struct pawl_sweep_writing *writing,
                                    struct pawl_error *err);
