/* SPDX-License-Identifier: Apache-2.0 */
#include "check/sanitizer.h"

#include "base/file.h"
#include "build/tools.h"
#include "check/matrix.h"

/* Seconds of one call: the tools slow a kernel down by up to a few hundred times. */
#define TIMEOUT_SECONDS 600.0
#define LOG_LIMIT ((size_t)16 << 20)

const char *const pawl_sanitizer_tools[] = {"memcheck", "racecheck", "initcheck", "synccheck",
                                            NULL};

/* Picks the smallest problem of the kernel's check that is no edge shape. */
static pawl_status smallest(const struct pawl_check_options *options, struct pawl_arena *arena,
                            struct pawl_check_item *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_check_matrix_release) struct pawl_check_matrix matrix = {0};
  struct pawl_check_options reduced = *options;
  reduced.reduced = true;
  PAWL_TRY(pawl_check_matrix_init(&matrix, &reduced, arena, err));
  const struct pawl_check_item *found = NULL;
  for (size_t i = 0; i < matrix.count; i++) {
    if (!matrix.items[i].edge && (!found || matrix.items[i].flop < found->flop))
      found = &matrix.items[i];
  }
  if (!found) return pawl_fail(err, PAWL_CONFIG, "there are no inputs for the kernel");
  *out = *found;
  return PAWL_OK;
}

/* Calls the kernel once in a worker under the tool. The tool reports the kernel's faults. *reason
 * is set only when the call could not take place. */
static pawl_status call(const struct pawl_check_options *options, struct pawl_problem *problem,
                        const char *const *wrapper, struct pawl_arena *arena, const char **reason,
                        struct pawl_error *err) {
  struct pawl_worker_options worker_options = *options->worker;
  struct pawl_worker *worker = NULL;
  struct pawl_error failure = {0};
  uint64_t workspace = 0;
  double seconds;
  worker_options.tensors = &options->oracle->tensors;
  worker_options.wrapper = wrapper;
  worker_options.memory_limit = 0; /* the limit is for the kernel, not for the tool's memory */
  worker_options.timeout_seconds = TIMEOUT_SECONDS;
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  enum pawl_status_code status = pawl_worker_start(&worker, &worker_options, &failure);
  if (status == PAWL_OK)
    status =
        pawl_worker_prepare(worker, &shape, problem->sets, problem->set_count, options->threads,
                            options->seed, arena, reason, &workspace, &failure);
  if (status == PAWL_OK && !*reason) {
    status = pawl_worker_run(worker, 0, &seconds, &failure);
    if (status == PAWL_FAILED) status = PAWL_OK; /* the tool saw the fault that ended the call */
  }
  pawl_worker_free(worker);
  if (status == PAWL_OK) return PAWL_OK;
  if (status == PAWL_FAILED || status == PAWL_UNAVAILABLE || status == PAWL_UNDECIDED) {
    *reason = pawl_arena_copy(arena, failure.message);
    return PAWL_OK;
  }
  if (err) *err = failure;
  return status;
}

static pawl_status sanitizer_run_tool(const struct pawl_check_options *options, const char *program,
                                      const char *log_path, struct pawl_arena *arena,
                                      struct pawl_sanitizer_report *report,
                                      struct pawl_error *err) {
  const char *const wrapper[] = {
      program,         "--tool", report->tool,          "--log-file", log_path,
      "--print-limit", "1000",   "--report-api-errors", "no",         NULL};
  PAWL_CLEANUP(pawl_problem_release) struct pawl_problem problem = {0};
  struct pawl_check_item item;
  PAWL_TRY(pawl_remove_tree(log_path, err)); /* an older report must not pass for this one */
  PAWL_TRY(smallest(options, arena, &item, err));
  report->config = item.config;
  PAWL_TRY(pawl_problem_init(&problem, options->oracle, &item.config, 1, err));
  PAWL_TRY(pawl_problem_fill(&problem, 0, item.distribution, options->seed, err));
  PAWL_TRY(call(options, &problem, wrapper, arena, &report->reason, err));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error unread = {0};
  if (pawl_file_read(log_path, LOG_LIMIT, &text, &unread) == PAWL_OK)
    pawl_sanitizer_parse(pawl_text_string(&text), arena, &report->log);
  if (report->log.count) return PAWL_OK;
  if (report->log.no_start && !report->log.finished) {
    report->is_missing = true;
    report->reason = pawl_arena_printf(arena,
                                       "compute-sanitizer does not start: %s; install the whole "
                                       "CUDA toolkit of NVIDIA, and set CUDA_HOME to its folder",
                                       report->log.trouble);
  } else if (!report->reason && !report->log.finished) {
    report->reason = *report->log.trouble ? report->log.trouble : "the sanitizer wrote no summary";
  }
  return PAWL_OK;
}

pawl_status pawl_sanitize(const struct pawl_check_options *options, const char *tool,
                          const char *log_path, struct pawl_arena *arena,
                          struct pawl_sanitizer_report *out, struct pawl_error *err) {
  struct pawl_sanitizer_report report = {.tool = tool, .log = {.trouble = ""}};
  const struct pawl_tool sanitizer = pawl_tool_find("compute-sanitizer", arena);
  report.reason = sanitizer.reason;
  report.is_missing = sanitizer.reason != NULL;
  if (!report.reason)
    PAWL_TRY(sanitizer_run_tool(options, sanitizer.path, log_path, arena, &report, err));
  *out = report;
  return PAWL_OK;
}
