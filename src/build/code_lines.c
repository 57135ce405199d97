/* SPDX-License-Identifier: Apache-2.0 */
#include "build/code_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "build/code_counts.h"

#define SOURCE_LIMIT ((size_t)16 << 20)
#define MOST_TEXT 80 /* bytes of a line */
/* A change of a line's time by a smaller share of the longer call comes from the sampling. */
#define SAMPLING_NOISE 0.01
#define LARGE_HUNK 100 /* lines; nobody compares their words */
#define MOST_WORDS 0.5
#define FOR_STORES "drain" /* the profiler's word for the wait of a warp that has ended */

/* A source file of both trees. `moved` gives the candidate's line of each line of the base. */
struct source_file {
  struct source_file *next;
  const char *written[2]; /* as each compiler wrote it; NULL: not seen */
  const char *name;
  struct pawl_function_code lines[2]; /* an item's name is the text of the line, its form a hash */
  int *moved;                         /* 0: unknown */
};

struct lines_finding {
  const struct pawl_code_source *sources[2];  /* base, candidate */
  const struct pawl_function_change *changes; /* the functions that differ */
  size_t change_count;
  struct pawl_arena *arena;
  struct source_file *files;
  struct pawl_line_changes *out;
  size_t capacity;
};

/* Returns the longest end of the path that is a file of the tree, or the path itself. */
static const char *name_in_tree(const struct lines_finding *finding, int side, const char *path) {
  for (const char *part = path; part; part = strchr(part, '/')) {
    part += *part == '/';
    PAWL_CLEANUP(pawl_free_pointer) char *file = pawl_path_join(finding->sources[side]->tree, part);
    if (*part && pawl_is_regular(file)) return part;
  }
  return path;
}

static void read_lines(const struct lines_finding *finding, int side, struct source_file *file) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *path = pawl_path_join(finding->sources[side]->tree, file->name);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_function_code *out = &file->lines[side];
  if (*file->name == '/' || !pawl_is_regular(path) ||
      pawl_file_read(path, SOURCE_LIMIT, &text, NULL) != PAWL_OK)
    return;
  size_t count = 1;
  for (size_t i = 0; i < text.length; i++) count += text.data[i] == '\n';
  out->items = pawl_arena_alloc(finding->arena, count, sizeof *out->items);
  for (const char *at = pawl_text_string(&text); *at;) {
    const size_t length = strcspn(at, "\n");
    struct pawl_instruction *line = &out->items[out->count++];
    line->name = pawl_arena_printf(finding->arena, "%.*s", (int)length, at);
    line->form = pawl_hash_bytes(at, length).low;
    at += length + (at[length] == '\n');
  }
}

static size_t word_length(const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
  return length;
}

static bool has_word(const char *line, const char *word, size_t length) {
  for (size_t own; *line; line += own + !own) {
    own = word_length(line);
    if (own == length && !memcmp(line, word, length)) return true;
  }
  return false;
}

/* Returns the share of a line's words, each counted once, that the other line has too. */
static double likeness(const char *line, const char *other) {
  size_t words = 0, common = 0;
  for (size_t length; *line; line += length + !length) {
    length = word_length(line);
    if (!length || has_word(line + length, line, length)) continue;
    words++;
    common += has_word(other, line, length);
  }
  return words ? (double)common / (double)words : 0;
}

/* Returns the index of the line that stands for line `k`, in a hunk of `count` lines from `went`
   and `came` on: the next in order, but rather a line that has more of its words, and most of them.
 */
static size_t stand_in(const struct source_file *file, size_t k, size_t went, size_t came,
                       const size_t count[2]) {
  if (!count[1]) return came;
  const char *line = file->lines[0].items[k].name;
  const struct pawl_instruction *others = file->lines[1].items + came;
  size_t found = k - went < count[1] ? k - went : count[1] - 1;
  if (count[0] > LARGE_HUNK || count[1] > LARGE_HUNK) return came + found;
  double most = fmax(likeness(line, others[found].name), MOST_WORDS);
  for (size_t i = 0; i < count[1]; i++) {
    const double like = likeness(line, others[i].name);
    if (like > most) most = like, found = i;
  }
  return came + found;
}

