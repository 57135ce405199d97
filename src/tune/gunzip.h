/* SPDX-License-Identifier: Apache-2.0 */
/* Reads gzip files, because recorded spaces are often .json.gz. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* Replaces the bytes of a gzip file (RFC 1952, one member or more) by its contents, and leaves
   other text unchanged. `name` is the file name for messages. PAWL_BAD_DATA: the file is
   damaged, or its contents exceed `limit` bytes. */
pawl_status pawl_gunzip(struct pawl_text *text, size_t limit, const char *name,
                        struct pawl_error *err);
