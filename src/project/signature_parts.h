/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a function that a suite can call. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAWL_SIGNATURE_MOST 12 /* parameters */

enum pawl_signature_role {
  PAWL_SIGNATURE_INPUT,  /* a tensor that the function only reads */
  PAWL_SIGNATURE_OUTPUT, /* a tensor that it may write */
  PAWL_SIGNATURE_SIZE,   /* an integer */
  PAWL_SIGNATURE_NUMBER, /* a floating-point scalar; Python: also what keeps its default */
  PAWL_SIGNATURE_STREAM  /* CUDA: the stream of a function that launches kernels */
};

struct pawl_signature_param {
  const char *name;
  const char *type; /* in the source's words; Python: NULL without an annotation */
  enum pawl_signature_role role;
  int32_t dtype; /* a tensor's */
  bool reads; /* an output whose first statement reads it too (y[i] += x[i]), or that the body only
                 gives to other functions */
  const char *sizes[PAWL_SIGNATURE_MOST]; /* the sizes that bound the tensor's indexes */
  size_t size_count;                      /* 0: the body does not say */
  const char *value;                      /* its default, in Python "" of a string; NULL: none */
  bool by_name;                           /* Python: a call must name it */
};

enum pawl_signature_language {
  PAWL_SIGNATURE_C,
  PAWL_SIGNATURE_CPP,
  PAWL_SIGNATURE_CUDA,
  PAWL_SIGNATURE_PYTHON
};

struct pawl_signature {
  enum pawl_signature_language language;
  const char *name;
  const char *scope; /* C++: "outer::inner::" before the name, or "" */
  bool on_host;      /* no __global__ function: CUDA's launches kernels on a stream */
  struct pawl_signature_param params[PAWL_SIGNATURE_MOST];
  size_t count;
  bool returns_tensor; /* Python: no parameter is an output, so the result is */
  /* C, C++: no parameter is an output, so the number that the function returns is. NULL: it returns
   * nothing */
  const char *returns;
  int32_t returned; /* its enum pawl_dtype */
  /* the other functions that a call without `wanted` could have taken: "b, c", or NULL */
  const char *others;
};
