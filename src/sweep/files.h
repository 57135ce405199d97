/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a sweep's folder that follow from its plan and blocks: README.md, index.html, tables
   and pictures. */
#pragma once

#include "sweep/claims.h"

#define PAWL_SWEEP_CLAIMS "claims.json"

/* The contents of a folder. */
struct pawl_sweep_view {
  const struct pawl_sweep *sweep;
  const struct pawl_sweep_claims *claims;
};

/* A file whose text the same plan and blocks give on every machine. */
struct pawl_sweep_file {
  const char *name;
  void (*write)(const struct pawl_sweep_view *view, struct pawl_text *out);
  bool users; /* the user edits it: pawl writes it once, and it has a checksum alone */
};
extern const struct pawl_sweep_file pawl_sweep_files[];
extern const size_t pawl_sweep_file_count;

/* Lists the regular files of the folder whose names do not begin with a dot, sorted, in the arena.
 * Fails with PAWL_NO_INPUT if pawl cannot read the folder. */
pawl_status pawl_sweep_list_files(const char *folder, struct pawl_arena *arena, const char ***out,
                                  size_t *count, struct pawl_error *err);

/* Returns whether the checksums have a line for this file, or are in this file. */
bool pawl_sweep_sums_cover(const struct pawl_text *sums, const char *name);

/* README.md and index.html: sweep/summary.c */
void pawl_sweep_readme(const struct pawl_sweep_view *view, struct pawl_text *out);
void pawl_sweep_page(const struct pawl_sweep_view *view, struct pawl_text *out);
