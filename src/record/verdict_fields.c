/* SPDX-License-Identifier: Apache-2.0 */
#include "record/verdict_fields.h"
#include "model/gate_rules.h"

#include <string.h>

#include "base/text.h"
#include "gate/baseline_fields.h"
#include "record/conclusion.h"

/* ROW is a member of struct `type`. LIST is a list of structs, which must be present and is
 * bounded. */
#define ROW(type, name, rule, member, ...) \
  { name, rule, offsetof(struct type, member), __VA_ARGS__ }
#define LIST(type, name, rule, member, number, ...)                              \
  ROW(type, name, rule, member, offsetof(struct type, number), .required = true, \
      .max = PAWL_RECORD_ROWS, __VA_ARGS__)

static const char *change_name(int number) {
  return pawl_ratchet_change_name((enum pawl_ratchet_change)number);
}

/* --- comparisons --- */

#define CODE(...) ROW(pawl_ratchet_row, __VA_ARGS__)
static const struct pawl_fields code_fields = {pawl_baseline_code_fields, PAWL_BASELINE_CODE,
                                               sizeof(struct pawl_code), .init = NULL};

static bool has_code(const void *row) {
  return ((const struct pawl_ratchet_row *)row)->code_now != NULL;
}
static json_t *write_worse(const void *source) {
  const struct pawl_ratchet_row *row = source;
  return json_boolean(pawl_code_is_worse(row->code_before, row->code_now));
}
static const struct pawl_field codes_rows[] = {
    CODE("before", PAWL_FIELD_OBJECT, code_before, .table = &code_fields),
    CODE("now", PAWL_FIELD_OBJECT, code_now, .table = &code_fields),
    CODE("worse", PAWL_FIELD_OWN, code_now, .write = write_worse),
};
static const struct pawl_fields codes_fields = PAWL_FIELDS(codes_rows, struct pawl_ratchet_row);

static void init_entry(void *target) { pawl_baseline_entry_init(target); }
#define ENTRY(...) ROW(pawl_baseline_entry, __VA_ARGS__)
static const struct pawl_field entry_rows[] = {
    ENTRY("baseline_commit", PAWL_FIELD_NAME, git_commit),
    ENTRY("baseline_timestamp", PAWL_FIELD_NAME, timestamp),
    ENTRY("baseline_stored_ms", PAWL_FIELD_TIME, median_ms),
    ENTRY("baseline_reason", PAWL_FIELD_STRING, reason),
};
static const struct pawl_fields entry_fields =
    PAWL_FIELDS(entry_rows, struct pawl_baseline_entry, .init = init_entry);

#define ACCEPTANCE(...) ROW(pawl_acceptance, __VA_ARGS__)
static const struct pawl_field acceptance_rows[] = {
    ACCEPTANCE("reason", PAWL_FIELD_STRING, reason),
    ACCEPTANCE("author", PAWL_FIELD_STRING, author),
    ACCEPTANCE("commit", PAWL_FIELD_COMMIT, commit),
    ACCEPTANCE("accepted_ms", PAWL_FIELD_TIME, accepted_ms),
};
static const struct pawl_fields acceptance_fields =
    PAWL_FIELDS(acceptance_rows, struct pawl_acceptance);

static void init_result(void *target) { pawl_result_init(target); }
static const struct pawl_field result_rows[] = {ROW(pawl_result, "outcome", PAWL_FIELD_CHOICE,
                                                    outcome, .name_of = pawl_outcome_word,
                                                    .names = PAWL_OUTCOMES)};
static const struct pawl_fields result_fields =
    PAWL_FIELDS(result_rows, struct pawl_result, .init = init_result);

static const char *effect_name(int number) {
  return number > 0 ? pawl_gate_effects[number - 1] : NULL;
}
#define LIMIT(...) ROW(pawl_gate_spec, __VA_ARGS__)
static const struct pawl_field limit_rows[] = {
    LIMIT("tolerate", PAWL_FIELD_NUMBER, tolerate, .required = true),
    LIMIT("detect", PAWL_FIELD_NUMBER, detect, .required = true),
    LIMIT("improve", PAWL_FIELD_NUMBER, improve, .required = true),
    LIMIT("inconclusive", PAWL_FIELD_CHOICE, inconclusive, .required = true, .name_of = effect_name,
          .names = PAWL_INCONCLUSIVE_FAIL + 1),
    LIMIT("static", PAWL_FIELD_CHOICE, static_code, .required = true, .name_of = effect_name,
          .names = PAWL_STATIC_FAIL + 1),
};
static const struct pawl_fields limit_fields = PAWL_FIELDS(limit_rows, struct pawl_gate_spec);

