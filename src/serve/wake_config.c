/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/wake_config.h"

#include <string.h>

#include "base/file.h"
#include "model/names.h"
#include "yaml/keys.h"
#include "yaml/values.h"

#define CONFIG_NAME "pawl-wake.yaml"
#define MOST_MACHINES 64
#define DAY 86400.0

/* --- the tables --- */

#define MACHINE(member) offsetof(struct pawl_wake_machine_spec, member)
#define CONFIG(member) offsetof(struct pawl_wake_config, member)

static const struct pawl_key machine_rows[] = {
    {"labels", pawl_read_strings, MACHINE(labels), .min = 1, .required = true},
    {"start", pawl_read_strings, MACHINE(start), .min = 1, .required = true},
    {"stop", pawl_read_strings, MACHINE(stop), .min = 1},
    {"pass", pawl_read_strings, MACHINE(pass)},
    {"timeout", pawl_read_seconds, MACHINE(command_timeout), 0.1, 3600},
    {"idle_stop", pawl_read_seconds, MACHINE(policy.idle_stop), 0, 7 * DAY},
    {"min_up", pawl_read_seconds, MACHINE(policy.min_up), 0, 7 * DAY},
    {"start_again", pawl_read_seconds, MACHINE(policy.start_again), 1, DAY},
};
static const struct pawl_keys machine_keys = PAWL_KEYS(machine_rows, NULL);

static pawl_status read_machines(const struct pawl_slot *slot, void *field) {
  struct pawl_wake_config *config = field;
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP || map->count == 0 || map->count > MOST_MACHINES)
    return pawl_slot_fail(slot, map, "a mapping of 1 to 64 names to machines");
  config->machines = pawl_arena_alloc(slot->reader->arena, map->count, sizeof *config->machines);
  for (size_t i = 0; i < map->count; i++) {
    struct pawl_wake_machine_spec *machine = &config->machines[i];
    *machine = (struct pawl_wake_machine_spec){
        .name = map->keys[i]->text,
        .command_timeout = 300,
        .policy = {.idle_stop = 900, .min_up = 600, .start_again = 900},
    };
    if (!pawl_is_name(machine->name))
      return pawl_yaml_fail(slot->reader, map->keys[i],
                            "the name of a machine has letters, digits and _ . - only");
    const char *owner = pawl_arena_printf(slot->reader->arena, "machine '%s'", machine->name);
    PAWL_TRY(pawl_keys_read(slot->reader, &machine_keys, owner, map->items[i], machine));
  }
  config->machine_count = map->count;
  return PAWL_OK;
}

/* Returns whether "owner/name", or owner and all, needs no escape in a path of the API. */
static bool is_repository_or_all(const char *text) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  const size_t owner = strspn(text, letters);
  if (owner == 0 || owner > 100 || text[owner] != '/') return false;
  const char *name = text + owner + 1;
  if (strcmp(name, "*") == 0) return true;
  const size_t length = strspn(name, letters);
  return length > 0 && length <= 100 && !name[length] && strcmp(name, ".") != 0 &&
         strcmp(name, "..") != 0;
}

bool pawl_wake_config_is_repository(const char *text) {
  return is_repository_or_all(text) && !pawl_ends_with(text, "/*");
}

static pawl_status read_repositories(const struct pawl_slot *slot, void *field) {
  PAWL_TRY(pawl_read_strings(slot, field));
  const struct pawl_strings *names = field;
  for (size_t i = 0; i < names->count; i++)
    if (!is_repository_or_all(names->items[i]))
      return pawl_slot_fail(slot, slot->node->items[i], "a list such as [owner/name, 'owner/*']");
  return PAWL_OK;
}

static pawl_status skip_version(const struct pawl_slot *slot, void *field) {
  (void)field;
  int64_t version;
  if (pawl_yaml_integer(slot->node, &version) && version == 1) return PAWL_OK;
  return pawl_slot_fail(slot, slot->node, "1");
}

static const struct pawl_key config_rows[] = {
    {"version", skip_version, 0, .required = true},
    {"listen", pawl_read_text, CONFIG(listen)},
    {"secret", pawl_read_secret, CONFIG(secret)},
    {"token", pawl_read_secret, CONFIG(token)},
    {"api_url", pawl_read_text, CONFIG(api_url)},
    {"state", pawl_read_text, CONFIG(state)},
    {"repositories", read_repositories, CONFIG(repositories), .min = 1, .required = true},
    {"poll", pawl_read_seconds, CONFIG(poll), 0, DAY},
    /* pawl remembers a delivery as long as it believes its job, so nobody can replay it. GitHub
     * fails a job that no runner takes within a day. */
    {"job_age", pawl_read_seconds, CONFIG(job_age), 60, 3650 * DAY},
    {"replay_window", pawl_read_seconds, CONFIG(replay_window), DAY, 30 * DAY},
    {"body_limit", pawl_read_bytes, CONFIG(body_limit), 1024, 25 * 0x1p20},
    {"rate", pawl_read_number, CONFIG(rate), 0.1, 1e6},
    {"machines", read_machines, 0, .required = true},
};
static const struct pawl_keys config_keys = PAWL_KEYS(config_rows, NULL);

