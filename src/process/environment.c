/* SPDX-License-Identifier: Apache-2.0 */
#include "process/environment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/sandbox_paths.h"

extern char **environ;

/* Returns whether a name looks like a credential, or is a variable by which code hosts grant
   rights. */
static bool is_secret(const char *variable) {
  static const char *const parts[] = {"TOKEN", "SECRET", "PASSWORD",   "PASSWD",
                                      "_KEY",  "APIKEY", "CREDENTIAL", "_AUTH"};
  static const char *const names[] = {"ACTIONS_",      "GITHUB_ENV", "GITHUB_PATH",
                                      "GITHUB_OUTPUT", "SSH_",       "GPG_"};
  char name[256];
  size_t length = 0;
  while (variable[length] && variable[length] != '=' && length + 1 < sizeof name) {
    name[length] = (char)toupper((unsigned char)variable[length]);
    length++;
  }
  name[length] = '\0';
  for (size_t i = 0; i < PAWL_COUNT(parts); i++) {
    if (strstr(name, parts[i])) return true;
  }
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    if (pawl_starts_with(name, names[i])) return true;
  }
  return false;
}

/* Returns whether the value has an address with a password, "https://user:word@host". Code hosts
   give such addresses to their jobs. */
static bool has_password(const char *variable) {
  for (const char *p = strstr(variable, "://"); p; p = strstr(p, "://")) {
    p += strlen("://");
    const size_t user = strcspn(p, ":@/ "), word = p[user] == ':' ? strcspn(p + user, "@/ ") : 0;
    if (word > 1 && p[user + word] == '@') return true;
  }
  return false;
}

/* Returns whether the loader would load other code before the worker's own, such as another clock.
 */
static bool is_of_loader(const char *variable) {
  return pawl_starts_with(variable, "LD_PRELOAD=") || pawl_starts_with(variable, "LD_AUDIT=");
}

static bool environment_same_name(const char *variable, const char *change) {
  const size_t length = strcspn(change, "=");
  return !strncmp(variable, change, length) && variable[length] == '=';
}

/* Returns changes that tell a sandboxed process where it may write. NULL-terminated. */
static const char *const *sandbox_variables(struct pawl_sandbox_plan *plan) {
  static const char *const caches[] = {"XDG_CACHE_HOME",          "TRITON_CACHE_DIR",
                                       "TORCHINDUCTOR_CACHE_DIR", "NUMBA_CACHE_DIR",
                                       "CUDA_CACHE_PATH",         "PYTHONPYCACHEPREFIX"};
  static const char *const paths[] = {"OLDPWD",          "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
                                      "XDG_CONFIG_DIRS", "XDG_DATA_HOME",  "XDG_DATA_DIRS",
                                      "XDG_STATE_HOME",  "XDG_RUNTIME_DIR"};
  const size_t most = PAWL_COUNT(caches) + PAWL_COUNT(paths) + 4;
  const char **variables = pawl_arena_alloc(&plan->arena, most, sizeof *variables);
  size_t count = 0;
  for (size_t i = 0; plan->root && i < PAWL_COUNT(paths); i++) variables[count++] = paths[i];
  if (plan->root) {
    variables[count++] = "HOME=" PAWL_SANDBOX_HOME;
    variables[count++] = pawl_arena_printf(&plan->arena, "PWD=%s", plan->folder);
  }
  if (plan->namespaces) variables[count++] = "TMPDIR=" PAWL_SANDBOX_MEMORY;
  if (!plan->scratch) return variables;
  if (plan->changeable)
    variables[count++] = pawl_arena_printf(&plan->arena, "HOME=%s", plan->scratch);
  variables[count++] = pawl_arena_printf(&plan->arena, "TMPDIR=%s", plan->scratch);
  for (size_t i = 0; i < PAWL_COUNT(caches); i++) /* namespaces make the usual folders writable */
    variables[count++] =
        pawl_arena_printf(&plan->arena, "%s=%s/%s", caches[i], plan->scratch, caches[i]);
  return variables;
}

static size_t environment_count_of(const char *const *variables) {
  size_t count = 0;
  while (variables && variables[count]) count++;
  return count;
}

static bool is_among(const char *variable, const char *const *changes) {
  for (; changes && *changes; changes++) {
    if (environment_same_name(variable, *changes)) return true;
  }
  return false;
}

const char **pawl_process_environment(const char *const *changes, bool drop_secrets,
                                      const char *mark, struct pawl_sandbox_plan *plan) {
  const char *const *ours = (const char *const *)environ;
  const char *const *places = plan ? sandbox_variables(plan) : NULL;
  const char **environment = pawl_alloc(
      environment_count_of(ours) + environment_count_of(changes) + environment_count_of(places) + 3,
      sizeof *environment);
  size_t kept = 0;
  for (; *ours; ours++) {
    const bool drop = (drop_secrets && (is_secret(*ours) || has_password(*ours))) ||
                      (plan && is_of_loader(*ours)) || is_among(*ours, changes) ||
                      is_among(*ours, places);
    if (!drop) environment[kept++] = *ours;
  }
  for (; changes && *changes; changes++) {
    if (strchr(*changes, '=')) environment[kept++] = *changes;
  }
  for (; places && *places; places++) {
    if (strchr(*places, '=')) environment[kept++] = *places;
  }
  if (!getenv("PATH"))
    environment[kept++] = "PATH=" PAWL_DEFAULT_PATH; /* a compiler needs it to find its linker */
  if (*mark) environment[kept++] = mark;
  return environment;
}