/* Only rows with limits of their own have this key. */
static json_t *write_limits(const void *source) {
  const struct pawl_gate_spec *limits = ((const struct pawl_ratchet_row *)source)->limits;
  return limits ? pawl_struct_write(&limit_fields, limits) : NULL;
}
static pawl_status read_limits(const json_t *value, const struct pawl_json_path *path,
                               struct pawl_arena *arena, void *target, struct pawl_error *err) {
  struct pawl_gate_spec *limits = pawl_arena_alloc(arena, 1, sizeof *limits);
  PAWL_TRY(pawl_struct_read(&limit_fields, value, path, arena, limits, err));
  ((struct pawl_ratchet_row *)target)->limits = limits;
  return PAWL_OK;
}

#define COMPARISON(...) ROW(pawl_ratchet_row, __VA_ARGS__)
static const struct pawl_field comparison_rows[] = {
    COMPARISON(NULL, PAWL_FIELD_INSIDE, comparison, .table = &pawl_comparison_fields),
    COMPARISON("baseline_change", PAWL_FIELD_CHOICE, change, .name_of = change_name,
               .names = PAWL_RATCHET_IMPROVED + 1),
    COMPARISON("same_code", PAWL_FIELD_FLAG, same_code),
    COMPARISON("baseline_stored_ms", PAWL_FIELD_BESIDE, entry, .table = &entry_fields),
    COMPARISON("outcome", PAWL_FIELD_BESIDE, result, .table = &result_fields),
    {"code", PAWL_FIELD_STRUCT, 0, .table = &codes_fields, .known = has_code},
    COMPARISON("accepted", PAWL_FIELD_OBJECT, accepted, .table = &acceptance_fields),
    COMPARISON("limits", PAWL_FIELD_OWN, limits, .left_out = true, .write = write_limits,
               .read = read_limits),
    COMPARISON("paired", PAWL_FIELD_OBJECT, paired, .table = &pawl_paired_test_fields),
};
const struct pawl_fields pawl_verdict_row_fields =
    PAWL_FIELDS(comparison_rows, struct pawl_ratchet_row);

/* --- the ratchet --- */

#define TOTAL(name, member) \
  ROW(pawl_ratchet_report, name, PAWL_FIELD_SIZE, member, .required = true)
static const struct pawl_field totals_rows[] = {
    TOTAL("configurations", count),
    ROW(pawl_ratchet_report, "dropped", PAWL_FIELD_SIZE, counts[PAWL_VERDICT_DROPPED]),
    TOTAL("regressions", counts[PAWL_VERDICT_REGRESSION]),
    ROW(pawl_ratchet_report, "accepted", PAWL_FIELD_SIZE, counts[PAWL_VERDICT_ACCEPTED]),
    TOTAL("improvements", counts[PAWL_VERDICT_IMPROVEMENT]),
    TOTAL("maintained", counts[PAWL_VERDICT_MAINTAINED]),
    TOTAL("inconclusive", counts[PAWL_VERDICT_INCONCLUSIVE]),
    TOTAL("broken", counts[PAWL_VERDICT_BROKEN]),
    ROW(pawl_ratchet_report, "worse_code", PAWL_FIELD_SIZE, counts[PAWL_VERDICT_WORSE_CODE]),
    ROW(pawl_ratchet_report, "needs_gpu", PAWL_FIELD_SIZE, counts[PAWL_VERDICT_NEEDS_GPU]),
    TOTAL("missing", counts[PAWL_VERDICT_MISSING]),
    TOTAL("new", counts[PAWL_VERDICT_NEW]),
    TOTAL("unsupported", counts[PAWL_VERDICT_UNSUPPORTED]),
};
const struct pawl_fields pawl_verdict_totals_fields =
    PAWL_FIELDS(totals_rows, struct pawl_ratchet_report);

