/* SPDX-License-Identifier: Apache-2.0 */
/* pawl ci report, pawl ci baseline: the jobs that may write and run no code of the change. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/ci.h"
#include "fleet/parts.h"
#include "forge/baseline_judge.h"
#include "forge/changed_files.h"
#include "forge/event_plan.h"
#include "forge/post.h"
#include "forge/recompute.h"
#include "report/report.h"
#include "suite/read.h"

/* --- the parts of a run --- */

struct folders {
  char *paths[PAWL_FORGE_SHARDS + 1];
  size_t count;
};

static int ci_report_by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* An artifact has the name pawl-SHARD-ATTEMPT, and only a shard's newest attempt counts. Returns
   whether `out` has the shard already; a newer attempt then replaces the older. */
static bool replaces_attempt(struct folders *out, const char *name, char *path) {
  int shard, attempt, end = 0;
  if (sscanf(name, "pawl-%d-%d%n", &shard, &attempt, &end) != 2 || name[end]) return false;
  for (size_t i = 0; i < out->count; i++) {
    int other_shard, other_attempt;
    const char *other = strrchr(out->paths[i], '/') + 1;
    if (sscanf(other, "pawl-%d-%d", &other_shard, &other_attempt) != 2 || other_shard != shard)
      continue;
    if (other_attempt < attempt) out->paths[i] = path;
    return true;
  }
  return false;
}

/* Finds the folders with a file `name`: `from` itself, else its subfolders. */
static pawl_status find_folders(const struct pawl_ci *ci, const char *name, struct folders *out,
                                struct pawl_error *err) {
  *out = (struct folders){0};
  PAWL_CLEANUP(pawl_free_pointer) char *here = pawl_path_join(ci->from, name);
  if (pawl_file_exists(here)) {
    out->paths[out->count++] = pawl_arena_copy(&ci->cli->arena, ci->from);
    return PAWL_OK;
  }
  DIR *folder = opendir(ci->from);
  if (!folder && errno == ENOENT) return PAWL_OK;
  if (!folder) return pawl_fail_errno(err, errno, "cannot open '%s'", ci->from);
  bool many = false;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    char *path = pawl_arena_printf(&ci->cli->arena, "%s/%s", ci->from, entry->d_name);
    if (!pawl_file_exists(pawl_arena_printf(&ci->cli->arena, "%s/%s", path, name)) ||
        !strcmp(entry->d_name, "pawl-joined") || replaces_attempt(out, entry->d_name, path))
      continue;
    many = out->count == PAWL_FORGE_SHARDS;
    if (many) break;
    out->paths[out->count++] = path;
  }
  closedir(folder);
  if (many)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' has more than %d parts", ci->from,
                     PAWL_FORGE_SHARDS);
  qsort(out->paths, out->count, sizeof *out->paths, ci_report_by_name);
  return PAWL_OK;
}

/* Joins several shards into one run in perf/out, which the workflow keeps as an artifact too. */
static pawl_status join(const struct pawl_ci *ci, const struct folders *parts,
                        struct pawl_error *err) {
  PAWL_CLEANUP(pawl_run_parts_release) struct pawl_run_parts joined = {0};
  PAWL_TRY(pawl_fleet_join_runs(parts->paths, parts->count, &ci->cli->arena, &joined, err));
  PAWL_TRY(pawl_make_ignored_folder(ci->output, err));
  return pawl_report_folder(&joined.joined.report, ci->output, NULL, err);
}

/* *found: there is a run to read. */
static pawl_status read_run(struct pawl_ci *ci, struct pawl_stored_run *out,
                            struct pawl_forge_expected *expected, bool *found,
                            struct pawl_error *err) {
  struct folders parts;
  PAWL_TRY(find_folders(ci, "verdict.json", &parts, err));
  *found = parts.count > 0;
  if (!*found) return pawl_fail(err, PAWL_NO_INPUT, "the run left no verdict in '%s'", ci->from);
  if (parts.count > 1) PAWL_TRY(join(ci, &parts, err));
  PAWL_TRY(pawl_stored_run_read(parts.count > 1 ? ci->output : parts.paths[0], &ci->cli->arena, out,
                                err));
  PAWL_TRY(pawl_forge_expected_read(&ci->forge, ci->cli->suite, expected, err));
  bool is_paired = false;
  for (size_t i = 0; i < out->ratchet.count; i++)
    is_paired = is_paired || out->ratchet.rows[i].paired;
  if (is_paired) PAWL_TRY(pawl_forge_expected_anchor(&ci->forge, expected, err));
  return pawl_forge_recompute(out, expected, &ci->cli->arena, err);
}

/* --- posting --- */

/* Without the suite, annotations point at pawl.yaml, and pawl still posts the verdict. */
static const struct pawl_suite *read_suite(const struct pawl_ci *ci) {
  struct pawl_error why = {0};
  struct pawl_suite *suite = pawl_arena_alloc(&ci->cli->arena, 1, sizeof *suite);
  if (pawl_suite_read(ci->cli->suite, &ci->cli->arena, suite, &why) == PAWL_OK) return suite;
  pawl_log_info(&ci->cli->log, "annotations have no sources: %s", why.message);
  return NULL;
}

/* Posts the comment, then closes the check run, or GitLab's status, even if something failed
   before. */
