/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/read.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/text.h"
#include "suite/suite_sections.h"
#include "suite/tables.h"
#include "yaml/values.h"
#include "yaml/yaml.h"

#define SUITE_VERSION 1

#define MEASURE(member) offsetof(struct pawl_measure_spec, member)

static const char *const cache_words[] = {"cold", "warm", NULL}; /* enum pawl_cache_mode */
static const char *const clock_words[] = {"free", "lock", NULL}; /* enum pawl_clock_mode */
static const char *const placement_words[] = {"apart", "scheduler", NULL}; /* enum pawl_placement */
static const char *const isolate_words[] = {"available", "required", "off",
                                            NULL}; /* enum pawl_isolate */

/* Reads a list such as "0-3,8", in the notation of taskset and cpuset. The use checks whether the
   machine has them. */
static pawl_status read_cpus(const struct pawl_slot *slot, void *field) {
  const struct pawl_yaml *node = slot->node;
  if (node->kind == PAWL_YAML_SCALAR && pawl_cpus_parse(node->text, slot->reader->arena, field))
    return PAWL_OK;
  return pawl_slot_fail(slot, node, "a list of CPU numbers such as 0-3,8");
}

static bool same_cpus(const void *a, const void *b) {
  const struct pawl_cpus *x = a, *y = b;
  return x->count == y->count &&
         (!x->count || !memcmp(x->numbers, y->numbers, x->count * sizeof *x->numbers));
}

static pawl_status read_files(const struct pawl_slot *slot, void *field) {
  struct pawl_strings *files = field;
  PAWL_TRY(pawl_read_strings(slot, files));
  for (size_t i = 0; i < files->count; i++)
    if (files->items[i][0] != '/' && !pawl_starts_with(files->items[i], "~/") &&
        (files->items[i][0] == '~' || strstr(files->items[i], "..")))
      return pawl_slot_fail(slot, slot->node,
                            "absolute paths, paths that begin with ~/, or paths in the repository "
                            "without ..");
  return PAWL_OK;
}

static const struct pawl_key measure_rows[] = {
    {"warmup", pawl_read_int, MEASURE(warmup), 0, 1000000},
    {"samples", pawl_read_int, MEASURE(samples), 1, 1000000},
    {"processes", pawl_read_int, MEASURE(processes), 1, 1000},
    {"cache", pawl_read_choice, MEASURE(cache), .words = cache_words},
    {"clocks", pawl_read_choice, MEASURE(clocks), .words = clock_words},
    {"timeout", pawl_read_seconds, MEASURE(timeout_seconds), 0.1, 86400},
    {"memory_limit", pawl_read_bytes, MEASURE(memory_limit), 0x1p20, 0x1p40},
    {"cpus", read_cpus, MEASURE(cpus), .equal = same_cpus},
    {"threads", pawl_read_int, MEASURE(threads), 1, PAWL_CPU_LIMIT},
    {"placement", pawl_read_choice, MEASURE(placement), .words = placement_words},
    {"connections", pawl_read_int, MEASURE(connections), 1, 32},
    {"isolation", pawl_read_choice, MEASURE(isolation), .words = isolate_words},
    {"files", read_files, MEASURE(files), .equal = pawl_strings_equal},
};
const struct pawl_keys pawl_measure_keys = PAWL_KEYS(measure_rows, NULL);

#define PROFILE(member) offsetof(struct pawl_profile_spec, member)

static const struct pawl_key profile_rows[] = {
    {"regression", pawl_read_bool, PROFILE(regression)},
    {"improvement_over", pawl_read_fraction, PROFILE(improvement_over), 0, 1},
    {"max_kernels", pawl_read_int, PROFILE(max_kernels), 0, 1000},
    {"timeout", pawl_read_seconds, PROFILE(timeout_seconds), 0.1, 86400},
};
static const struct pawl_keys profile_keys = PAWL_KEYS(profile_rows, NULL);

static const struct pawl_key cost_rows[] = {
    {"usd_per_hour", pawl_read_number, offsetof(struct pawl_suite, usd_per_hour), 0, 1e6},
};
static const struct pawl_keys cost_keys = PAWL_KEYS(cost_rows, NULL);

