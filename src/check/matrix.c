/* SPDX-License-Identifier: Apache-2.0 */
#include "check/matrix.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_SHAPES 3
#define LARGEST_MATRIX ((size_t)100000)

void pawl_check_matrix_release(struct pawl_check_matrix *matrix) {
  if (!matrix) return;
  pawl_free(matrix->items);
  *matrix = (struct pawl_check_matrix){0};
}

static void matrix_append(struct pawl_check_matrix *matrix, const struct pawl_check_item *item) {
  matrix->items = pawl_grow(matrix->items, matrix->count, &matrix->capacity, sizeof *matrix->items);
  matrix->items[matrix->count++] = *item;
}

/* Resolves the case. The operator says whether it knows the case, and its cost. */
static pawl_status measure(struct pawl_oracle *oracle, const struct pawl_case *config,
                           struct pawl_arena *arena, struct pawl_check_item *out,
                           struct pawl_error *err) {
  struct pawl_check_item made = {.distribution = oracle->info.distributions[0].name};
  struct pawl_work work;
  PAWL_TRY(pawl_case_resolve(config, &oracle->info, arena, &made.config, err));
  const struct pawl_shape shape = pawl_case_shape(&made.config);
  PAWL_TRY(pawl_worker_tensors(oracle->worker, &shape, arena, &work, err));
  made.flop = work.flop;
  if (!made.config.name) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
    pawl_case_key(&made.config, &key);
    made.config.name = pawl_arena_copy(arena, pawl_text_string(&key));
  }
  *out = made;
  return PAWL_OK;
}

/* Sets the axes to their values at the digits of `index`. The last axis varies fastest. */
static struct pawl_case point(const struct pawl_check_spec *spec, int32_t dtype, size_t index,
                              struct pawl_arena *arena) {
  struct pawl_case config = {.operator_name = spec->operator_name,
                             .place = spec->place,
                             .count = (int)spec->axis_count,
                             .dtype = dtype};
  config.places = pawl_arena_alloc(arena, spec->axis_count + 1, sizeof *config.places);
  config.dims = pawl_arena_alloc(arena, spec->axis_count + 1, sizeof *config.dims);
  for (size_t a = spec->axis_count; a-- > 0;) {
    const struct pawl_axis *axis = &spec->axes[a];
    config.dims[a] = (struct pawl_dim){axis->name, axis->values[index % axis->count]};
    config.places[a] = axis->place;
    index /= axis->count;
  }
  return config;
}

static pawl_status count_points(const struct pawl_check_spec *spec, size_t *points,
                                struct pawl_error *err) {
  size_t product = 1;
  for (size_t a = 0; a < spec->axis_count; a++) {
    if (__builtin_mul_overflow(product, spec->axes[a].count, &product) || product > LARGEST_MATRIX)
      return pawl_fail(err, PAWL_CONFIG,
                       "check of '%s' has more than %zu shapes; give fewer values",
                       spec->operator_name, LARGEST_MATRIX);
  }
  *points = product;
  return PAWL_OK;
}

static int by_work(const void *a, const void *b) {
  const struct pawl_check_item *x = a, *y = b;
  if (x->flop != y->flop) return x->flop < y->flop ? -1 : 1;
  return strcmp(x->config.name, y->config.name);
}

/* Adds nothing when the operator does not accept the edge shape. */
static pawl_status append_edge(struct pawl_check_matrix *matrix,
                               const struct pawl_check_options *options,
                               const struct pawl_check_item *smallest, struct pawl_arena *arena,
                               struct pawl_error *err) {
  const struct pawl_check_spec *spec = options->spec;
  struct pawl_case config = smallest->config;
  struct pawl_check_item edge;
  struct pawl_error refused;
  bool differs = false;
  config.name = NULL;
  config.dims = pawl_arena_alloc(arena, (size_t)config.count + 1, sizeof *config.dims);
  for (int i = 0; i < config.count; i++) {
    config.dims[i] = smallest->config.dims[i];
    for (size_t a = 0; a < spec->axis_count; a++)
      if (spec->axes[a].count > 1 && !strcmp(spec->axes[a].name, config.dims[i].name)) {
        config.dims[i].value--;
        differs = true;
      }
  }
  if (!differs) return PAWL_OK;
  const enum pawl_status_code status = measure(options->oracle, &config, arena, &edge, &refused);
  if (status == PAWL_CONFIG) return PAWL_OK;
  if (status != PAWL_OK) {
    if (err) *err = refused;
    return status;
  }
  edge.small = edge.edge = true;
  matrix_append(matrix, &edge);
  return PAWL_OK;
}