/* Aligns the lines of both trees. The lines of a hunk stand for each other: stand_in(). A line
   without a partner stands where the next common line is. */
static void align_lines(const struct lines_finding *finding, struct source_file *file) {
  struct pawl_function_change lines = {.base = &file->lines[0], .candidate = &file->lines[1]};
  const size_t count[2] = {file->lines[0].count, file->lines[1].count};
  bool *edited[2]; /* the lines that went, and the lines that came */
  for (int side = 0; side < 2; side++)
    edited[side] = pawl_arena_alloc(finding->arena, count[side] + 1, sizeof *edited[side]);
  file->moved = pawl_arena_alloc(finding->arena, count[0] + 1, sizeof *file->moved);
  pawl_code_align(&lines, finding->arena);
  if (lines.too_different) return;
  for (size_t i = 0; i < lines.edit_count; i++) {
    const int side = lines.edits[i].came;
    edited[side][lines.edits[i].item - file->lines[side].items] = true;
  }
  for (size_t i = 0, j = 0; i < count[0];) {
    const size_t went = i, came = j;
    while (i < count[0] && edited[0][i]) i++;
    while (j < count[1] && edited[1][j]) j++;
    const size_t hunk[2] = {i - went, j - came};
    for (size_t k = went; k < i; k++) file->moved[k] = (int)stand_in(file, k, went, came, hunk) + 1;
    if (i < count[0]) file->moved[i++] = (int)++j;
  }
}

static struct source_file *find_file(struct lines_finding *finding, int side, const char *path) {
  for (struct source_file *file = finding->files; file; file = file->next)
    if (file->written[side] == path) return file;
  const char *name = name_in_tree(finding, side, path);
  struct source_file *file = finding->files;
  while (file && strcmp(file->name, name) != 0) file = file->next;
  if (!file) {
    file = pawl_arena_alloc(finding->arena, 1, sizeof *file);
    *file = (struct source_file){.next = finding->files, .name = name};
    for (int i = 0; i < 2; i++) read_lines(finding, i, file);
    align_lines(finding, file);
    finding->files = file;
  }
  file->written[side] = path;
  return file;
}

/* Cuts a long line between two characters of UTF-8. */
static const char *shorten(const char *text, struct pawl_arena *arena) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  if (length <= MOST_TEXT) return text;
  for (length = MOST_TEXT; (text[length] & 0xc0) == 0x80;) length--;
  return pawl_arena_printf(arena, "%.*s...", (int)length, text);
}

static struct pawl_line_change *find_line(struct lines_finding *finding,
                                          const struct source_file *file, int line) {
  struct pawl_line_changes *out = finding->out;
  for (size_t i = 0; i < out->count; i++)
    if (out->items[i].line == line && out->items[i].file == file->name) return &out->items[i];
  const struct pawl_function_code *lines = &file->lines[1];
  const char *text = line && (size_t)line <= lines->count ? lines->items[line - 1].name : NULL;
  out->items = pawl_grow(out->items, out->count, &finding->capacity, sizeof *out->items);
  struct pawl_line_change *added = &out->items[out->count++];
  *added = (struct pawl_line_change){.file = file->name, .line = line};
  if (text) added->text = shorten(text, finding->arena);
  return added;
}

/* Returns the line of a row in the candidate's source, or NULL. Code of a header outside of the
   tree counts at the line of the tree that calls it. */
static struct pawl_line_change *line_of(struct lines_finding *finding, int side,
                                        const struct pawl_line_row *row) {
  const struct source_file *file = find_file(finding, side, row->file);
  int line = row->line;
  for (const struct pawl_line_place *at = row->caller; at && !file->lines[side].count;
       at = at->caller) {
    const struct source_file *caller = at->file ? find_file(finding, side, at->file) : file;
    if (!caller->lines[side].count) continue;
    file = caller;
    line = at->line;
  }
  const bool moves = side == 0 && (size_t)line <= file->lines[0].count;
  if (moves) line = line ? file->moved[line - 1] : 0;
  return line ? find_line(finding, file, line) : NULL;
}