/* --- reading --- */

/* Makes a path relative to the folder of the configuration. */
static const char *beside(const char *path, const char *name, struct pawl_arena *arena) {
  const char *slash = strrchr(path, '/');
  if (!name || *name == '/' || !slash) return name;
  return pawl_arena_printf(arena, "%.*s/%s", (int)(slash - path), path, name);
}

/* Fails if a command would get one of our own secrets, by whatever name. */
static pawl_status check_pass(const struct pawl_yaml_reader *reader, const struct pawl_yaml *root,
                              const struct pawl_wake_config *config) {
  for (size_t i = 0; i < config->machine_count; i++) {
    const struct pawl_wake_machine_spec *machine = &config->machines[i];
    for (size_t j = 0; j < machine->pass.count; j++) {
      const char *name = machine->pass.items[j];
      if ((config->secret.env && !strcmp(name, config->secret.env)) ||
          (config->token.env && !strcmp(name, config->token.env)) || strchr(name, '='))
        return pawl_yaml_fail(
            reader,
            pawl_yaml_get(pawl_yaml_get(pawl_yaml_get(root, "machines"), machine->name), "pass"),
            "'pass' of machine '%s' takes names of variables, but not of pawl's own secrets: not "
            "'%s'",
            machine->name, name);
    }
  }
  return PAWL_OK;
}

pawl_status pawl_wake_config_parse(const char *text, size_t length, const char *path,
                                   struct pawl_arena *arena, struct pawl_wake_config *out,
                                   struct pawl_error *err) {
  const struct pawl_yaml_reader reader = {.path = path, .arena = arena, .err = err};
  struct pawl_yaml *root;
  struct pawl_wake_config config = {.listen = "127.0.0.1:8787",
                                    .secret = {.env = "PAWL_WEBHOOK_SECRET"},
                                    .state = ".pawl/wake",
                                    .poll = 300,
                                    .job_age = DAY,
                                    .replay_window = 3 * DAY,
                                    .body_limit = 1 << 20,
                                    .rate = 300};
  PAWL_TRY(pawl_yaml_parse(text, length, path, arena, &root, err));
  if (pawl_yaml_get(root, "secret")) config.secret.env = NULL;
  PAWL_TRY(pawl_keys_read(&reader, &config_keys, CONFIG_NAME, root, &config));
  PAWL_TRY(check_pass(&reader, root, &config));
  config.state = beside(path, config.state, arena);
  config.secret.file = beside(path, config.secret.file, arena);
  config.token.file = beside(path, config.token.file, arena);
  *out = config;
  return PAWL_OK;
}

pawl_status pawl_wake_config_read(const char *path, struct pawl_arena *arena,
                                  struct pawl_wake_config *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const enum pawl_status_code status = pawl_file_read(path, PAWL_YAML_FILE_LIMIT, &text, err);
  if (status == PAWL_BAD_DATA && err) err->code = PAWL_CONFIG; /* too large, no regular file */
  if (status != PAWL_OK) return status == PAWL_BAD_DATA ? PAWL_CONFIG : status;
  return pawl_wake_config_parse(pawl_text_string(&text), text.length, path, arena, out, err);
}

/* --- look-ups --- */

bool pawl_wake_config_has(const struct pawl_wake_config *config, const char *repository) {
  for (size_t i = 0; i < config->repositories.count; i++) {
    const char *name = config->repositories.items[i];
    const size_t owner = strcspn(name, "/") + 1;
    const bool all = strcmp(name + owner, "*") == 0;
    if (all ? strncasecmp(name, repository, owner) == 0 : strcasecmp(name, repository) == 0)
      return true;
  }
  return false;
}

static bool offers(const struct pawl_strings *labels, const char *label) {
  for (size_t i = 0; i < labels->count; i++)
    if (strcasecmp(labels->items[i], label) == 0) return true;
  return false;
}

int pawl_wake_config_match(const struct pawl_wake_config *config, const char *const *labels,
                           size_t count) {
  for (size_t i = 0; i < config->machine_count && count > 0; i++) {
    size_t found = 0;
    while (found < count && offers(&config->machines[i].labels, labels[found])) found++;
    if (found == count) return (int)i;
  }
  return -1;
}

pawl_status pawl_wake_config_machine(const struct pawl_wake_config *config, const char *name,
                                     int *out, struct pawl_error *err) {
  const char *names[MOST_MACHINES];
  for (size_t i = 0; i < config->machine_count; i++) {
    names[i] = config->machines[i].name;
    if (strcmp(names[i], name)) continue;
    *out = (int)i;
    return PAWL_OK;
  }
  const char *nearest = pawl_nearest(name, names, config->machine_count);
  return pawl_fail(err, PAWL_USAGE, "no machine '%s' in the configuration%s%s%s", name,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}