/* Adds the shapes of one dtype in `sorted` order, the small shapes with all distributions. */
static pawl_status append_dtype(struct pawl_check_matrix *matrix,
                                const struct pawl_check_options *options,
                                struct pawl_check_matrix *shapes, struct pawl_arena *arena,
                                struct pawl_error *err) {
  const struct pawl_operator_info *info = &options->oracle->info;
  if (!shapes->count) return PAWL_OK;
  qsort(shapes->items, shapes->count, sizeof *shapes->items, by_work);
  if (options->spec && !options->cases_only)
    PAWL_TRY(append_edge(matrix, options, &shapes->items[0], arena, err));
  for (size_t i = 0; i < shapes->count; i++) {
    struct pawl_check_item item = shapes->items[i];
    item.small = i < SMALL_SHAPES;
    if (options->reduced && !item.small) break;
    for (int d = 0; d < (item.small ? info->distribution_count : 1); d++) {
      item.distribution = info->distributions[d].name;
      matrix_append(matrix, &item);
    }
  }
  return PAWL_OK;
}

static bool same_shape(const struct pawl_case *a, const struct pawl_case *b) {
  bool same = a->dtype == b->dtype && a->count == b->count;
  for (int i = 0; same && i < a->count; i++) same = a->dims[i].value == b->dims[i].value;
  return same;
}

bool pawl_check_matrix_has(const struct pawl_check_matrix *matrix, const struct pawl_case *config) {
  for (size_t i = 0; i < matrix->count; i++)
    if (same_shape(&matrix->items[i].config, config)) return true;
  return false;
}

static pawl_status append_cases(struct pawl_check_matrix *matrix,
                                const struct pawl_check_options *options, struct pawl_arena *arena,
                                struct pawl_error *err) {
  struct pawl_check_item item;
  for (size_t c = 0; c < options->case_count; c++) {
    PAWL_TRY(measure(options->oracle, &options->cases[c], arena, &item, err));
    bool known = false;
    for (size_t i = 0; i < matrix->count; i++)
      known =
          known || (!matrix->items[i].edge && same_shape(&matrix->items[i].config, &item.config));
    if (!known) matrix_append(matrix, &item);
  }
  return PAWL_OK;
}

/* Lists the dtypes of the options, else those of the cases, else the operator's first. */
static size_t list_dtypes(const struct pawl_check_options *options, struct pawl_arena *arena,
                          int32_t **out) {
  const struct pawl_check_spec *spec = options->spec;
  if (spec->dtype_count) {
    *out = spec->dtypes;
    return spec->dtype_count;
  }
  const int32_t fallback = options->oracle->info.tolerances[0].dtype;
  int32_t *dtypes = pawl_arena_alloc(arena, options->case_count + 1, sizeof *dtypes);
  size_t count = 0;
  for (size_t c = 0; c < options->case_count; c++) {
    const int32_t dtype = options->cases[c].dtype ? options->cases[c].dtype : fallback;
    bool known = false;
    for (size_t i = 0; i < count; i++) known = known || dtypes[i] == dtype;
    if (!known) dtypes[count++] = dtype;
  }
  if (!count) dtypes[count++] = fallback;
  *out = dtypes;
  return count;
}

static pawl_status append_axes(struct pawl_check_matrix *matrix,
                               const struct pawl_check_options *options, struct pawl_arena *arena,
                               struct pawl_error *err) {
  size_t points = 0;
  int32_t *dtypes;
  PAWL_TRY(count_points(options->spec, &points, err));
  const size_t dtype_count = list_dtypes(options, arena, &dtypes);
  for (size_t d = 0; d < dtype_count; d++) {
    PAWL_CLEANUP(pawl_check_matrix_release) struct pawl_check_matrix shapes = {0};
    for (size_t i = 0; i < points; i++) {
      struct pawl_check_item item;
      const struct pawl_case config = point(options->spec, dtypes[d], i, arena);
      PAWL_TRY(measure(options->oracle, &config, arena, &item, err));
      matrix_append(&shapes, &item);
    }
    PAWL_TRY(append_dtype(matrix, options, &shapes, arena, err));
  }
  return PAWL_OK;
}

/* Without a matrix, the smallest cases serve as the small shapes. */
static pawl_status append_cases_alone(struct pawl_check_matrix *matrix,
                                      const struct pawl_check_options *options,
                                      struct pawl_arena *arena, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_check_matrix_release) struct pawl_check_matrix shapes = {0};
  PAWL_TRY(append_cases(&shapes, options, arena, err));
  return append_dtype(matrix, options, &shapes, arena, err);
}

pawl_status pawl_check_matrix_init(struct pawl_check_matrix *matrix,
                                   const struct pawl_check_options *options,
                                   struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_check_matrix made = {0};
  const bool axes = options->spec && options->spec->axis_count > 0 && !options->cases_only;
  enum pawl_status_code status = axes ? append_axes(&made, options, arena, err)
                                      : append_cases_alone(&made, options, arena, err);
  if (status == PAWL_OK) status = append_cases(&made, options, arena, err);
  if (status != PAWL_OK) pawl_check_matrix_release(&made);
  if (status == PAWL_OK) *matrix = made;
  return status;
}
