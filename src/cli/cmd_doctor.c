/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/seal.h"
#include "build/tools.h"
#include "cli/command.h"
#include "device/backends.h"
#include "device/cpu/conditions.h"
#include "device/cpu/cpu.h"
#include "device/cpu/thread_share.h"
#include "device/cuda/cupti.h"
#include "device/cuda/gpu_conditions.h"
#include "device/device.h"
#include "forge/setup_checks.h"
#include "pairs/spread.h"
#include "process/freeze.h"
#include "process/process.h"
#include "process/shield.h"
#include "report/figures.h"

#define LOAD_SECONDS 0.5
#define SPREAD_SECONDS 60.0 /* on a quiet machine a tenth of that */
#define MOST_OTHER_WORK 0.1 /* CPUs; the ticks of /proc/stat show 0.02 on an idle machine */

struct findings {
  json_t *devices, *tools, *system, *steadiness, *gpus, *files, *forge;
  bool broken; /* something essential is missing */
  bool json;
};

static void report(struct findings *findings, json_t *list, const char *name, bool ok,
                   bool required, const char *what, const char *remedy) {
  json_t *row = json_object();
  pawl_json_set_string(row, "name", name);
  pawl_json_set_bool(row, "ok", ok);
  pawl_json_set_string(row, ok ? "found" : "reason", what);
  if (!ok) pawl_json_set_string(row, "remedy", remedy);
  json_array_append_new(list, row);
  if (!ok && required) findings->broken = true;
  if (findings->json) return;
  /* The line says the remedy already. */
  if (ok || (what && remedy && strstr(what, remedy))) remedy = NULL;
  printf("  %-4s %-18s %s%s%s\n",
         ok         ? "ok"
         : required ? "FAIL"
                    : "-",
         name, what, remedy ? "; " : "", remedy ? remedy : "");
}

static void report_conditions(struct findings *findings, json_t *list,
                              const struct pawl_condition *conditions, size_t count) {
  for (size_t i = 0; i < count; i++)
    report(findings, list, conditions[i].name, conditions[i].ok, false, conditions[i].found,
           conditions[i].remedy);
}

/* Reports conditions that make a GPU's times and results doubtful. */
static void look_at_gpu(struct findings *findings, const struct pawl_device *device,
                        struct pawl_arena *arena) {
  struct pawl_condition conditions[PAWL_GPU_CONDITIONS];
  struct pawl_error why = {0};
  size_t count = 0;
  json_t *gpu = json_object(), *list = json_array();
  pawl_json_set_int(gpu, "index", device->index);
  pawl_json_set_string(gpu, "name", device->name);
  pawl_json_set_string(gpu, "uuid", device->uuid);
  pawl_json_set(gpu, "conditions", list);
  json_array_append_new(findings->gpus, gpu);
  if (!findings->json) printf("GPU %d\n", device->index);
  if (pawl_gpu_conditions(device, arena, conditions, &count, &why) == PAWL_OK)
    report_conditions(findings, list, conditions, count);
  else
    report(findings, list, "state", false, false, pawl_arena_copy(arena, why.message),
           "without NVML, pawl cannot see clocks, heat and other programs on the GPU");
}

static pawl_status look_at_gpus(struct findings *findings, struct pawl_arena *arena,
                                struct pawl_error *err) {
  struct pawl_device *devices = NULL;
  int count = 0;
  const char *reason = NULL;
  PAWL_TRY(pawl_device_backend(PAWL_CUDA)->list(NULL, arena, &devices, &count, &reason, err));
  for (int i = 0; i < count; i++) look_at_gpu(findings, &devices[i], arena);
  return PAWL_OK;
}

static pawl_status look_at_devices(struct findings *findings, struct pawl_arena *arena,
                                   struct pawl_error *err) {
  static const int32_t kinds[] = {PAWL_CPU, PAWL_CUDA};
  if (!findings->json) puts("devices");
  for (size_t i = 0; i < PAWL_COUNT(kinds); i++) {
    const struct pawl_device_backend *backend = pawl_device_backend(kinds[i]);
    struct pawl_device *devices = NULL;
    int count = 0;
    const char *reason = NULL;
    PAWL_TRY(backend->list(NULL, arena, &devices, &count, &reason, err));
    if (count == 0)
      report(findings, findings->devices, backend->name, false, kinds[i] == PAWL_CPU, reason,
             "only kernels for this device need it");
    for (int j = 0; j < count; j++) {
      struct pawl_text identity = {0};
      pawl_device_identity(&devices[j], &identity);
      pawl_text_printf(
          &identity, " (%s%s%s)", devices[j].arch ? devices[j].arch : "unknown architecture",
          devices[j].driver ? ", driver " : "", devices[j].driver ? devices[j].driver : "");
      report(findings, findings->devices, backend->name, true, false, identity.data, NULL);
      pawl_text_clear(&identity);
    }
  }
  return PAWL_OK;
}

