/* SPDX-License-Identifier: Apache-2.0 */
/* The mapping of the shared memory in pawl-worker. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "protocol/tensor.h"

struct host_mapping {
  unsigned char *data; /* NULL: not mapped */
  size_t size;
};

/* Maps all of `fd`, again if its size has changed. Fails with PAWL_BAD_DATA if `fd` is not open or
   is empty. */
pawl_status host_mapping_open(struct host_mapping *mapping, int fd, struct pawl_error *err);
/* Returns whether all of `fd` is mapped, as its size is now. */
bool host_mapping_is_whole(const struct host_mapping *mapping, int fd);
void host_mapping_release(struct host_mapping *mapping);

/* Finds the address of a tensor. Fails with PAWL_BAD_DATA if the tensor exceeds the mapping or its
   offset is no multiple of 256. */
pawl_status host_mapping_find(const struct host_mapping *mapping, uint64_t offset, uint64_t bytes,
                              void **out, struct pawl_error *err);

/* Fills `out` with the tensors of a set, including addresses and strides. `out` has room for
   PAWL_MAX_TENSORS. */
pawl_status host_place_tensors(const struct host_mapping *mapping,
                               const struct pawl_tensor_set *set, struct pawl_tensor *out,
                               struct pawl_error *err);
