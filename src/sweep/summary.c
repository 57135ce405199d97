/* SPDX-License-Identifier: Apache-2.0 */
/* README.md and index.html of a sweep's folder. Both have the same parts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "report/escape.h"
#include "sweep/files.h"
#include "sweep/picture.h"
#include "sweep/pivot.h"

/* How the two files differ. */
struct sweep_markup {
  void (*heading)(const char *words, struct pawl_text *out);
  void (*paragraph)(const char *words, struct pawl_text *out);
  void (*item)(const char *words, struct pawl_text *out);
  void (*table)(const struct pawl_sweep_table *table, struct pawl_text *out);
  void (*grid)(const struct pawl_sweep_grid *grid, struct pawl_text *out);
  void (*picture)(size_t picture, struct pawl_text *out);
};

/* --- Markdown --- */

static void sweep_md_heading(const char *words, struct pawl_text *out) {
  pawl_text_printf(out, "## %s\n\n", words);
}
static void sweep_md_words(const char *words, struct pawl_text *out) {
  if (pawl_markdown_is_prose(words))
    pawl_text_add(out, words);
  else
    pawl_markdown_code(words, out);
}
static void sweep_md_paragraph(const char *words, struct pawl_text *out) {
  pawl_text_printf(out, "%s\n\n", words);
}
static void sweep_md_item(const char *words, struct pawl_text *out) {
  pawl_text_add(out, "- ");
  sweep_md_words(words, out);
  pawl_text_add(out, "\n");
}
static void sweep_md_table(const struct pawl_sweep_table *table, struct pawl_text *out) {
  pawl_sweep_markdown(table, out);
  pawl_text_add(out, "\n");
}
static void sweep_md_grid(const struct pawl_sweep_grid *grid, struct pawl_text *out) {
  pawl_sweep_grid_markdown(grid, out);
  pawl_text_add(out, "\n");
}
static void sweep_md_picture(size_t picture, struct pawl_text *out) {
  const char *name = pawl_sweep_picture_name(picture);
  pawl_text_printf(out,
                   "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"%s-dark.svg\">"
                   "<img src=\"%s-light.svg\" alt=\"%s\"></picture>\n\n",
                   name, name, pawl_sweep_picture_words(picture));
}

static const struct sweep_markup sweep_markdown_markup = {sweep_md_heading, sweep_md_paragraph,
                                                          sweep_md_item,    sweep_md_table,
                                                          sweep_md_grid,    sweep_md_picture};

/* --- HTML --- */

static void sweep_html_element(const char *name, const char *words, struct pawl_text *out) {
  pawl_text_printf(out, "<%s>", name);
  pawl_html_text(words, out);
  pawl_text_printf(out, "</%s>\n", name);
}
static void sweep_html_heading(const char *words, struct pawl_text *out) {
  sweep_html_element("h2", words, out);
}
static void sweep_html_paragraph(const char *words, struct pawl_text *out) {
  sweep_html_element("p", words, out);
}
static void sweep_html_item(const char *words, struct pawl_text *out) {
  sweep_html_element("p", words, out);
}
static void sweep_html_table(const struct pawl_sweep_table *table, struct pawl_text *out) {
  pawl_text_add(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"table\">\n");
  pawl_sweep_html(table, out);
  pawl_text_add(out, "</div>\n");
}
static void sweep_html_grid(const struct pawl_sweep_grid *grid, struct pawl_text *out) {
  pawl_text_add(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"table\">\n");
  pawl_sweep_grid_html(grid, out);
  pawl_text_add(out, "</div>\n");
}

static const struct sweep_markup sweep_html_markup = {sweep_html_heading, sweep_html_paragraph,
                                                      sweep_html_item,    sweep_html_table,
                                                      sweep_html_grid,    sweep_md_picture};

/* --- the parts --- */