static json_t *write_totals(const void *source) {
  return pawl_struct_write(&pawl_verdict_totals_fields, source);
}
/* pawl counts the rows instead. */
static const struct pawl_field ratchet_rows[] = {
    ROW(pawl_ratchet_report, "totals", PAWL_FIELD_OWN, count, .write = write_totals),
    LIST(pawl_ratchet_report, "comparisons", PAWL_FIELD_LIST, rows, count,
         .table = &pawl_verdict_row_fields),
};
static const struct pawl_fields ratchet_fields =
    PAWL_FIELDS(ratchet_rows, struct pawl_ratchet_report);

static const struct pawl_field refused_rows[] = {
    ROW(pawl_ratchet_report, "baseline_update_refused", PAWL_FIELD_STRING, update_refused)};
static const struct pawl_fields refused_fields =
    PAWL_FIELDS(refused_rows, struct pawl_ratchet_report);

/* --- builds --- */

#define BUILD(...) ROW(pawl_report_build, __VA_ARGS__)
static const struct pawl_field build_rows[] = {
    BUILD("kernel_name", PAWL_FIELD_NAME, kernel_name),
    BUILD("ok", PAWL_FIELD_FLAG, ok),
    BUILD("seconds", PAWL_FIELD_NUMBER, seconds),
    BUILD("compiles", PAWL_FIELD_INT, compiles),
    BUILD("cache_hits", PAWL_FIELD_INT, cache_hits),
    BUILD("diagnostics", PAWL_FIELD_STRING, diagnostics),
};
static const struct pawl_fields build_fields = PAWL_FIELDS(build_rows, struct pawl_report_build);

/* --- checks --- */

static json_t *write_config(const void *source) {
  return pawl_case_to_json(&((const struct pawl_check_row *)source)->config);
}
static pawl_status read_config(const json_t *value, const struct pawl_json_path *path,
                               struct pawl_arena *arena, void *target, struct pawl_error *err) {
  struct pawl_case *config = &((struct pawl_check_row *)target)->config;
  return pawl_case_from_json_at(value, config->name, path, arena, config, err);
}
static pawl_status check_failure(void *target, const struct pawl_json_path *path,
                                 struct pawl_error *err) {
  struct pawl_check_row *row = target;
  (void)path, (void)err;
  /* A row among the failures without an outcome. */
  if (row->outcome == PAWL_OUTCOME_OK) row->outcome = PAWL_OUTCOME_WRONG;
  return PAWL_OK;
}
#define FAILURE(...) ROW(pawl_check_row, __VA_ARGS__)
static const struct pawl_field failure_rows[] = {
    FAILURE("row", PAWL_FIELD_SIZE, number),
    FAILURE("case", PAWL_FIELD_NAME, config.name),
    FAILURE("config", PAWL_FIELD_OWN, config, .write = write_config, .read = read_config),
    FAILURE("distribution", PAWL_FIELD_NAME, distribution),
    FAILURE("seed", PAWL_FIELD_SEED, seed, .text = true),
    FAILURE("outcome", PAWL_FIELD_CHOICE, outcome, .name_of = pawl_outcome_word,
            .names = PAWL_OUTCOMES),
    FAILURE("not_run", PAWL_FIELD_FLAG, not_run),
    FAILURE("reason", PAWL_FIELD_STRING, reason),
};
static const struct pawl_fields failure_fields =
    PAWL_FIELDS(failure_rows, struct pawl_check_row, .check = check_failure);

/* Writes the failed rows only. */
static json_t *write_failures(const void *source) {
  const struct pawl_check_report *report = source;
  json_t *failures = json_array();
  for (size_t i = 0; i < report->count; i++) {
    const enum pawl_outcome outcome = report->rows[i].outcome;
    if (outcome != PAWL_OUTCOME_OK && outcome != PAWL_OUTCOME_UNSUPPORTED)
      json_array_append_new(failures, pawl_struct_write(&failure_fields, &report->rows[i]));
  }
  return failures;
}

