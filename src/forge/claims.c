/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/claims.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "gate/row_match.h"
#include "stats/sort.h"

struct claims {
  const struct pawl_stored_run *run;
  const struct pawl_forge_expected *expected;
  struct pawl_arena *arena;
  struct pawl_error *err;
};

static const char *claims_shown(const char *name) { return name ? name : "unknown"; }

enum pawl_status_code pawl_forge_refuse_row(const struct pawl_comparison *row, const char *why,
                                            struct pawl_error *err) {
  return pawl_fail(err, PAWL_BAD_DATA, "refused: kernel '%.100s' on case '%.100s' %s",
                   claims_shown(row->kernel_name), claims_shown(row->config.name), why);
}

/* --- the run --- */

static pawl_status check_run(const struct claims *claims) {
  const struct pawl_results *run = &claims->run->results;
  const char *wanted = claims->expected->commit;
  if (wanted && !pawl_text_equal(run->commit, wanted))
    return pawl_fail(claims->err, PAWL_BAD_DATA,
                     "refused: the results are of commit '%.40s', not of '%.40s'",
                     claims_shown(run->commit), wanted);
  if (run->dirty)
    return pawl_fail(claims->err, PAWL_BAD_DATA,
                     "refused: the results are of a dirty tree, not of commit '%.40s' alone; "
                     "measure a clean checkout",
                     claims_shown(run->commit));
  if (claims->run->report.shards > 1)
    return pawl_fail(claims->err, PAWL_BAD_DATA,
                     "refused: this is part %d of %d, not the whole run", claims->run->report.shard,
                     claims->run->report.shards);
  return PAWL_OK;
}

/* Checks that the samples and the verdict are of one run. */
static pawl_status check_results_file(const struct claims *claims) {
  const struct pawl_results *run = &claims->run->results, *measured = &claims->run->measured;
  const struct {
    const char *what, *ours, *theirs;
  } facts[] = {{"commit", run->commit, measured->commit},
               {"hardware", run->hardware, measured->hardware}};
  if (!measured->count) return PAWL_OK;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (!pawl_text_equal(facts[i].ours, facts[i].theirs))
      return pawl_fail(claims->err, PAWL_BAD_DATA,
                       "refused: verdict.json is of %s '%.100s', but results.json of '%.100s'",
                       facts[i].what, claims_shown(facts[i].ours), claims_shown(facts[i].theirs));
  if (measured->dirty)
    return pawl_fail(claims->err, PAWL_BAD_DATA,
                     "refused: results.json is of a dirty tree; measure a clean checkout");
  return PAWL_OK;
}

/* --- the suite --- */

static const struct pawl_kernel_spec *claims_find_kernel(const struct claims *claims,
                                                         const char *name) {
  const struct pawl_kernel_spec *spec =
      name ? pawl_suite_kernel(&claims->expected->suite, name) : NULL;
  return spec && !spec->reference ? spec : NULL;
}

static bool has_entry(const struct claims *claims, const char *kernel_name) {
  const struct pawl_baseline *baseline = &claims->expected->baseline;
  for (size_t i = 0; i < baseline->count; i++)
    if (pawl_text_equal(baseline->entries[i].kernel_name, kernel_name)) return true;
  return false;
}

/* Checks that the base can have each kernel. A change may add kernels, which have nothing to
 * compare with. The default branch's own suite has all of its kernels. */
static pawl_status check_membership(const struct claims *claims,
                                    const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  const struct pawl_forge_expected *expected = claims->expected;
  if (claims_find_kernel(claims, item->kernel_name) || has_entry(claims, item->kernel_name))
    return PAWL_OK;
  if (!expected->is_pull_request && expected->base &&
      pawl_text_equal(expected->base, claims->run->results.commit))
    return pawl_forge_refuse_row(item, "is not in the suite", claims->err);
  if (row->paired && expected->suite.kernel_count)
    return pawl_forge_refuse_row(
        item, "has blocks of a base, but the base has no such kernel to measure", claims->err);
  return PAWL_OK;
}

