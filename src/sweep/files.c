/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "sweep/signature.h"
#include "sweep/table.h"

static void sweep_claims_file(const struct pawl_sweep_view *view, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *document = pawl_struct_write(&pawl_sweep_claims_fields, view->claims);
  pawl_json_write_text(document, true, out);
}

static struct pawl_sweep_table sweep_claim_table(const struct pawl_sweep_view *view) {
  return (struct pawl_sweep_table){&pawl_sweep_claim_fields, view->claims->claims,
                                   view->claims->claim_count, NULL};
}

static struct pawl_sweep_table sweep_time_table(const struct pawl_sweep_view *view) {
  return (struct pawl_sweep_table){&pawl_sweep_time_fields, view->claims->times,
                                   view->claims->time_count, NULL};
}

static void sweep_claims_csv(const struct pawl_sweep_view *view, struct pawl_text *out) {
  const struct pawl_sweep_table table = sweep_claim_table(view);
  pawl_sweep_csv(&table, out);
}

static void sweep_times_csv(const struct pawl_sweep_view *view, struct pawl_text *out) {
  const struct pawl_sweep_table table = sweep_time_table(view);
  pawl_sweep_csv(&table, out);
}

static void sweep_claims_latex(const struct pawl_sweep_view *view, struct pawl_text *out) {
  static const char *const keys[] = {"kernel", "reference", "case",    "speedup",
                                     "low",    "high",      "verdict", NULL};
  struct pawl_sweep_table table = sweep_claim_table(view);
  table.keys = keys;
  pawl_sweep_latex(&table, out);
}

static void sweep_times_latex(const struct pawl_sweep_view *view, struct pawl_text *out) {
  static const char *const keys[] = {"arm",    "case", "median_ms", "low_ms", "high_ms",
                                     "gflops", "gb_s", "limit_pct", NULL};
  struct pawl_sweep_table table = sweep_time_table(view);
  table.keys = keys;
  pawl_sweep_latex(&table, out);
}

/* The authors fill in their names. */
static void sweep_citation(const struct pawl_sweep_view *view, struct pawl_text *out) {
  const struct pawl_sweep_plan *plan = &view->sweep->plan;
  pawl_text_add(out,
                "cff-version: 1.2.0\n"
                "message: If you use these measurements, please cite them.\n"
                "type: dataset\n");
  pawl_text_printf(out, "title: \"Measurements of %zu kernels and references on %zu shapes\"\n",
                   plan->arm_count, plan->point_count);
  pawl_text_add(out, "authors:\n  - name: The authors of the kernels\n");
  if (plan->commit) pawl_text_printf(out, "commit: %s\n", plan->commit);
  if (plan->started) pawl_text_printf(out, "date-released: %.10s\n", plan->started);
}

const struct pawl_sweep_file pawl_sweep_files[] = {
    {"README.md", pawl_sweep_readme},       {"index.html", pawl_sweep_page},
    {PAWL_SWEEP_CLAIMS, sweep_claims_file}, {"claims.csv", sweep_claims_csv},
    {"claims.tex", sweep_claims_latex},     {"times.csv", sweep_times_csv},
    {"times.tex", sweep_times_latex},       {"CITATION.cff", sweep_citation, .users = true},
};
const size_t pawl_sweep_file_count = PAWL_COUNT(pawl_sweep_files);

bool pawl_sweep_sums_cover(const struct pawl_text *sums, const char *name) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text wanted = {0};
  pawl_text_printf(&wanted, "  %s\n", name);
  return pawl_text_equal(name, PAWL_SWEEP_SUMS) ||
         pawl_text_equal(name, PAWL_SWEEP_SSH_SIGNATURE) ||
         pawl_text_equal(name, PAWL_SWEEP_MINISIGN_SIGNATURE) ||
         strstr(pawl_text_string(sums), wanted.data);
}

static int sweep_is_visible(const struct dirent *entry) { return *entry->d_name != '.'; }

pawl_status pawl_sweep_list_files(const char *folder, struct pawl_arena *arena, const char ***out,
                                  size_t *count, struct pawl_error *err) {
  struct dirent **entries;
  const int found = scandir(folder, &entries, sweep_is_visible, alphasort);
  if (found < 0) return pawl_fail_errno(err, errno, "cannot read folder '%s'", folder);
  *out = pawl_arena_alloc(arena, (size_t)found + 1, sizeof **out);
  *count = 0;
  for (int i = 0; i < found; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, entries[i]->d_name);
    if (pawl_is_regular(path)) (*out)[(*count)++] = pawl_arena_copy(arena, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return PAWL_OK;
}
