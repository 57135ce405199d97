/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a search for a commit that an interruption must not lose: the log-ratios of two
   commits' blocks, and whole tests. */
#pragma once

#include "gate/paired_test.h"
#include "project/project.h"

struct pawl_bisect_kept {
  const char *path;
  json_t *document;
};

/* Reads the answers for this kernel, case and hardware, or begins without any. A damaged file is a
 * line in the log, and the search begins anew. */
pawl_status pawl_bisect_kept_open(struct pawl_project *project, const char *kernel,
                                  const struct pawl_case *config, const char *hardware,
                                  struct pawl_bisect_kept *out, struct pawl_error *err);
void pawl_bisect_kept_close(struct pawl_bisect_kept *kept);

/* Copies at most `room` log-ratios of the pair to `out` and returns their number. */
size_t pawl_bisect_kept_ratios(const struct pawl_bisect_kept *kept, const char *base,
                               const char *commit, double *out, size_t room);
/* Replaces the pair's log-ratios, and writes the file. */
pawl_status pawl_bisect_keep_ratios(struct pawl_bisect_kept *kept, const char *base,
                                    const char *commit, const double *ratios, size_t count,
                                    struct pawl_error *err);
/* Reads the pair's test, which may have no blocks. Returns false if there is none. */
bool pawl_bisect_kept_test(const struct pawl_bisect_kept *kept, const char *base,
                           const char *commit, struct pawl_arena *arena,
                           struct pawl_paired_test *out);
pawl_status pawl_bisect_keep_test(struct pawl_bisect_kept *kept, const char *base,
                                  const char *commit, const struct pawl_paired_test *test,
                                  struct pawl_error *err);
