/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles one call of a kernel with NVIDIA Nsight Compute (ncu). It makes one warm-up call, then
   one call with the metrics of the table, or with all sections. The caches are those of the suite's
   timed calls, the clocks stay as they are, and ncu sees only the kernels of that call. It keeps
   PATH.ncu-rep (for Nsight Compute's window) and PATH.csv (ncu's raw page). */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/budget.h"
#include "base/count.h"
#include "base/file.h"
#include "build/tools.h"
#include "process/process.h"
#include "profile/code_facts.h"
#include "profile/ncu_csv.h"
#include "profile/profiled_worker.h"
#include "profile/profiler.h"

#define CSV_LIMIT ((size_t)64 << 20)
#define LOG_LIMIT ((size_t)1 << 20)
#define MOST_WORDS 24
#define ERROR_MARK "==ERROR== "
/* ncu says so if a chip lacks a metric. All sections leave such metrics out. */
#define UNKNOWN_METRIC "Failed to find metric"

struct paths {
  const char *report, *csv, *log;
};

static struct paths name_files(const char *path, struct pawl_arena *arena) {
  return (struct paths){.report = pawl_arena_printf(arena, "%s.ncu-rep", path),
                        .csv = pawl_arena_printf(arena, "%s.csv", path),
                        .log = pawl_arena_printf(arena, "%s.log", path)};
}

/* Removes older files, which must not pass for this profile. */
static pawl_status remove_older(const struct paths *files, struct pawl_error *err) {
  PAWL_TRY(pawl_remove_tree(files->report, err));
  PAWL_TRY(pawl_remove_tree(files->csv, err));
  return pawl_remove_tree(files->log, err);
}

/* Makes the two calls in a worker that runs under ncu. A worker of its own ends, and keeps the turn
   until ncu has written its report: ncu holds the counters, and another that counts then would
   fail. */
static pawl_status call(const struct pawl_profiled_call *options, const char *const *wrapper,
                        struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_worker_options worker_options = *options->worker;
  struct pawl_worker *worker;
  double seconds;
  worker_options.wrapper = wrapper;
  worker_options.memory_limit = 0; /* ncu's own memory is not the kernel's */
  worker_options.timeout_seconds =
      options->timeout_seconds; /* ncu repeats the call about forty times */
  PAWL_TRY(pawl_profiled_worker_start(options, worker_options, arena, &worker, err));
  enum pawl_status_code status = pawl_worker_run(worker, 0, &seconds, err);
  if (status == PAWL_OK) status = pawl_worker_run_profiled(worker, 0, &seconds, NULL, err);
  pawl_profiled_worker_end(options, worker, status == PAWL_OK, true);
  return status;
}

#define HELD "another profiler holds the GPU's counters"

/* These words in ncu's log explain why it wrote no report. */
static const struct {
  const char *words;
  enum pawl_status_code code;
  const char *remedy;
} troubles[] = {
    {"ERR_NVGPUCTRPERM", PAWL_NOT_PERMITTED, PAWL_COUNTERS_PERMISSION_REMEDY},
    {"driver resource was unavailable", PAWL_UNAVAILABLE,
     HELD "; stop it (for DCGM: dcgmi profile --pause)"},
    {"unrecognised option", PAWL_UNAVAILABLE,
     "this ncu is too old; install a newer Nsight Compute"},
    {"Unsupported GPU", PAWL_UNAVAILABLE,
     "this ncu does not know the GPU; install a newer Nsight Compute"},
    {"not supported on current device", PAWL_UNAVAILABLE,
     "this ncu does not know the GPU; install a newer Nsight Compute"},
    {UNKNOWN_METRIC, PAWL_UNAVAILABLE, UNKNOWN_METRIC},
    {"timed out after", PAWL_UNAVAILABLE,
     "a step took longer than 'timeout' of 'profile' in pawl.yaml allows; raise it, or profile a "
     "smaller case"},
};

/* Returns the first error line of ncu in the log, or "". It lives in the arena. */
static const char *ncu_first_error(const char *log, struct pawl_arena *arena) {
  const char *line = strstr(log, ERROR_MARK);
  if (!line) return "";
  line += sizeof ERROR_MARK - 1;
  return pawl_arena_printf(arena, "%.*s", (int)strcspn(line, "\r\n"), line);
}

/* Fails with why there is no report. `called` is the status of the calls, and `err` holds their
   message with the end of the log. */
