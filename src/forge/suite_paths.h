/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a repository on which a suite's measurements depend: for the filters of a workflow.
 */
#ifndef PAWL_FORGE_SUITE_PATHS_H
#define PAWL_FORGE_SUITE_PATHS_H

#include "base/strings.h"
#include "model/suite.h"

/* pawl.yaml, the sources, what they include, and the files of protocol commands, below `root`
   (absolute, without links) and relative to it, sorted. A file of a submodule stands as the
   submodule. Includes are read from the text, so that those of every branch of the preprocessor
   count, and no compiler is needed. What a build command or a measured command reads is not known:
   `whole` then says that everything in the suite's folder counts. */
struct pawl_suite_paths {
  struct pawl_strings files;
  bool whole;
};
pawl_status pawl_suite_paths_find(const struct pawl_suite *suite, const char *root,
                                  struct pawl_arena *arena, struct pawl_suite_paths *out,
                                  struct pawl_error *err);

#endif