/* "softmax_row over torch_softmax on cuda: 1.31 times as fast [1.30, 1.33] in the geometric mean
   over 28 shapes; faster on 27, slower on 0, not decided on 1, failed on 0" */
static void sweep_mean_words(const struct pawl_sweep_mean *mean, struct pawl_text *out) {
  pawl_text_printf(out, "%s over %s on %s: ", mean->kernel, mean->reference, mean->device);
  if (!(mean->speedup > 0)) {
    pawl_text_add(out, "no shape has a time of both");
  } else {
    pawl_text_printf(out, "%.3f times as fast", mean->speedup);
    if (mean->low > 0) pawl_text_printf(out, ", from %.3f to %.3f,", mean->low, mean->high);
    pawl_text_printf(out, " in the geometric mean over %zu shape%s", mean->points,
                     mean->points == 1 ? "" : "s");
  }
  pawl_text_printf(out, "; faster on %zu, slower on %zu, not decided on %zu, failed on %zu",
                   mean->faster, mean->slower, mean->undecided, mean->failed);
}

/* "The operator is attention: softmax(Q K^T / sqrt(D)) V." and the sizes of all shapes */
static void sweep_add_common(const struct pawl_sweep_view *view, const struct sweep_markup *markup,
                             struct pawl_text *out) {
  const struct pawl_sweep_plan *plan = &view->sweep->plan;
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  for (size_t i = 0; i < plan->point_count; i++) {
    const struct pawl_sweep_point *point = &plan->points[i];
    size_t first = 0;
    while (strcmp(plan->points[first].operator_name, point->operator_name) != 0) first++;
    if (first < i) continue;
    pawl_text_clear(&words);
    pawl_text_printf(&words, "the operator '%s'", point->operator_name);
    if (point->computes) pawl_text_printf(&words, ": %s", point->computes);
    markup->item(pawl_text_string(&words), out);
  }
  pawl_text_add(out, "\n");
  const char *common = pawl_sweep_common_sizes(plan, &arena);
  if (*common) markup->paragraph(pawl_arena_printf(&arena, "All shapes have %s.", common), out);
}

/* Tells why an arm has no time on a shape, each reason of an arm once. */
static void sweep_add_reasons(const struct pawl_sweep_view *view, const struct sweep_markup *markup,
                              struct pawl_text *out) {
  const struct pawl_sweep_claims *claims = view->claims;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text told = {0}, words = {0};
  for (size_t i = 0; i < claims->time_count; i++) {
    const struct pawl_sweep_time *time = &claims->times[i];
    if (!time->reason) continue;
    pawl_text_clear(&words);
    pawl_text_printf(&words, "%s: %s: %s\n", time->arm, pawl_outcome_name(time->outcome),
                     time->reason);
    if (told.length && strstr(told.data, words.data)) continue;
    pawl_text_add(&told, words.data);
    words.data[--words.length] = 0;
    markup->item(words.data, out);
  }
  if (told.length) pawl_text_add(out, "\n");
}

/* Adds a table of the n-th kernel: its speed-ups, or their `effects`. */
static void sweep_add_kernel(const struct pawl_sweep_view *view, size_t kernel, bool effects,
                             const struct sweep_markup *markup, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_sweep_grid grid;
  const char *name = pawl_sweep_pivot_claims(view, kernel, effects, &arena, &grid);
  markup->paragraph(
      effects ? pawl_arena_printf(&arena,
                                  "The least difference that the blocks detect with a probability "
                                  "of %.0f %%, and Cliff's delta of the samples, above 0 where %s "
                                  "is faster:",
                                  100 * PAWL_SWEEP_POWER, name)
              : pawl_arena_printf(&arena, "Speed-ups of %s over:", name),
      out);
  markup->grid(&grid, out);
}