static const struct pawl_key retention_rows[] = {
    {"sample_days", pawl_read_int, offsetof(struct pawl_suite, retention_days), 1, 100000},
};
static const struct pawl_keys retention_keys = PAWL_KEYS(retention_rows, NULL);

/* Reads the place of the history. git tracks this file, so it must not hold a password. */
static pawl_status read_store(const struct pawl_slot *slot, void *field) {
  static const char *const schemes[] = {
#define STORE(scheme, example, driver) scheme,
#include "model/stores.inc"
#undef STORE
  };
#define STORE(scheme, example, driver) example ", "
  static const char wanted[] =
#include "model/stores.inc"
      "or none";
#undef STORE
  PAWL_TRY(pawl_read_text(slot, field));
  const char *address = slot->node->text, *host = strstr(address, "://"),
             *at = host ? strchr(host + 3, '@') : NULL;
  const char *colon = host ? strchr(host + 3, ':') : NULL;
  if ((at && colon && colon < at) || (host && strstr(host, "password=")))
    return pawl_yaml_fail(slot->reader, slot->node,
                          "'store' of pawl.yaml holds a password: put it into ~/.pgpass");
  if (!strcmp(address, PAWL_STORE_NONE)) return PAWL_OK;
  for (size_t i = 0; i < PAWL_COUNT(schemes); i++)
    if (pawl_starts_with(address, schemes[i]) && address[strlen(schemes[i])]) return PAWL_OK;
  return pawl_slot_fail(slot, slot->node, wanted);
}

/* Skips the version, which is checked before all else: a newer file may have unknown keys. */
static pawl_status skip_version(const struct pawl_slot *slot, void *field) {
  (void)slot, (void)field;
  return PAWL_OK;
}

#define SUITE(member) offsetof(struct pawl_suite, member)

static const struct pawl_key suite_rows[] = {
    {"version", skip_version, 0, .required = true},
    {"kernels", pawl_read_kernels, 0},
    {"references", pawl_read_references, 0},
    {"operators", pawl_read_operators, 0},
    {"cases", pawl_read_cases, 0},
    {"check", pawl_read_checks, 0},
    {"sweep", pawl_read_sweeps, 0},
    {"measure", pawl_read_map, SUITE(measure), .table = &pawl_measure_keys},
    {"gate", pawl_read_gate, SUITE(gate), .table = &pawl_gate_keys},
    {"profile", pawl_read_map, SUITE(profile), .table = &profile_keys},
    {"cost", pawl_read_map, 0, .table = &cost_keys},
    {"notify", pawl_read_notify, 0},
    {"store", read_store, SUITE(store)},
    {"retention", pawl_read_map, 0, .table = &retention_keys},
};
static const struct pawl_keys suite_keys = PAWL_KEYS(suite_rows, NULL);

static struct pawl_suite defaults(void) {
  return (struct pawl_suite){
      .measure = {.warmup = 20,
                  .samples = 100,
                  .processes = 6,
                  .cache = PAWL_CACHE_COLD,
                  .placement = PAWL_PLACEMENT_APART,
                  .connections = 1,
                  .isolation = PAWL_ISOLATE_AVAILABLE,
                  .clocks = PAWL_CLOCKS_FREE,
                  .timeout_seconds = 60},
      .gate = pawl_gate_default(),
      .profile = {.regression = true,
                  .improvement_over = 0.05,
                  .max_kernels = 4,
                  .timeout_seconds = 300},
      .usd_per_hour = (double)NAN,
      .store = PAWL_STORE_DEFAULT,
  };
}

static pawl_status check_version(const struct pawl_yaml_reader *reader,
                                 const struct pawl_yaml *root) {
  const struct pawl_yaml *node = pawl_yaml_get(root, "version");
  int64_t version;
  if (!node) return PAWL_OK; /* reported with the other missing keys */
  if (!pawl_yaml_integer(node, &version) || version < 1)
    return pawl_yaml_fail(reader, node, "'version' of pawl.yaml must be %d", SUITE_VERSION);
  if (version > SUITE_VERSION)
    return pawl_yaml_fail(
        reader, node, "'version' of pawl.yaml is %lld, but this pawl reads only %d: update pawl",
        (long long)version, SUITE_VERSION);
  return PAWL_OK;
}