/* --- shapes --- */

/* Returns the base's case of the row, or NULL if the base has none of that name for the kernel. */
static const struct pawl_case *claims_find_case(const struct claims *claims,
                                                const struct pawl_comparison *item) {
  const struct pawl_kernel_spec *spec = claims_find_kernel(claims, item->kernel_name);
  const struct pawl_case *config =
      item->config.name ? pawl_suite_case(&claims->expected->suite, item->config.name) : NULL;
  if (!spec || !spec->operator_name || !config) return NULL;
  return pawl_text_equal(config->operator_name, spec->operator_name) ? config : NULL;
}

/* Returns whether the shape has each value of the case. It may have more: the operator's
 * defaults. */
static bool covers(const struct pawl_case *shape, const struct pawl_case *config) {
  if (config->dtype != PAWL_DTYPE_NONE && shape->dtype != config->dtype) return false;
  for (int i = 0; i < config->count; i++) {
    int j = 0;
    while (j < shape->count && strcmp(shape->dims[j].name, config->dims[i].name) != 0) j++;
    if (j == shape->count || shape->dims[j].value != config->dims[i].value) return false;
  }
  return true;
}

static pawl_status refuse_shape(const struct claims *claims, const struct pawl_comparison *item,
                                const struct pawl_case *wanted, const char *whose) {
  const char *why = pawl_arena_printf(
      claims->arena, "was measured with '%.200s', but %s has '%.200s'",
      pawl_shape_key(&item->config, claims->arena), whose, pawl_shape_key(wanted, claims->arena));
  return pawl_forge_refuse_row(item, why, claims->err);
}

/* Checks the row's shape. On the default branch a default of the operator may have changed, and its
 * next baseline then has the new shape. A change cannot have that reason. */
static pawl_status check_shape(const struct claims *claims, const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  const struct pawl_case *config = claims_find_case(claims, item);
  if (!config || item->verdict == PAWL_VERDICT_MISSING) return PAWL_OK;
  if (!covers(&item->config, config)) return refuse_shape(claims, item, config, "the base's case");
  const struct pawl_baseline_entry *entry =
      pawl_baseline_find(&claims->expected->baseline, item->kernel_name, item->config.name,
                         claims->run->results.hardware);
  if (!entry || !claims->expected->is_pull_request || !pawl_shapes_agree(config, &entry->config) ||
      pawl_shapes_agree(&item->config, &entry->config))
    return PAWL_OK;
  return refuse_shape(claims, item, &entry->config, "its baseline");
}

/* --- results --- */

/* Returns whether the samples of the processes are the samples of the result. */
static bool are_its_samples(const struct pawl_result *result) {
  const struct pawl_performance *figures = &result->performance;
  size_t count = 0;
  for (size_t i = 0; i < result->process_count; i++) count += result->processes[i].count;
  if (count != figures->sample_count) return false;
  double *pooled = pawl_alloc(count + 1, sizeof *pooled),
         *given = pawl_alloc(count + 1, sizeof *given);
  count = 0;
  for (size_t i = 0; i < result->process_count; i++)
    for (size_t j = 0; j < result->processes[i].count; j++)
      pooled[count++] = result->processes[i].samples_ms[j];
  if (count) memcpy(given, figures->samples_ms, count * sizeof *given);
  pawl_sort_doubles(pooled, count);
  pawl_sort_doubles(given, count);
  const bool same = !memcmp(pooled, given, count * sizeof *given);
  pawl_free(pooled);
  pawl_free(given);
  return same;
}

/* Compares with the run's hardware: that of its GPU, beside which kernels of the CPU may run. */
static bool is_of_hardware(const char *identity, const char *hardware) {
  const size_t kind = identity ? strcspn(identity, " ") : 0;
  return !kind || !hardware || strncmp(identity, hardware, kind + 1) != 0 ||
         !strcmp(identity, hardware);
}

