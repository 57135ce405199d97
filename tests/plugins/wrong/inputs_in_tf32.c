/* SPDX-License-Identifier: Apache-2.0 */
/* FP32 inputs are cut to TF32's ten bits, as tensor cores do unless told otherwise. */
#define INPUT(x) cut(x)
static inline float cut(float x);
#include "attention.h"

static inline float cut(float x) {
  uint32_t word;
  memcpy(&word, &x, sizeof word);
  word &= 0xffffe000u;
  memcpy(&x, &word, sizeof x);
  return x;
}
