/* SPDX-License-Identifier: Apache-2.0 */

#include "profile/finding.h"
#include "profile/summary.h"

static json_t *findings_of(const struct pawl_profile_kernel *kernel) {
  struct pawl_finding *findings = pawl_alloc(pawl_rule_count, sizeof *findings);
  const size_t count = pawl_findings(kernel, findings);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *row = json_object();
    pawl_json_set_string(row, "id", findings[i].rule->id);
    pawl_json_set_string(row, "kind", pawl_finding_kind_name(findings[i].rule->kind));
    pawl_json_set_string(row, "title", findings[i].rule->title);
    pawl_json_set_number(row, "cost_pct", findings[i].cost * 100);
    pawl_json_set_string(row, "evidence", findings[i].evidence);
    pawl_json_set_string(row, "remedy", findings[i].remedy);
    pawl_json_set_string(row, "threshold", findings[i].rule->threshold);
    pawl_json_set_string(row, "source", findings[i].rule->source);
    json_array_append_new(list, row);
  }
  pawl_free(findings);
  return list;
}

static json_t *kernel_to_json(const struct pawl_profile_kernel *kernel) {
  json_t *row = json_object(), *counters = json_object(), *stalls = json_object();
  pawl_json_set_string(row, "name", kernel->name);
  for (int i = 0; i < PAWL_COUNTERS; i++)
    pawl_json_set_number(counters, pawl_counter_infos[i].key, kernel->values[i]);
  for (int i = 0; i < PAWL_STALLS; i++)
    pawl_json_set_number(stalls, pawl_stall_infos[i].word, kernel->stalls[i] * 100);
  pawl_json_set(row, "findings", findings_of(kernel));
  pawl_json_set(row, "counters", counters);
  pawl_json_set(row, "stalls_pct", stalls);
  return row;
}

static json_t *kernel_change_to_json(const struct pawl_kernel_change *change) {
  json_t *row = json_object(), *list = json_array();
  pawl_json_set_string(row, "base_name", change->base ? change->base->name : NULL);
  pawl_json_set_string(row, "candidate_name", change->candidate ? change->candidate->name : NULL);
  pawl_json_set_number(row, "base_s", change->base_seconds);
  pawl_json_set_number(row, "candidate_s", change->candidate_seconds);
  for (size_t i = 0; i < change->count; i++) {
    json_t *item = json_object();
    pawl_json_set_string(item, "kind", pawl_change_kind_name(change->changes[i].kind));
    pawl_json_set_string(item, "text", change->changes[i].text);
    pawl_json_set_number(item, "explains_s", change->changes[i].seconds);
    json_array_append_new(list, item);
  }
  pawl_json_set(row, "changes", list);
  return row;
}

static json_t *change_to_json(const struct pawl_profile_change *change) {
  json_t *object = json_object(), *kernels = json_array();
  pawl_json_set_number(object, "base_s", change->base_seconds);
  pawl_json_set_number(object, "candidate_s", change->candidate_seconds);
  for (size_t i = 0; i < change->count; i++)
    json_array_append_new(kernels, kernel_change_to_json(&change->kernels[i]));
  pawl_json_set(object, "kernels", kernels);
  return object;
}

json_t *pawl_profile_to_json(const struct pawl_profile *profile,
                             const struct pawl_profile_change *change) {
  json_t *document = json_object(), *kernels = json_array();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_string(document, "profiler", profile->profiler);
  pawl_json_set_string(document, "gpu", profile->gpu);
  pawl_json_set_string(document, "compute_capability", profile->capability);
  for (size_t i = 0; i < profile->count; i++)
    json_array_append_new(kernels, kernel_to_json(&profile->kernels[i]));
  pawl_json_set_string(document, "missing", profile->missing);
  pawl_json_set(document, "kernels", kernels);
  pawl_json_set(document, "change", change ? change_to_json(change) : NULL);
  return document;
}