/* Reads the failed rows to the front. Only the number of the other rows is known. */
static pawl_status read_failures(const json_t *value, const struct pawl_json_path *path,
                                 struct pawl_arena *arena, void *target, struct pawl_error *err) {
  struct pawl_check_report *report = target;
  void *failures;
  size_t failed;
  PAWL_TRY(pawl_list_read(&failure_fields, PAWL_RECORD_ROWS, value, path, arena, &failures, &failed,
                          err));
  if (report->count > PAWL_RECORD_ROWS || failed != report->failed ||
      report->passed + report->failed + report->unsupported != report->count)
    return pawl_json_path_fail(path->parent, NULL, PAWL_BAD_DATA, err,
                               "has counts that do not match");
  report->rows = failures;
  return PAWL_OK;
}

#define CHECKED(...) ROW(pawl_check_report, __VA_ARGS__)
static const struct pawl_field report_rows[] = {
    CHECKED("checks", PAWL_FIELD_SIZE, count),
    CHECKED("passed", PAWL_FIELD_SIZE, passed),
    CHECKED("failed", PAWL_FIELD_SIZE, failed),
    CHECKED("unsupported", PAWL_FIELD_SIZE, unsupported),
    CHECKED("left_out", PAWL_FIELD_SIZE, left_out),
    CHECKED("reduced", PAWL_FIELD_FLAG, reduced),
    CHECKED("max_abs_error", PAWL_FIELD_NUMBER, total.max_abs_error),
    CHECKED("max_rel_error", PAWL_FIELD_NUMBER, total.max_rel_error),
    CHECKED("mean_abs_error", PAWL_FIELD_NUMBER, total.mean_abs_error),
    CHECKED("rel_rms_error", PAWL_FIELD_NUMBER, total.rel_rms_error),
    CHECKED("failures", PAWL_FIELD_OWN, rows, .required = true, .write = write_failures,
            .read = read_failures),
};
static const struct pawl_fields report_fields = PAWL_FIELDS(report_rows, struct pawl_check_report);

static const struct pawl_field check_rows[] = {
    ROW(pawl_report_check, "kernel_name", PAWL_FIELD_NAME, kernel_name),
    ROW(pawl_report_check, "checks", PAWL_FIELD_BESIDE, report, .required = true,
        .table = &report_fields),
};
static const struct pawl_fields check_fields = PAWL_FIELDS(check_rows, struct pawl_report_check);

/* --- profiles --- */

#define SOURCE_LINE(...) ROW(pawl_report_line, __VA_ARGS__)
static const struct pawl_field source_line_rows[] = {
    SOURCE_LINE("file", PAWL_FIELD_STRING, file),
    SOURCE_LINE("line", PAWL_FIELD_INT, line),
    SOURCE_LINE("source", PAWL_FIELD_STRING, source),
    SOURCE_LINE("base_s", PAWL_FIELD_AMOUNT, base_s),
    SOURCE_LINE("candidate_s", PAWL_FIELD_AMOUNT, candidate_s),
    SOURCE_LINE("what", PAWL_FIELD_STRING, what),
};
static const struct pawl_fields source_line_fields =
    PAWL_FIELDS(source_line_rows, struct pawl_report_line);

#define PROFILE(...) ROW(pawl_report_profile, __VA_ARGS__)
static const struct pawl_field profile_rows[] = {
    PROFILE("kernel_name", PAWL_FIELD_NAME, kernel_name),
    PROFILE("case", PAWL_FIELD_NAME, case_name),
    PROFILE("change", PAWL_FIELD_STRING, change),
    PROFILE("limit", PAWL_FIELD_STRING, limit),
    PROFILE("remedy", PAWL_FIELD_STRING, remedy),
    PROFILE("missing", PAWL_FIELD_STRING, missing),
    PROFILE("text", PAWL_FIELD_STRING, text),
    PROFILE("folder", PAWL_FIELD_NAME, folder),
    PROFILE("base_s", PAWL_FIELD_AMOUNT, base_s),
    PROFILE("candidate_s", PAWL_FIELD_AMOUNT, candidate_s),
    ROW(pawl_report_profile, "lines", PAWL_FIELD_LIST, lines,
        offsetof(struct pawl_report_profile, line_count), .max = PAWL_RECORD_ROWS,
        .table = &source_line_fields),
    PROFILE("no_lines", PAWL_FIELD_STRING, no_lines),
};
/* A report copies files from this folder, so it must be a folder of the run. */
static pawl_status check_profile(void *target, const struct pawl_json_path *path,
                                 struct pawl_error *err) {
  static const char below[] = PAWL_RUN_PROFILES "/";
  const struct pawl_report_profile *profile = target;
  if (!profile->folder) return PAWL_OK;
  const char *name = profile->folder + strlen(below);
  if (pawl_starts_with(profile->folder, below) && *name && *name != '.' && !strchr(name, '/'))
    return PAWL_OK;
  return pawl_json_path_fail(path, "folder", PAWL_BAD_DATA, err, "must be '%sNAME', not '%.64s'",
                             below, profile->folder);
}
const struct pawl_fields pawl_profile_row_fields =
    PAWL_FIELDS(profile_rows, struct pawl_report_profile, .check = check_profile);