/* CUPTI, the first GPU profiler, is a library. */
static void look_at_cupti(struct findings *findings, struct pawl_arena *arena) {
  struct pawl_cupti cupti;
  struct pawl_error why = {0};
  const bool there = pawl_cupti_open(&cupti, &why) == PAWL_OK;
  report(findings, findings->tools, "CUPTI", there, false,
         there ? pawl_arena_printf(arena, "API version %u", (unsigned)cupti.api_version)
               : pawl_arena_printf(arena, "%s; needed for profiles of CUDA kernels in seconds",
                                   why.message),
         "install the CUDA toolkit 12.8 or later");
}

static void look_at_tools(struct findings *findings, struct pawl_arena *arena) {
  struct pawl_tool *tools;
  size_t count;
  pawl_tools_probe(arena, &tools, &count);
  if (!findings->json) puts("tools");
  for (size_t i = 0; i < count; i++) {
    const struct pawl_tool *tool = &tools[i];
    const char *what = tool->reason ? pawl_arena_printf(arena, "%s; needed for %s", tool->reason,
                                                        tool->spec->needed_for)
                                    : tool->version;
    report(findings, findings->tools, tool->spec->name, !tool->reason, tool->spec->required, what,
           tool->path ? NULL : tool->spec->remedy);
  }
  look_at_cupti(findings, arena);
}

/* Starts a process in a sandbox as a test. */
static enum pawl_isolation try_isolation(void) {
  const struct pawl_sandbox sandbox = {.folder = "/"};
  const struct pawl_process_options options = {.argv = (const char *const[]){"true", NULL},
                                               .sandbox = &sandbox};
  struct pawl_exit exit = {0};
  const bool ran =
      pawl_process_run(&options, 10, 0, NULL, NULL, &exit, NULL) == PAWL_OK && exit.status == 0;
  return ran ? exit.isolation : PAWL_ISOLATION_NONE;
}

static void look_at_isolation(struct findings *findings) {
  static const char *const says[] = {
      [PAWL_ISOLATION_NONE] = "none: this machine has neither namespaces for pawl nor Landlock",
      [PAWL_ISOLATION_FILES] = "files: this machine has Landlock, but no namespaces for pawl",
      [PAWL_ISOLATION_FULL] =
          "full: code under test has files, processes and a network of its own"};
  const enum pawl_isolation isolation = try_isolation();
  report(
      findings, findings->system, "isolation", isolation == PAWL_ISOLATION_FULL, false,
      says[isolation],
      "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
      "kernel.apparmor_restrict_unprivileged_userns; in a container its seccomp profile)");
}

static void look_at_limits(struct findings *findings, struct pawl_arena *arena) {
  const struct pawl_cgroup_place *place = pawl_cgroup_here();
  const bool all = place->bounds == (PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY);
  const char *found = pawl_arena_printf(
      arena, "%s: control groups of version %d in '%s' bound what code under test starts",
      pawl_bounds_name(place->bounds), place->version,
      place->version == 1 && !place->folders[0] ? place->folders[1] : place->folders[0]);
  report(findings, findings->system, "limits", all, false,
         all ? found
             : pawl_arena_printf(arena, "%s: %s", pawl_bounds_name(place->bounds), place->reason),
         "run pawl as root, or by 'systemd-run --user --scope pawl ...'; in a container mount "
         "/sys/fs/cgroup writable");
}

/* Reports whether later runs can use the files that a run keeps. */
static void look_at_key(struct findings *findings, struct pawl_arena *arena) {
  struct pawl_seal_key key;
  struct pawl_error why = {0};
  const bool kept = pawl_seal_key_load(&key, NULL, &why) == PAWL_OK;
  report(findings, findings->system, "seals", kept, false,
         kept ? pawl_arena_printf(arena, "pawl seals its caches with the key in '%s'", key.folder)
              : why.message,
         "without a key of its own, each run builds and computes anew");
  pawl_seal_key_release(&key);
}

