/* SPDX-License-Identifier: Apache-2.0 */
/* Checks names. */
#pragma once

#include <stdbool.h>

/* A shape parameter, a -D and a tuning dimension have the name of a C identifier. */
bool pawl_is_identifier(const char *name);
/* A kernel's or case's name has at most 100 letters, digits and _ . - and does not begin with . or
 * -. An operator's name is a C identifier in lower case. */
bool pawl_is_name(const char *text);
bool pawl_is_operator_name(const char *text);
