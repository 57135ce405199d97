/* SPDX-License-Identifier: Apache-2.0 */
/* Finds pawl's own files, the suite's folder, and pawl's files in it. */
#pragma once

#include "base/error.h"
#include "base/memory.h"

#define PAWL_BASELINE_PATH "perf/baseline.json" /* below the suite's folder */
#define PAWL_OUTPUT_FOLDER "perf/out"           /* the default place for output */

struct pawl_paths {
  const char *home;           /* pawl's own files */
  const char *include_folder; /* pawl's headers */
  const char *folder;         /* the suite's folder */
  const char *cache_folder;   /* builds and caches (.pawl) */
  const char *machine_folder; /* measurements of this machine, for every project */
  struct pawl_arena *arena;   /* owns the paths */
};

/* Makes the cache folder, .pawl in the suite's folder if `cache_folder` is NULL. Fails with
 * PAWL_UNAVAILABLE if pawl's own files are missing. */
pawl_status pawl_paths_find(const char *folder, const char *cache_folder, struct pawl_arena *arena,
                            struct pawl_paths *out, struct pawl_error *err);

/* Return a path below pawl's own files, and a path below the suite's folder. */
const char *pawl_home_path(const struct pawl_paths *paths, const char *relative);
const char *pawl_suite_path(const struct pawl_paths *paths, const char *relative);

/* Makes the folder of expected values before any worker starts. pawl hides it from workers, so code
   under test cannot read it. */
pawl_status pawl_oracle_folder(const struct pawl_paths *paths, const char **out,
                               struct pawl_error *err);
/* Makes PAWL_OUTPUT_FOLDER, which git ignores. */
pawl_status pawl_output_folder(const struct pawl_paths *paths, const char **out,
                               struct pawl_error *err);
