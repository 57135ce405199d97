/* SPDX-License-Identifier: Apache-2.0 */
/* go test -bench: lines of text. "BenchmarkSort/n=8-4   1000   1234 ns/op   65 MB/s   0 B/op": a
   name, the number of calls, then pairs of value and unit. Repeats by -count are samples. A column
   other than ns/op is a case of its own. "--- FAIL: NAME" and "--- SKIP: NAME" have no figures. go
   test prints the name and a tab before the benchmark runs: output of the benchmark may come
   between them and the figures, and a panic leaves no figures. With -json the text comes in pieces,
   and the pieces of several packages may mix. In the history the name up to its first slash is a
   kernel with its package before it, so that a benchmark of the same name elsewhere renames
   nothing; the rest is the case. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "import/import.h"

#define MOST_WORDS 64                  /* in a line */
#define ALONE "command-line-arguments" /* go's name for files without a package */

struct go_column {
  const char *unit;
  struct pawl_times times; /* in the unit of the column */
};

/* The lines of one benchmark, which follow one another. */
struct go_reading {
  struct pawl_feed *feed;
  struct pawl_text package; /* with dots, because it has no case; empty: unknown */
  struct pawl_arena arena;  /* keeps the name and the units */
  const char *name;         /* NULL: none is open */
  size_t column_count;
  struct go_column columns[MOST_WORDS / 2];
  struct pawl_text started; /* a name whose figures are missing; empty: none */
  size_t failures;          /* in this package */
};

/* Splits a name into the kernel and *rest, the case or NULL. */
static char *split_name(struct go_reading *reading, const char *name, const char **rest) {
  struct pawl_arena *arena = &reading->feed->point;
  char *kernel = pawl_arena_copy(arena, name), *slash = strchr(kernel, '/');
  *rest = slash ? slash + 1 : NULL;
  if (slash) *slash = '\0';
  return reading->package.length ? pawl_arena_printf(arena, "%s.%s", reading->package.data, kernel)
                                 : kernel;
}

static pawl_status add_column(struct go_reading *reading, const struct go_column *column,
                              struct pawl_error *err) {
  struct pawl_arena *arena = &reading->feed->point;
  const bool is_time = pawl_unit_seconds(column->unit) > 0;
  const char *rest, *kernel = split_name(reading, reading->name, &rest);
  if (!is_time) rest = rest ? pawl_arena_printf(arena, "%s, %s", rest, column->unit) : column->unit;
  struct pawl_feed_point point = {
      .kernel = kernel, .case_name = rest, .unit = column->unit, .value = NAN};
  if (is_time) {
    for (size_t i = 0; i < column->times.count; i++)
      pawl_times_add(&point.times, column->times.seconds[i] * pawl_unit_seconds(column->unit),
                     arena);
    point.unit = NULL;
  } else { /* the mean of the repeats: a metric has no samples */
    double sum = 0;
    for (size_t i = 0; i < column->times.count; i++) sum += column->times.seconds[i];
    point.value = sum / (double)column->times.count;
  }
  return pawl_feed_add(reading->feed, &point, err);
}

/* A command's rows have times alone. */
static pawl_status flush_benchmark(struct go_reading *reading, struct pawl_error *err) {
  for (size_t i = 0; i < reading->column_count; i++) {
    const struct go_column *column = &reading->columns[i];
    if (reading->feed->sink.benchmark && !(pawl_unit_seconds(column->unit) > 0)) continue;
    PAWL_TRY(add_column(reading, column, err));
  }
  reading->column_count = 0;
  reading->name = NULL;
  pawl_arena_clear(&reading->arena);
  return PAWL_OK;
}

static void take_pair(struct go_reading *reading, const char *unit, double value) {
  size_t i = 0;
  while (i < reading->column_count && strcmp(reading->columns[i].unit, unit) != 0) i++;
  if (i == reading->column_count) {
    if (i == PAWL_COUNT(reading->columns)) return;
    reading->columns[reading->column_count++] =
        (struct go_column){.unit = pawl_arena_copy(&reading->arena, unit)};
  }
  pawl_times_add(&reading->columns[i].times, value, &reading->arena);
}

static pawl_status add_failure(struct go_reading *reading, const char *name, const char *failure,
                               const char *skipped, struct pawl_error *err) {
  PAWL_TRY(flush_benchmark(reading, err)); /* it empties feed->point */
  const char *rest, *kernel = split_name(reading, name, &rest);
  const struct pawl_feed_point point = {
      .kernel = kernel, .case_name = rest, .failure = failure, .skipped = skipped, .value = NAN};
  reading->failures += failure != NULL;
  return pawl_feed_add(reading->feed, &point, err);
}