static pawl_status no_report(const struct paths *files, enum pawl_status_code called,
                             struct pawl_arena *arena, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text log = {0};
  struct pawl_error unread = {0};
  if (pawl_file_read(files->log, LOG_LIMIT, &log, &unread) != PAWL_OK) pawl_text_clear(&log);
  if (called != PAWL_OK && err) pawl_text_add(&log, err->message);
  for (size_t i = 0; i < PAWL_COUNT(troubles); i++)
    if (strstr(pawl_text_string(&log), troubles[i].words))
      return pawl_fail(err, troubles[i].code, "ncu took no profile: %s", troubles[i].remedy);
  if (called != PAWL_OK) return called;
  const char *error = ncu_first_error(pawl_text_string(&log), arena);
  if (*error)
    return pawl_fail(err, PAWL_UNAVAILABLE, "ncu took no profile: %s; its log is '%s'", error,
                     files->log);
  return pawl_fail(err, PAWL_FAILED,
                   "ncu saw no kernel in the call: does it run on the GPU, and does its program "
                   "call cudaProfilerStart for 'profile'? see docs/protocol.md; the log is '%s'",
                   files->log);
}

/* Writes the raw page of the report into a file. */
static pawl_status export_raw(const char *program, double timeout_seconds,
                              const struct paths *files, struct pawl_error *err) {
  const char *const argv[] = {program, "--import", files->report, "--csv", "--page", "raw", NULL};
  static const char *const environment[] = {"LC_ALL=C", NULL};
  const struct pawl_process_options options = {
      .argv = argv, .environment = environment, .drop_secrets = true, .die_with_parent = true};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text csv = {0}, errors = {0}, how = {0};
  struct pawl_exit ended;
  PAWL_TRY(pawl_process_run(&options, pawl_budget_limit(timeout_seconds), CSV_LIMIT, &csv, &errors,
                            &ended, err));
  if (ended.timed_out || ended.signal || ended.status != 0) {
    pawl_exit_describe(&ended, &how);
    return pawl_fail(err, PAWL_UNAVAILABLE, "'ncu --import %s' %s: %.300s", files->report,
                     pawl_text_string(&how), pawl_text_string(errors.length ? &errors : &csv));
  }
  return pawl_file_write(files->csv, pawl_text_string(&csv), csv.length, err);
}

static void drop_own_kernels(struct pawl_profile *profile) {
  size_t kept = 0;
  for (size_t i = 0; i < profile->count; i++)
    if (!pawl_is_own_kernel(profile->kernels[i].name))
      profile->kernels[kept++] = profile->kernels[i];
  profile->count = kept;
}

/* Lists the first metric of each counter, and the stalls. */
static const char *list_metrics(struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  char stall[PAWL_STALL_METRIC];
  for (int i = 0; i < PAWL_COUNTERS; i++)
    for (int j = 0; j < PAWL_COUNTER_NAMES && pawl_counter_infos[i].names[j]; j++) {
      if (!pawl_is_metric(pawl_counter_infos[i].names[j])) continue;
      pawl_text_printf(&list, "%s,", pawl_counter_infos[i].names[j]);
      break;
    }
  for (int i = 0; i < PAWL_STALLS; i++)
    pawl_text_printf(&list, "%s%s", i ? "," : "", pawl_stall_metric((enum pawl_stall)i, stall));
  return pawl_arena_copy(arena, pawl_text_string(&list));
}

/* `all`: all sections; else the metrics of the table, which take half of the time. */
static pawl_status profile_with(const struct pawl_profiled_call *options, bool all,
                                const char *program, struct pawl_arena *arena,
                                struct pawl_profile *out, struct pawl_error *err) {
  const struct paths files = name_files(options->path, arena);
  const char *wrapper[MOST_WORDS] = {NULL}, *metrics = all ? NULL : list_metrics(arena);
  const char *const common[] = {program,
                                "--profile-from-start",
                                "off",
                                "--clock-control",
                                "none",
                                "--cache-control",
                                options->warm ? "none" : "all",
                                "--target-processes",
                                "all",
                                "--force-overwrite",
                                "--export",
                                options->path,
                                "--log-file",
                                files.log};
  const char *const full[] = {"--set", "full"}, *const few[] = {"--section", "LaunchStats",
                                                                "--section", "Occupancy",
                                                                "--metrics", metrics};
  memcpy(wrapper, common, sizeof common);
  memcpy(wrapper + PAWL_COUNT(common), all ? full : few, all ? sizeof full : sizeof few);
  struct pawl_profile profile;
  struct pawl_code_facts facts;
  struct pawl_profiled_call own = *options;
  own.process = NULL; /* its process does not run under ncu */
  if (options->process) pawl_profiled_process_rest(options->process);
  PAWL_TRY(remove_older(&files, err));
  const enum pawl_status_code called = call(&own, wrapper, arena, err);
  if (called != PAWL_OK || !pawl_file_exists(files.report))
    return no_report(&files, called, arena, err);
  PAWL_TRY(export_raw(program, options->timeout_seconds, &files, err));
  PAWL_TRY(pawl_ncu_csv_read(files.csv, arena, &profile, err));
  drop_own_kernels(&profile);
  if (!profile.count) return no_report(&files, PAWL_OK, arena, err);
  pawl_code_facts_read(options->worker->plugin, options->listings, arena, &facts);
  if (profile.count == 1) facts.compulsory_bytes = options->problem->work.bytes;
  for (size_t i = 0; i < profile.count; i++)
    pawl_code_facts_of(&facts, profile.kernels[i].name, profile.kernels[i].values);
  const char *version = pawl_tool_probe("ncu", arena).version;
  profile.profiler =
      version ? pawl_arena_printf(arena, "Nsight Compute, %s", version) : "Nsight Compute";
  *out = profile;
  return PAWL_OK;
}

