/* SPDX-License-Identifier: Apache-2.0 */
/* The shared memory as pawl-worker sees it. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "protocol/tensor.h"

struct host_mapping {
  unsigned char *data; /* NULL: not mapped */
  size_t size;
};

/* Maps all of `fd` anew (it may have grown). PAWL_BAD_DATA when there is no such descriptor. */
pawl_status host_mapping_open(struct host_mapping *mapping, int fd, struct pawl_error *err);
void host_mapping_release(struct host_mapping *mapping);

/* Where a placed tensor lies; PAWL_BAD_DATA when it reaches out of the mapping or is not aligned to
 * 256. */
pawl_status host_mapping_find(const struct host_mapping *mapping, uint64_t offset, uint64_t bytes,
                              void **out, struct pawl_error *err);

/* The tensors of a set with their data, strides filled in. `out` has room for PAWL_MAX_TENSORS. */
pawl_status host_place_tensors(const struct host_mapping *mapping,
                               const struct pawl_tensor_set *set, struct pawl_tensor *out,
                               struct pawl_error *err);
