/* SPDX-License-Identifier: Apache-2.0 */
/* pawl doctor */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/shield.h"
#include "build/tools.h"
#include "cli/command.h"
#include "device/backends.h"
#include "device/device.h"

struct findings {
  json_t *devices, *tools, *system, *files;
  bool broken; /* something without which pawl cannot do its main work is missing */
  bool json;
};

static void report(struct findings *findings, json_t *list, const char *name, bool ok, bool required, const char *what,
                   const char *remedy) {
  json_t *row = json_object();
  pawl_json_set_string(row, "name", name);
  pawl_json_set_bool(row, "ok", ok);
  pawl_json_set_string(row, ok ? "found" : "reason", what);
  if (!ok) pawl_json_set_string(row, "remedy", remedy);
  json_array_append_new(list, row);
  if (!ok && required) findings->broken = true;
  if (findings->json) return;
  if (ok || (what && remedy && strstr(what, remedy))) remedy = NULL; /* said already */
  printf("  %-4s %-18s %s%s%s\n",
         ok         ? "ok"
         : required ? "FAIL"
                    : "-",
         name, what, remedy ? "; " : "", remedy ? remedy : "");
}

static pawl_status look_at_devices(struct findings *findings, struct pawl_arena *arena, struct pawl_error *err) {
  static const int32_t kinds[] = {PAWL_CPU, PAWL_CUDA};
  if (!findings->json) puts("devices");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct pawl_device_backend *backend = pawl_device_backend(kinds[i]);
    struct pawl_device *devices = NULL;
    int count = 0;
    const char *reason = NULL;
    PAWL_TRY(backend->list(arena, &devices, &count, &reason, err));
    if (count == 0)
      report(findings, findings->devices, backend->name, false, kinds[i] == PAWL_CPU, reason,
             "only kernels for this device need it");
    for (int j = 0; j < count; j++) {
      struct pawl_text identity = {0};
      pawl_device_identity(&devices[j], &identity);
      pawl_text_printf(&identity, " (%s%s%s)", devices[j].arch ? devices[j].arch : "unknown architecture",
                       devices[j].driver ? ", driver " : "", devices[j].driver ? devices[j].driver : "");
      report(findings, findings->devices, backend->name, true, false, identity.data, NULL);
      pawl_text_clear(&identity);
    }
  }
  return PAWL_OK;
}

static void look_at_tools(struct findings *findings, struct pawl_arena *arena) {
  struct pawl_tool *tools;
  size_t count;
  pawl_tools_probe(arena, &tools, &count);
  if (!findings->json) puts("tools");
  for (size_t i = 0; i < count; i++) {
    const struct pawl_tool *tool = &tools[i];
    const char *what = tool->reason
                           ? pawl_arena_printf(arena, "%s; needed for %s", tool->reason, tool->spec->needed_for)
                           : tool->version;
    report(findings, findings->tools, tool->spec->name, !tool->reason, tool->spec->required, what, tool->spec->remedy);
  }
}

static void look_at_system(struct findings *findings) {
  const bool shield = pawl_shield_available();
  if (!findings->json) puts("system");
  report(findings, findings->system, "seccomp", shield, false,
         shield ? "code under test cannot stop, trace or kill pawl" : "this system or container has no seccomp filters",
         "without them, code under test can stop, trace or kill pawl");
}

static void look_at_files(struct findings *findings) {
  static const char *const names[] = {"libexec/pawl/pawl-worker", "lib/pawl/operators", "include/pawl/kernel.h",
                                      "share/pawl/templates"};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  if (!findings->json) puts("pawl's own files");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(home, names[i]);
    const bool there = pawl_file_exists(path);
    report(findings, findings->files, names[i], there, true, there ? path : "it is missing",
           "install pawl again, or set PAWL_HOME");
  }
}

enum pawl_status_code pawl_cmd_doctor(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  const struct pawl_option options[] = {{PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  struct findings findings = {
      .devices = json_array(), .tools = json_array(), .system = json_array(), .files = json_array(), .json = cli->json};
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "devices", findings.devices);
  pawl_json_set(document, "tools", findings.tools);
  pawl_json_set(document, "system", findings.system);
  pawl_json_set(document, "files", findings.files);
  PAWL_TRY(look_at_devices(&findings, &cli->arena, err));
  look_at_tools(&findings, &cli->arena);
  look_at_system(&findings);
  look_at_files(&findings);
  if (cli->json) PAWL_TRY(pawl_cli_write_json(NULL, document, err));
  if (findings.broken) return pawl_fail(err, PAWL_UNAVAILABLE, "something that pawl needs is missing: see above");
  return PAWL_OK;
}
