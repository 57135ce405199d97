/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/ncu_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "profile/quantity.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define MOST_KERNELS 4096

/* The file. The parser splits its text in place. */
struct csv_reader {
  char *cursor; /* NUL-terminated */
  const char *name;
  struct pawl_arena *arena;
};

struct csv_row {
  char **fields;
  size_t count;
  bool open; /* the file ends inside a quoted field */
};

/* The column of each value; -1: none. */
struct columns {
  long kernel, gpu, capability;
  long counters[PAWL_COUNTERS], stalls[PAWL_STALLS];
  double scales[PAWL_COUNTERS];
};

/* Reads a quoted field, in which "" is a quote. The file may end inside the field. */
static char *quoted(struct csv_reader *r, bool *open) {
  char *field = ++r->cursor, *to = field;
  while (*r->cursor && !(r->cursor[0] == '"' && r->cursor[1] != '"')) {
    if (*r->cursor == '"') r->cursor++;
    *to++ = *r->cursor++;
  }
  *open = !*r->cursor;
  if (!*open) r->cursor++;
  *to = '\0';
  return field;
}

static char *bare(struct csv_reader *r) {
  char *field = r->cursor;
  r->cursor += strcspn(r->cursor, ",\r\n");
  return field;
}

/* Reads the next row. Its fields live in the file's text. */
static void ncu_csv_next_row(struct csv_reader *r, struct csv_row *row) {
  size_t capacity = 0;
  char **fields = NULL;
  *row = (struct csv_row){0};
  for (bool more = true; more && !row->open;) {
    fields = pawl_grow(fields, row->count, &capacity, sizeof *fields);
    fields[row->count++] = *r->cursor == '"' ? quoted(r, &row->open) : bare(r);
    while (*r->cursor == '\r') *r->cursor++ = '\0';
    more = *r->cursor == ',';
    if (*r->cursor) *r->cursor++ = '\0';
  }
  row->fields = pawl_arena_alloc(r->arena, row->count + 1, sizeof *row->fields);
  memcpy(row->fields, fields, row->count * sizeof *fields);
  pawl_free(fields);
}

/* Skips to the next line that begins with a quote. All other lines are messages of ncu or the
   program. */
static bool skip_noise(struct csv_reader *r) {
  while (*r->cursor && *r->cursor != '"') {
    r->cursor += strcspn(r->cursor, "\n");
    if (*r->cursor) r->cursor++;
  }
  return *r->cursor != '\0';
}

static long ncu_csv_find(const struct csv_row *header, const char *name) {
  for (size_t i = 0; i < header->count; i++)
    if (!strcmp(header->fields[i], name)) return (long)i;
  return -1;
}

/* Finds the first of a counter's names whose unit fits the counter. */
static void find_counter(const struct csv_row *header, const struct csv_row *units,
                         enum pawl_counter counter, struct columns *c) {
  const struct pawl_counter_info *info = &pawl_counter_infos[counter];
  c->counters[counter] = -1;
  for (int i = 0; i < PAWL_COUNTER_NAMES && info->names[i] && c->counters[counter] < 0; i++) {
    const long column = ncu_csv_find(header, info->names[i]);
    const double scale = column < 0 ? NAN : pawl_quantity_scale(units->fields[column], info->unit);
    if (isnan(scale)) continue;
    c->counters[counter] = column;
    c->scales[counter] = scale;
  }
}

static void find_columns(const struct csv_row *header, const struct csv_row *units,
                         struct columns *c) {
  c->kernel = ncu_csv_find(header, "Kernel Name");
  c->gpu = ncu_csv_find(header, "device__attribute_display_name");
  c->capability = ncu_csv_find(header, "CC");
  for (int i = 0; i < PAWL_COUNTERS; i++) find_counter(header, units, (enum pawl_counter)i, c);
  for (int i = 0; i < PAWL_STALLS; i++) {
    char name[PAWL_STALL_METRIC];
    c->stalls[i] = ncu_csv_find(header, pawl_stall_metric((enum pawl_stall)i, name));
  }
}

static pawl_status number(const struct csv_reader *r, const struct csv_row *header,
                          const struct csv_row *row, long column, double *out,
                          struct pawl_error *err) {
  *out = NAN;
  if (column < 0 || pawl_quantity_number(row->fields[column], out)) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "%s: '%s' of %s is a number of another locale; run ncu with LC_ALL=C", r->name,
                   row->fields[column], header->fields[column]);
}