static void sweep_add_claims(const struct pawl_sweep_view *view, const struct sweep_markup *markup,
                             struct pawl_text *out) {
  const struct pawl_sweep_claims *claims = view->claims;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  markup->heading("Claims", out);
  for (size_t i = 0; i < claims->mean_count; i++) {
    pawl_text_clear(&words);
    sweep_mean_words(&claims->means[i], &words);
    markup->item(pawl_text_string(&words), out);
  }
  pawl_text_add(out, "\n");
  pawl_text_clear(&words);
  pawl_text_printf(
      &words,
      "A claim is one kernel beside one reference on one shape. Its speed-up is the time of the "
      "reference over that of the kernel, with an interval from low to high. It is not decided "
      "where the interval includes 1. All %zu intervals of claims and means hold together with a "
      "probability of at least 95 %%, so each one has the confidence %.5g %%.",
      pawl_sweep_count_intervals(&view->sweep->plan), 100 * claims->confidence);
  markup->paragraph(pawl_text_string(&words), out);
  sweep_add_common(view, markup, out);
  for (size_t i = 0; i < pawl_sweep_count_kernels(claims); i++) {
    sweep_add_kernel(view, i, false, markup, out);
    sweep_add_kernel(view, i, true, markup, out);
  }
  sweep_add_reasons(view, markup, out);
}

/* Names the time of each arm that is farthest beyond the limit; times.csv has all. */
static void sweep_add_warnings(const struct pawl_sweep_view *view,
                               const struct sweep_markup *markup, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  for (size_t arm = 0; arm < view->sweep->plan.arm_count; arm++) {
    const struct pawl_sweep_time *worst = NULL;
    size_t count = 0;
    for (size_t i = 0; i < view->claims->time_count; i++) {
      const struct pawl_sweep_time *time = &view->claims->times[i];
      if (!time->warning || strcmp(time->arm, view->sweep->plan.arms[arm].name) != 0) continue;
      if (!count++ || time->limit_pct > worst->limit_pct) worst = time;
    }
    if (!count) continue;
    pawl_text_clear(&words);
    pawl_text_printf(&words,
                     "warning: %s has %zu time%s beyond a limit; on %s of the %s it reaches %s",
                     worst->arm, count, count == 1 ? "" : "s", worst->case_name,
                     worst->point->device, worst->warning);
    markup->item(words.data, out);
  }
  if (words.length) pawl_text_add(out, "\n");
}

/* Adds the peaks behind the limits, if all shapes have the same. */
static void sweep_add_peaks(const struct pawl_sweep_plan *plan, struct pawl_text *out) {
  for (size_t i = 0; i < plan->point_count; i++)
    if (!(plan->points[i].peak_gflops == plan->points[0].peak_gflops) ||
        !(plan->points[i].peak_gb_s == plan->points[0].peak_gb_s))
      return;
  if (plan->point_count)
    pawl_text_printf(out, " The limits of the device are %.4g TFLOP/s and %.4g GB/s.",
                     plan->points[0].peak_gflops * 1e-3, plan->points[0].peak_gb_s);
}

static void sweep_add_times(const struct pawl_sweep_view *view, const struct sweep_markup *markup,
                            struct pawl_text *out) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  struct pawl_sweep_grid times, rates;
  pawl_sweep_pivot_times(view, false, &arena, &times);
  pawl_sweep_pivot_times(view, true, &arena, &rates);
  markup->heading("Times", out);
  for (size_t i = 0; i < PAWL_SWEEP_PICTURES; i++)
    if (pawl_sweep_picture_exists(i, view->claims)) markup->picture(i, out);
  pawl_text_add(&words,
                "Medians over the blocks in ms. times.csv has their intervals, the rates and the "
                "limit that binds.");
  sweep_add_peaks(&view->sweep->plan, &words);
  markup->paragraph(pawl_text_string(&words), out);
  markup->grid(&times, out);
  sweep_add_warnings(view, markup, out);
  if (rates.rows == 1) return;
  markup->paragraph("TFLOP/s by the operator's FLOP:", out);
  markup->grid(&rates, out);
}

