/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/host/spots.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "model/dtype.h"

#define BATCHES 4     /* a kernel that works in every other call works in the last of one in two */
#define MOST_SPOTS 16 /* before each of the last calls one */
#define MOST_ELEMENT_BYTES 8

/* One element of the outputs; of no bytes when there are none. */
static struct host_span draw(const struct host_set *set, const uint64_t random[2]) {
  int outputs[PAWL_MAX_TENSORS], count = 0;
  for (int i = 0; i < set->placed.count; i++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
    if (placed->spec.role == PAWL_OUT && placed->bytes) outputs[count++] = i;
  }
  if (!count) return (struct host_span){0};
  const int chosen = outputs[random[0] % (uint64_t)count];
  const size_t size = pawl_dtype_size(set->placed.tensors[chosen].spec.dtype);
  const uint64_t element = random[1] % (set->placed.tensors[chosen].bytes / size);
  return (struct host_span){(char *)set->tensors[chosen].data + element * size, size};
}

static bool is_poison(const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] != HOST_POISON) return false;
  }
  return true;
}

static pawl_status check_one(struct host_kernel *host, struct host_set *set, int calls, bool *left_out,
                             struct pawl_error *err) {
  uint64_t length, random[MOST_SPOTS][2];
  if (getrandom(&length, sizeof length, 0) != (ssize_t)sizeof length ||
      getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    return pawl_fail(err, PAWL_IO, "cannot draw random numbers: %s", strerror(errno));
  const int made = 2 + (int)(length % (uint64_t)(calls - 1));
  struct host_span at[MOST_SPOTS];
  unsigned char before[MOST_SPOTS][MOST_ELEMENT_BYTES], after[MOST_ELEMENT_BYTES];
  const struct host_spots spots = {at, made - 1 < MOST_SPOTS ? made - 1 : MOST_SPOTS};
  for (int i = 0; i < spots.count; i++) {
    at[i] = draw(set, random[i]);
    PAWL_TRY(host->device->download(host->device_state, before[i], at[i].data, at[i].bytes, err));
  }
  double ns;
  PAWL_TRY(host_kernel_record(host, set, made, &spots, err));
  PAWL_TRY(host_kernel_call(host, set, made, &spots, &ns, err));
  for (int i = 0; i < spots.count; i++) {
    PAWL_TRY(host->device->download(host->device_state, after, at[i].data, at[i].bytes, err));
    /* what was written may be of the poison's bytes */
    if (is_poison(after, at[i].bytes) && !is_poison(before[i], at[i].bytes)) *left_out = true;
  }
  return PAWL_OK;
}

pawl_status host_spots_check(struct host_kernel *host, struct host_set *set, int calls, bool *left_out,
                             struct pawl_error *err) {
  for (int i = 0; i < BATCHES; i++) PAWL_TRY(check_one(host, set, calls, left_out, err));
  return PAWL_OK;
}
