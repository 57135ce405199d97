/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CUDA device code inside an ELF section. The container is undocumented. pawl knows the
 * layout from the output of nvcc 12 and 13 and checks it at every step. It hashes the bytes of any
 * other layout, so code may count as different, but never as identical when it is not. */
#pragma once

#include <stddef.h>

#include "base/hash.h"

/* Adds the device code of a .nv_fatbin section: code, constants, kernel attributes and symbols of
 * every cubin, and the bytes of everything else (PTX, compressed code). */
void pawl_fatbin_hash(const unsigned char *data, size_t size, struct pawl_hasher *hasher);

/* Calls `visit` for each uncompressed cubin, a complete ELF file in memory. */
void pawl_fatbin_each_cubin(const unsigned char *data, size_t size,
                            void (*visit)(void *context, const unsigned char *cubin, size_t size),
                            void *context);

/* nvcc names things in anonymous namespaces, and static device variables, after a hash of the
 * absolute path of the source: _GLOBAL__N__<8 hex>_<n>_<file name, n characters>_..., and
 * _INTERNAL_ likewise. Sets those digits to '0' in place, wherever they occur in `data`. */
void pawl_fatbin_normalise(unsigned char *data, size_t size);