static void sweep_add_fact(const struct sweep_markup *markup, const char *name, const char *value,
                           struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  pawl_text_printf(&words, "%s: %s", name, value ? value : "unknown");
  markup->item(pawl_text_string(&words), out);
}

static bool sweep_is_shared(const struct pawl_sweep *sweep) {
  for (size_t i = 0; i < sweep->block_count; i++)
    if (sweep->blocks[i].evaluator) return true;
  return false;
}

static size_t sweep_count_throttled(const struct pawl_sweep *sweep) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->block_count; i++)
    count += sweep->blocks[i].throttled && !sweep->blocks[i].spoiled;
  return count;
}

/* Returns the least number of blocks with a call on fresh inputs among the shapes with blocks. */
static size_t sweep_least_fresh(const struct pawl_sweep *sweep) {
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < sweep->plan.point_count; i++) {
    const size_t fresh = pawl_sweep_count_fresh(sweep, i);
    if (fresh < least && pawl_sweep_count_blocks(sweep, i)) least = fresh;
  }
  return least == SIZE_MAX ? 0 : least;
}

/* ", within 2e-05 + 0.001 times the exact value", if all shapes have these */
static void sweep_add_tolerance(const struct pawl_sweep_plan *plan, struct pawl_text *out) {
  const struct pawl_sweep_point *first = plan->points;
  for (size_t i = 0; i < plan->point_count; i++)
    if (!(first->atol > 0 || first->rtol > 0) || plan->points[i].atol != first->atol ||
        plan->points[i].rtol != first->rtol)
      return;
  if (plan->point_count)
    pawl_text_printf(out, ", within %.3g + %.3g times the exact value", first->atol, first->rtol);
}

static size_t sweep_count_samples(const struct pawl_sweep *sweep) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->block_count; i++)
    for (size_t j = 0; j < sweep->blocks[i].timing_count; j++)
      count += sweep->blocks[i].spoiled ? 0 : sweep->blocks[i].timings[j].sample_count;
  return count;
}

/* Sentences about the method, with the numbers of this plan. */
static void sweep_add_method(const struct pawl_sweep_view *view, const struct sweep_markup *markup,
                             struct pawl_text *out) {
  const struct pawl_sweep_plan *plan = &view->sweep->plan;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0}, tolerance = {0};
  sweep_add_tolerance(plan, &tolerance);
  markup->heading("Method", out);
  pawl_text_printf(
      &words,
      "A block is one process of each kernel and reference, which measures no second block of the "
      "shape. They take turns at "
      "%d samples each, with %s caches, after %d calls that do not count. Each output is compared "
      "with the operator's exact answer%s. The ratio of a block is the median over its rounds. A "
      "claim has "
      "%d to %d blocks, until its interval is narrower than %.3g %% on either side. Its interval "
      "has order statistics of the blocks as its ends, and holds for any distribution. The times "
      "of one kernel alone have 95 %% intervals. The processes of a block start in random order, "
      "and in the reverse order in the next block. Shapes come in random order (seed %llu).",
      plan->samples, plan->cache, plan->warmup, pawl_text_string(&tolerance), plan->least_blocks,
      plan->most_blocks, 100 * plan->precision, (unsigned long long)plan->seed);
  const size_t fresh = sweep_least_fresh(view->sweep);
  if (fresh)
    pawl_text_printf(&words,
                     " In at least %zu blocks of each shape the samples precede a call on inputs "
                     "that no process of the block saw before.",
                     fresh);
  markup->paragraph(pawl_text_string(&words), out);
  pawl_text_clear(&words);
  pawl_text_printf(&words,
                   "%zu of %zu shapes are complete, with %zu blocks and %zu samples that count.",
                   view->claims->complete, plan->point_count, view->sweep->block_count,
                   sweep_count_samples(view->sweep));
  const size_t throttled = sweep_count_throttled(view->sweep);
  if (throttled)
    pawl_text_printf(&words, " In %zu of those that count the GPU's power limit lowered the clock.",
                     throttled);
  pawl_text_printf(&words, "%s",
                   sweep_is_shared(view->sweep)
                       ? " Several devices share the shapes, and each block names its evaluator."
                       : "");
  markup->paragraph(pawl_text_string(&words), out);
}

