/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the times of files right for a build command that, like make, decides by them. */
#pragma once

#include "build/build_options.h"

/* Gives the present time to each file of the tree that changed since the record at this path, but
 * has an older time than the record. Without a record it does nothing. */
void pawl_command_inputs_touch(const struct pawl_build_options *options, const char *record);
/* Records the contents of all files of the tree, after the command. */
pawl_status pawl_command_inputs_keep(const struct pawl_build_options *options, const char *record,
                                     struct pawl_error *err);
