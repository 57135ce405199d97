/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parameters into the text of pawl.yaml. Only the bytes of the values change, so comments
   and layout stay. */
#pragma once

#include "base/text.h"
#include "suite/read.h"

/* Appends a value that YAML reads back, in block and in flow style. Puts double quotes around all
 * but plain words and numbers. */
void pawl_suite_add_value(const char *value, struct pawl_text *out);

/* Sets the `params` of a kernel in the text. A plain or quoted value must be there for each; a
 * quoted value keeps its quotes. If a parameter is missing, has an anchor or comes from an alias,
 * PAWL_CONFIG says where to write it by hand. The function reads the result again, which may differ
 * only in these params. */
pawl_status pawl_suite_edit_params(const char *text, size_t length, const char *path,
                                   const char *kernel, const struct pawl_param_value *params,
                                   size_t count, struct pawl_text *out, struct pawl_error *err);

/* Does the same in the file itself, but not through a link. */
pawl_status pawl_suite_write_params(const char *path, const char *kernel,
                                    const struct pawl_param_value *params, size_t count,
                                    struct pawl_error *err);
