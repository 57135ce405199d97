/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the signature of a function in C, C++, CUDA or Python, to start a suite from a kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

#define PAWL_SIGNATURE_MOST 12 /* parameters */

enum pawl_signature_role {
  PAWL_SIGNATURE_INPUT,  /* a tensor that the function only reads */
  PAWL_SIGNATURE_OUTPUT, /* a tensor that it may write */
  PAWL_SIGNATURE_SIZE,   /* an integer */
  PAWL_SIGNATURE_NUMBER  /* a floating-point scalar; Python: also what keeps its default */
};

struct pawl_signature_param {
  const char *name;
  const char *type; /* in the source's words; Python: NULL without an annotation */
  enum pawl_signature_role role;
  int32_t dtype;     /* a tensor's */
  bool reads;        /* an output whose first statement reads it too: y[i] += x[i] */
  const char *value; /* Python: its default, "" of a string; NULL: none */
  bool by_name;      /* Python: a call must name it */
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

/* Finds the function `wanted`, or with NULL the first one that takes a tensor; in CUDA the first
 * __global__ function. Strings live in the arena. Fails with PAWL_BAD_DATA if the text has no such
 * function, or if pawl cannot tell the type of a parameter. */
pawl_status pawl_signature_read(const char *text, enum pawl_signature_language language,
                                const char *wanted, struct pawl_arena *arena,
                                struct pawl_signature *out, struct pawl_error *err);