/* --- machine code --- */

#define CODE_CHANGE(...) ROW(pawl_report_code, __VA_ARGS__)
static const struct pawl_field code_change_rows[] = {
    CODE_CHANGE("kernel_name", PAWL_FIELD_NAME, kernel_name),
    CODE_CHANGE("base", PAWL_FIELD_STRING, base),
    CODE_CHANGE("arch", PAWL_FIELD_STRING, arch),
    CODE_CHANGE("line", PAWL_FIELD_STRING, line),
    CODE_CHANGE("missing", PAWL_FIELD_STRING, missing),
    CODE_CHANGE("text", PAWL_FIELD_STRING, text),
};
const struct pawl_fields pawl_code_change_fields =
    PAWL_FIELDS(code_change_rows, struct pawl_report_code);

/* --- moves --- */

#define MOVE(...) ROW(pawl_baseline_move, __VA_ARGS__)
static const struct pawl_field move_rows[] = {
    MOVE("kernel_name", PAWL_FIELD_NAME, kernel_name),
    MOVE("case", PAWL_FIELD_NAME, case_name),
    MOVE("hardware", PAWL_FIELD_NAME, hardware),
    {NULL, PAWL_FIELD_INSIDE, 0, .table = &pawl_move_step_fields},
};
const struct pawl_fields pawl_move_fields = PAWL_FIELDS(move_rows, struct pawl_baseline_move);

/* --- phases --- */

#define PHASE(name, member) ROW(pawl_run_phases, name, PAWL_FIELD_AMOUNT, member, .sum = true)
static const struct pawl_field phase_rows[] = {
    PHASE("build", build),           PHASE("check", check),
    PHASE("bench", bench),           PHASE("judge", judge),
    PHASE("profile", profile),       PHASE("references", references),
    PHASE("waiting", waiting),       PHASE("start", spent.start),
    PHASE("inputs", spent.inputs),   PHASE("expected", spent.expected),
    PHASE("calls", spent.calls),     PHASE("hashing", spent.hashing),
    PHASE("compare", spent.compare),
};
static const struct pawl_fields phase_fields = PAWL_FIELDS(phase_rows, struct pawl_run_phases);

/* --- the whole --- */

static json_t *write_verdict(const void *source) {
  return json_string(pawl_conclusion_name(pawl_run_conclusion(source)));
}
static json_t *write_failed(const void *source) {
  return json_boolean(pawl_conclusion_fails(pawl_run_conclusion(source)));
}

static bool is_shard(const void *source) {
  return ((const struct pawl_run_report *)source)->shards > 1;
}
static pawl_status check_shard(void *target, const struct pawl_json_path *path,
                               struct pawl_error *err) {
  const struct pawl_run_report *report = target;
  if (report->shard >= 1 && report->shards >= 2 && report->shard <= report->shards &&
      report->shards <= PAWL_SHARDS)
    return PAWL_OK;
  return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err, "cannot be part %d of %d",
                             report->shard, report->shards);
}
#define REPORT(...) ROW(pawl_run_report, __VA_ARGS__)
static const struct pawl_field shard_rows[] = {REPORT("number", PAWL_FIELD_INT, shard),
                                               REPORT("of", PAWL_FIELD_INT, shards)};
