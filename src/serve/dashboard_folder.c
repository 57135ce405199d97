/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/dashboard_folder.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "serve/dashboard_api.h"
#include "serve/overview.h"
#include "serve/page.h"

/* --- the files of a page --- */

/* Writes the documents of a page that is a folder, and removes the documents of an earlier page. */

#define REPORT_FILE "report.js"

struct data_folder {
  const char *path;
  json_t *names; /* an object whose keys are the page's files */
};

#define SCRIPT_BEGINS "pawl.take("

static void data_folder_remember(const struct data_folder *folder, const char *name) {
  pawl_json_set_bool(folder->names, name, true);
}

/* Writes a document as a script, because a page opened from disk may load only scripts. */
static pawl_status data_write_script(const struct data_folder *folder, const char *name,
                                     const char *json, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, name);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_printf(&text, SCRIPT_BEGINS "%s);\n", json);
  data_folder_remember(folder, name);
  return pawl_file_write_unsynced(path, text.data, text.length, err);
}

/* Writes a document as a script, and releases it. */
static pawl_status data_write(const struct data_folder *folder, const char *name, json_t *document,
                              struct pawl_error *err) {
  char *json = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(document);
  if (!json) return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write '%s/%s'", folder->path, name);
  const enum pawl_status_code status = data_write_script(folder, name, json, err);
  free(json);
  return status;
}

static pawl_status data_write_picture(const struct data_folder *folder, const char *name,
                                      const struct pawl_text *svg, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, name);
  data_folder_remember(folder, name);
  if (!svg->length) return pawl_remove_tree(path, err);
  return pawl_file_write_unsynced(path, svg->data, svg->length, err);
}

/* The files that a page has for each series or point: "trend-12.js". */
static bool is_numbered(const char *name) {
  if (!pawl_starts_with(name, "trend-") && !pawl_starts_with(name, "point-")) return false;
  const char *number = name + strlen("trend-"), *rest = number + strspn(number, "0123456789");
  return rest > number && !strcmp(rest, ".js");
}

static bool is_script(const char *path) {
  char begin[sizeof SCRIPT_BEGINS];
  const size_t length = strlen(SCRIPT_BEGINS);
  FILE *file = pawl_is_regular(path) ? fopen(path, "rbe") : NULL;
  if (!file) return false;
  const size_t read = fread(begin, 1, length, file);
  fclose(file);
  return read == length && !memcmp(begin, SCRIPT_BEGINS, length);
}

/* Removes a report with its pictures. */
static pawl_status remove_stale_report(const struct data_folder *folder, struct pawl_error *err) {
  static const char *const names[] = {"report.svg", "report-dark.svg", REPORT_FILE};
  PAWL_CLEANUP(pawl_free_pointer) char *report = pawl_path_join(folder->path, REPORT_FILE);
  if (json_object_get(folder->names, REPORT_FILE) || !is_script(report)) return PAWL_OK;
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, names[i]);
    PAWL_TRY(pawl_remove_tree(path, err));
  }
  return PAWL_OK;
}

/* Removes the documents of an earlier page that this page lacks. Such a file has a name and a
 * beginning that pawl gives. All other files stay. */
static pawl_status data_remove_stale(const struct data_folder *folder, struct pawl_error *err) {
  DIR *open = opendir(folder->path);
  enum pawl_status_code status = open ? remove_stale_report(folder, err) : PAWL_OK;
  if (!open) return pawl_fail(err, PAWL_IO, "cannot list '%s': %s", folder->path, strerror(errno));
  for (const struct dirent *entry; status == PAWL_OK && (entry = readdir(open));) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, entry->d_name);
    if (json_object_get(folder->names, entry->d_name) || !is_numbered(entry->d_name)) continue;
    if (is_script(path)) status = pawl_remove_tree(path, err);
  }
  closedir(open);
  return status;
}

/* --- the folder --- */

static pawl_status write_report(const struct pawl_report_page *report,
                                const struct data_folder *data, struct pawl_error *err) {
  PAWL_TRY(data_write_picture(data, "report.svg", &report->light, err));
  PAWL_TRY(data_write_picture(data, "report-dark.svg", &report->dark, err));
  return data_write_script(data, REPORT_FILE, report->json.data, err);
}

/* The extent of the history in a folder. */
struct folder_limits {
  int64_t points;      /* about this number for each series */
  size_t details;      /* the newest, for each series */
  int64_t comparisons; /* for the noise of the machines */
};
static const struct folder_limits whole = {PAWL_DASHBOARD_POINTS, 10, PAWL_DASHBOARD_COMPARISONS},
                                  beside_report = {300, 2, 500};

