/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a repository's code host, the address of its API and its checks. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "forge/setup_rows.h"

static bool setup_host_is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

static bool has_file(const struct pawl_workflow_setup *setup, const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(setup->root, name);
  return pawl_file_exists(path);
}

enum pawl_forge_host pawl_forge_host_of(const struct pawl_workflow_setup *setup) {
  const char *page = setup->page ? setup->page : "";
  if (setup_host_is_set("FORGEJO_ACTIONS") || setup_host_is_set("GITEA_ACTIONS"))
    return PAWL_FORGE_FORGEJO;
  if (setup_host_is_set("GITLAB_CI")) return PAWL_FORGE_GITLAB;
  if (pawl_starts_with(page, "https://github.com/")) return PAWL_FORGE_GITHUB;
  if (pawl_starts_with(page, "https://gitlab.com/")) return PAWL_FORGE_GITLAB;
  if (pawl_starts_with(page, "https://codeberg.org/")) return PAWL_FORGE_FORGEJO;
  if (has_file(setup, ".github/workflows/pawl.yml")) return PAWL_FORGE_GITHUB;
  if (has_file(setup, ".forgejo/workflows/pawl.yml") ||
      has_file(setup, ".gitea/workflows/pawl.yml"))
    return PAWL_FORGE_FORGEJO;
  return has_file(setup, PAWL_GITLAB_JOBS) ? PAWL_FORGE_GITLAB : PAWL_FORGE_GITHUB;
}

/* Returns the path of the repository behind the host of its page, or NULL. */
static const char *setup_host_path_of(const struct pawl_workflow_setup *setup) {
  const char *slash = setup->page ? strchr(setup->page + strlen("https://"), '/') : NULL;
  return slash ? slash + 1 : NULL;
}

/* Sets the variable to an address below the page's host, unless the job has set it. */
static void set_address(const struct pawl_workflow_setup *setup, const char *name,
                        const char *below, struct pawl_arena *arena) {
  const char *path = setup_host_path_of(setup);
  if (path)
    setenv(name,
           pawl_arena_printf(arena, "%.*s%s", (int)(path - 1 - setup->page), setup->page, below),
           0);
}

static pawl_status read_gitlab(struct pawl_forge *forge, const struct pawl_workflow_setup *setup,
                               const char *token_file, struct pawl_error *err) {
  const char *path = getenv("CI_PROJECT_ID");
  if (!path || !*path) path = setup_host_path_of(setup);
  if (!path)
    return pawl_fail(
        err, PAWL_USAGE,
        "no project: git remote get-url origin names none, and CI_PROJECT_ID is not set");
  PAWL_TRY(
      pawl_forge_take_token(forge->arena, token_file, "GITLAB_TOKEN", NULL, &forge->token, err));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text escaped = {0};
  pawl_url_escape(path, &escaped);
  set_address(setup, "CI_API_V4_URL", "/api/v4", forge->arena);
  const char *address = getenv("CI_API_V4_URL");
  if (!address || !*address)
    return pawl_fail(err, PAWL_USAGE, "no GitLab: CI_API_V4_URL is not set");
  forge->is_gitlab = true;
  forge->api_url = pawl_arena_copy(forge->arena, address);
  forge->repository = pawl_arena_copy(forge->arena, pawl_text_string(&escaped));
  forge->event_name = "";
  return PAWL_OK;
}

pawl_status pawl_forge_read_setup(struct pawl_forge *forge, enum pawl_forge_host host,
                                  const struct pawl_workflow_setup *setup, const char *token_file,
                                  struct pawl_error *err) {
  if (host == PAWL_FORGE_GITLAB) return read_gitlab(forge, setup, token_file, err);
  if (setup_host_path_of(setup)) setenv("GITHUB_REPOSITORY", setup_host_path_of(setup), 0);
  if (host == PAWL_FORGE_FORGEJO) setenv("FORGEJO_ACTIONS", "true", 0);
  if (host == PAWL_FORGE_FORGEJO) set_address(setup, "GITHUB_API_URL", "/api/v1", forge->arena);
  if (host == PAWL_FORGE_GITHUB && setup->page &&
      !pawl_starts_with(setup->page, "https://github.com/"))
    set_address(setup, "GITHUB_API_URL", "/api/v3", forge->arena);
  return pawl_forge_read(forge, token_file, err);
}

void pawl_forge_check_setup(struct pawl_forge *forge, enum pawl_forge_host host,
                            const struct pawl_workflow_setup *setup,
                            struct pawl_setup_checks *out) {
  struct setup_checking checking = {forge, setup,
                                    setup->page ? setup->page : "https://HOST/OWNER/NAME", "", out};
  *out = (struct pawl_setup_checks){.count = 0};
  if (host == PAWL_FORGE_GITLAB)
    pawl_setup_check_gitlab(&checking);
  else if (host == PAWL_FORGE_FORGEJO)
    pawl_setup_check_forgejo(&checking);
  else
    pawl_setup_check_github(&checking);
}
