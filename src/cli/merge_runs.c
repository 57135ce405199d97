/* SPDX-License-Identifier: Apache-2.0 */
/* pawl merge DIR... -o DIR: the parts of `pawl run --shard`, joined. They may come from machines that ran a stranger's
   code: what is read here is bounded and computed again, as for posting. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cli/merge_runs.h"
#include "record/join.h"
#include "report/report.h"

static pawl_status write_file(const char *folder, const char *name, const struct pawl_text *text,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  return pawl_file_write(path, text->data, text->length, err);
}

/* As `pawl run` leaves it, without a picture: an old one must not pass for it. */
static pawl_status write_run(const struct pawl_cli *cli, const struct pawl_run_report *report, const char *folder,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *verdict = NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *results_path = pawl_path_join(folder, "results.json");
  PAWL_CLEANUP(pawl_free_pointer) char *verdict_path = pawl_path_join(folder, "verdict.json");
  PAWL_CLEANUP(pawl_free_pointer) char *picture_path = pawl_path_join(folder, "roofline.png");
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_TRY(pawl_report_markdown(report, &markdown, err));
  PAWL_TRY(pawl_verdict_to_json(report, &verdict, err));
  PAWL_TRY(pawl_results_write(report->results, results_path, err));
  PAWL_TRY(pawl_json_write(verdict_path, verdict, true, err));
  PAWL_TRY(write_file(folder, "report.md", &markdown, err));
  PAWL_TRY(pawl_remove_tree(picture_path, err));
  if (cli->json) return pawl_cli_write_json(NULL, verdict, err);
  return pawl_cli_write(NULL, markdown.data, markdown.length, err);
}

static pawl_status read_parts(struct pawl_cli *cli, char *const *folders, size_t count, struct pawl_stored_run *parts,
                              struct pawl_error *err) {
  for (size_t i = 0; i < count; i++) {
    PAWL_TRY(pawl_stored_run_read(folders[i], &cli->arena, &parts[i], err));
    if (parts[i].measured_reason) return pawl_fail(err, PAWL_BAD_DATA, "%s", parts[i].measured_reason);
  }
  return PAWL_OK;
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A reference is timed beside the kernels of each part, so it may be there several times: the first is shown. That no
   kernel is was seen when the verdicts were joined. */
static bool is_there(const struct pawl_results *all, const struct pawl_result *row) {
  for (size_t i = 0; i < all->count; i++)
    if (same_text(all->items[i].kernel_name, row->kernel_name) &&
        same_text(all->items[i].config.name, row->config.name))
      return true;
  return false;
}

/* The rows of all; what they hold stays the parts'. */
static struct pawl_results join_results(const struct pawl_stored_run *parts, size_t count, struct pawl_arena *arena) {
  struct pawl_results all = parts[0].results; /* of what and where; without rows for a part that timed nothing */
  size_t room = 0, first = 0;
  while (first < count && !parts[first].measured.count) first++;
  if (first < count) all = parts[first].measured;
  for (size_t i = 0; i < count; i++) room += parts[i].measured.count;
  all.document = NULL;
  all.items = pawl_arena_alloc(arena, room + 1, sizeof *all.items);
  all.count = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_results *part = &parts[i].measured;
    all.dirty = all.dirty || part->dirty;
    for (size_t j = 0; j < part->count; j++)
      if (!is_there(&all, &part->items[j])) all.items[all.count++] = part->items[j];
  }
  return all;
}

/* A verdict names the outcome alone of what was measured; the measurement itself has the times of a new kernel. */
static void show_measurements(struct pawl_ratchet_report *ratchet, const struct pawl_results *measured) {
  for (size_t i = 0; i < ratchet->count; i++) {
    struct pawl_ratchet_row *row = &ratchet->rows[i];
    for (size_t j = 0; row->result && j < measured->count; j++) {
      const struct pawl_result *found = &measured->items[j];
      if (found->outcome == row->result->outcome && same_text(found->kernel_name, row->comparison.kernel_name) &&
          same_text(found->config.name, row->comparison.config.name))
        row->result = found;
    }
  }
}

static pawl_status join(struct pawl_cli *cli, char *const *folders, size_t count, struct pawl_stored_run *parts,
                        const char *out, double seconds, struct pawl_error *err) {
  struct pawl_joined_run joined;
  const char **names = pawl_arena_alloc(&cli->arena, count, sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = folders[i];
  PAWL_TRY(read_parts(cli, folders, count, parts, err));
  PAWL_TRY(pawl_stored_run_join(parts, names, count, &cli->arena, &joined, err));
  const struct pawl_results merged = join_results(parts, count, &cli->arena);
  show_measurements(&joined.ratchet, &merged);
  joined.report.ratchet = &joined.ratchet;
  joined.report.results = &merged;
  if (!isnan(seconds)) joined.report.seconds = seconds;
  return write_run(cli, &joined.report, out, err);
}

pawl_status pawl_cli_merge_runs(struct pawl_cli *cli, char *const *folders, size_t count, const char *out,
                                double seconds, struct pawl_error *err) {
  struct pawl_stored_run *parts = pawl_arena_alloc(&cli->arena, count, sizeof *parts);
  const enum pawl_status_code status = join(cli, folders, count, parts, out, seconds, err);
  for (size_t i = 0; i < count; i++) pawl_stored_run_release(&parts[i]);
  return status;
}
