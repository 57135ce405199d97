/* SPDX-License-Identifier: Apache-2.0 */
/* Writes where pawl measured, how long it took and at what cost. */
#include <math.h>

#include "base/count.h"
#include "report/document.h"
#include "report/figures.h"

static void say_value(struct pawl_document *d, const json_t *value) {
  if (json_is_string(value)) {
    pawl_document_code(d, json_string_value(value));
  } else if (json_is_integer(value)) {
    pawl_document_printf(d, "%lld", (long long)json_integer_value(value));
  } else if (json_is_real(value)) {
    pawl_document_printf(d, "%.6g", json_real_value(value));
  } else if (json_is_boolean(value)) {
    pawl_document_printf(d, json_is_true(value) ? "yes" : "no");
  } else {
    pawl_document_code(d, NULL);
  }
}

/* Writes an item for each value. Members of an inner object get their names after a dot. */
static void say_object(struct pawl_document *d, const char *prefix, const json_t *object) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
    pawl_text_printf(&name, "%s%s", prefix, key);
    if (json_is_object(value) && !*prefix) {
      pawl_text_add(&name, ".");
      say_object(d, pawl_text_string(&name), value);
    } else if (!json_is_object(value) && !json_is_array(value) && !json_is_null(value)) {
      d->format->item_begin(d->out);
      pawl_document_code(d, pawl_text_string(&name));
      pawl_document_printf(d, ": ");
      say_value(d, value);
      d->format->item_end(d->out);
    }
  }
}

static const struct pawl_result *first_with_environment(const struct pawl_results *results) {
  for (size_t i = 0; results && i < results->count; i++)
    if (json_object_size(results->items[i].environment) > 0) return &results->items[i];
  return NULL;
}

#define ROWS_SHOWN 50

/* Adds the values in which this row differs from the first row, or nothing. */
static void add_differences(const char *prefix, const json_t *first, const json_t *row,
                            struct pawl_text *keys) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)row, key, value) {
    const json_t *other = json_object_get(first, key);
    if (json_equal(other, value)) continue;
    if (json_is_object(value) && !*prefix) {
      PAWL_CLEANUP(pawl_text_clear) struct pawl_text inner = {0};
      pawl_text_printf(&inner, "%s.", key);
      add_differences(inner.data, other, value, keys);
    } else if (json_is_string(value) || json_is_integer(value) || json_is_boolean(value)) {
      PAWL_CLEANUP(pawl_free_pointer) char *shown = json_dumps(value, JSON_ENCODE_ANY);
      pawl_text_printf(keys, "%s%s%s: %s", keys->length ? ", " : "", prefix, key,
                       shown ? shown : "?");
    }
  }
}

/* Writes the rows with another environment: another device, program or package. */
static void say_rows(struct pawl_document *d, const struct pawl_results *results,
                     const struct pawl_result *first) {
  size_t said = 0;
  for (const struct pawl_result *row = first + 1;
       row < results->items + results->count && said < ROWS_SHOWN; row++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text keys = {0};
    if (json_object_size(row->environment) == 0) continue;
    add_differences("", first->environment, row->environment, &keys);
    if (!keys.length) continue;
    if (said++ == 0) d->format->list_begin(d->out);
    d->format->item_begin(d->out);
    pawl_document_code(d, row->kernel_name);
    pawl_document_printf(d, " on ");
    pawl_document_code(d, row->config.name);
    pawl_document_printf(d, ": ");
    pawl_document_code(d, keys.data);
    d->format->item_end(d->out);
  }
  if (said) d->format->list_end(d->out);
}

struct time_share {
  const char *what;
  double seconds;
};

/* Writes "BEGIN what 1.0 s, what 2.0 s" for the steps that took long enough to matter. */
static void say_shares(struct pawl_document *d, const char *begin, const struct time_share *shares,
                       size_t count) {
  const char *between = begin;
  for (size_t i = 0; i < count; i++) {
    char text[PAWL_FIGURE];
    if (!(shares[i].seconds >= 0.05)) continue;
    pawl_document_printf(d, "%s %s %s", between, shares[i].what,
                         pawl_figure_seconds(shares[i].seconds, text));
    between = ",";
  }
}

/* Writes the time of the phases, then of the steps in them. The phases of one run follow each
   other. If their sum is longer than the run, they belong to parts that ran at once. */
static void say_phases(struct pawl_document *d, const struct pawl_run_phases *p, double seconds) {
  const double references =
      p->references > 0 ? p->references : 0; /* documents of earlier versions have none */
  const double profile = p->profile > 0 ? p->profile : 0;
  const double waiting = p->waiting > 0 ? p->waiting : 0;
  const bool at_once =
      p->build + p->check + p->bench + p->judge + profile + references + waiting > seconds;
  const struct pawl_time_spent *s = &p->spent;
  const struct time_share phases[] = {{"building", p->build},
                                      {"checks", p->check},
                                      {"timing", p->bench},
                                      {"judging in pairs", p->judge},
                                      {"profiles", profile},
                                      {"references", references},
                                      {"waiting for another pawl", waiting}};
  const struct time_share spent[] = {
      {"starting processes", s->start}, {"drawing inputs", s->inputs},
      {"expected values", s->expected}, {"calls", s->calls},
      {"hashing outputs", s->hashing},  {"comparing outputs", s->compare}};
  say_shares(d, at_once ? "; all parts together:" : ":", phases, PAWL_COUNT(phases));
  say_shares(d, ". Within these phases", spent, PAWL_COUNT(spent));
}

static void say_cost(struct pawl_document *d, const struct pawl_run_report *report) {
  char text[PAWL_FIGURE];
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "This run took %s", pawl_figure_seconds(report->seconds, text));
  if (isfinite(report->cost_usd) && report->seconds > 0)
    pawl_document_printf(d, " and cost %.4f USD at %.2f USD an hour", report->cost_usd,
                         report->cost_usd / report->seconds * 3600);
  if (report->phases) say_phases(d, report->phases, report->seconds);
  pawl_document_printf(d, ".");
  d->format->paragraph_end(d->out);
}

void pawl_section_environment(struct pawl_document *d, const struct pawl_run_report *report) {
  const struct pawl_result *result = first_with_environment(report->results);
  if (result) {
    d->format->fold_begin(d->out, "Environment");
    d->format->list_begin(d->out);
    say_object(d, "", result->environment);
    say_object(d, "", result->gpu_state);
    d->format->list_end(d->out);
    say_rows(d, report->results, result);
    d->format->fold_end(d->out);
  }
  if (isfinite(report->seconds)) say_cost(d, report);
}