/* Returns the folder of `path`, absolute if it exists. */
static const char *folder_of(const char *path, struct pawl_arena *arena) {
  char *folder = pawl_arena_copy(arena, path);
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  const char *shown = slash ? folder : ".";
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(shown);
  return real ? pawl_arena_copy(arena, real) : shown;
}

pawl_status pawl_suite_parse(const char *text, size_t length, const char *path,
                             struct pawl_arena *arena, struct pawl_suite *out,
                             struct pawl_error *err) {
  const struct pawl_yaml_reader reader = {
      .path = pawl_arena_copy(arena, path), .arena = arena, .err = err};
  struct pawl_yaml *root;
  struct pawl_suite suite = defaults();
  PAWL_TRY(pawl_yaml_parse(text, length, path, arena, &root, err));
  PAWL_TRY(check_version(&reader, root));
  PAWL_TRY(pawl_keys_read(&reader, &suite_keys, "pawl.yaml", root, &suite));
  PAWL_TRY(pawl_suite_check_rules(&suite, root, &reader));
  suite.path = reader.path;
  suite.folder = folder_of(path, arena);
  suite.text = pawl_hash_bytes(text, length);
  *out = suite;
  return PAWL_OK;
}

pawl_status pawl_suite_read_sweep(const char *text, struct pawl_arena *arena,
                                  struct pawl_suite *suite, struct pawl_error *err) {
  static const struct pawl_key rows[] = {{"sweep", pawl_read_sweeps, 0}};
  static const struct pawl_keys keys = PAWL_KEYS(rows, NULL);
  static const char name[] = "--matrix";
  const struct pawl_yaml_reader reader = {.path = name, .arena = arena, .err = err};
  const char *document = pawl_arena_printf(arena, "sweep: %s", text);
  struct pawl_yaml *root;
  enum pawl_status_code status =
      pawl_yaml_parse(document, strlen(document), name, arena, &root, err);
  if (status == PAWL_OK) status = pawl_keys_read(&reader, &keys, name, root, suite);
  if (status == PAWL_CONFIG && err) err->code = PAWL_USAGE;
  return status == PAWL_CONFIG ? PAWL_USAGE : status;
}

/* Returns the nearest parent folder with such a file, or NULL. Allocated. */
static char *find_above(const char *path) {
  char *folder = pawl_path_real(".");
  while (folder && strcmp(folder, "/") != 0) {
    char *above = pawl_path_folder(folder);
    pawl_free(folder);
    folder = above;
    PAWL_CLEANUP(pawl_free_pointer) char *there = pawl_path_join(folder, path);
    if (pawl_is_regular(there)) return folder;
  }
  pawl_free(folder);
  return NULL;
}

static enum pawl_status_code fail_absent(const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *above = find_above(path);
  const char *const other = "pawl.yml";
  if (!strcmp(path, "pawl.yaml") && pawl_is_regular(other))
    return pawl_fail(err, PAWL_NO_INPUT,
                     "no '%s' in this folder, but '%s', which pawl does not read: rename it", path,
                     other);
  if (above)
    return pawl_fail(err, PAWL_NO_INPUT, "no '%s' in this folder; '%s' has one: use -C %s", path,
                     above, above);
  return pawl_fail(err, PAWL_NO_INPUT,
                   "no '%s' in this folder; pawl init makes one, and -C DIR goes to another folder",
                   path);
}

pawl_status pawl_suite_read(const char *path, struct pawl_arena *arena, struct pawl_suite *out,
                            struct pawl_error *err) {
  if (!strchr(path, '/') && pawl_file_absent(path)) return fail_absent(path, err);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const enum pawl_status_code status = pawl_file_read(path, PAWL_YAML_FILE_LIMIT, &text, err);
  /* A file that is too large or not regular is a bad suite. */
  if (status == PAWL_BAD_DATA && err) err->code = PAWL_CONFIG;
  if (status != PAWL_OK) return status == PAWL_BAD_DATA ? PAWL_CONFIG : status;
  return pawl_suite_parse(pawl_text_string(&text), text.length, path, arena, out, err);
}