/* --- the programs that ran --- */

#define MOST_FUNCTIONS 8  /* that the text shows of an arm; the samples have all */
#define FUNCTION_ROOM 100 /* bytes of a name; templates have long ones */

/* The functions of an arm: "\na\nb\n", and those that the text shows. */
struct sweep_functions {
  struct pawl_text seen, shown;
  size_t count;
};

/* Adds the new names in "a<<<(1,1,1), (128,1,1), 0>>>; b<<<...>>>". */
static void sweep_add_functions(const char *launches, struct sweep_functions *functions) {
  for (const char *at = launches, *end; at; at = end ? end + 2 : NULL) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
    const int length = (int)strcspn(at, "<;");
    end = strstr(at, "; ");
    pawl_text_printf(&line, "\n%.*s\n", length, at);
    if (!length || strstr(pawl_text_string(&functions->seen), line.data)) continue;
    pawl_text_add(&functions->seen, line.data);
    if (++functions->count > MOST_FUNCTIONS) continue;
    pawl_text_printf(&functions->shown, "%s%.*s%s", functions->count > 1 ? ", " : "; functions: ",
                     length < FUNCTION_ROOM ? length : FUNCTION_ROOM, at,
                     length > FUNCTION_ROOM ? "..." : "");
  }
}

/* Adds "pytorch 2.11.0, cudnn 91900; functions: ...": what the arm's programs said of themselves.
 */
static void sweep_add_ran(const struct pawl_sweep *sweep, const char *arm, struct pawl_text *out) {
  const char *key;
  json_t *value;
  struct sweep_functions functions = {0};
  bool first = true;
  for (size_t i = 0; i < sweep->block_count; i++) {
    const struct pawl_sweep_timing *timing = pawl_sweep_timing_of(&sweep->blocks[i], arm);
    if (!timing || !timing->environment) continue;
    json_object_foreach((json_t *)(uintptr_t)timing->environment, key, value) {
      if (first && json_is_string(value) && strcmp(key, "functions") != 0 &&
          *json_string_value(value))
        pawl_text_printf(out, "%s%s %s", out->length ? ", " : "", key, json_string_value(value));
    }
    first = false;
    sweep_add_functions(json_string_value(json_object_get(timing->environment, "functions")),
                        &functions);
  }
  pawl_text_add(out, pawl_text_string(&functions.shown));
  if (functions.count > MOST_FUNCTIONS)
    pawl_text_printf(out, " and %zu more", functions.count - MOST_FUNCTIONS);
  pawl_text_clear(&functions.seen);
  pawl_text_clear(&functions.shown);
}

static void sweep_add_all_ran(const struct pawl_sweep *sweep, const struct sweep_markup *markup,
                              struct pawl_text *out) {
  for (size_t i = 0; i < sweep->plan.arm_count; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
    sweep_add_ran(sweep, sweep->plan.arms[i].name, &words);
    if (words.length) sweep_add_fact(markup, sweep->plan.arms[i].name, words.data, out);
  }
  pawl_text_add(out, "\n");
}

/* "clock: 1500 to 1980 MHz": of the states before and after all blocks. */
static void sweep_add_range(const struct pawl_sweep *sweep, const char *name, size_t offset,
                            const char *unit, const struct sweep_markup *markup,
                            struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < 2 * sweep->block_count; i++) {
    const struct pawl_sweep_block *block = &sweep->blocks[i / 2];
    const char *state = (const char *)(i % 2 ? &block->after : &block->before);
    const double value = *(const double *)(const void *)(state + offset);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(low <= high)) return;
  pawl_text_printf(&words, "%.0f", low);
  if (high > low) pawl_text_printf(&words, " to %.0f", high);
  pawl_text_printf(&words, " %s", unit);
  sweep_add_fact(markup, name, words.data, out);
}