pawl_status pawl_ncu_profile(const struct pawl_profiled_call *options, struct pawl_arena *arena,
                             struct pawl_profile *out, struct pawl_error *err) {
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* they would wait for each other */
  const struct pawl_tool ncu = pawl_tool_find("ncu", arena);
  if (ncu.reason) return pawl_fail(err, PAWL_UNAVAILABLE, "no profile: %s", ncu.reason);
  struct pawl_error why = {0};
  pthread_mutex_lock(&one);
  enum pawl_status_code status = profile_with(options, options->full, ncu.path, arena, out, &why);
  if (status != PAWL_OK && strstr(why.message, UNKNOWN_METRIC))
    status = profile_with(options, true, ncu.path, arena, out, &why);
  pthread_mutex_unlock(&one);
  return status == PAWL_OK ? status : pawl_fail(err, status, "%s", why.message);
}

/* The samples of the versions of some kernels, which a thread takes. One process makes all calls,
   because the start of ncu takes longer than the calls. ncu prints the samples itself when the
   process has ended: an import of its report starts it again. It holds the counters from the first
   call until then, so its turn comes after those of all profiles. */
struct pawl_ncu_sampling {
  struct pawl_profiled_call calls[2 * PAWL_SAMPLED_ROWS];
  int count;
  sem_t gate; /* open: all calls are here, and all profiles */
  struct pawl_profiled_process process;
  pthread_t thread;
  bool running;
  const char *program;
  struct paths files;
  struct pawl_arena arena;
  enum pawl_status_code status;
  struct pawl_error err;
};

/* Makes a call in a process of its own, or, if it has the shared one, all from it on. That first
   call waits for the gate, and all others are here then. */
static pawl_status sample_in(struct pawl_ncu_sampling *s, const char *folder, int at,
                             struct pawl_error *err) {
  const char *const wrapper[] = {"env",
                                 pawl_arena_printf(&s->arena, "TMPDIR=%s", folder),
                                 "LC_ALL=C",
                                 s->program,
                                 "--profile-from-start",
                                 "off",
                                 "--clock-control",
                                 "none",
                                 "--cache-control",
                                 s->calls[at].warm ? "none" : "all",
                                 "--target-processes",
                                 "all",
                                 "--metrics",
                                 "group:smsp__pcsamp_warp_stall_reasons",
                                 "--warp-sampling-max-passes",
                                 "1", /* between two passes ncu copies all pinned memory */
                                 "--csv",
                                 "--page",
                                 "raw",
                                 "--print-metric-instances",
                                 "details",
                                 "--log-file",
                                 s->files.csv,
                                 NULL};
  const struct paths files = {.log = s->files.csv};
  PAWL_TRY(remove_older(&s->files, err));
  const bool shared = s->calls[at].process;
  enum pawl_status_code status;
  do status = call(&s->calls[at], wrapper, &s->arena, err);
  while (status == PAWL_OK && shared && ++at < s->count);
  pawl_profiled_process_end(&s->process);
  return status == PAWL_OK ? status : no_report(&files, status, &s->arena, err);
}

/* Two ncu wait for each other at a lock in the folder for temporary files, and another one may run
   beside this one. */
static pawl_status sample_calls(struct pawl_ncu_sampling *s, int at, struct pawl_error *err) {
  struct pawl_error ignored;
  const char *folder;
  if (!pawl_make_temporary("ncu", &s->arena, &folder))
    return pawl_fail_errno(err, errno, "cannot make the folder '%s'", folder);
  const enum pawl_status_code status = sample_in(s, folder, at, err);
  (void)!pawl_remove_tree(folder, &ignored);
  return status;
}

static void *sample(void *context) {
  struct pawl_ncu_sampling *s = context;
  s->status = sample_calls(s, 0, &s->err);
  return NULL;
}

