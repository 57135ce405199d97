/* SPDX-License-Identifier: Apache-2.0 */
/* For kernels that keep results: one remembered output, and what it was remembered under. */
#pragma once

#include <pawl/kernel.h>
#include <stdlib.h>
#include <string.h>

static unsigned char remembered_key[256];
static void *remembered;
static size_t remembered_bytes;

/* Writes the remembered output when it is that of the key. */
static inline int recall(const struct pawl_launch *launch, const void *key, size_t key_bytes,
                         size_t size) {
  if (!remembered || remembered_bytes != size || memcmp(remembered_key, key, key_bytes) != 0)
    return 0;
  memcpy(launch->tensors[launch->tensor_count - 1].data, remembered, size);
  return 1;
}

static inline void remember(const struct pawl_launch *launch, const void *key, size_t key_bytes,
                            size_t size) {
  remembered = realloc(remembered, size);
  remembered_bytes = size;
  memcpy(remembered_key, key, key_bytes);
  memcpy(remembered, launch->tensors[launch->tensor_count - 1].data, size);
}