static pawl_status check_result(const struct claims *claims, const struct pawl_ratchet_row *row,
                                const struct pawl_result *result) {
  const struct pawl_comparison *item = &row->comparison;
  const json_t *device = json_object_get(result->environment, "device");
  const char *identity = json_string_value(json_object_get(device, "identity"));
  const char *uuid = json_string_value(json_object_get(device, "uuid"));
  const char *gpu = row->paired ? row->paired->gpu : NULL;
  if (strcmp(pawl_shape_key(&result->config, claims->arena),
             pawl_shape_key(&item->config, claims->arena)) != 0)
    return refuse_shape(claims, item, &result->config, "results.json");
  if (!is_of_hardware(identity, claims->run->results.hardware))
    return pawl_forge_refuse_row(
        item,
        pawl_arena_printf(claims->arena, "was measured on '%.100s', but the run on '%.100s'",
                          identity, claims->run->results.hardware),
        claims->err);
  if (gpu && uuid && strcmp(gpu, uuid) != 0)
    return pawl_forge_refuse_row(item, "has blocks of one GPU and samples of another", claims->err);
  if (result->process_count && !are_its_samples(result))
    return pawl_forge_refuse_row(item, "has other samples than its processes", claims->err);
  return PAWL_OK;
}

static const struct pawl_result *claims_find_result(const struct claims *claims,
                                                    const struct pawl_comparison *item) {
  const struct pawl_results *measured = &claims->run->measured;
  for (size_t i = 0; i < measured->count; i++)
    if (pawl_text_equal(measured->items[i].kernel_name, item->kernel_name) &&
        pawl_text_equal(measured->items[i].config.name, item->config.name))
      return &measured->items[i];
  return NULL;
}

/* Checks the row's hardware. A machine that the baseline does not know makes each row new. A change
 * is then compared with nothing, unless pawl measured its base beside it. */
static pawl_status check_hardware(const struct claims *claims, const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  const struct pawl_baseline *baseline = &claims->expected->baseline;
  const char *hardware = claims->run->results.hardware, *other = NULL;
  if (row->paired || item->verdict != PAWL_VERDICT_NEW || !claims->expected->is_pull_request)
    return PAWL_OK;
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (!pawl_text_equal(entry->kernel_name, item->kernel_name) ||
        !pawl_text_equal(entry->case_name, item->config.name))
      continue;
    if (pawl_text_equal(entry->hardware, hardware)) return PAWL_OK;
    other = claims_shown(entry->hardware);
  }
  if (!other) return PAWL_OK;
  return pawl_forge_refuse_row(
      item,
      pawl_arena_printf(claims->arena,
                        "was measured on '%.100s', but its baseline on '%.100s'; measure it there, "
                        "or record a baseline of this machine on the default branch first",
                        claims_shown(hardware), other),
      claims->err);
}

/* --- orders --- */

/* Returns the number, from 1, of the first block that breaks the balance, or 0. In the two blocks
 * of a pair, each arm is first once. The repeat of a disturbed block takes its order. */
static size_t find_imbalance(const struct pawl_paired_block *blocks, size_t count) {
  enum pawl_arm_order last = PAWL_ORDER_UNKNOWN;
  size_t counted = 0;
  for (size_t i = 0; i < count; i++) {
    if (blocks[i].order == PAWL_ORDER_UNKNOWN || (counted % 2 && blocks[i].order == last))
      return i + 1;
    if (blocks[i].spoiled) continue;
    last = blocks[i].order;
    counted++;
  }
  return 0;
}

static pawl_status check_orders(const struct claims *claims, const struct pawl_ratchet_row *row) {
  const struct pawl_paired_test *paired = row->paired;
  if (!paired || paired->identical || paired->policy.rule < 2) return PAWL_OK;
  size_t block = find_imbalance(paired->blocks, paired->block_count);
  const bool confirms = !block;
  if (confirms) block = find_imbalance(paired->confirmation, paired->confirmation_count);
  if (!block) return PAWL_OK;
  return pawl_forge_refuse_row(
      &row->comparison,
      pawl_arena_printf(
          claims->arena,
          "has no balance of places: in %sblock %zu the arm that was first is unknown "
          "or was first in the other block of the pair too",
          confirms ? "confirming " : "", block),
      claims->err);
}