/* Reads the samples of some calls, each of which launches as many kernels as its profile has. */
static pawl_status read_samples(struct pawl_ncu_sampling *s, const size_t *launches, size_t count,
                                struct pawl_arena *arena, struct pawl_code_samples *out,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(s->files.csv, CSV_LIMIT, &text, err));
  const enum pawl_status_code status = pawl_ncu_samples_parse(
      pawl_text_string(&text), text.length, s->files.csv, launches, count, arena, out, err);
  if (status == PAWL_OK || !strstr(pawl_text_string(&text), ERROR_MARK)) return status;
  return no_report(&(struct paths){.log = s->files.csv}, PAWL_OK, arena, err);
}

void pawl_ncu_sample_add(struct pawl_ncu_sampling *s, const struct pawl_profiled_call calls[2]) {
  PAWL_ASSERT(s->count < 2 * PAWL_SAMPLED_ROWS);
  for (int i = 0; i < 2; i++) {
    s->calls[s->count] = calls[i];
    s->calls[s->count++].process = &s->process;
  }
}

void pawl_ncu_sample_go(struct pawl_ncu_sampling *s) { sem_post(&s->gate); }

static pawl_status ncu_sample_begin(struct pawl_ncu_sampling *s,
                                    const struct pawl_profiled_call *calls, bool together,
                                    struct pawl_arena *arena, struct pawl_error *err) {
  const struct pawl_tool ncu = pawl_tool_find("ncu", arena);
  if (ncu.reason) return pawl_fail(err, PAWL_UNAVAILABLE, "no samples: %s", ncu.reason);
  sem_init(&s->gate, 0, 0);
  s->process.gate = &s->gate;
  pawl_ncu_sample_add(s, calls);
  s->program = ncu.path;
  s->files = name_files(pawl_arena_printf(&s->arena, "%s-samples", calls[1].path), &s->arena);
  s->status = PAWL_UNAVAILABLE;
  s->running = together && !pthread_create(&s->thread, NULL, sample, s);
  return PAWL_OK;
}

static void free_sampling(struct pawl_ncu_sampling *sampling) {
  pawl_arena_clear(&sampling->arena);
  pawl_free(sampling);
}

pawl_status pawl_ncu_sample_begin(const struct pawl_profiled_call calls[2], bool together,
                                  struct pawl_arena *arena, struct pawl_ncu_sampling **out,
                                  struct pawl_error *err) {
  struct pawl_ncu_sampling *sampling = pawl_alloc(1, sizeof *sampling);
  const enum pawl_status_code status = ncu_sample_begin(sampling, calls, together, arena, err);
  if (status == PAWL_OK)
    *out = sampling;
  else
    free_sampling(sampling);
  return status;
}

/* Each version in a process of its own. */
static pawl_status sample_alone(struct pawl_ncu_sampling *s, const size_t *launches,
                                struct pawl_arena *arena, struct pawl_code_samples *out,
                                struct pawl_error *err) {
  for (int i = 0; i < s->count; i++) {
    s->calls[i].process = NULL;
    s->files = name_files(pawl_arena_printf(&s->arena, "%s-samples", s->calls[i].path), &s->arena);
    enum pawl_status_code status = sample_calls(s, i, err);
    if (status == PAWL_OK) status = read_samples(s, &launches[i], 1, arena, &out[i], err);
    if (status != PAWL_OK) return pawl_prefix(err, i % 2 ? "the candidate" : "the base");
  }
  return PAWL_OK;
}

/* Whether each version may have samples in a process of its own: none has begun, the kernels of one
   process are not those of the profiles, one failed, or another profiler held the counters. */
static bool may_work_alone(const struct pawl_ncu_sampling *s) {
  return !s->running || s->status == PAWL_OK || s->status == PAWL_FAILED ||
         strstr(s->err.message, HELD);
}

static pawl_status end_sampling(struct pawl_ncu_sampling *s, const size_t *launches,
                                struct pawl_arena *arena, struct pawl_code_samples *out,
                                struct pawl_error *err) {
  struct pawl_error together = {0};
  if (!launches) return pawl_fail(err, PAWL_UNAVAILABLE, "a version has no profile");
  if (!may_work_alone(s)) return pawl_fail(err, s->status, "%s", s->err.message);
  if (s->status == PAWL_OK &&
      read_samples(s, launches, (size_t)s->count, arena, out, &together) == PAWL_OK)
    return PAWL_OK;
  return sample_alone(s, launches, arena, out, err);
}

pawl_status pawl_ncu_sample_end(struct pawl_ncu_sampling *sampling, const size_t *launches,
                                struct pawl_arena *arena, struct pawl_code_samples *out,
                                struct pawl_error *err) {
  pawl_ncu_sample_go(sampling);
  if (sampling->running) pthread_join(sampling->thread, NULL);
  const enum pawl_status_code status = end_sampling(sampling, launches, arena, out, err);
  free_sampling(sampling);
  return status;
}
