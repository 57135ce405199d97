/* SPDX-License-Identifier: Apache-2.0 */
/* pawl's own results.json, and the earlier scripts' results, baselines and sweeps. Also the folder
   of a whole run, and of parts which `pawl merge` joined. */
#include <math.h>

#include "base/file.h"
#include "import/import.h"
#include "record/stored_run.h"

static pawl_status feed_points(struct pawl_feed *feed, const struct pawl_history_run *run,
                               struct pawl_error *err) {
  for (size_t i = 0; i < run->point_count; i++)
    PAWL_TRY(pawl_feed_add_own(feed, &run->points[i], err));
  return PAWL_OK;
}

static pawl_status feed_all(struct pawl_feed *feed, struct pawl_json_span whole,
                            const struct pawl_run_report *report, const char *folder, json_t *owner,
                            struct pawl_error *err) {
  const struct pawl_results *results = report->results;
  struct pawl_history_run run;
  pawl_feed_start(feed, whole);
  PAWL_TRY(pawl_history_of_report(report, folder, feed->format, &feed->arena, owner, &run, err));
  const long long when = pawl_feed_time(results->timestamp ? results->timestamp
                                        : results->count   ? results->items[0].timestamp
                                                           : NULL);
  if (when >= 0) feed->run.time = when;
  pawl_feed_commit(feed, run.commit);
  feed->run.dirty = run.dirty;
  if (run.hardware) feed->run.hardware = run.hardware, feed->run.hardware_name = run.hardware_name;
  feed->run.toolchain = run.toolchain;
  feed->run.verdict = run.verdict;
  feed->run.seconds = run.seconds;
  feed->run.moves = run.moves;
  feed->run.move_count = run.move_count;
  PAWL_TRY(pawl_feed_run(feed, err));
  return feed_points(feed, &run, err);
}

pawl_status pawl_feed_results(struct pawl_feed *feed, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *owner = json_array();
  struct pawl_arena arena = {0};
  struct pawl_results results = {0};
  struct pawl_json_span whole;
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, &whole, err));
  PAWL_TRY(pawl_json_span_parse(&feed->text, whole, &document, err));
  enum pawl_status_code status =
      pawl_results_from_json(document, feed->text.name, &arena, &results, err);
  const struct pawl_run_report report = {.results = &results, .seconds = NAN, .cost_usd = NAN};
  if (status == PAWL_OK) status = feed_all(feed, whole, &report, NULL, owner, err);
  pawl_results_release(&results);
  pawl_arena_clear(&arena);
  return status;
}

/* The text is the folder's verdict.json; what was measured lies beside it. */
pawl_status pawl_feed_own_run(struct pawl_feed *feed, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *owner = json_array();
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(feed->text.name);
  struct pawl_arena arena = {0};
  struct pawl_stored_run stored = {0};
  struct pawl_json_span whole;
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, &whole, err));
  enum pawl_status_code status = pawl_stored_run_read(folder, &arena, &stored, err);
  if (status == PAWL_OK) {
    struct pawl_run_report report = stored.report;
    if (stored.measured.count) report.results = &stored.measured;
    status = feed_all(feed, whole, &report, folder, owner, err);
    pawl_stored_run_release(&stored);
  }
  pawl_arena_clear(&arena);
  return status;
}