/* The file has 0 for the ratio of an access that never happens. It becomes unknown here. */
static void forget_ratios_of_nothing(struct pawl_profile_kernel *kernel) {
  static const struct {
    enum pawl_counter ratio, of;
  } rows[] = {{PAWL_COUNTER_COALESCED_LOADS, PAWL_COUNTER_LOADS},
              {PAWL_COUNTER_COALESCED_STORES, PAWL_COUNTER_STORES}};
  for (size_t i = 0; i < PAWL_COUNT(rows); i++) {
    double *ratio = &kernel->values[rows[i].ratio];
    if (kernel->values[rows[i].of] == 0 || *ratio == 0) *ratio = NAN;
  }
}

/* Converts warps per issue to shares of all warp time. */
static void share_stalls(double *stalls) {
  double sum = 0;
  for (int i = 0; i < PAWL_STALLS; i++) sum += isnan(stalls[i]) ? 0 : fmax(stalls[i], 0);
  for (int i = 0; i < PAWL_STALLS; i++)
    stalls[i] = sum > 0 && !isnan(stalls[i]) ? fmax(stalls[i], 0) / sum : NAN;
}

static pawl_status ncu_csv_read_kernel(const struct csv_reader *r, const struct csv_row *header,
                                       const struct csv_row *row, const struct columns *c,
                                       struct pawl_profile_kernel *out, struct pawl_error *err) {
  struct pawl_profile_kernel kernel = {.name = row->fields[c->kernel]};
  for (int i = 0; i < PAWL_COUNTERS; i++) {
    PAWL_TRY(number(r, header, row, c->counters[i], &kernel.values[i], err));
    if (kernel.values[i] < 0)
      return pawl_fail(err, PAWL_BAD_DATA, "%s: '%s' of %s must not be negative", r->name,
                       row->fields[c->counters[i]], header->fields[c->counters[i]]);
    kernel.values[i] *= c->scales[i];
    if (!isfinite(kernel.values[i])) kernel.values[i] = NAN; /* too large to be a count */
  }
  for (int i = 0; i < PAWL_STALLS; i++)
    PAWL_TRY(number(r, header, row, c->stalls[i], &kernel.stalls[i], err));
  share_stalls(kernel.stalls);
  forget_ratios_of_nothing(&kernel);
  *out = kernel;
  return PAWL_OK;
}

static pawl_status check_header(const struct csv_reader *r, const struct csv_row *header,
                                const struct csv_row *units, struct pawl_error *err) {
  if (ncu_csv_find(header, "Metric Name") >= 0)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: this is ncu's page of details; write it with --csv --page raw", r->name);
  if (ncu_csv_find(header, "Kernel Name") < 0)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: no column 'Kernel Name'; write it with ncu --csv --page raw", r->name);
  if (header->open || units->open || units->count != header->count)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: the file is cut off in its first two rows; write it again", r->name);
  return PAWL_OK;
}

static pawl_status ncu_csv_read_rows(struct csv_reader *r, const struct csv_row *header,
                                     const struct columns *c, struct pawl_profile *out,
                                     struct pawl_error *err) {
  size_t capacity = 0;
  struct pawl_profile_kernel *kernels = NULL;
  enum pawl_status_code status = PAWL_OK;
  while (status == PAWL_OK && skip_noise(r) && out->count < MOST_KERNELS) {
    struct csv_row row;
    ncu_csv_next_row(r, &row);
    if (row.open || row.count != header->count) {
      status =
          pawl_fail(err, PAWL_BAD_DATA,
                    "%s: kernel %zu has %zu of %zu columns: the file is cut off; write it again",
                    r->name, out->count + 1, row.count, header->count);
      break;
    }
    kernels = pawl_grow(kernels, out->count, &capacity, sizeof *kernels);
    status = ncu_csv_read_kernel(r, header, &row, c, &kernels[out->count], err);
    out->count += status == PAWL_OK;
    if (c->gpu >= 0) out->gpu = row.fields[c->gpu];
    if (c->capability >= 0) out->capability = row.fields[c->capability];
  }
  out->kernels = pawl_arena_alloc(r->arena, out->count + 1, sizeof *out->kernels);
  if (out->count) memcpy(out->kernels, kernels, out->count * sizeof *kernels);
  pawl_free(kernels);
  return status;
}

pawl_status pawl_ncu_csv_parse(const char *text, size_t length, const char *name,
                               struct pawl_arena *arena, struct pawl_profile *out,
                               struct pawl_error *err) {
  char *copy = pawl_arena_alloc(arena, length + 1, 1);
  memcpy(copy, text, length);
  struct csv_reader r = {.cursor = copy, .name = name, .arena = arena};
  struct pawl_profile profile = {.source = pawl_arena_copy(arena, name)};
  struct csv_row header, units;
  struct columns columns;
  if (strstr(copy, "ERR_NVGPUCTRPERM"))
    return pawl_fail(err, PAWL_NOT_PERMITTED, "%s: " PAWL_COUNTERS_PERMISSION_REMEDY, name);
  if (pawl_starts_with(r.cursor, "\xef\xbb\xbf")) r.cursor += 3;
  if (!skip_noise(&r))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: ncu profiled no kernel: the file holds no table",
                     name);
  ncu_csv_next_row(&r, &header);
  ncu_csv_next_row(&r, &units);
  PAWL_TRY(check_header(&r, &header, &units, err));
  find_columns(&header, &units, &columns);
  PAWL_TRY(ncu_csv_read_rows(&r, &header, &columns, &profile, err));
  if (profile.count == 0)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: ncu profiled no kernel: the table is empty", name);
  *out = profile;
  return PAWL_OK;
}

