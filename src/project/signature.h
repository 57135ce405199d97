/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the signature of a function in C, C++, CUDA or Python, to start a suite from a kernel. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "project/signature_parts.h"

/* Finds the function `wanted`, or with NULL the first one that takes a tensor; in CUDA the first
 * one that launches on a stream, or else the first __global__ function. Strings live in the arena.
 * Fails with PAWL_BAD_DATA if the text has no such function, or if pawl cannot tell the type of a
 * parameter. */
pawl_status pawl_signature_read(const char *text, enum pawl_signature_language language,
                                const char *wanted, struct pawl_arena *arena,
                                struct pawl_signature *out, struct pawl_error *err);