static void look_at_hold(struct findings *findings) {
  const bool holds = pawl_freeze_available();
  report(findings, findings->system, "ptrace", holds, false,
         holds ? "pawl holds the helpers of a kernel while its inputs change"
               : "pawl cannot hold the helpers of a kernel while its inputs change",
         "allow ptrace of child processes (sysctl kernel.yama.ptrace_scope below 2; in a container "
         "its seccomp profile)");
}

static void look_at_system(struct findings *findings, struct pawl_arena *arena) {
  const bool shield = pawl_shield_available();
  if (!findings->json) puts("system");
  report(findings, findings->system, "seccomp", shield, false,
         shield ? "code under test cannot stop, trace or kill pawl"
                : "this system or container has no seccomp filters",
         "without them, code under test can stop, trace or kill pawl");
  look_at_isolation(findings);
  look_at_limits(findings, arena);
  look_at_hold(findings);
  look_at_key(findings, arena);
}

/* The number of CPUs that other processes use for a moment; NaN: unknown. */
static double other_work(void) {
  const int64_t start = pawl_clock_ns();
  const double machine = pawl_cpu_machine_seconds(), own = pawl_cpu_own_seconds();
  pawl_sleep_seconds(LOAD_SECONDS);
  const double other = (pawl_cpu_machine_seconds() - machine) - (pawl_cpu_own_seconds() - own);
  return other < 0 ? 0 : other / pawl_seconds_since(start);
}

/* Reports whether busy threads get their CPUs. */
static void look_at_threads(struct findings *findings, struct pawl_arena *arena) {
  const int cpus = pawl_cpu_count(),
            threads = cpus < PAWL_THREAD_SHARE_MOST ? cpus : PAWL_THREAD_SHARE_MOST;
  if (threads < 2) return;
  const int64_t start = pawl_clock_ns();
  const double machine = pawl_cpu_machine_seconds(), own = pawl_cpu_own_seconds();
  const double share = pawl_thread_share(threads);
  const double other = ((pawl_cpu_machine_seconds() - machine) - (pawl_cpu_own_seconds() - own)) /
                       pawl_seconds_since(start);
  if (isnan(share)) return;
  struct pawl_condition condition;
  pawl_thread_share_judge(share, threads, other > 0 ? other : 0, arena, &condition);
  report_conditions(findings, findings->steadiness, &condition, 1);
}

static const char *seen_in(double detectable, struct pawl_arena *arena) {
  return isnan(detectable) ? "none that pawl tries"
                           : pawl_arena_printf(arena, "%.1f %%", detectable * 100);
}

/* Reports the change that the gate can detect here, from blocks of an unchanged kernel. */
static void look_at_spread(struct findings *findings, struct pawl_log *log,
                           struct pawl_arena *arena) {
  struct pawl_spread spreads[PAWL_SPREAD_LENGTHS];
  struct pawl_error why = {0};
  pawl_log_progress(log,
                    "measuring a kernel against itself for up to %.0f s (--quick leaves it out)",
                    SPREAD_SECONDS);
  const bool measured = pawl_spread_measure(SPREAD_SECONDS, log, spreads, &why) == PAWL_OK;
  pawl_log_progress(log, "%s", "");
  if (!measured)
    report(findings, findings->steadiness, "spread", false, false,
           pawl_arena_printf(arena, "not measured: %s", why.message),
           "stop other programs, then run pawl doctor again");
  for (size_t i = 0; measured && i < PAWL_SPREAD_LENGTHS; i++) {
    const struct pawl_spread *spread = &spreads[i];
    char call[PAWL_FIGURE];
    const char *found = pawl_arena_printf(
        arena,
        "calls of %s: %.2f %% between %zu blocks%s; the gate sees a slow-down of %s in 1 min, of "
        "%s in 10 min",
        pawl_figure_time(spread->call_ms, call), spread->block_sd * 100, spread->counted,
        spread->spoiled ? pawl_arena_printf(arena, " (%zu disturbed)", spread->spoiled) : "",
        seen_in(spread->detectable[0], arena), seen_in(spread->detectable[1], arena));
    report(findings, findings->steadiness, "spread", spread->detectable[1] <= spread->detect, false,
           found, "stop other programs, or run longer; pawl power shows your kernels");
  }
}

/* Reports conditions that make times of CPU kernels unsteady. pawl then needs more blocks for a
   verdict. */