static const struct pawl_fields shard_fields =
    PAWL_FIELDS(shard_rows, struct pawl_run_report, .check = check_shard);

#define CONTEXT(...) ROW(pawl_results, __VA_ARGS__)
static const struct pawl_field context_rows[] = {
    CONTEXT("commit", PAWL_FIELD_NAME, commit),
    CONTEXT("dirty", PAWL_FIELD_FLAG, dirty),
    CONTEXT("hardware", PAWL_FIELD_NAME, hardware),
    CONTEXT("hardware_name", PAWL_FIELD_NAME, hardware_name),
    CONTEXT("toolchain", PAWL_FIELD_STRING, toolchain),
    CONTEXT("timestamp", PAWL_FIELD_NAME, timestamp),
};
static const struct pawl_fields context_fields = PAWL_FIELDS(context_rows, struct pawl_results);

static const char *expected_name(int number) {
  return number ? pawl_decision_name((enum pawl_decision)number) : NULL;
}

static void init_report(void *target) {
  struct pawl_run_report *report = target;
  report->shard = report->shards = 0; /* the whole */
}

static const struct pawl_field verdict_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, .max = PAWL_VERDICT_SCHEMA},
    REPORT("verdict", PAWL_FIELD_OWN, results, .write = write_verdict),
    REPORT("failed", PAWL_FIELD_OWN, results, .write = write_failed),
    REPORT("unpaired", PAWL_FIELD_FLAG, unpaired),
    REPORT("baseline_uncommitted", PAWL_FIELD_FLAG, baseline_uncommitted),
    {"shard", PAWL_FIELD_STRUCT, 0, .table = &shard_fields, .known = is_shard},
    REPORT("dirty", PAWL_FIELD_BESIDE, results, .table = &context_fields),
    REPORT("totals", PAWL_FIELD_BESIDE, ratchet, .table = &ratchet_fields),
    LIST(pawl_run_report, "builds", PAWL_FIELD_LIST, builds, build_count, .table = &build_fields),
    LIST(pawl_run_report, "checks", PAWL_FIELD_LIST, checks, check_count, .table = &check_fields),
    ROW(pawl_run_report, "profiles", PAWL_FIELD_LIST, profiles,
        offsetof(struct pawl_run_report, profile_count), .max = PAWL_RECORD_ROWS,
        .table = &pawl_profile_row_fields),
    ROW(pawl_run_report, "code_changes", PAWL_FIELD_LIST, code_changes,
        offsetof(struct pawl_run_report, code_change_count), .max = PAWL_RECORD_ROWS,
        .table = &pawl_code_change_fields),
    LIST(pawl_run_report, "baseline_moves", PAWL_FIELD_LIST, moves, move_count,
         .table = &pawl_move_fields),
    ROW(pawl_run_report, "earlier_moves", PAWL_FIELD_LIST, earlier_moves,
        offsetof(struct pawl_run_report, earlier_move_count), .max = PAWL_RECORD_ROWS,
        .table = &pawl_move_fields),
    REPORT("totals", PAWL_FIELD_BESIDE, ratchet, .table = &refused_fields),
    REPORT("expected", PAWL_FIELD_CHOICE, expected, .left_out = true, .name_of = expected_name,
           .names = PAWL_DECISION_MAINTAINED + 1),
    LIST(pawl_run_report, "notices", PAWL_FIELD_STRINGS, notices, notice_count),
    REPORT("seconds", PAWL_FIELD_NUMBER, seconds, .sum = true),
    REPORT("phases", PAWL_FIELD_OBJECT, phases, .sum = true, .table = &phase_fields),
    REPORT("cost_usd", PAWL_FIELD_NUMBER, cost_usd, .sum = true),
};
const struct pawl_fields pawl_verdict_fields =
    PAWL_FIELDS(verdict_rows, struct pawl_run_report, .init = init_report);

pawl_status pawl_verdict_to_json(const struct pawl_run_report *report, json_t **out,
                                 struct pawl_error *err) {
  (void)err;
  *out = pawl_struct_write(&pawl_verdict_fields, report);
  return PAWL_OK;
}