static void count_lines(struct lines_finding *finding, int side,
                        const struct pawl_function_code *function) {
  const int arch =
      function->arch ? (int)strtol(function->arch + strcspn(function->arch, "0123456789"), NULL, 10)
                     : 0;
  const struct pawl_line_table *table = &finding->sources[side]->table;
  for (size_t i = 0; i < function->count; i++) {
    const struct pawl_instruction *item = &function->items[i];
    const struct pawl_line_row *row = pawl_line_table_find(table, arch ? function->symbol : NULL,
                                                           arch, function->begin + item->address);
    struct pawl_line_change *line = row ? line_of(finding, side, row) : NULL;
    if (line) pawl_code_count_add(&line->counts, side, item, finding->arena);
  }
}

static void add_wait(struct pawl_line_change *line, int side, const char *reason, double seconds) {
  size_t i = 0;
  while (i < line->wait_count && strcmp(line->waits[i].reason, reason) != 0) i++;
  if (i == PAWL_LINE_WAITS) return;
  if (i == line->wait_count) line->waits[line->wait_count++].reason = reason;
  line->waits[i].seconds[side] += seconds;
}

/* Returns the length of the text without the bracket that ends it, or `length` if none does. */
static size_t before_bracket(const char *text, size_t length, char open, char close) {
  size_t at = length;
  if (!length || text[length - 1] != close) return length;
  for (int depth = 0; at;) {
    at--;
    depth += (text[at] == close) - (text[at] == open);
    if (depth == 0) return at;
  }
  return length;
}

/* Returns the mangled symbol of the kernel that a profiler names, or NULL. The profiler may print
   the name without its mangling. The symbol then has the length of the name before it, as
   "_Z5scalePf" does. A template counts with its first instance. */
static const char *find_symbol(const struct pawl_line_table *table, const char *name,
                               struct pawl_arena *arena) {
  const size_t end = before_bracket(name, before_bracket(name, strlen(name), '(', ')'), '<', '>');
  size_t begin = end;
  while (begin && (isalnum((unsigned char)name[begin - 1]) || name[begin - 1] == '_')) begin--;
  const char *part =
      pawl_arena_printf(arena, "%zu%.*s", end - begin, (int)(end - begin), name + begin);
  const char *found = NULL;
  for (size_t i = 0; begin < end && i < table->count; i++) {
    const char *symbol = table->rows[i].symbol;
    if (!symbol || symbol == found) continue;
    if (!strcmp(symbol, name)) return symbol;
    const char *here = found ? NULL : strstr(symbol, part);
    const bool longer = here && here > symbol && isdigit((unsigned char)here[-1]); /* "15scale" */
    if (here && !longer) found = symbol;
  }
  return found;
}

static void add_time(struct pawl_line_change *line, int side, const char *reason, double seconds) {
  if (!line) return;
  line->seconds[side] += seconds;
  add_wait(line, side, reason, seconds);
}

/* Returns the line of an instruction, or NULL. */
static struct pawl_line_change *line_at(struct lines_finding *finding, int side, const char *symbol,
                                        int arch, uint64_t offset) {
  const struct pawl_line_row *row =
      pawl_line_table_find(&finding->sources[side]->table, symbol, arch, offset);
  return row ? line_of(finding, side, row) : NULL;
}

static bool is_store(const struct pawl_instruction *item) {
  static const char *const beginnings[] = {"STG", "ST.", "RED."};
  for (size_t i = 0; i < PAWL_COUNT(beginnings); i++)
    if (pawl_starts_with(item->name, beginnings[i])) return true;
  return false;
}

/* Returns the samples of a store, and one for a store that no sample met. */
static double store_weight(const struct pawl_code_samples *samples, const char *name,
                           const struct pawl_instruction *store) {
  double weight = 1;
  for (size_t i = 0; i < samples->count; i++)
    if (samples->items[i].offset == store->address && !strcmp(samples->items[i].symbol, name))
      weight += samples->items[i].count;
  return weight;
}

