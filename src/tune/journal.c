/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/ndjson.h"
#include "tune/strategy.h"

#define FILE_LIMIT ((size_t)256 << 20)
#define MOST_OPEN 10000
#define FINISHED "finished" /* the key of the last line */
#define LOST "lost"         /* the key of a line for a lost evaluator */

static pawl_status journal_read_text(const json_t *object, const char *key, const char *name,
                                     struct pawl_arena *arena, const char **out,
                                     struct pawl_error *err) {
  const char *text;
  PAWL_TRY(pawl_json_get_string(object, key, name, NULL, &text, err));
  *out = pawl_arena_copy(arena, text);
  return PAWL_OK;
}

/* Reads the times of each case. In a search for one case they are members of the line itself. */
static pawl_status read_times(const json_t *object, const char *name, struct pawl_arena *arena,
                              struct pawl_tune_candidate *out, struct pawl_error *err) {
  const json_t *cases = json_object_get(object, "cases");
  const size_t count = cases ? json_array_size(cases) : 1;
  struct pawl_tune_times *times = pawl_arena_alloc(arena, count + 1, sizeof *times);
  if (count < 1 || count > PAWL_TUNE_MOST_CASES)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'cases' must be a list of 1 to %u", name,
                     PAWL_TUNE_MOST_CASES);
  for (size_t i = 0; i < count; i++) {
    const json_t *item = cases ? json_array_get(cases, i) : object;
    PAWL_TRY(pawl_json_get_number(item, "median_ms", name, NAN, &times[i].median_ms, err));
    PAWL_TRY(pawl_json_get_number(item, "current_ms", name, NAN, &times[i].base_ms, err));
    PAWL_TRY(pawl_json_get_bool(item, "checked", name, true, &times[i].checked, err));
  }
  out->times = times;
  out->time_count = count;
  pawl_tune_sum_up(out);
  return PAWL_OK;
}

pawl_status pawl_tune_candidate_read(const json_t *object, const char *name,
                                     struct pawl_arena *arena, struct pawl_tune_candidate *out,
                                     struct pawl_error *err) {
  const char *outcome = NULL;
  *out = (struct pawl_tune_candidate){0};
  PAWL_TRY(journal_read_text(object, "key", name, arena, &out->key, err));
  PAWL_TRY(pawl_json_get_string(object, "outcome", name, NULL, &outcome, err));
  PAWL_TRY(journal_read_text(object, "reason", name, arena, &out->reason, err));
  PAWL_TRY(journal_read_text(object, "code_hash", name, arena, &out->code_hash, err));
  PAWL_TRY(journal_read_text(object, "same_as", name, arena, &out->same_as, err));
  PAWL_TRY(pawl_json_get_number(object, "build_s", name, 0, &out->build_seconds, err));
  PAWL_TRY(pawl_json_get_number(object, "measure_s", name, 0, &out->measure_seconds, err));
  PAWL_TRY(journal_read_text(object, "evaluator", name, arena, &out->evaluator, err));
  if (!out->key || !pawl_outcome_parse(outcome, &out->outcome))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a candidate without 'key' or 'outcome'", name);
  return read_times(object, name, arena, out, err);
}

static bool journal_is_time(double ms) { return isnan(ms) || (ms > 0 && isfinite(ms)); }

/* A candidate with the machine code of another candidate or of the current code has the same
   times, or none. */
pawl_status pawl_tune_candidate_check(const struct pawl_tune_candidate *candidate, const char *name,
                                      struct pawl_error *err) {
  const bool timed = candidate->median_ms > 0 && candidate->base_ms > 0;
  bool possible = candidate->build_seconds >= 0 && candidate->measure_seconds >= 0;
  for (size_t i = 0; i < candidate->time_count; i++)
    possible &= journal_is_time(candidate->times[i].median_ms) &&
                journal_is_time(candidate->times[i].base_ms);
  if (!possible) return pawl_fail(err, PAWL_BAD_DATA, "%s: a time that is not positive", name);
  if (candidate->outcome == PAWL_OUTCOME_OK && !timed && !candidate->same_as)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: a candidate that is ok, without 'median_ms' or 'current_ms'", name);
  return PAWL_OK;
}

static pawl_status journal_read_entry(const json_t *object, const char *name,
                                      struct pawl_arena *arena, struct pawl_tune_entry *entry,
                                      struct pawl_error *err) {
  long long open;
  PAWL_TRY(pawl_tune_candidate_read(object, name, arena, &entry->candidate, err));
  PAWL_TRY(pawl_json_get_number(object, "seconds", name, 0, &entry->seconds, err));
  PAWL_TRY(pawl_json_get_int(object, "open", name, 1, &open, err));
  entry->open = open > 0 && open < MOST_OPEN ? (size_t)open : 1;
  return PAWL_OK;
}