/* --- the samples of blocks --- */

static void find_bounds(const double *samples, size_t count, double *least, double *greatest) {
  *least = INFINITY;
  *greatest = 0;
  for (size_t i = 0; i < count; i++) {
    *least = fmin(*least, samples[i]);
    *greatest = fmax(*greatest, samples[i]);
  }
}

/* The geometric mean of a block's two times is that of the medians of its samples
 * (measure/round_ratio.h). So it lies between the geometric means of the extremes. */
static pawl_status check_block_samples(const struct claims *claims,
                                       const struct pawl_ratchet_row *row) {
  const struct pawl_paired_test *paired = row->paired;
  const double slack = 1e-6, step_ms = 1e-6; /* samples are rounded, some to a nanosecond */
  double base_least, base_greatest, least, greatest;
  if (!paired || !paired->base_sample_count || !paired->candidate_sample_count) return PAWL_OK;
  find_bounds(paired->base_samples_ms, paired->base_sample_count, &base_least, &base_greatest);
  find_bounds(paired->candidate_samples_ms, paired->candidate_sample_count, &least, &greatest);
  least = sqrt(fmax(base_least - step_ms, 0)) * sqrt(fmax(least - step_ms, 0)) * (1 - slack);
  greatest = sqrt(base_greatest + step_ms) * sqrt(greatest + step_ms) * (1 + slack);
  for (size_t i = 0; i < paired->block_count; i++) {
    const struct pawl_paired_block *block = &paired->blocks[i];
    const double mean = sqrt(block->base_ms) * sqrt(block->candidate_ms);
    if (block->spoiled || (mean >= least && mean <= greatest)) continue;
    return pawl_forge_refuse_row(
        &row->comparison,
        pawl_arena_printf(claims->arena,
                          "has other samples than its blocks: block %zu took %.6g and %.6g ms",
                          i + 1, block->base_ms, block->candidate_ms),
        claims->err);
  }
  return PAWL_OK;
}

/* --- checks --- */

/* Returns the shape that the kernel was measured with, which has the operator's defaults. Without a
   row it returns the case. */
static const struct pawl_case *claims_shape(const struct claims *claims, const char *kernel_name,
                                            const struct pawl_case *config) {
  const struct pawl_ratchet_report *ratchet = &claims->run->ratchet;
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_comparison *row = &ratchet->rows[i].comparison;
    if (pawl_text_equal(row->kernel_name, kernel_name) &&
        pawl_text_equal(row->config.name, config->name) && row->verdict != PAWL_VERDICT_MISSING)
      return &row->config;
  }
  return config;
}

/* Counts the cases of the kernel's operator with different shapes, or their different dtypes alone.
   Two cases may have one shape, because one of them spells out a default. */
static size_t count_different(const struct claims *claims, const struct pawl_kernel_spec *spec,
                              bool dtypes_alone) {
  const struct pawl_suite *suite = &claims->expected->suite;
  struct pawl_arena *arena = claims->arena;
  size_t count = 0;
  const char **seen = pawl_arena_alloc(arena, suite->case_count + 1, sizeof *seen);
  for (size_t i = 0; i < suite->case_count; i++) {
    const struct pawl_case *config = &suite->cases[i];
    if (!pawl_text_equal(config->operator_name, spec->operator_name)) continue;
    if (dtypes_alone && config->dtype == PAWL_DTYPE_NONE) continue;
    const char *key = dtypes_alone
                          ? pawl_arena_printf(arena, "%d", (int)config->dtype)
                          : pawl_shape_key(claims_shape(claims, spec->name, config), arena);
    size_t j = 0;
    while (j < count && strcmp(seen[j], key) != 0) j++;
    if (j == count) seen[count++] = key;
  }
  return count ? count : 1;
}

