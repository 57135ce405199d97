/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parameters into the text of pawl.yaml: only the bytes of the values change, so comments
 * and layout stay. */
#ifndef PAWL_SUITE_EDIT_PARAMS_H
#define PAWL_SUITE_EDIT_PARAMS_H

#include "base/text.h"
#include "suite/read.h"

/* A value as YAML reads it back, in block and in flow style: in double quotes unless it is a plain
 * word or number. */
void pawl_suite_add_value(const char *value, struct pawl_text *out);

/* The text with the `params` of a kernel set. Each must be in the text as a plain or quoted value,
   and a quoted one keeps its quotes. If a parameter is missing, has an anchor or comes from an
   alias, PAWL_CONFIG says where to write it by hand. The result is read again, and must differ only
   in these params. */
pawl_status pawl_suite_edit_params(const char *text, size_t length, const char *path,
                                   const char *kernel, const struct pawl_param_value *params,
                                   size_t count, struct pawl_text *out, struct pawl_error *err);

/* The same in the file itself, not over a link to it. */
pawl_status pawl_suite_write_params(const char *path, const char *kernel,
                                    const struct pawl_param_value *params, size_t count,
                                    struct pawl_error *err);

#endif