static pawl_status ci_report_post(struct pawl_ci *ci, const struct pawl_forge_report *report,
                                  struct pawl_error *err) {
  struct pawl_error first = {0};
  enum pawl_status_code status = PAWL_OK;
  if (ci->forge.is_pull_request) status = pawl_forge_comment(&ci->forge, report, ci->id, &first);
  struct pawl_error *where = status == PAWL_OK ? err : &(struct pawl_error){0};
  const enum pawl_status_code closed =
      ci->forge.is_gitlab
          ? pawl_forge_gitlab_status(&ci->forge, report, ci->name, where)
          : pawl_forge_check_end(&ci->forge, report, read_suite(ci), ci->name, where);
  if (status != PAWL_OK && closed != PAWL_OK) pawl_log_warning(&ci->cli->log, "%s", where->message);
  if (status != PAWL_OK) *err = first;
  return status != PAWL_OK ? status : closed;
}

static bool ended_as(const struct pawl_forge *forge, const char *conclusion) {
  return forge->run_conclusion && !strcmp(forge->run_conclusion, conclusion);
}

/* Posts after a run of another workflow. Runs of our own branches post for themselves, unless they
   were stopped or their machine died. Skips runs without a measurement. */
static pawl_status ci_report_finish(struct pawl_ci *ci, bool found,
                                    struct pawl_forge_report *report, struct pawl_error *err) {
  struct pawl_forge *forge = &ci->forge;
  report->cancelled = ended_as(forge, "cancelled");
  const bool did_nothing =
      !found && (ended_as(forge, "success") || ended_as(forge, "skipped") ||
                 ended_as(forge, "action_required") || ended_as(forge, "neutral"));
  if (forge->is_fork && !report->cancelled && !did_nothing) return ci_report_post(ci, report, err);
  if (forge->is_fork && forge->is_pull_request && ended_as(forge, "success")) {
    bool touches;
    pawl_forge_touches(forge, ci->cli->suite, &touches);
    const struct pawl_forge_report nothing = {.nothing = PAWL_FORGE_TOUCHES_NOTHING};
    if (!touches) return pawl_forge_check_end(forge, &nothing, NULL, ci->name, err);
  }
  report->verdict = NULL;
  if (!report->cancelled && forge->run_conclusion)
    report->why =
        pawl_arena_printf(forge->arena, "the run ended with '%.40s'", forge->run_conclusion);
  return pawl_forge_check_settle(forge, report, ci->name, err);
}

enum pawl_status_code pawl_ci_report(struct pawl_ci *ci, struct pawl_error *err) {
  struct pawl_stored_run run = {0};
  struct pawl_error why = {0};
  struct pawl_forge_report report = {0};
  struct pawl_forge_expected expected;
  bool found = false;
  PAWL_TRY(pawl_ci_read_forge(ci, err));
  const enum pawl_status_code read = read_run(ci, &run, &expected, &found, &why);
  if (read == PAWL_OK) report.verdict = &run;
  if (read != PAWL_OK) report.why = pawl_arena_copy(&ci->cli->arena, why.message);
  const bool after = !strcmp(ci->forge.event_name, "workflow_run");
  const enum pawl_status_code status =
      after ? ci_report_finish(ci, found, &report, err) : ci_report_post(ci, &report, err);
  pawl_stored_run_release(&run);
  /* The posted report says that the run has no result. The run is at fault, and its job has failed
     already. */
  if (status != PAWL_OK || read == PAWL_OK || (after && !found)) return status;
  *err = why;
  return read;
}

/* --- the baseline --- */

/* The option chooses the baseline's way to the default branch, else the variable of the
   repository. */
static pawl_status read_way(const struct pawl_ci *ci, bool *by_pull_request,
                            struct pawl_error *err) {
  const char *variable = getenv("PAWL_BASELINE_BY"), *way = ci->by                  ? ci->by
                                                            : variable && *variable ? variable
                                                                                    : "push";
  *by_pull_request = !strcmp(way, "pull-request");
  if (*by_pull_request || !strcmp(way, "push")) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE, "the baseline goes by push or by pull-request, not by '%.40s'",
                   way);
}

/* Judges the run and the baselines of its parts. */
static pawl_status judge_baseline(struct pawl_ci *ci, char *const *files, int count,
                                  struct pawl_error *err) {
  struct pawl_stored_run run = {0};
  struct pawl_forge_expected expected;
  bool found;
  enum pawl_status_code status = read_run(ci, &run, &expected, &found, err);
  if (status == PAWL_OK)
    status = pawl_forge_judge_baseline(&run, &expected, files, count, &ci->cli->arena, err);
  pawl_stored_run_release(&run);
  return status;
}

enum pawl_status_code pawl_ci_baseline(struct pawl_ci *ci, struct pawl_error *err) {
  struct folders parts;
  char *files[PAWL_FORGE_SHARDS];
  PAWL_TRY(pawl_ci_read_forge(ci, err));
  PAWL_TRY(find_folders(ci, "baseline.json", &parts, err));
  if (parts.count == 0) {
    pawl_log_info(&ci->cli->log, "no part left a baseline in '%s': nothing to commit", ci->from);
    return PAWL_OK;
  }
  for (size_t i = 0; i < parts.count; i++)
    files[i] = pawl_arena_printf(&ci->cli->arena, "%s/baseline.json", parts.paths[i]);
  const char *branch = ci->forge.default_branch ? ci->forge.default_branch : "main";
  bool by_pull_request;
  PAWL_TRY(read_way(ci, &by_pull_request, err));
  PAWL_TRY(pawl_forge_may_push_baseline(&ci->forge, branch, err));
  PAWL_TRY(judge_baseline(ci, files, (int)parts.count, err));
  return pawl_forge_push_baseline(&ci->forge, ci->suite_folder, files, (int)parts.count, branch,
                                  by_pull_request, err);
}
