/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

pawl_status pawl_shared_init(struct pawl_shared *shared, const char *name, size_t size,
                             struct pawl_error *err) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (size < page) size = page;
  const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot create shared memory '%s'", name);
  /* The seals prevent a worker from shrinking the memory, which would end pawl with SIGBUS, and
   * from adding seals. */
  if (ftruncate(fd, (off_t)size) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    const int number = errno;
    close(fd);
    return pawl_fail_errno(err, number, "cannot make '%s' of %zu bytes of shared memory", name,
                           size);
  }
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) {
    const int number = errno;
    close(fd);
    return pawl_fail_errno(err, number, "cannot map '%s', %zu bytes of shared memory", name, size);
  }
  *shared = (struct pawl_shared){.fd = fd, .map = map, .size = size};
  return PAWL_OK;
}

pawl_status pawl_shared_grow(struct pawl_shared *shared, size_t size, struct pawl_error *err) {
  if (size <= shared->size) return PAWL_OK;
  if (ftruncate(shared->fd, (off_t)size) != 0)
    return pawl_fail_errno(err, errno, "cannot grow shared memory to %zu bytes", size);
  void *map = mremap(shared->map, shared->size, size, MREMAP_MAYMOVE);
  if (map == MAP_FAILED)
    return pawl_fail_errno(err, errno, "cannot map %zu bytes of shared memory", size);
  shared->map = map;
  shared->size = size;
  return PAWL_OK;
}

void pawl_shared_empty(struct pawl_shared *shared, size_t offset) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), from = (offset + page - 1) / page * page;
  if (from >= shared->size || lseek(shared->fd, (off_t)from, SEEK_DATA) < 0) return; /* is empty */
  if (!fallocate(shared->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                 (off_t)(shared->size - from)))
    shared->emptied++;
}

void pawl_shared_release(struct pawl_shared *shared) {
  if (!shared || !shared->map) return;
  munmap(shared->map, shared->size);
  close(shared->fd);
  *shared = (struct pawl_shared){.fd = -1};
}