static void look_at_steadiness(struct findings *findings, struct pawl_log *log, bool quick,
                               struct pawl_arena *arena) {
  struct pawl_condition conditions[PAWL_CPU_CONDITIONS];
  if (!findings->json) puts("steady times");
  const double load = other_work();
  if (!isnan(load))
    report(findings, findings->steadiness, "load", load < MOST_OTHER_WORK, false,
           pawl_arena_printf(arena, "other programs use %.1f CPUs", load),
           "stop them, or measure later: pawl repeats blocks that they disturb");
  const size_t count = pawl_cpu_conditions("", arena, conditions);
  report_conditions(findings, findings->steadiness, conditions, count);
  look_at_threads(findings, arena);
  if (!quick) look_at_spread(findings, log, arena);
}

static void look_at_files(struct findings *findings) {
  static const char *const names[] = {"libexec/pawl/pawl-worker", "lib/pawl/operators",
                                      "include/pawl/kernel.h", "share/pawl/templates"};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  if (!findings->json) puts("pawl's own files");
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(home, names[i]);
    const bool there = pawl_file_exists(path);
    report(findings, findings->files, names[i], there, true, there ? path : "it is missing",
           "install pawl again, or set PAWL_HOME");
  }
}

/* Takes the repository on the code host from the workflow's environment, else from the remote. */
static pawl_status read_forge(struct pawl_cli *cli, const char *token_file, const char *ca_file,
                              struct pawl_forge *forge, struct pawl_workflow_setup *setup,
                              struct pawl_error *err) {
  *forge = (struct pawl_forge){
      .arena = &cli->arena,
      .log = &cli->log,
      .http = {.ca_file = ca_file, .log = &cli->log, .redirects = 3, .attempts = 2}};
  PAWL_TRY(pawl_workflow_setup_read(cli->suite, &cli->arena, setup, err));
  return pawl_forge_read_setup(forge, setup, token_file, err);
}

static void look_at_forge(struct findings *findings, struct pawl_forge *forge,
                          const struct pawl_workflow_setup *setup) {
  struct pawl_setup_checks checks;
  if (!findings->json) puts("code host");
  pawl_forge_check_setup(forge, setup, &checks);
  for (size_t i = 0; i < checks.count; i++) {
    const struct pawl_setup_check *check = &checks.items[i];
    report(findings, findings->forge, check->name, check->ok, check->required, check->found,
           check->remedy);
  }
}

enum pawl_status_code pawl_cmd_doctor(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  bool with_forge = false, quick = false, done;
  const char *token_file = NULL, *ca_file = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--forge", &with_forge, NULL,
       "also check the settings of the repository on GitHub"},
      {PAWL_OPTION_PATH, "--token-file", &token_file, "FILE",
       "with --forge: the file with the token; GITHUB_TOKEN or GH_TOKEN by default"},
      {PAWL_OPTION_PATH, "--ca-file", &ca_file, "FILE", PAWL_CA_FILE_HELP},
      {PAWL_OPTION_FLAG, "--quick", &quick, NULL,
       "do not measure the spread of times, which takes up to a minute"},
      {PAWL_OPTION_END}};
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  if ((token_file || ca_file) && !with_forge)
    return pawl_fail(err, PAWL_USAGE, "'%s' needs '--forge'",
                     token_file ? "--token-file" : "--ca-file");
  struct pawl_forge forge;
  struct pawl_workflow_setup setup;
  if (with_forge) PAWL_TRY(read_forge(cli, token_file, ca_file, &forge, &setup, err));
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  struct findings findings = {.devices = json_array(),
                              .tools = json_array(),
                              .system = json_array(),
                              .steadiness = json_array(),
                              .gpus = json_array(),
                              .files = json_array(),
                              .json = cli->json};
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "devices", findings.devices);
  pawl_json_set(document, "tools", findings.tools);
  pawl_json_set(document, "system", findings.system);
  pawl_json_set(document, "steadiness", findings.steadiness);
  pawl_json_set(document, "gpus", findings.gpus);
  pawl_json_set(document, "files", findings.files);
  PAWL_TRY(look_at_devices(&findings, &cli->arena, err));
  look_at_tools(&findings, &cli->arena);
  look_at_system(&findings, &cli->arena);
  look_at_steadiness(&findings, &cli->log, quick, &cli->arena);
  PAWL_TRY(look_at_gpus(&findings, &cli->arena, err));
  look_at_files(&findings);
  if (with_forge) {
    findings.forge = json_array();
    pawl_json_set(document, "forge", findings.forge);
    look_at_forge(&findings, &forge, &setup);
  }
  if (cli->json) PAWL_TRY(pawl_cli_write_json(NULL, document, err));
  if (findings.broken)
    return pawl_fail(err, PAWL_UNAVAILABLE, "something that pawl needs is missing: see above");
  return PAWL_OK;
}