pawl_status pawl_ncu_csv_read(const char *path, struct pawl_arena *arena, struct pawl_profile *out,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(path, FILE_LIMIT, &text, err));
  return pawl_ncu_csv_parse(pawl_text_string(&text), text.length, path, arena, out, err);
}

/* Returns the stall of a column such as "stall_long_sb", which shortens the words of the metrics,
   or PAWL_STALLS. */
static enum pawl_stall source_stall(const char *column) {
  static const struct {
    const char *column;
    enum pawl_stall stall;
  } shortened[] = {{"dispatch", PAWL_STALL_DISPATCH}, {"imc", PAWL_STALL_CONSTANT},
                   {"lg", PAWL_STALL_LG_THROTTLE},    {"long_sb", PAWL_STALL_LONG},
                   {"math", PAWL_STALL_MATH},         {"mio", PAWL_STALL_MIO},
                   {"no_inst", PAWL_STALL_FETCH},     {"short_sb", PAWL_STALL_SHORT},
                   {"sleep", PAWL_STALL_SLEEPING},    {"tex", PAWL_STALL_TEX}};
  static const char before[] = "stall_";
  if (!pawl_starts_with(column, before)) return PAWL_STALLS;
  const char *word = column + sizeof before - 1;
  for (size_t i = 0; i < PAWL_COUNT(shortened); i++)
    if (!strcmp(word, shortened[i].column)) return shortened[i].stall;
  for (int i = 0; i < PAWL_STALLS; i++)
    if (!strcmp(word, pawl_stall_infos[i].word)) return (enum pawl_stall)i;
  return PAWL_STALLS;
}

/* The samples of the page, as they grow. */
struct source_page {
  struct pawl_code_samples found;
  size_t capacity;
  const char *kernel;
  struct csv_row header;
  uint64_t first; /* the address of the kernel's first instruction */
  bool has_first;
};

static void add_instruction(struct source_page *page, const struct csv_row *row) {
  const uint64_t address = strtoull(row->fields[0], NULL, 16);
  if (!page->has_first) page->first = address;
  page->has_first = true;
  for (size_t i = 1; i < row->count && i < page->header.count; i++) {
    const enum pawl_stall stall = source_stall(page->header.fields[i]);
    double count;
    if (stall == PAWL_STALLS || !pawl_quantity_number(row->fields[i], &count) || !(count > 0))
      continue;
    struct pawl_code_samples *found = &page->found;
    found->items = pawl_grow(found->items, found->count, &page->capacity, sizeof *found->items);
    found->items[found->count++] = (struct pawl_code_sample){.symbol = page->kernel,
                                                             .offset = address - page->first,
                                                             .wait = pawl_stall_infos[stall].word,
                                                             .count = count};
    found->total += count;
  }
}

pawl_status pawl_ncu_source_parse(const char *text, size_t length, const char *name,
                                  struct pawl_arena *arena, struct pawl_code_samples *out,
                                  struct pawl_error *err) {
  char *copy = pawl_arena_alloc(arena, length + 1, 1);
  memcpy(copy, text, length);
  struct csv_reader r = {.cursor = copy, .name = name, .arena = arena};
  struct source_page page = {0};
  while (skip_noise(&r)) {
    struct csv_row row;
    ncu_csv_next_row(&r, &row);
    if (row.count >= 2 && !strcmp(row.fields[0], "Kernel Name")) {
      page.kernel = row.fields[1];
      page.has_first = false;
    } else if (!strcmp(row.fields[0], "Address")) {
      page.header = row;
    } else if (page.kernel && page.header.count && pawl_starts_with(row.fields[0], "0x")) {
      add_instruction(&page, &row);
    }
  }
  struct pawl_code_sample *items = page.found.items;
  page.found.items = pawl_arena_alloc(arena, page.found.count + 1, sizeof *items);
  if (page.found.count) memcpy(page.found.items, items, page.found.count * sizeof *items);
  pawl_free(items);
  if (!page.found.count)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: ncu's page of the source has no samples", name);
  *out = page.found;
  return PAWL_OK;
}