/* Takes the package's path at the start of the text. */
static void set_package(struct go_reading *reading, const char *text) {
  struct pawl_text *package = &reading->package;
  package->length = 0;
  if (pawl_starts_with(text, ALONE)) return;
  pawl_text_printf(package, "%.*s", (int)strcspn(text, "\t\r "), text);
  for (char *p = package->data; (p = strchr(p, '/'));) *p = '.';
}

/* Reports a benchmark that began and has no figures. */
static pawl_status end_started(struct go_reading *reading, struct pawl_error *err) {
  if (!reading->started.length) return PAWL_OK;
  reading->started.length = 0;
  return add_failure(reading, reading->started.data, "go test prints no figures of it", NULL, err);
}

/* A panic, a timeout or a failed build ends a package, and no line names its benchmarks. */
static pawl_status end_package(struct go_reading *reading, const char *line,
                               struct pawl_error *err) {
  PAWL_TRY(end_started(reading, err));
  PAWL_TRY(flush_benchmark(reading, err));
  const bool begins = line && pawl_starts_with(line, "pkg: ");
  if (line) set_package(reading, line + (begins ? strlen("pkg: ") : strlen("FAIL\t")));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text ended = {0};
  pawl_text_add(&ended, reading->package.length ? reading->package.data : ALONE);
  if (!begins) reading->package.length = 0;
  if (line && pawl_starts_with(line, "FAIL\t") && !reading->failures)
    PAWL_TRY(add_failure(reading, ended.data, "go test says FAIL", NULL, err));
  reading->failures = 0;
  return PAWL_OK;
}

/* Returns whether the outcome is of the benchmark whose lines came last. Its name may lack the
   number of CPUs. */
static bool is_open(const struct go_reading *reading, const char *name) {
  const char *rest =
      reading->name && pawl_starts_with(reading->name, name) ? reading->name + strlen(name) : "?";
  return !*rest || (*rest == '-' && rest[1 + strspn(rest + 1, "0123456789")] == '\0');
}

/* A benchmark that fails in a repeat has no times. */
static pawl_status take_outcome(struct go_reading *reading, const char *line,
                                struct pawl_error *err) {
  const bool failed = pawl_starts_with(line, "--- FAIL: ");
  line += strlen("--- FAIL: ");
  if (!pawl_starts_with(line, "Benchmark")) return PAWL_OK; /* a test of the same package */
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
  pawl_text_printf(&name, "%.*s", (int)strcspn(line, " \t\r"), line);
  reading->started.length = 0;
  if (failed && is_open(reading, name.data)) reading->column_count = 0;
  return add_failure(reading, name.data, failed ? "go test says FAIL" : NULL,
                     failed ? NULL : "go test says SKIP", err);
}

/* Splits the figures "1000  1234 ns/op  65 MB/s" into words after words[0]. Returns the number of
   all words, or 0 if these are no figures. */
static size_t split_figures(char *figures, char *words[MOST_WORDS]) {
  size_t count = 1;
  double number;
  char *place = NULL;
  for (char *word = strtok_r(figures, " \t\r", &place); word && count < MOST_WORDS;
       word = strtok_r(NULL, " \t\r", &place))
    words[count++] = word;
  return count >= 4 && count % 2 == 0 && pawl_parse_double(words[1], &number) ? count : 0;
}

static pawl_status take_line(struct go_reading *reading, char *line, struct pawl_error *err) {
  char *words[MOST_WORDS] = {line};
  double number;
  if (pawl_starts_with(line, "--- FAIL: ") || pawl_starts_with(line, "--- SKIP: "))
    return take_outcome(reading, line, err);
  if (pawl_starts_with(line, "pkg: ") || pawl_starts_with(line, "FAIL\t") ||
      pawl_starts_with(line, "ok  \t"))
    return end_package(reading, line, err);
  const bool begins = pawl_starts_with(line, "Benchmark");
  if (!begins && !reading->started.length) return PAWL_OK;
  const size_t length = begins ? strcspn(line, " \t\r") : 0;
  const bool runs = begins && line[length + strspn(line + length, " ")] == '\t';
  if (begins) PAWL_TRY(end_started(reading, err));
  char *figures = line + length + (line[length] != '\0' && begins);
  if (begins) line[length] = '\0';
  size_t count = split_figures(figures, words);
  if (!begins && count && !pawl_parse_double(words[2], &number)) count = 0;
  if (!count && runs) pawl_text_add(&reading->started, line);
  if (!count) return PAWL_OK; /* a name alone, or output of the benchmark */
  if (!begins) words[0] = reading->started.data;
  if (!reading->name || strcmp(reading->name, words[0]) != 0) {
    PAWL_TRY(flush_benchmark(reading, err));
    reading->name = pawl_arena_copy(&reading->arena, words[0]);
  }
  for (size_t i = 2; i < count; i += 2)
    take_pair(reading, words[i + 1], pawl_parse_double(words[i], &number) ? number : NAN);
  reading->started.length = 0;
  return PAWL_OK;
}

