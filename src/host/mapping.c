/* SPDX-License-Identifier: Apache-2.0 */
#include "host/mapping.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "protocol/tensor_json.h"

#define ALIGNMENT 256

static size_t size_of(int fd) {
  struct stat info;
  return fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0 ? (size_t)info.st_size : 0;
}

bool host_mapping_is_whole(const struct host_mapping *mapping, int fd) {
  return mapping->data && mapping->size == size_of(fd);
}

pawl_status host_mapping_open(struct host_mapping *mapping, int fd, struct pawl_error *err) {
  const size_t size = size_of(fd);
  if (!size) return pawl_fail(err, PAWL_BAD_DATA, "there is no shared memory to map");
  if (host_mapping_is_whole(mapping, fd)) return PAWL_OK;
  void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED)
    return pawl_fail_errno(err, errno, "cannot map %zu bytes of shared memory", size);
  host_mapping_release(mapping);
  *mapping = (struct host_mapping){.data = data, .size = size};
  return PAWL_OK;
}

void host_mapping_release(struct host_mapping *mapping) {
  if (!mapping || !mapping->data) return;
  munmap(mapping->data, mapping->size);
  *mapping = (struct host_mapping){0};
}

pawl_status host_mapping_find(const struct host_mapping *mapping, uint64_t offset, uint64_t bytes,
                              void **out, struct pawl_error *err) {
  if (offset % ALIGNMENT != 0 || offset > mapping->size || bytes > mapping->size - offset)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "a tensor of %llu bytes at offset %llu is outside the shared memory",
                     (unsigned long long)bytes, (unsigned long long)offset);
  *out = mapping->data + offset;
  return PAWL_OK;
}

pawl_status host_place_tensors(const struct host_mapping *mapping,
                               const struct pawl_tensor_set *set, struct pawl_tensor *out,
                               struct pawl_error *err) {
  for (int i = 0; i < set->count; i++) {
    const struct pawl_placed_tensor *placed = &set->tensors[i];
    void *data = NULL;
    PAWL_TRY(host_mapping_find(mapping, placed->offset, placed->bytes, &data, err));
    struct pawl_tensor tensor = {.data = data,
                                 .dtype = placed->spec.dtype,
                                 .role = placed->spec.role,
                                 .ndim = placed->spec.ndim};
    memcpy(tensor.size, placed->spec.size, sizeof tensor.size);
    pawl_dense_strides(tensor.ndim, tensor.size, tensor.stride);
    out[i] = tensor;
  }
  return PAWL_OK;
}
