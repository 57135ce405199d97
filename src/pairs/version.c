/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/version.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "build/git.h"
#include "project/change_base.h"

pawl_status pawl_version_parse(const char *text, struct pawl_arena *arena, struct pawl_version *out,
                               struct pawl_error *err) {
  char *kernel = pawl_arena_copy(arena, text), *revision = strrchr(kernel, '@');
  if (revision) *revision++ = '\0';
  char *source = strchr(kernel, ':');
  if (source) *source++ = '\0';
  if ((revision && !*revision) || (source && !*source) || (!*kernel && !revision) ||
      (!*kernel && source))
    return pawl_fail(err, PAWL_USAGE,
                     "'%s' is no version; write KERNEL, KERNEL:SOURCE, @REV or KERNEL@REV", text);
  *out = (struct pawl_version){text, *kernel ? kernel : NULL, source, revision};
  return PAWL_OK;
}

/* The message reminds users who forget the '@' before a revision. */
static pawl_status no_kernel(const struct pawl_project *project, const struct pawl_suite *suite,
                             const struct pawl_version *version, const char *kernel,
                             struct pawl_arena *arena, struct pawl_error *err) {
  const char *commit, *nearest = NULL,
                      **names = pawl_arena_alloc(arena, suite->kernel_count + 1, sizeof *names);
  struct pawl_error ignored;
  for (size_t i = 0; i < suite->kernel_count; i++) names[i] = suite->kernels[i].name;
  if (project->git.root && !version->revision && !version->source &&
      pawl_git_resolve(project->git.root, kernel, arena, &commit, &ignored) == PAWL_OK)
    nearest = pawl_arena_printf(arena, "@%s", kernel);
  if (!nearest) nearest = pawl_nearest(kernel, names, suite->kernel_count);
  return pawl_fail(err, PAWL_USAGE, "'%s': '%s' has no kernel '%s'%s", version->text, suite->path,
                   kernel, pawl_did_you_mean(nearest, arena));
}

static pawl_status version_find_spec(const struct pawl_project *project,
                                     const struct pawl_suite *suite,
                                     const struct pawl_version *version, const char *kernel,
                                     struct pawl_arena *arena, const struct pawl_kernel_spec **out,
                                     struct pawl_error *err) {
  const struct pawl_kernel_spec *found = pawl_suite_kernel(suite, kernel);
  if (!found) return no_kernel(project, suite, version, kernel, arena, err);
  if (!version->source) {
    *out = found;
    return PAWL_OK;
  }
  if (found->kind != PAWL_FROM_SOURCES)
    return pawl_fail(err, PAWL_USAGE, "'%s': pawl does not compile kernel '%s' from sources",
                     version->text, kernel);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_real(version->source);
  if (!path)
    return pawl_fail(err, PAWL_NO_INPUT, "'%s': no source file '%s'", version->text,
                     version->source);
  struct pawl_kernel_spec *changed = pawl_arena_alloc(arena, 1, sizeof *changed);
  const char **items = pawl_arena_alloc(arena, 1, sizeof *items);
  items[0] = pawl_arena_copy(arena, path);
  *changed = *found;
  changed->sources = (struct pawl_strings){.items = items, .count = 1};
  *out = changed;
  return PAWL_OK;
}

pawl_status pawl_version_build(struct pawl_project *project, const struct pawl_version *version,
                               const char *kernel, struct pawl_built_version *out,
                               struct pawl_error *err) {
  struct pawl_project *tree = project;
  const struct pawl_kernel_spec *spec = NULL;
  out->commit = project->git.commit;
  if (version->revision) {
    if (!project->git.commit)
      return pawl_fail(err, PAWL_NO_INPUT, "'%s': %s", version->text, project->git.reason);
    PAWL_TRY(
        pawl_git_resolve(project->git.root, version->revision, &project->arena, &out->commit, err));
    PAWL_TRY(pawl_change_base_tree(project, out->commit, &tree, err));
  }
  PAWL_TRY(version_find_spec(project, &tree->suite, version, kernel, &project->arena, &spec, err));
  PAWL_TRY(pawl_project_ready(tree, spec, &out->ready, err));
  if (out->ready.diagnostics) pawl_log_info(project->options.log, "%s", out->ready.diagnostics);
  if (out->ready.outcome == PAWL_OUTCOME_OK) return PAWL_OK;
  return pawl_fail(err, PAWL_FAILED, "'%s': %s", version->text, out->ready.reason);
}