static pawl_status go_bench_read_lines(struct go_reading *reading,
                                       const struct pawl_json_text *text, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  size_t kept = 0;
  for (size_t begin = 0, end; begin < text->length; begin = end + 1) {
    const char *newline = memchr(text->text + begin, '\n', text->length - begin);
    end = newline ? (size_t)(newline - text->text) : text->length;
    line.length = 0;
    const size_t indent = strspn(text->text + begin, newline ? " " : "");
    pawl_text_add_bytes(&line, text->text + begin + indent,
                        indent < end - begin ? end - begin - indent : 0);
    if (line.length) PAWL_TRY(take_line(reading, line.data, err));
    kept = pawl_json_text_return(text, kept, end);
  }
  return PAWL_OK;
}

/* The output of one package, joined from the events of go test -json. */
struct go_output {
  const char *package;
  struct pawl_text text;
};

struct go_outputs {
  struct pawl_arena arena;
  struct go_output *items;
  size_t count, capacity;
};

/* Output may hold any byte; a NUL would end the text of all that follows. */
static void add_output(struct go_outputs *outputs, const char *package, const json_t *output) {
  size_t i = 0;
  while (i < outputs->count && strcmp(outputs->items[i].package, package) != 0) i++;
  if (i == outputs->count) {
    outputs->items =
        pawl_grow(outputs->items, outputs->count, &outputs->capacity, sizeof *outputs->items);
    outputs->items[outputs->count++] =
        (struct go_output){.package = pawl_arena_copy(&outputs->arena, package)};
  }
  struct pawl_text *text = &outputs->items[i].text;
  const size_t begin = text->length;
  pawl_text_add_bytes(text, json_string_value(output), json_string_length(output));
  for (size_t at = begin; at < text->length; at++)
    if (!text->data[at]) text->data[at] = ' ';
}

/* Joins the events of each package. Lines that are no event belong to no package, and come first.
 */
static void join_events(const struct pawl_json_text *text, struct go_outputs *outputs) {
  size_t kept = 0;
  PAWL_CLEANUP(pawl_json_release) json_t *none = json_string("");
  add_output(outputs, "", none); /* the first of the list */
  for (size_t begin = 0, end; begin < text->length; begin = end + 1) {
    const char *newline = memchr(text->text + begin, '\n', text->length - begin);
    end = newline ? (size_t)(newline - text->text) : text->length;
    PAWL_CLEANUP(pawl_json_release)
    json_t *event = json_loadb(text->text + begin, end - begin, JSON_ALLOW_NUL, NULL);
    const char *package = json_string_value(json_object_get(event, "Package"));
    const json_t *output = json_object_get(event, "Output");
    if (json_is_string(output)) add_output(outputs, package ? package : "", output);
    kept = pawl_json_text_return(text, kept, end);
    if (event) continue;
    pawl_text_add_bytes(&outputs->items[0].text, text->text + begin, end - begin);
    pawl_text_add(&outputs->items[0].text, "\n");
  }
}

static void clear_outputs(struct go_outputs *outputs) {
  for (size_t i = 0; i < outputs->count; i++) pawl_text_clear(&outputs->items[i].text);
  pawl_free(outputs->items);
  pawl_arena_clear(&outputs->arena);
}

static pawl_status read_outputs(struct go_reading *reading, struct go_outputs *outputs,
                                struct pawl_error *err) {
  for (size_t i = 0; i < outputs->count; i++) {
    struct pawl_text *text = &outputs->items[i].text;
    const struct pawl_json_text piece = {NULL, pawl_text_string(text), text->length, false};
    PAWL_TRY(go_bench_read_lines(reading, &piece, err));
    pawl_text_clear(text);
  }
  return PAWL_OK;
}

static pawl_status go_bench_read(struct go_reading *reading, struct pawl_error *err) {
  const struct pawl_json_text *text = &reading->feed->text;
  const bool json = text->length && memmem(text->text, text->length, "{\"", 2) &&
                    memmem(text->text, text->length, "\"Output\":", 9);
  struct go_outputs outputs = {0};
  if (json) join_events(text, &outputs);
  const enum pawl_status_code status =
      json ? read_outputs(reading, &outputs, err) : go_bench_read_lines(reading, text, err);
  clear_outputs(&outputs);
  return status == PAWL_OK ? end_package(reading, NULL, err) : status;
}

pawl_status pawl_feed_go_bench(struct pawl_feed *feed, struct pawl_error *err) {
  struct go_reading reading = {.feed = feed};
  pawl_feed_start(feed, (struct pawl_json_span){0, feed->text.length});
  PAWL_TRY(pawl_feed_run(feed, err));
  const enum pawl_status_code status = go_bench_read(&reading, err);
  pawl_arena_clear(&reading.arena);
  pawl_text_clear(&reading.started);
  pawl_text_clear(&reading.package);
  return status;
}
