/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/setup_rows.h"

#include <string.h>

#include "base/file.h"
#include "build/git.h"
#include "build/git_run.h"

#define WORKFLOW_LIMIT ((size_t)1 << 20)

void pawl_setup_add(const struct setup_checking *checking, const char *name, bool required, bool ok,
                    const char *found, const char *remedy) {
  if (checking->out->count == PAWL_SETUP_CHECKS) return;
  checking->out->items[checking->out->count++] = (struct pawl_setup_check){
      .name = name, .ok = ok, .required = required, .found = found, .remedy = remedy};
}

const char *pawl_setup_page(const struct setup_checking *checking, const char *below) {
  return pawl_arena_printf(checking->forge->arena, "%s%s", checking->page, below);
}

json_t *pawl_setup_ask(const struct setup_checking *checking, const char *name, const char *path,
                       const char *where) {
  struct pawl_error why = {0};
  json_t *answer = NULL;
  long status;
  const struct pawl_forge_call call = {.method = "GET", .path = path, .repeatable = true};
  if (pawl_forge_send(checking->forge, &call, &status, &answer, &why) == PAWL_OK) return answer;
  pawl_setup_add(checking, name, false, false,
                 pawl_arena_printf(checking->forge->arena, "cannot be asked: %s", why.message),
                 pawl_setup_page(checking, where));
  return NULL;
}

const char *pawl_setup_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

void pawl_setup_check_files(struct setup_checking *checking, const char *workflow,
                            const char *host) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(checking->setup->root, workflow);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error why = {0};
  const char *again = pawl_arena_printf(checking->forge->arena, "pawl init --forge %s", host);
  if (pawl_file_read(path, WORKFLOW_LIMIT, &text, &why) != PAWL_OK) {
    pawl_setup_add(checking, "workflow", true, false,
                   pawl_arena_printf(checking->forge->arena, "there is no %s", workflow), again);
    return;
  }
  checking->text = pawl_arena_copy(checking->forge->arena, pawl_text_string(&text));
  const char *lacks = pawl_workflow_lacks(checking->text, &checking->setup->paths);
  pawl_setup_add(
      checking, "workflow", true, !lacks,
      lacks ? pawl_arena_printf(checking->forge->arena, "%s does not name '%s'", workflow, lacks)
            : "names all files that are measured",
      pawl_arena_printf(checking->forge->arena, "remove it and run %s", again));
}

void pawl_setup_check_pushed(const struct setup_checking *checking, const char *workflow) {
  struct pawl_arena *arena = checking->forge->arena;
  const char *branch = pawl_arena_printf(arena, "origin/%s", checking->setup->branch);
  const char *file = pawl_arena_printf(arena, "%s:%s", branch, workflow);
  const bool pushed =
      pawl_git_line(checking->setup->root, GIT_ARGUMENTS("rev-parse", "--verify", "--quiet", file),
                    arena) != NULL;
  pawl_setup_add(checking, "on that branch", true, pushed,
                 pawl_arena_printf(arena, "%s %s", branch, pushed ? "has it" : "does not have it"),
                 "commit it and push it to the default branch; git fetch, if another clone did");
}

void pawl_setup_check_bundle(const struct setup_checking *checking, const char *file,
                             const char *variable, bool needed) {
  static const char pin[] = "PINNED_URL: \"";
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(checking->setup->root, file);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  const char *url = variable, *pinned = NULL;
  if (!*url && pawl_file_read(path, WORKFLOW_LIMIT, &text, &ignored) == PAWL_OK)
    pinned = strstr(pawl_text_string(&text), pin);
  if (pinned) pinned += strlen(pin);
  if (pinned)
    url = pawl_arena_printf(checking->forge->arena, "%.*s", (int)strcspn(pinned, "\""), pinned);
  pawl_setup_add(checking, "bundle", needed && !*url, *url,
                 *url     ? url
                 : needed ? "none is named, and a machine of the host has no pawl"
                          : "none is named: each machine must have pawl",
                 pawl_arena_printf(checking->forge->arena,
                                   "remove %s and run pawl init --forge HOST --bundle URL, or set "
                                   "PAWL_BUNDLE_URL and PAWL_BUNDLE_SHA256",
                                   file));
}

void pawl_setup_check_branch(const struct setup_checking *checking, const json_t *repository) {
  struct pawl_arena *arena = checking->forge->arena;
  const char *branch = pawl_arena_copy(arena, pawl_setup_text(repository, "default_branch"));
  const bool same = !strcmp(branch, checking->setup->branch);
  pawl_setup_add(checking, "default branch", true, same,
                 same ? branch
                      : pawl_arena_printf(arena, "'%s' on the host, but '%s' here", branch,
                                          checking->setup->branch),
                 "git remote set-head origin --auto, then remove the workflow and run pawl init "
                 "--forge again");
}
