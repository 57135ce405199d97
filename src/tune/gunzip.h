/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded spaces are often kept as .json.gz. */
#ifndef PAWL_TUNE_GUNZIP_H
#define PAWL_TUNE_GUNZIP_H

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* Puts the contents of a gzip file (RFC 1952, one member or more) in the place of its bytes; leaves
   any other text as it is. `name` is the file's, for the message. PAWL_BAD_DATA: the file is
   damaged, or longer than `limit` bytes. */
pawl_status pawl_gunzip(struct pawl_text *text, size_t limit, const char *name,
                        struct pawl_error *err);

#endif
