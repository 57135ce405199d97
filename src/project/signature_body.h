/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from the body of a function in C, C++ or CUDA which tensors it reads, and their sizes. */
#pragma once

#include <ctype.h>

#include "base/memory.h"
#include "project/signature_parts.h"

static inline bool pawl_signature_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Fills in `reads` and `sizes` of the tensors. The body follows the bracket at `close`, in a text
 * without comments. */
void pawl_signature_read_body(const char *close, struct pawl_arena *arena,
                              struct pawl_signature *out);