/* The first difference between the search of a journal and this search. */
static const char *difference(const json_t *journal, const json_t *identity) {
  static const struct {
    const char *key, *words;
  } parts[] = {{"kernel_name", "kernel"},
               {"case", "case"},
               {"shape", "shape of the case"},
               {"hardware", "hardware"},
               {"device_name", "device"},
               {"batch", "batch"},
               {"current", "set of current parameters"},
               {"code", "version of the kernel's code"},
               {"toolchain", "compiler"},
               {"strategy", "strategy"},
               {"strategy_version", "version of the strategy"},
               {"seed", "seed"},
               {"space", "space: its values differ"},
               {"configurations", "space: it has other configurations"},
               {"prior", "prior"},
               {"prior_hash", "prior: its content differs"},
               {"prior_times", "prior"}};
  for (size_t i = 0; i < PAWL_COUNT(parts); i++) {
    const json_t *a = json_object_get(journal, parts[i].key),
                 *b = json_object_get(identity, parts[i].key);
    if ((a || b) && !(a && b && json_equal(a, b))) return parts[i].words;
  }
  return "version of pawl";
}

/* Reads the complete lines. */
static pawl_status journal_read_lines(struct pawl_tune_journal *journal,
                                      const struct pawl_text *text, size_t length,
                                      const json_t *identity, struct pawl_arena *arena,
                                      struct pawl_error *err) {
  size_t lines = 0;
  for (size_t i = 0; i < length; i++) lines += text->data[i] == '\n';
  journal->entries = pawl_arena_alloc(arena, lines + 1, sizeof *journal->entries);
  for (size_t offset = 0, line = 1; offset < length; line++) {
    PAWL_CLEANUP(pawl_json_release) json_t *object = NULL;
    const size_t end =
        (size_t)((const char *)memchr(&text->data[offset], '\n', length - offset) - text->data);
    const char *name = pawl_arena_printf(arena, "%s, line %zu", journal->path, line);
    PAWL_TRY(pawl_json_parse(&text->data[offset], end - offset, name, false, &object, err));
    if (line == 1 && !json_equal(object, identity))
      return pawl_fail(err, PAWL_BAD_DATA,
                       "cannot resume from '%s': it is of another %s; omit --resume to start again",
                       journal->path, difference(object, identity));
    journal->finished = json_object_get(object, FINISHED) != NULL;
    if (json_object_get(object, LOST)) {
      journal->lost++;
    } else if (line > 1 && !journal->finished) {
      struct pawl_tune_entry *entry = &journal->entries[journal->count++];
      PAWL_TRY(journal_read_entry(object, name, arena, entry, err));
      journal->seconds = fmax(journal->seconds, entry->seconds);
    }
    offset = end + 1;
  }
  return PAWL_OK;
}

void pawl_tune_journal_name_strategy(json_t *identity, const char *strategy) {
  const struct pawl_strategy *found = NULL;
  struct pawl_error ignored;
  pawl_json_set_string(identity, "strategy", strategy);
  if (pawl_strategy_find(strategy, &found, &ignored) == PAWL_OK && found->version)
    pawl_json_set_int(identity, "strategy_version", found->version);
}

static pawl_status journal_write_line(const struct pawl_tune_journal *journal, const json_t *object,
                                      struct pawl_error *err) {
  return pawl_ndjson_write(journal->fd, journal->path, object, err);
}

/* Whether a search wrote candidates into it and did not finish. */
static pawl_status is_interrupted(const char *path, bool *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  *out = false;
  if (!pawl_file_exists(path)) return PAWL_OK;
  PAWL_TRY(pawl_file_read(path, FILE_LIMIT, &text, err));
  const char *last = text.length ? memrchr(text.data, '\n', text.length) : NULL;
  const char *before = last ? memrchr(text.data, '\n', (size_t)(last - text.data)) : NULL;
  if (!before) return PAWL_OK; /* no candidate */
  *out = strncmp(before + 1, "{\"" FINISHED "\"", strlen(FINISHED) + 3) != 0;
  return PAWL_OK;
}

/* Moves a journal to the first free name beside it. */
static pawl_status keep(const char *path, struct pawl_arena *arena, const char **kept,
                        struct pawl_error *err) {
  for (int number = 1;; number++) {
    const char *name = pawl_arena_printf(arena, "%s.%d", path, number);
    if (pawl_file_exists(name)) continue;
    if (rename(path, name))
      return pawl_fail_errno(err, errno, "cannot move '%s' to '%s'", path, name);
    *kept = name;
    return PAWL_OK;
  }
}