/* A warp that has ended waits for its stores, at its last instruction. Divides the time among the
   stores of the function, by their own samples. Returns false if pawl knows no store of it. */
static bool time_stores(struct lines_finding *finding, int side, const char *symbol, int arch,
                        const struct pawl_code_sample *wait, double seconds) {
  const struct pawl_code_samples *samples = finding->sources[side]->samples;
  const struct pawl_function_code *function = NULL;
  double all = 0;
  for (size_t i = 0; i < finding->change_count && !function; i++) {
    const struct pawl_function_change *change = &finding->changes[i];
    function = side ? change->candidate : change->base;
    if (function && strcmp(function->symbol, symbol) != 0) function = NULL;
  }
  for (size_t i = 0; function && i < function->count; i++)
    if (is_store(&function->items[i]))
      all += store_weight(samples, wait->symbol, &function->items[i]);
  for (size_t i = 0; all > 0 && i < function->count; i++) {
    const struct pawl_instruction *store = &function->items[i];
    if (is_store(store))
      add_time(line_at(finding, side, symbol, arch, store->address), side, wait->wait,
               seconds * store_weight(samples, wait->symbol, store) / all);
  }
  return all > 0;
}

/* Divides the time of the call among the lines, by their samples. The GPU runs the newest
   architecture that the build has code for. */
static void time_lines(struct lines_finding *finding, int side) {
  const struct pawl_code_source *source = finding->sources[side];
  const struct pawl_line_table *table = &source->table;
  const int arch = table->count ? table->rows[table->count - 1].arch : 0;
  const char *name = NULL, *symbol = NULL;
  for (size_t i = 0; i < source->samples->count; i++) {
    const struct pawl_code_sample *sample = &source->samples->items[i];
    if (arch && sample->symbol != name) {
      name = sample->symbol;
      symbol = find_symbol(table, name, finding->arena);
    }
    const bool is_here = arch || !*sample->symbol; /* not in a library of the CPU */
    const double seconds = sample->count / source->samples->total * source->seconds;
    struct pawl_line_change *line = NULL;
    if (symbol && !strcmp(sample->wait, FOR_STORES) &&
        time_stores(finding, side, symbol, arch, sample, seconds))
      continue;
    if (is_here && (symbol || !arch)) line = line_at(finding, side, symbol, arch, sample->offset);
    if (!is_here) line = find_line(finding, find_file(finding, side, sample->symbol), 0);
    add_time(line, side, sample->wait, seconds);
  }
}

static double seconds_more(const struct pawl_line_change *line) {
  return line->seconds[1] - line->seconds[0];
}

const struct pawl_line_wait *pawl_line_change_wait(const struct pawl_line_change *line) {
  const double sign = seconds_more(line) < 0 ? -1 : 1;
  const struct pawl_line_wait *found = NULL;
  double most = 0;
  for (size_t i = 0; i < line->wait_count; i++) {
    const double more = sign * (line->waits[i].seconds[1] - line->waits[i].seconds[0]);
    if (more <= most) continue;
    most = more;
    found = &line->waits[i];
  }
  return found;
}

/* Puts the lines first that add most to the change of the call, whose sign is that of `total`. */
static void sort_by_time(struct pawl_line_changes *lines, double total) {
  const double sign = total < 0 ? -1 : 1;
  for (size_t i = 1; i < lines->count; i++) {
    const struct pawl_line_change line = lines->items[i];
    size_t at = i;
    for (; at && sign * seconds_more(&lines->items[at - 1]) < sign * seconds_more(&line); at--)
      lines->items[at] = lines->items[at - 1];
    lines->items[at] = line;
  }
}

/* Compilers count functions of their own, such as a division of 64 bits, at the end of the kernel.
 */
static bool is_bracket(const struct pawl_line_change *line) {
  return line->text && !strpbrk(line->text, "abcdefghijklmnopqrstuvwxyz=(;");
}

static int code_lines_by_weight(const void *a, const void *b) {
  const struct pawl_line_change *x = a, *y = b;
  if (is_bracket(x) != is_bracket(y)) return is_bracket(x) ? 1 : -1;
  const int order = pawl_code_change_weight(&y->counts) - pawl_code_change_weight(&x->counts);
  const int name = strcmp(x->file, y->file);
  return order ? order : name ? name : x->line - y->line;
}

