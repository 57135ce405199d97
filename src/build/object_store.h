/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps objects between builds, by all that decided them: docs/adr/content-decides.md. Only pawl
 * reads and writes them, outside the sandbox of a build. */
#pragma once

#include "build/build_options.h"

/* Copies the kept object of this key to `path`. Returns false if there is none, or if its seal is
 * broken. */
bool pawl_object_recall(const struct pawl_build_options *options, const char *key,
                        const char *path);
/* Keeps a copy of the object at `path`. A failure does no harm: the next build compiles. */
void pawl_object_keep(const struct pawl_build_options *options, const char *key, const char *path);
