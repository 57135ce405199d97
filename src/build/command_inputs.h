/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a build command, which decides by the times of files, as make does. */
#pragma once

#include "build/build_options.h"

/* Gives the present time to each file of the tree whose contents changed since the record at this
   path, and whose time is older than the record. Nothing happens where there is no record. */
void pawl_command_inputs_touch(const struct pawl_build_options *options, const char *record);
/* Records the contents of all files of the tree, after the command. */
pawl_status pawl_command_inputs_keep(const struct pawl_build_options *options, const char *record,
                                     struct pawl_error *err);