void pawl_code_lines(const struct pawl_function_change *changes, size_t count,
                     const struct pawl_code_source *base, const struct pawl_code_source *candidate,
                     struct pawl_arena *arena, struct pawl_line_changes *out) {
  struct pawl_line_changes found = {0};
  struct lines_finding finding = {.sources = {base, candidate},
                                  .changes = changes,
                                  .change_count = count,
                                  .arena = arena,
                                  .out = &found};
  const bool timed =
      base->samples && candidate->samples && base->samples->count && candidate->samples->count;
  const double noise = SAMPLING_NOISE * fmax(base->seconds, candidate->seconds);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!changes[i].base || !changes[i].candidate) continue;
    count_lines(&finding, 0, changes[i].base);
    count_lines(&finding, 1, changes[i].candidate);
  }
  for (int side = 0; timed && side < 2; side++) time_lines(&finding, side);
  *out = (struct pawl_line_changes){
      .items = pawl_arena_alloc(arena, found.count + 1, sizeof *out->items), .timed = timed};
  for (size_t i = 0; i < found.count; i++) {
    const struct pawl_line_change *line = &found.items[i];
    pawl_code_counts_keep_changed(&found.items[i].counts);
    if (line->counts.count_count || fabs(seconds_more(line)) > noise) out->items[kept++] = *line;
  }
  pawl_free(found.items);
  out->count = kept;
  if (kept) qsort(out->items, kept, sizeof *out->items, code_lines_by_weight);
  if (timed) sort_by_time(out, candidate->seconds - base->seconds);
}

/* Neither a blank line nor a line of a comment, as such lines usually begin. */
static bool is_code(const char *line) {
  line += strspn(line, " \t\r");
  return *line && !pawl_starts_with(line, "//") && !pawl_starts_with(line, "/*") &&
         !pawl_starts_with(line, "* ") && !pawl_starts_with(line, "*/");
}

/* Marks the candidate's lines that came, and those in the place of lines that went. Returns false
   if the files are too different. */
static bool mark_edits(const struct source_file *file, bool *edited) {
  const struct pawl_function_code *base = &file->lines[0], *now = &file->lines[1];
  for (size_t j = 0; j < now->count; j++) edited[j] = is_code(now->items[j].name);
  for (size_t i = 0; i < base->count; i++)
    if (file->moved[i] && base->items[i].form == now->items[file->moved[i] - 1].form)
      edited[file->moved[i] - 1] = false;
  for (size_t i = 0; i < base->count; i++) {
    size_t at = (size_t)file->moved[i];
    if (!at || at > now->count) return false;
    if (base->items[i].form == now->items[at - 1].form || !is_code(base->items[i].name)) continue;
    while (at < now->count && !is_code(now->items[at - 1].name)) at++;
    edited[at - 1] = true;
  }
  return true;
}

bool pawl_code_lines_edit(const struct pawl_code_source *base,
                          const struct pawl_code_source *candidate, struct pawl_arena *arena,
                          struct pawl_line_change *out) {
  struct pawl_line_changes found = {0};
  struct lines_finding finding = {.sources = {base, candidate}, .arena = arena, .out = &found};
  size_t places = 0;
  bool comparable = true;
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < finding.sources[side]->table.count; i++)
      find_file(&finding, side, finding.sources[side]->table.rows[i].file);
  for (const struct source_file *file = finding.files; file && comparable; file = file->next) {
    const size_t count = file->lines[1].count;
    bool *edited = pawl_arena_alloc(arena, count + 1, sizeof *edited), open = false;
    comparable = mark_edits(file, edited);
    for (size_t j = 0; j < count && comparable; j++) {
      if (edited[j] && !open && !places++) *out = *find_line(&finding, file, (int)j + 1);
      open = edited[j] || (open && !is_code(file->lines[1].items[j].name));
    }
  }
  pawl_free(found.items);
  return comparable && places == 1;
}
