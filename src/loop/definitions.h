/* SPDX-License-Identifier: Apache-2.0 */
/* The -D of a command line. */
#ifndef PAWL_LOOP_DEFINITIONS_H
#define PAWL_LOOP_DEFINITIONS_H

#include "loop/project.h"

/* PAWL_USAGE: no kernel named (all when none is) reads one of the project's definitions; names the nearest
   parameter. */
pawl_status pawl_definitions_check(const struct pawl_project *project, char *const *names, int count,
                                   struct pawl_error *err);

#endif
