/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/init_steps.h"

#include <string.h>

struct init_step {
  const char *what;    /* %s: the default branch */
  const char *command; /* NULL: none; %s: the folder */
  const char *page;    /* path below the repository's address; NULL: none */
  /* OF_ORGANISATION: for GPUs, and the page is below that of the owner; OWN_PIPELINE: only if
   * .gitlab-ci.yml does not include the jobs */
  enum { ALWAYS, WITHOUT_BUNDLE, FOR_GPUS, FOR_CPUS, OF_ORGANISATION, OWN_PIPELINE } kind;
};

#define NAME_RELEASE(file)                                                                  \
  "Name the release for machines without pawl: PAWL_BUNDLE_URL and PAWL_BUNDLE_SHA256. Or " \
  "remove " file " and run init again"
#define INIT_WITH_BUNDLE(forge) \
  "pawl init --forge " forge " --bundle https://.../pawl-x86_64.tar.gz%s"
#define COMMIT                                                                       \
  {                                                                                  \
    "Commit the files, and push them to '%s': that push records the first baseline", \
        "git add -A && git commit -m \"Measure kernels\" && git push", NULL          \
  }

static const struct init_step github_steps[] = {
    {NAME_RELEASE(".github/actions/pawl/action.yml"), INIT_WITH_BUNDLE("github"),
     "/settings/variables/actions", WITHOUT_BUNDLE},
    {"Add a runner with the labels self-hosted and gpu, best an ephemeral one",
     "./config.sh --ephemeral --labels gpu --url ... --token ...", "/settings/actions/runners/new",
     FOR_GPUS},
    {"Boundary: require approval for all external contributors", NULL, "/settings/actions",
     FOR_GPUS},
    {"Boundary: put the runner into a group for this repository's pawl-measure.yml and "
     "pawl-autotune.yml of '%s' alone",
     "gh variable set PAWL_RUNNER --body '{\"group\": \"...\", \"labels\": [\"gpu\"]}'",
     "/settings/actions/runner-groups", OF_ORGANISATION},
    COMMIT};
static const struct init_step gitlab_steps[] = {
    {"Add this line to your .gitlab-ci.yml, and the stages measure and report to its stages",
     "include: [{local: " PAWL_GITLAB_JOBS "}]", NULL, OWN_PIPELINE},
    {NAME_RELEASE(PAWL_GITLAB_JOBS), INIT_WITH_BUNDLE("gitlab"),
     "/-/settings/ci_cd#js-cicd-variables-settings", WITHOUT_BUNDLE},
    {"Add a runner with the tag gpu, and another one with the tag pawl-report. Boundary: lock the "
     "first one to this project, and let it run no untagged jobs",
     NULL, "/-/settings/ci_cd#js-runners-settings", FOR_GPUS},
    {"Add GITLAB_TOKEN, masked, with the environment scope pawl-report", NULL,
     "/-/settings/ci_cd#js-cicd-variables-settings"},
    {"Allow the job token to push, for the baseline on '%s'. Boundary: no pipelines for forks in "
     "this project",
     "glab api --method PUT projects/:id -f ci_push_repository_for_job_token_allowed=true "
     "-f ci_allow_fork_pipelines_to_run_in_parent_project=false",
     "/-/settings/ci_cd"},
    COMMIT};
#define STEPS_OF(host)                                                                 \
  {NAME_RELEASE("." host "/actions/pawl/action.yml"), INIT_WITH_BUNDLE(host),          \
   "/settings/actions/variables", WITHOUT_BUNDLE},                                     \
      {"Add a runner with the label gpu, and another one with the label docker", NULL, \
       "/settings/actions/runners", FOR_GPUS},                                         \
      {"Add a runner with the label cpu, and another one with the label docker", NULL, \
       "/settings/actions/runners", FOR_CPUS},                                         \
      COMMIT
static const struct init_step forgejo_steps[] = {STEPS_OF("forgejo")};
static const struct init_step gitea_steps[] = {STEPS_OF("gitea")};

/* Makes "https://github.com/organizations/owner/settings" from "https://github.com/owner/name". */
static void add_owner_page(const char *page, const char *below, struct pawl_text *out) {
  const char *host = strstr(page, "://") + 3, *owner = strchr(host, '/') + 1;
  pawl_text_printf(out, "   %.*sorganizations/%.*s%s\n", (int)(owner - page), page,
                   (int)strcspn(owner, "/"), owner, below);
}

/* Appends the text with `value` in place of %s. */
static void add_filled(const char *text, const char *value, struct pawl_text *out) {
  const char *place = strstr(text, "%s");
  const size_t before = place ? (size_t)(place - text) : strlen(text);
  pawl_text_printf(out, "%.*s%s%s\n", (int)before, text, place ? value : "",
                   place ? place + 2 : "");
}

static bool init_steps_is_done(const struct init_step *step,
                               const struct pawl_workflow_setup *setup) {
  switch (step->kind) {
    case OWN_PIPELINE: return pawl_gitlab_includes_jobs(setup->root);
    case WITHOUT_BUNDLE: return setup->bundle.url;
    case FOR_CPUS: return setup->has_gpu;
    case FOR_GPUS:
    case OF_ORGANISATION: return !setup->has_gpu;
    case ALWAYS: break;
  }
  return false;
}

static void add_steps(const struct init_step *steps, size_t count,
                      const struct pawl_workflow_setup *setup, const char *page, const char *folder,
                      struct pawl_text *out) {
  size_t left = 0;
  for (size_t i = 0; i < count; i++) left += !init_steps_is_done(&steps[i], setup);
  pawl_text_add(out, left == 1 ? "One step is left:\n" : "The steps that are left:\n");
  for (size_t i = 0, number = 0; i < count; i++) {
    const struct init_step *step = &steps[i];
    if (init_steps_is_done(step, setup)) continue;
    pawl_text_printf(out, "%zu. ", ++number);
    add_filled(step->what, setup->branch, out);
    if (step->command) pawl_text_add(out, "   ");
    if (step->command) add_filled(step->command, folder, out);
    if (step->page && step->kind == OF_ORGANISATION) add_owner_page(page, step->page, out);
    if (step->page && step->kind != OF_ORGANISATION)
      pawl_text_printf(out, "   %s%s\n", page, step->page);
  }
}

#define ADD_STEPS(list, otherwise)                                                               \
  add_steps(list, sizeof(list) / sizeof *(list), setup, setup->page ? setup->page : (otherwise), \
            pawl_text_string(&named), out)

void pawl_init_steps(const struct pawl_workflow_setup *setup, const char *forge, const char *folder,
                     struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text named = {0};
  if (strcmp(folder, ".") != 0) pawl_text_printf(&named, " %s", folder);
  if (setup->bundle.url)
    pawl_text_printf(out, "The machines install %s (SHA-256 %.12s...).\n", setup->bundle.url,
                     setup->bundle.sha256);
  if (!strcmp(forge, "github")) {
    ADD_STEPS(github_steps, "https://github.com/OWNER/NAME");
    pawl_text_add(out,
                  "Then 'pawl doctor --forge' checks each step, and names the settings that are "
                  "worth having, such as a required check.\n");
  } else if (!strcmp(forge, "gitlab"))
    ADD_STEPS(gitlab_steps, "https://gitlab.com/OWNER/NAME");
  else if (!strcmp(forge, "gitea"))
    ADD_STEPS(gitea_steps, "https://HOST/OWNER/NAME");
  else
    ADD_STEPS(forgejo_steps, "https://HOST/OWNER/NAME");
}
