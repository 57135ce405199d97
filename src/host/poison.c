/* SPDX-License-Identifier: Apache-2.0 */
#include "host/poison.h"

#include "base/entropy.h"

/* In the last byte of an element this bit is the second highest bit of the value, in a float the
   highest of the exponent. Neither rounding nor another order of additions changes it. */
#define FLIPPED 0x40

/* Returns a random element of the outputs, or one of 0 bytes if there are no outputs. */
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

/* Chooses the last byte of the element. Chooses none if the whole element is poison, because the
   kernel may not have to write there. */
static pawl_status choose(const struct host_kernel *host, const struct host_span *element,
                          struct host_poison *out, struct pawl_error *err) {
  unsigned char bytes[HOST_MAX_ELEMENT_BYTES];
  *out = (struct host_poison){0};
  if (!element->bytes) return PAWL_OK;
  PAWL_TRY(host->device->download(host->device_state, bytes, element->data, element->bytes, err));
  bool written = false;
  for (size_t i = 0; i < element->bytes; i++) written = written || bytes[i] != HOST_POISON;
  const size_t last = element->bytes - 1;
  if (written)
    *out = (struct host_poison){(unsigned char *)element->data + last, bytes[last] ^ FLIPPED};
  return PAWL_OK;
}

pawl_status host_poisons_draw(const struct host_kernel *host, const struct host_set *set,
                              int max_calls, int *calls, struct host_poisons *out,
                              struct pawl_error *err) {
  uint64_t length, random[HOST_MAX_POISONS][2];
  PAWL_TRY(pawl_entropy(&length, sizeof length, err));
  PAWL_TRY(pawl_entropy(random, sizeof random, err));
  *calls = 2 + (int)(length % (uint64_t)(max_calls - 1));
  out->count = *calls - 1 < HOST_MAX_POISONS ? *calls - 1 : HOST_MAX_POISONS;
  for (int i = 0; i < out->count; i++) {
    const struct host_span element = draw(set, random[i]);
    PAWL_TRY(choose(host, &element, &out->list[i], err));
  }
  return PAWL_OK;
}

pawl_status host_poisons_check(const struct host_kernel *host, const struct host_poisons *poisons,
                               bool *left_out, struct pawl_error *err) {
  for (int i = 0; i < poisons->count; i++) {
    unsigned char now;
    if (!poisons->list[i].address) continue;
    PAWL_TRY(host->device->download(host->device_state, &now, poisons->list[i].address, 1, err));
    if (now == poisons->list[i].value) *left_out = true;
  }
  return PAWL_OK;
}