struct folder_writer {
  const struct pawl_dashboard_contents *contents;
  const struct folder_limits *limits;
  const struct data_folder *data;
};

/* Writes the details of a point, and notes its id, so that the page asks for no missing file. */
static pawl_status write_point(const struct folder_writer *writer, json_t *id, json_t *detailed,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
  json_t *point = NULL;
  pawl_text_printf(&name, "point-%lld.js", (long long)json_integer_value(id));
  PAWL_TRY(pawl_dashboard_point(writer->contents->store, json_integer_value(id), &point, err));
  json_array_append(detailed, id);
  return data_write(writer->data, name.data, point, err);
}

/* Writes the details of the newest points of a trend and of those after a change. All details would
 * take too much room. */
static pawl_status write_points(const struct folder_writer *writer, json_t *trend,
                                struct pawl_error *err) {
  json_t *series = json_array_get(json_object_get(trend, "series"), 0), *detailed = json_array();
  const json_t *row;
  const json_t *points = json_object_get(series, "points"),
               *changes = json_object_get(series, "changes");
  const size_t count = json_array_size(points), details = writer->limits->details;
  size_t i;
  pawl_json_set(series, "detailed", detailed);
  for (i = count > details ? count - details : 0; i < count; i++)
    PAWL_TRY(write_point(writer, json_object_get(json_array_get(points, i), "id"), detailed, err));
  json_array_foreach(changes, i, row)
      PAWL_TRY(write_point(writer, json_object_get(row, "point"), detailed, err));
  return PAWL_OK;
}

static pawl_status write_trend(const struct folder_writer *writer, int64_t series,
                               struct pawl_error *err) {
  const struct pawl_dashboard_part part = {.series = series, .points = writer->limits->points};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *trend = NULL;
  pawl_text_printf(&name, "trend-%lld.js", (long long)series);
  PAWL_TRY(pawl_dashboard_trend(writer->contents->store, &part, &trend, err));
  PAWL_TRY(write_points(writer, trend, err));
  return data_write(writer->data, name.data, json_incref(trend), err);
}

static pawl_status write_history(const struct folder_writer *writer, struct pawl_overview *overview,
                                 struct pawl_error *err) {
  struct pawl_store *store = writer->contents->store;
  json_t *machines = NULL;
  PAWL_TRY(pawl_overview_list(overview, store, writer->contents->choice, err));
  PAWL_TRY(pawl_overview_read(overview, store, INFINITY, err));
  for (size_t i = 0; i < overview->count; i++)
    PAWL_TRY(write_trend(writer, overview->rows[i].series->id, err));
  PAWL_TRY(pawl_dashboard_machines(store, writer->limits->comparisons, &machines, err));
  return data_write(writer->data, "machines.js", machines, err);
}

static pawl_status write_no_history(const struct folder_writer *writer, struct pawl_error *err) {
  return data_write(writer->data, "machines.js",
                    json_pack("{s:i, s:I, s:[]}", "schema_version", 1, "most_comparisons",
                              (json_int_t)writer->limits->comparisons, "machines"),
                    err);
}

static pawl_status write_contents(const struct folder_writer *writer,
                                  struct pawl_overview *overview, struct pawl_error *err) {
  const struct pawl_report_page *report = writer->contents->report;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (report) PAWL_TRY(write_report(report, writer->data, err));
  PAWL_TRY(writer->contents->store ? write_history(writer, overview, err)
                                   : write_no_history(writer, err));
  pawl_overview_write(overview, NULL, report ? "\"report\":true," : "", &text);
  return data_write_script(writer->data, "overview.js", text.data, err);
}

pawl_status pawl_dashboard_write(const struct pawl_dashboard_contents *contents, const char *folder,
                                 const char *home, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "data");
  PAWL_CLEANUP(pawl_json_release) json_t *names = json_object();
  const struct data_folder data = {path, names};
  const struct folder_writer writer = {contents, contents->report ? &beside_report : &whole, &data};
  struct pawl_overview overview = {0};
  PAWL_TRY(pawl_make_folders(path, err));
  PAWL_TRY(pawl_page_copy(home, folder, err));
  const enum pawl_status_code status = write_contents(&writer, &overview, err);
  pawl_overview_clear(&overview);
  PAWL_TRY(status);
  PAWL_TRY(data_write(&data, "site.js", pawl_dashboard_site(&contents->links, false), err));
  PAWL_TRY(pawl_sync_file_system(path, err)); /* once, for all the files */
  /* The old overview may have shown these documents, so they go last. */
  return data_remove_stale(&data, err);
}
