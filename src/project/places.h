/* SPDX-License-Identifier: Apache-2.0 */
/* Where things are: pawl's own files, the suite's folder, what pawl keeps there. */
#ifndef PAWL_PROJECT_PLACES_H
#define PAWL_PROJECT_PLACES_H

#include "base/error.h"
#include "base/memory.h"

#define PAWL_BASELINE_PATH "perf/baseline.json" /* in the suite's folder */
#define PAWL_OUTPUT_FOLDER "perf/out"           /* for output that nobody gave a place */

struct pawl_places {
  const char *home;           /* pawl's own files */
  const char *include_folder; /* its headers */
  const char *folder;         /* the suite's */
  const char *cache_folder;   /* builds and caches: .pawl */
  const char *machine_folder; /* what pawl measured of this machine, for every project */
  struct pawl_arena *arena;   /* of the paths */
};

/* PAWL_UNAVAILABLE: pawl's own files are not where they belong. Makes the cache folder;
   `cache_folder` NULL: .pawl of the suite's folder. */
pawl_status pawl_places_find(const char *folder, const char *cache_folder, struct pawl_arena *arena,
                             struct pawl_places *out, struct pawl_error *err);

/* A path below pawl's own files; a path below the suite's folder. */
const char *pawl_home_path(const struct pawl_places *places, const char *relative);
const char *pawl_suite_path(const struct pawl_places *places, const char *relative);

/* Makes the folder of expected values, into which no code under test may see: it is hidden from
   workers, and so must be there before them. */
pawl_status pawl_oracle_folder(const struct pawl_places *places, const char **out,
                               struct pawl_error *err);
/* Makes PAWL_OUTPUT_FOLDER, which git ignores. */
pawl_status pawl_output_folder(const struct pawl_places *places, const char **out,
                               struct pawl_error *err);

#endif