pawl_status pawl_tune_journal_open(struct pawl_tune_journal *journal, const char *path,
                                   const json_t *identity, bool resume, struct pawl_arena *arena,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_tune_journal opened = {.fd = -1, .path = pawl_arena_copy(arena, path)};
  size_t length = 0;
  bool interrupted = false;
  if (!resume) PAWL_TRY(is_interrupted(path, &interrupted, err));
  if (interrupted) PAWL_TRY(keep(path, arena, &opened.kept, err));
  if (resume && pawl_file_exists(path)) {
    PAWL_TRY(pawl_file_read(path, FILE_LIMIT, &text, err));
    const char *last = text.length ? memrchr(text.data, '\n', text.length) : NULL;
    length = last ? (size_t)(last - text.data) + 1 : 0;
    PAWL_TRY(journal_read_lines(&opened, &text, length, identity, arena, err));
  }
  opened.fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (opened.fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  enum pawl_status_code status = PAWL_OK;
  if (ftruncate(opened.fd, (off_t)length))
    status = pawl_fail_errno(err, errno, "cannot write '%s'", path);
  if (status == PAWL_OK && !length) status = journal_write_line(&opened, identity, err);
  if (status != PAWL_OK) {
    pawl_tune_journal_release(&opened);
    return status;
  }
  *journal = opened;
  return PAWL_OK;
}

void pawl_tune_journal_release(struct pawl_tune_journal *journal) {
  if (!journal) return;
  pawl_close(&journal->fd);
  journal->fd = -1;
}

const struct pawl_tune_entry *pawl_tune_journal_find(const struct pawl_tune_journal *journal,
                                                     const char *key) {
  for (size_t i = 0; i < journal->count; i++) {
    if (!strcmp(journal->entries[i].candidate.key, key)) return &journal->entries[i];
  }
  return NULL;
}

static json_t *times_to_json(const struct pawl_tune_candidate *candidate) {
  json_t *cases = json_array();
  for (size_t i = 0; i < candidate->time_count; i++) {
    json_t *item = json_object();
    pawl_json_set_number(item, "median_ms", candidate->times[i].median_ms);
    pawl_json_set_number(item, "current_ms", candidate->times[i].base_ms);
    pawl_json_set_bool(item, "checked", candidate->times[i].checked);
    json_array_append_new(cases, item);
  }
  return cases;
}

void pawl_tune_candidate_write(const struct pawl_tune_candidate *candidate, json_t *object) {
  pawl_json_set_string(object, "key", candidate->key);
  pawl_json_set_string(object, "outcome", pawl_outcome_name(candidate->outcome));
  pawl_json_set_string(object, "reason", candidate->reason);
  pawl_json_set_number(object, "median_ms", candidate->median_ms);
  pawl_json_set_number(object, "current_ms", candidate->base_ms);
  pawl_json_set_bool(object, "checked", candidate->checked);
  if (candidate->time_count > 1) pawl_json_set(object, "cases", times_to_json(candidate));
  pawl_json_set_number(object, "build_s", candidate->build_seconds);
  pawl_json_set_number(object, "measure_s", candidate->measure_seconds);
  pawl_json_set_string(object, "code_hash", candidate->code_hash);
  pawl_json_set_string(object, "same_as", candidate->same_as);
  if (candidate->evaluator) pawl_json_set_string(object, "evaluator", candidate->evaluator);
}

pawl_status pawl_tune_journal_add(struct pawl_tune_journal *journal,
                                  const struct pawl_tune_entry *entry, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *object = json_object();
  pawl_tune_candidate_write(&entry->candidate, object);
  pawl_json_set_int(object, "open", (long long)entry->open);
  pawl_json_set_number(object, "seconds", entry->seconds);
  journal->finished = false;
  return journal_write_line(journal, object, err);
}

pawl_status pawl_tune_journal_finish(struct pawl_tune_journal *journal, double seconds,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *object = json_object();
  if (journal->finished) return PAWL_OK;
  pawl_json_set_bool(object, FINISHED, true);
  pawl_json_set_number(object, "seconds", seconds);
  return journal_write_line(journal, object, err);
}

pawl_status pawl_tune_journal_lost(struct pawl_tune_journal *journal, const char *key,
                                   const char *evaluator, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *object = json_object();
  pawl_json_set_string(object, LOST, key);
  pawl_json_set_string(object, "evaluator", evaluator);
  journal->lost++;
  return journal_write_line(journal, object, err);
}

/* --- as a document --- */

/* The longest value of an axis that begins `text` and is followed by a comma or the end: values
   may contain commas. */
static const char *leading_value(const char *text, const json_t *values) {
  const char *longest = NULL;
  size_t i;
  json_t *item;
  json_array_foreach(values, i, item) {
    const char *value = json_string_value(item);
    const size_t length = value ? strlen(value) : 0;
    if (!value || strncmp(text, value, length) != 0 || (text[length] && text[length] != ','))
      continue;
    if (!longest || length > strlen(longest)) longest = value;
  }
  return longest;
}

/* "BLOCK_M=16,BLOCK_N=64" as an object of strings. NULL: it is no key of this space, whose axes
   are in the order of the key. */
static json_t *params_of_key(const char *key, json_t *space) {
  json_t *params = json_object(), *values;
  const char *axis;
  json_object_foreach(space, axis, values) {
    const size_t length = strlen(axis);
    const bool named = !strncmp(key, axis, length) && key[length] == '=';
    const char *value = named ? leading_value(key + length + 1, values) : NULL;
    if (!value) break;
    json_object_set_new(params, axis, json_string(value));
    key += length + 1 + strlen(value);
    if (*key) key++;
  }
  if (!*key && json_object_size(params) == json_object_size(space)) return params;
  json_decref(params);
  return NULL;
}

static void copy_members(const json_t *from, const char *const *keys, size_t count, json_t *to) {
  for (size_t i = 0; i < count; i++)
    if (json_object_get(from, keys[i]))
      json_object_set(to, keys[i], json_object_get(from, keys[i]));
}

/* Adds the line of a candidate. Other lines are for the end of the search or a lost evaluator. */
static pawl_status add_candidate(const json_t *line, json_t *space, const char *name,
                                 json_t *candidates, struct pawl_error *err) {
  const char *key = json_string_value(json_object_get(line, "key"));
  if (!key) return PAWL_OK;
  json_t *params = params_of_key(key, space), *candidate = json_object();
  if (!params) {
    json_decref(candidate);
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: '%.60s' is no configuration of the parameters in line 1", name, key);
  }
  pawl_json_set(candidate, "params", params);
  copy_members(line, (const char *const[]){"median_ms", "current_ms", "outcome", "same_as"}, 4,
               candidate);
  if (json_object_get(line, "cases"))
    json_object_set(candidate, "times", json_object_get(line, "cases"));
  json_array_append_new(candidates, candidate);
  return PAWL_OK;
}

/* Reads the first line, which has the space. NULL: the text is no journal. */
static pawl_status read_first_line(const char *text, size_t length, const char *path, json_t **out,
                                   struct pawl_error *err) {
  const char *end = length ? memchr(text, '\n', length) : NULL;
  struct pawl_error ignored = {0};
  json_t *object = NULL;
  *out = NULL;
  if (!end ||
      pawl_json_parse(text, (size_t)(end - text), path, false, &object, &ignored) != PAWL_OK)
    return PAWL_OK;
  const bool journal = json_object_get(object, "strategy") != NULL;
  if (json_is_object(json_object_get(object, "space"))) {
    *out = object;
    return PAWL_OK;
  }
  json_decref(object);
  if (!journal) return PAWL_OK;
  return pawl_fail(
      err, PAWL_BAD_DATA,
      "%s: the journal of a replay names no parameters; use the file that was replayed", path);
}

pawl_status pawl_tune_journal_to_document(const char *text, size_t length, const char *path,
                                          struct pawl_arena *arena, json_t **out,
                                          struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *first = NULL, *document = json_object();
  json_t *names = json_array(), *candidates = json_array(), *space, *ignored;
  const char *axis, *end;
  pawl_json_set(document, "tune_params_keys", names);
  pawl_json_set(document, "candidates", candidates);
  *out = NULL;
  PAWL_TRY(read_first_line(text, length, path, &first, err));
  if (!first) return PAWL_OK;
  space = json_object_get(first, "space");
  size_t line = 1;
  for (const char *at = text; (end = memchr(at, '\n', length - (size_t)(at - text)));
       at = end + 1, line++) {
    PAWL_CLEANUP(pawl_json_release) json_t *object = NULL;
    const char *name = pawl_arena_printf(arena, "%s, line %zu", path, line);
    PAWL_TRY(pawl_json_parse(at, (size_t)(end - at), name, false, &object, err));
    if (line > 1) PAWL_TRY(add_candidate(object, space, name, candidates, err));
  }
  json_object_foreach(space, axis, ignored) json_array_append_new(names, json_string(axis));
  copy_members(first, (const char *const[]){"schema_version", "kernel_name"}, 2, document);
  *out = json_incref(document);
  return PAWL_OK;
}
