/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an entry of the baseline from a result, and puts it into place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "gate/baseline_fields.h"
#include "gate/result_interval.h"
#include "gate/row_match.h"
#include "stats/describe.h"
#include "stats/sort.h"

/* Rounds to 12 digits, more than any clock has: the mean of 11.308393 and 11.308394 is 11.3083935,
   not 11.308393500000001. Keeps the order of figures. */
static double round_figure(double value) {
  char digits[32];
  snprintf(digits, sizeof digits, "%.12g", value);
  return strtod(digits, NULL);
}

static void round_figures(struct pawl_baseline_entry *entry) {
  double *const figures[] = {&entry->median_ms,          &entry->ci_95_low,
                             &entry->ci_95_high,         &entry->process_ci_95_low,
                             &entry->process_ci_95_high, &entry->process_fastest_ms,
                             &entry->throughput_gflops,  &entry->bandwidth_gb_s};
  for (size_t i = 0; i < PAWL_COUNT(figures); i++) *figures[i] = round_figure(*figures[i]);
}

/* Copies sorted samples, or evenly spaced quantiles of too many. Both keep the median and the
   extremes. */
static pawl_status keep_samples(const struct pawl_performance *performance,
                                struct pawl_bootstrap_plans *plans, struct pawl_arena *arena,
                                struct pawl_baseline_entry *out, struct pawl_error *err) {
  const size_t count = performance->sample_count;
  PAWL_CLEANUP(pawl_free_pointer) double *sorted = NULL;
  PAWL_TRY(pawl_sorted_copy(performance->samples_ms, count, &sorted, err));
  const size_t kept = count < PAWL_BASELINE_MAX_SAMPLES ? count : PAWL_BASELINE_MAX_SAMPLES;
  out->samples_ms = pawl_arena_alloc(arena, kept, sizeof *out->samples_ms);
  for (size_t i = 0; i < kept; i++)
    out->samples_ms[i] =
        kept == count ? sorted[i] : pawl_quantile(sorted, count, (double)i / (double)(kept - 1));
  out->sample_count = kept;
  out->median_ms = pawl_median(sorted, count);
  if (count < 2) return PAWL_OK;
  return pawl_bootstrap_plans_median_ci(plans, sorted, count, &out->ci_95_low, &out->ci_95_high,
                                        err);
}

static struct pawl_case copy_case(const struct pawl_case *from, struct pawl_arena *arena) {
  struct pawl_case out = *from;
  const char *shape = pawl_shape_key(from, arena);
  out.name = pawl_arena_copy(arena, from->name && *from->name ? from->name : shape);
  out.operator_name = pawl_arena_copy(arena, from->operator_name);
  out.dims = pawl_arena_alloc(arena, (size_t)from->count + 1, sizeof *out.dims);
  for (int i = 0; i < from->count; i++)
    out.dims[i] =
        (struct pawl_dim){pawl_arena_copy(arena, from->dims[i].name), from->dims[i].value};
  return out;
}

const char *pawl_baseline_hardware(const struct pawl_results *results) {
  return results->hardware ? results->hardware : results->hardware_name;
}

/* The compiler of the row's kernel, else that of the whole run. */
static const char *toolchain_of(const struct pawl_results *results,
                                const struct pawl_result *result) {
  const char *own = json_string_value(json_object_get(result->environment, "toolchain"));
  return own ? own : results->toolchain;
}

pawl_status pawl_baseline_entry_make(const struct pawl_result *result,
                                     const struct pawl_results *results, const char *reason,
                                     struct pawl_bootstrap_plans *plans, struct pawl_arena *arena,
                                     struct pawl_baseline_entry *out, struct pawl_error *err) {
  const struct pawl_performance *performance = &result->performance;
  struct pawl_baseline_entry entry;
  pawl_baseline_entry_init(&entry);
  entry.config = copy_case(&result->config, arena);
  entry.case_name = entry.config.name;
  entry.kernel_name = pawl_arena_copy(arena, result->kernel_name);
  entry.hardware = pawl_arena_copy(arena, pawl_baseline_hardware(results));
  if (!*entry.case_name)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "cannot use a result of kernel '%s' as the baseline: its case has no name",
                     entry.kernel_name ? entry.kernel_name : "");
  entry.median_ms =
      isnan(performance->median_ms) ? performance->mean_time_ms : performance->median_ms;
  entry.ci_95_low = performance->ci_95_low;
  entry.ci_95_high = performance->ci_95_high;
  double low, high, least;
  if (pawl_result_interval(result, &low, &high))
    entry.process_ci_95_low = low, entry.process_ci_95_high = high;
  entry.held_up = pawl_result_held_up(result);
  entry.clean_flush = pawl_result_flushed_clean(result);
  pawl_result_fastest(result, &least, &entry.process_fastest_ms);
  if (performance->sample_count > 0) PAWL_TRY(keep_samples(performance, plans, arena, &entry, err));
  if (!(isfinite(entry.median_ms) && entry.median_ms > 0))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "cannot use kernel '%s', case '%s' as the baseline: it has no time",
                     entry.kernel_name ? entry.kernel_name : "", entry.case_name);
  if (results->commit && !pawl_is_commit_id(results->commit))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "cannot use kernel '%s', case '%s' as the baseline: the commit of the results "
                     "must be " PAWL_COMMIT_ID_WANTED ", not '%.60s'",
                     entry.kernel_name ? entry.kernel_name : "", entry.case_name, results->commit);
  entry.throughput_gflops = performance->throughput_gflops;
  entry.bandwidth_gb_s = performance->bandwidth_gb_s;
  round_figures(&entry);
  entry.git_commit = pawl_arena_copy(arena, results->commit);
  entry.timestamp =
      pawl_arena_copy(arena, result->timestamp ? result->timestamp : results->timestamp);
  entry.toolchain = pawl_arena_copy(arena, toolchain_of(results, result));
  entry.code_hash = pawl_arena_copy(arena, result->code.hash);
  entry.code = result->code;
  entry.code.hash = NULL;
  entry.code.arch = pawl_arena_copy(arena, result->code.arch);
  entry.reason = pawl_arena_copy(arena, reason);
  *out = entry;
  return PAWL_OK;
}

struct pawl_baseline pawl_baseline_copy(const struct pawl_baseline *from, size_t room,
                                        struct pawl_arena *arena) {
  struct pawl_baseline out = *from;
  out.entries = pawl_arena_alloc(arena, from->count + room + 1, sizeof *out.entries);
  out.moves = pawl_arena_alloc(arena, from->move_count + room + 1, sizeof *out.moves);
  if (from->count > 0) memcpy(out.entries, from->entries, from->count * sizeof *out.entries);
  if (from->move_count > 0) memcpy(out.moves, from->moves, from->move_count * sizeof *out.moves);
  return out;
}

void pawl_baseline_put(struct pawl_baseline *baseline, size_t place,
                       const struct pawl_baseline_entry *fresh, enum pawl_move_kind kind) {
  const bool replaces = place < baseline->count;
  baseline->moves[baseline->move_count++] = (struct pawl_baseline_move){
      .kernel_name = fresh->kernel_name,
      .case_name = fresh->case_name,
      .hardware = fresh->hardware,
      .kind = kind,
      .from_ms = replaces && kind != PAWL_MOVE_NEW ? baseline->entries[place].median_ms : NAN,
      .to_ms = fresh->median_ms,
      .git_commit = fresh->git_commit,
      .timestamp = fresh->timestamp,
      .reason = fresh->reason,
  };
  if (!replaces) baseline->count++;
  baseline->entries[place] = *fresh;
}
