/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of names. */
#pragma once

#include <stdbool.h>

/* A C identifier: what a shape parameter, a -D name or a tuning dimension may be called. */
bool pawl_is_identifier(const char *name);
/* Kernels and cases: letters, digits and _ . - ; not beginning with . or - ; at most 100.
   Operators: a C identifier in lower case. */
bool pawl_is_name(const char *text);
bool pawl_is_operator_name(const char *text);
