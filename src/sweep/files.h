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
};
extern const struct pawl_sweep_file pawl_sweep_files[];
extern const size_t pawl_sweep_file_count;

/* README.md and index.html: sweep/summary.c */
void pawl_sweep_readme(const struct pawl_sweep_view *view, struct pawl_text *out);
void pawl_sweep_page(const struct pawl_sweep_view *view, struct pawl_text *out);