/* Returns the fewest rows that the matrix of the kernel's operator can have. Edges and
   distributions add more. */
static size_t fewest_rows(const struct claims *claims, const struct pawl_kernel_spec *spec) {
  const struct pawl_check_spec *check =
      pawl_suite_check(&claims->expected->suite, spec->operator_name);
  if (!check || !check->axis_count) return count_different(claims, spec, false);
  size_t rows = check->dtype_count ? check->dtype_count : count_different(claims, spec, true);
  for (size_t a = 0; a < check->axis_count; a++)
    if (__builtin_mul_overflow(rows, check->axes[a].count, &rows)) return SIZE_MAX;
  return rows;
}

/* pawl leaves out the check of machine code that passed before. All rows of the kernel then say
 * that their code is the base's. */
static bool needs_check(const struct claims *claims, const char *kernel_name) {
  const struct pawl_ratchet_report *ratchet = &claims->run->ratchet;
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_ratchet_row *row = &ratchet->rows[i];
    if (!pawl_text_equal(row->comparison.kernel_name, kernel_name)) continue;
    if (!(row->paired && row->paired->identical) &&
        (row->comparison.verdict == PAWL_VERDICT_NEW ||
         pawl_verdict_is_from_times(row->comparison.verdict)))
      return true;
  }
  return false;
}

static pawl_status check_of_kernel(const struct claims *claims,
                                   const struct pawl_kernel_spec *spec) {
  const struct pawl_run_report *report = &claims->run->report;
  const size_t wanted = fewest_rows(claims, spec);
  const struct pawl_check_report *found = NULL;
  for (size_t i = 0; i < report->check_count && !found; i++)
    if (pawl_text_equal(report->checks[i].kernel_name, spec->name))
      found = report->checks[i].report;
  if (!found)
    return pawl_fail(claims->err, PAWL_BAD_DATA,
                     "refused: kernel '%.100s' was measured, but not checked", spec->name);
  if (found->reduced)
    return pawl_fail(claims->err, PAWL_BAD_DATA,
                     "refused: the check of kernel '%.100s' left out large shapes", spec->name);
  if (found->count >= wanted && found->passed > 0) return PAWL_OK;
  return pawl_fail(
      claims->err, PAWL_BAD_DATA,
      "refused: the check of kernel '%.100s' has %zu rows, of which %zu passed, but the "
      "base's matrix has at least %zu",
      spec->name, found->count, found->passed, wanted);
}

/* Checks the rows of all checks. A failed run may have ended before a check. */
static pawl_status check_checks(const struct claims *claims) {
  const struct pawl_suite *suite = &claims->expected->suite;
  if (pawl_conclusion_fails(claims->run->conclusion)) return PAWL_OK;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    if (spec->operator_name && !spec->reference && needs_check(claims, spec->name))
      PAWL_TRY(check_of_kernel(claims, spec));
  }
  return PAWL_OK;
}

pawl_status pawl_forge_claims_check(const struct pawl_stored_run *run,
                                    const struct pawl_forge_expected *expected,
                                    struct pawl_arena *arena, struct pawl_error *err) {
  const struct claims claims = {run, expected, arena, err};
  PAWL_TRY(check_run(&claims));
  PAWL_TRY(check_results_file(&claims));
  for (size_t i = 0; i < run->ratchet.count; i++) {
    const struct pawl_ratchet_row *row = &run->ratchet.rows[i];
    const struct pawl_result *result = claims_find_result(&claims, &row->comparison);
    PAWL_TRY(check_membership(&claims, row));
    PAWL_TRY(check_shape(&claims, row));
    if (result) PAWL_TRY(check_result(&claims, row, result));
    PAWL_TRY(check_hardware(&claims, row));
    PAWL_TRY(check_orders(&claims, row));
    PAWL_TRY(check_block_samples(&claims, row));
  }
  return check_checks(&claims);
}
