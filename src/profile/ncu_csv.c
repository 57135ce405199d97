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

/* Returns the word of the stall that a column of samples counts, or NULL. */
static const char *sampled_stall(const char *column) {
  static const char before[] = "smsp__pcsamp_warps_issue_stalled_";
  if (!pawl_starts_with(column, before)) return NULL;
  const char *word = column + sizeof before - 1;
  if (!strcmp(word, "warpgroup_arrive")) return pawl_stall_infos[PAWL_STALL_GMMA].word;
  for (int i = 0; i < PAWL_STALLS; i++) /* "no_instructions" here is "no_instruction" there */
    if (pawl_starts_with(word, pawl_stall_infos[i].word)) return pawl_stall_infos[i].word;
  return NULL;
}

/* The samples of a call while pawl reads them. */
struct call_samples {
  struct pawl_code_samples found;
  size_t capacity, kernels; /* the kernels that it launched so far */
};

/* Adds the samples of "1047 (0x7f0010: 8; 0x7f0020: 1039)". ncu lists each instruction of the
   kernel, in the order of their addresses. */
static void add_samples(struct call_samples *call, const char *kernel, const char *stall,
                        const char *text) {
  struct pawl_code_samples *out = &call->found;
  char *at = strchr(text, '(');
  const uint64_t first = at ? strtoull(at + 1, NULL, 16) : 0;
  while (at && *at && *at != ')') {
    const uint64_t address = strtoull(at + 1, &at, 16);
    const double count = *at == ':' ? strtod(at + 1, &at) : 0;
    at = strpbrk(at, ";)");
    if (!(count > 0) || !isfinite(count) || address < first) continue;
    out->items = pawl_grow(out->items, out->count, &call->capacity, sizeof *out->items);
    out->items[out->count++] = (struct pawl_code_sample){
        .symbol = kernel, .offset = address - first, .wait = stall, .count = count};
    out->total += count;
  }
}

/* Reads a kernel. */
static void read_kernel_samples(const struct csv_row *header, const struct csv_row *row,
                                const char *kernel, struct call_samples *out) {
  out->kernels++;
  for (size_t i = 0; i < row->count; i++) {
    const char *stall = sampled_stall(header->fields[i]);
    if (stall) add_samples(out, kernel, stall, row->fields[i]);
  }
}

/* Reads all kernels but pawl's own. Returns how many there are; those beyond the calls' count. */
static size_t read_all_samples(struct csv_reader *r, const size_t *launches, size_t count,
                               struct call_samples *calls) {
  struct csv_row header = {0}, row;
  size_t all = 0, call = 0;
  long name = -1;
  while (skip_noise(r)) {
    ncu_csv_next_row(r, &row);
    if (!header.count) {
      header = row;
      name = ncu_csv_find(&header, "Kernel Name");
      continue;
    }
    if (name < 0 || row.count != header.count || pawl_is_own_kernel(row.fields[name])) continue;
    if (!*row.fields[name]) continue; /* the row of units */
    all++;
    while (call < count && calls[call].kernels == launches[call]) call++;
    if (call < count) read_kernel_samples(&header, &row, row.fields[name], &calls[call]);
  }
  return all;
}

static pawl_status keep_samples(struct call_samples *calls, size_t count, const char *name,
                                struct pawl_arena *arena, struct pawl_code_samples *out,
                                struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count; i++) {
    struct pawl_code_samples *found = &calls[i].found;
    if (!found->count)
      status = pawl_fail(err, PAWL_BAD_DATA, "%s: ncu's table has no samples", name);
    out[i] = *found;
    out[i].items = pawl_arena_alloc(arena, found->count + 1, sizeof *found->items);
    if (found->count) memcpy(out[i].items, found->items, found->count * sizeof *found->items);
    pawl_free(found->items);
  }
  return status;
}

pawl_status pawl_ncu_samples_parse(const char *text, size_t length, const char *name,
                                   const size_t *launches, size_t count, struct pawl_arena *arena,
                                   struct pawl_code_samples *out, struct pawl_error *err) {
  char *copy = pawl_arena_alloc(arena, length + 1, 1);
  memcpy(copy, text, length);
  struct csv_reader r = {.cursor = copy, .name = name, .arena = arena};
  struct call_samples *calls = pawl_arena_alloc(arena, count + 1, sizeof *calls);
  const size_t all = read_all_samples(&r, launches, count, calls);
  size_t expected = 0;
  for (size_t i = 0; i < count; i++) expected += launches[i];
  PAWL_TRY(keep_samples(calls, count, name, arena, out, err));
  if (all == expected) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA, "%s: ncu sampled %zu kernels, and the profile has %zu", name,
                   all, expected);
}