static void sweep_add_states(const struct pawl_sweep *sweep, const struct sweep_markup *markup,
                             struct pawl_text *out) {
#define STATE(MEMBER) offsetof(struct pawl_sweep_state, MEMBER)
  sweep_add_range(sweep, "clock around blocks", STATE(frequency_mhz), "MHz", markup, out);
  sweep_add_range(sweep, "memory clock", STATE(memory_frequency_mhz), "MHz", markup, out);
  sweep_add_range(sweep, "temperature", STATE(temperature_c), "degrees Celsius", markup, out);
  sweep_add_range(sweep, "power", STATE(power_w), "W", markup, out);
#undef STATE
}

static void sweep_add_environment(const struct pawl_sweep_view *view,
                                  const struct sweep_markup *markup, struct pawl_text *out) {
  const struct pawl_sweep_plan *plan = &view->sweep->plan;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text commit = {0};
  pawl_text_printf(&commit, "%s%s", plan->commit ? plan->commit : "unknown",
                   plan->dirty ? ", with changes that are in no commit" : "");
  markup->heading("Environment", out);
  sweep_add_fact(markup, "hardware", plan->hardware, out);
  sweep_add_fact(markup, "system", plan->system, out);
  sweep_add_fact(markup, "driver", plan->driver ? plan->driver : "none", out);
  sweep_add_states(view->sweep, markup, out);
  sweep_add_fact(markup, "commit", pawl_text_string(&commit), out);
  sweep_add_fact(markup, "started in UTC", plan->started, out);
  sweep_add_fact(markup, "pawl", plan->pawl, out);
  pawl_text_add(out, "\n");
  static const char *const keys[] = {"name", "device",    "reference", "code",
                                     "arch", "toolchain", NULL};
  const struct pawl_sweep_table table = {&pawl_sweep_arm_fields, plan->arms, plan->arm_count, keys};
  markup->table(&table, out);
  for (size_t i = 0; i < plan->arm_count; i++)
    if (plan->arms[i].missing)
      sweep_add_fact(markup, plan->arms[i].name, plan->arms[i].missing, out);
  sweep_add_all_ran(view->sweep, markup, out);
}

static void sweep_add_parts(const struct pawl_sweep_view *view, const struct sweep_markup *markup,
                            struct pawl_text *out) {
  sweep_add_claims(view, markup, out);
  sweep_add_times(view, markup, out);
  sweep_add_method(view, markup, out);
  sweep_add_environment(view, markup, out);
  markup->heading("Verify", out);
  markup->paragraph("pawl verify recomputes every number of this folder from " PAWL_SWEEP_PLAN
                    " and the raw samples in " PAWL_SWEEP_SAMPLES
                    ", on any machine. Each line of the samples is one block.",
                    out);
}

void pawl_sweep_readme(const struct pawl_sweep_view *view, struct pawl_text *out) {
  pawl_text_add(out, "# Kernels beside references\n\n");
  sweep_add_parts(view, &sweep_markdown_markup, out);
}

void pawl_sweep_page(const struct pawl_sweep_view *view, struct pawl_text *out) {
  pawl_text_add(out,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width\">\n"
                "<title>Kernels beside references</title>\n<style>\n"
                ":root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }\n"
                "body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }\n"
                "img { max-width: 100%; }\n"
                ".wide { overflow-x: auto; }\n"
                "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
                "th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #8884; "
                "white-space: nowrap; }\n"
                "</style>\n</head>\n<body>\n<main>\n<h1>Kernels beside references</h1>\n");
  sweep_add_parts(view, &sweep_html_markup, out);
  pawl_text_add(out, "</main>\n</body>\n</html>\n");
}
