/* SPDX-License-Identifier: Apache-2.0 */
#include "check/sanitizer.h"

#include "base/file.h"
#include "build/tools.h"
#include "check/matrix.h"

/* Seconds of one call: the tools slow a kernel down by up to a few hundred times. */
#define TIMEOUT_SECONDS 600.0
#define LOG_LIMIT ((size_t)16 << 20)

#define FRAMES "-g", "-fno-omit-frame-pointer"
/* valgrind does not know all instructions of the newest processors. */
#if defined(__x86_64__)
#define FOR_VALGRIND "-g", "-march=x86-64-v3"
#else
#define FOR_VALGRIND "-g"
#endif

const struct pawl_sanitizer_tool pawl_sanitizer_tools[PAWL_SANITIZER_TOOLS] = {
    {"memcheck", .cuda = true},
    {"racecheck", .cuda = true},
    {"initcheck", .cuda = true},
    {"synccheck", .cuda = true},
    {"address", .flags = {"-fsanitize=address", "-fsanitize-recover=address", FRAMES},
     .runtime = {"libasan.so", "libclang_rt.asan-x86_64.so"}, .options = "ASAN_OPTIONS"},
    {"undefined", .flags = {"-fsanitize=undefined", FRAMES},
     .runtime = {"libubsan.so", "libclang_rt.ubsan_standalone-x86_64.so"},
     .options = "UBSAN_OPTIONS"},
    {"memory", .flags = {FOR_VALGRIND}},
    {"thread", .flags = {"-fsanitize=thread", FRAMES},
     .runtime = {"libtsan.so", "libclang_rt.tsan-x86_64.so"}, .options = "TSAN_OPTIONS"},
};

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

pawl_status pawl_sanitizer_call(const struct pawl_check_options *options,
                                struct pawl_problem *problems, size_t count,
                                const char *const *wrapper, struct pawl_arena *arena,
                                const char **reason, struct pawl_error *err) {
  struct pawl_worker_options worker_options = *options->worker;
  struct pawl_worker *worker = NULL;
  struct pawl_error failure = {0};
  size_t refused = 0;
  double seconds;
  worker_options.tensors = &options->oracle->tensors;
  worker_options.wrapper = wrapper;
  worker_options.memory_limit = 0; /* the limit is for the kernel, not for the tool's memory */
  worker_options.timeout_seconds = TIMEOUT_SECONDS;
  enum pawl_status_code status = pawl_worker_start(&worker, &worker_options, &failure);
  for (size_t i = 0; status == PAWL_OK && i < count; i++) {
    const struct pawl_shape shape = pawl_case_shape(&problems[i].config);
    const char *refusal = NULL;
    uint64_t workspace = 0;
    status = pawl_worker_prepare(worker, &shape, problems[i].sets, problems[i].set_count,
                                 options->threads, arena, &refusal, &workspace, &failure);
    if (status == PAWL_OK && refusal && ++refused == count) *reason = refusal;
    if (status != PAWL_OK || refusal) continue;
    status = pawl_worker_run(worker, 0, &seconds, &failure);
    if (status != PAWL_FAILED) continue;
    status = PAWL_OK; /* the tool saw the fault that ended the call */
    if (pawl_worker_cause(worker) != PAWL_CAUSE_REPORTED) break;
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
      program,         "--tool", report->tool->name,    "--log-file", log_path,
      "--print-limit", "1000",   "--report-api-errors", "no",         NULL};
  PAWL_CLEANUP(pawl_problem_release) struct pawl_problem problem = {0};
  struct pawl_check_item item;
  PAWL_TRY(pawl_remove_tree(log_path, err)); /* an older report must not pass for this one */
  PAWL_TRY(smallest(options, arena, &item, err));
  report->config = item.config;
  PAWL_TRY(pawl_problem_init(&problem, options->oracle, &item.config, 1, err));
  PAWL_TRY(pawl_problem_fill(&problem, 0, item.distribution, options->seed, err));
  PAWL_TRY(pawl_sanitizer_call(options, &problem, 1, wrapper, arena, &report->reason, err));
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

pawl_status pawl_sanitize(const struct pawl_check_options *options,
                          const struct pawl_sanitizer_tool *tool, const char *log_path,
                          struct pawl_arena *arena, struct pawl_sanitizer_report *out,
                          struct pawl_error *err) {
  struct pawl_sanitizer_report report = {.tool = tool, .log = {.trouble = ""}};
  const struct pawl_tool sanitizer = pawl_tool_find("compute-sanitizer", arena);
  report.reason = sanitizer.reason;
  report.is_missing = sanitizer.reason != NULL;
  if (!report.reason)
    PAWL_TRY(sanitizer_run_tool(options, sanitizer.path, log_path, arena, &report, err));
  *out = report;
  return PAWL_OK;
}
