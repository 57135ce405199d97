/* SPDX-License-Identifier: Apache-2.0 */
#include "project/signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "pawl/tensor.h"
#include "project/signature_body.h"

struct element_type {
  const char *word;
  int32_t dtype;
};

/* The element types of tensors. The first word that a parameter's type contains counts. */
static const struct element_type elements[] = {
    {"__nv_bfloat16", PAWL_BF16},
    {"nv_bfloat16", PAWL_BF16},
    {"__bf16", PAWL_BF16},
    {"__half", PAWL_F16},
    {"half", PAWL_F16},
    {"_Float16", PAWL_F16},
    {"double", PAWL_F64},
    {"float", PAWL_F32},
    {"uint8_t", PAWL_U8},
    {"unsigned char", PAWL_U8},
    {"int32_t", PAWL_I32},
    {"int64_t", PAWL_I64},
    {"int", PAWL_I32},
};

/* Returns whether the text has the word as a whole. */
static bool has_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
    if ((p == text || !pawl_signature_is_word(p[-1])) && !pawl_signature_is_word(p[length]))
      return true;
  return false;
}

static void blank(char *from, const char *to) {
  for (; from < to; from++)
    if (*from != '\n') *from = ' ';
}

/* Returns the end of the comment, literal or preprocessor line at p, or p. The text ends at `stop`.
 */
static char *skip_token(char *p, const char *text, const char *stop, bool python) {
  char *end = p;
  if (!python && !strncmp(p, "/*", 2)) return (end = strstr(p + 2, "*/")) ? end + 2 : p + strlen(p);
  if ((!python && !strncmp(p, "//", 2)) || (python && *p == '#')) return p + strcspn(p, "\n");
  if (!python && *p == '#' && (p == text || p[-1] == '\n')) {
    do end += strcspn(end, "\n") + (end != p);
    while (*end && end[-1] == '\\' && *++end);
    return end;
  }
  return *p == '"' || *p == '\'' ? p + (pawl_text_literal_end(p, stop, python) - p) : p;
}

static char *without_comments(const char *text, bool python, struct pawl_arena *arena) {
  char *clean = pawl_arena_copy(arena, text);
  const char *stop = clean + strlen(clean);
  for (char *p = clean; *p;) {
    char *end = skip_token(p, clean, stop, python);
    blank(p, end);
    p = end > p ? end : p + 1;
  }
  return clean;
}

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);) text[--n] = '\0';
  return text;
}

static bool ends_like(const char *name, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(name, words[i])) return true;
  return false;
}

/* Blanks out the words that a compiler ignores in a cast, with a warning. */
static void drop_restrict(char *type) {
  static const char *const words[] = {"__restrict__", "__restrict", "restrict"};
  for (size_t i = 0; i < PAWL_COUNT(words); i++)
    for (char *at; (at = strstr(type, words[i])) != NULL;) blank(at, at + strlen(words[i]));
}

/* Returns whether the type has the word of an element type, but is wider or has no sign. */
static bool is_other_width(const char *type) {
  return (has_word(type, "long") && has_word(type, "double")) || has_word(type, "short") ||
         (strchr(type, '*') && has_word(type, "unsigned") && !has_word(type, "char"));
}

/* Reads "const float *__restrict__ x", "int n" or "float alpha". */
static pawl_status read_c_param(char *text, struct pawl_arena *arena,
                                struct pawl_signature_param *out, struct pawl_error *err) {
  char *equals = strchr(text, '=');
  if (equals) out->value = pawl_arena_copy(arena, trim(equals + 1));
  if (equals) *equals = '\0';
  char *name = text + strlen(text);
  char *bracket = strchr(text, '[');
  if (bracket) name = bracket;
  while (name > text && isspace((unsigned char)name[-1])) name--;
  char *end = name;
  while (name > text && pawl_signature_is_word(name[-1])) name--;
  out->name = pawl_arena_printf(arena, "%.*s", (int)(end - name), name);
  char *type = pawl_arena_printf(arena, "%.*s", (int)(name - text), text);
  drop_restrict(type);
  out->type = trim(type);
  const char *values = pawl_arena_printf(arena, "%.*s", (int)strcspn(out->type, "*"), out->type);
  const bool pointer = strchr(out->type, '*') || bracket, fixed = has_word(values, "const");
  if (!*out->name || !*out->type)
    return pawl_fail(err, PAWL_BAD_DATA, "cannot read the parameter '%s'", text);
  const bool stream = !strcmp(out->type, "cudaStream_t");
  if (stream || !strcmp(out->type, "bool")) {
    out->role = stream ? PAWL_SIGNATURE_STREAM : PAWL_SIGNATURE_NUMBER;
    return PAWL_OK;
  }
  for (size_t i = 0; i < PAWL_COUNT(elements) && !is_other_width(out->type); i++) {
    if (!has_word(out->type, elements[i].word)) continue;
    out->dtype = elements[i].dtype;
    const bool real = out->dtype == PAWL_F32 || out->dtype == PAWL_F64;
    out->role = !pointer ? (real ? PAWL_SIGNATURE_NUMBER : PAWL_SIGNATURE_SIZE)
                : fixed  ? PAWL_SIGNATURE_INPUT
                         : PAWL_SIGNATURE_OUTPUT;
    return PAWL_OK;
  }
  static const char *const integers[] = {"size_t",   "unsigned", "long", "ptrdiff_t",
                                         "uint32_t", "uint64_t", "short"};
  for (size_t i = 0; i < PAWL_COUNT(integers) && !pointer; i++) {
    out->role = PAWL_SIGNATURE_SIZE;
    if (has_word(out->type, integers[i])) return PAWL_OK;
  }
  return pawl_fail(err, PAWL_BAD_DATA,
                   "cannot tell which values the parameter '%s' of type '%s' has; write a wrapper "
                   "whose tensors are of float, double, half, bfloat16, uint8_t, int32_t or "
                   "int64_t, and name it",
                   out->name, out->type);
}

/* Returns a default that means the same in another module, or "": the function's own stays. */
static const char *python_default(const char *value) {
  static const char *const words[] = {"None", "True", "False"};
  char *end;
  for (size_t i = 0; i < PAWL_COUNT(words); i++)
    if (!strcmp(value, words[i])) return value;
  strtod(value, &end);
  return end != value && !*end && strspn(value, "0123456789.eE+-") == strlen(value) ? value : "";
}

/* Reads "x", "n: int" or "alpha: float = 1.0". */
static void read_python_param(char *text, bool by_name, struct pawl_arena *arena,
                              struct pawl_signature_param *out) {
  static const char *const sizes[] = {"n", "m", "k", "size", "length", "rows", "columns", "batch"};
  static const char *const outputs[] = {"y", "out", "output", "dst", "c", "result"};
  char *equals = strchr(text, '=');
  out->value = equals ? python_default(pawl_arena_copy(arena, trim(equals + 1))) : NULL;
  text[strcspn(text, "=")] = '\0';
  char *colon = strchr(text, ':');
  if (colon) *colon = '\0';
  out->name = pawl_arena_copy(arena, trim(text));
  out->type = colon ? pawl_arena_copy(arena, trim(colon + 1)) : NULL;
  out->dtype = PAWL_F32;
  out->by_name = by_name;
  const bool size = ends_like(out->name, sizes, PAWL_COUNT(sizes));
  const bool output = ends_like(out->name, outputs, PAWL_COUNT(outputs));
  const bool keeps = out->value && !size && !output; /* "axis=0" or "bias=None" */
  out->role = keeps || (out->type && !strcmp(out->type, "float")) ? PAWL_SIGNATURE_NUMBER
              : (out->type && !strcmp(out->type, "int")) || (!out->type && size)
                  ? PAWL_SIGNATURE_SIZE
              : output ? PAWL_SIGNATURE_OUTPUT
                       : PAWL_SIGNATURE_INPUT;
}

/* Returns the length of the first parameter: a comma between brackets belongs to its type or its
 * default. */
static size_t param_length(const char *list, bool python) {
  size_t length = 0;
  for (int depth = 0; list[length] && (depth || list[length] != ','); length++) {
    const char c = list[length];
    depth += c == '(' || c == '[' || c == '{' || (!python && c == '<');
    depth -= c == ')' || c == ']' || c == '}' || (!python && c == '>');
  }
  return length;
}

/* Reads the parameters between the brackets. */
static pawl_status read_params(const char *open, const char *close, struct pawl_arena *arena,
                               struct pawl_signature *out, struct pawl_error *err) {
  const bool python = out->language == PAWL_SIGNATURE_PYTHON;
  char *list = trim(pawl_arena_printf(arena, "%.*s", (int)(close - open - 1), open + 1));
  for (char *p = list; *p; p++)
    if (*p == '\n') *p = ' ';
  out->count = 0;
  bool by_name = false;
  for (char *next; *list && strcmp(list, "void") != 0; list = next) {
    const size_t length = param_length(list, python);
    next = list + length + (list[length] == ',');
    list[length] = '\0';
    /* Python: '*', '/', '*rest' and '**options' take no argument of a plain call */
    list = trim(list);
    by_name = by_name || (python && *list == '*');
    if (!*list || *list == '/' || (python && *list == '*')) continue;
    if (out->count == PAWL_SIGNATURE_MOST)
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' has more than %d parameters", out->name,
                       PAWL_SIGNATURE_MOST);
    struct pawl_signature_param *param = &out->params[out->count++];
    if (python)
      read_python_param(list, by_name, arena, param);
    else
      PAWL_TRY(read_c_param(list, arena, param, err));
  }
  return PAWL_OK;
}

static bool writes_tensor(const struct pawl_signature *signature) {
  for (size_t i = 0; i < signature->count; i++)
    if (signature->params[i].role == PAWL_SIGNATURE_OUTPUT) return true;
  return false;
}

/* Notes what the body and the type before the name say. */
static void read_body(const char *before, const char *close, struct pawl_arena *arena,
                      struct pawl_signature *out) {
  pawl_signature_read_body(close, arena, out);
  if (writes_tensor(out) || out->language == PAWL_SIGNATURE_CUDA) return;
  for (size_t i = 0; i < PAWL_COUNT(elements) && !out->returns; i++) {
    if (!has_word(before, elements[i].word) || is_other_width(before) || strchr(before, '*'))
      continue;
    out->returns = pawl_arena_copy(arena, elements[i].word);
    out->returned = elements[i].dtype;
  }
}

static bool has_tensor(const struct pawl_signature *signature) {
  for (size_t i = 0; i < signature->count; i++)
    if (signature->params[i].role <= PAWL_SIGNATURE_OUTPUT) return true;
  return false;
}

/* Returns the bracket that closes the one at `open`, or NULL. */
static const char *find_close(const char *open) {
  int depth = 0;
  for (const char *p = open; *p; p++) {
    depth += (*p == '(') - (*p == ')');
    if (!depth) return p;
  }
  return NULL;
}

/* Returns whether a decorator of Triton stands above the line. Such a kernel is called by a
   wrapper, and pawl calls the wrapper. */
static bool has_triton_decorator(const char *clean, const char *line) {
  while (line > clean && isspace((unsigned char)line[-1])) line--;
  while (line > clean && line[-1] != '\n') line--;
  return pawl_starts_with(line + strspn(line, " \t"), "@triton.");
}

/* Returns whether the function launches kernels on a stream that a caller gives. */
static bool takes_stream(const struct pawl_signature *signature) {
  for (size_t i = 0; i < signature->count; i++)
    if (signature->params[i].role == PAWL_SIGNATURE_STREAM) return true;
  return false;
}

/* Returns whether a class or another function of Python holds the line. */
static bool is_inside(const char *clean, const char *line) {
  size_t indent = strspn(line, " \t");
  while (indent && line > clean) {
    for (line--; line > clean && line[-1] != '\n';) line--;
    const size_t here = strspn(line, " \t");
    if (here >= indent || line[here] == '\n') continue;
    indent = here;
    if (pawl_starts_with(line + here, "class ") || pawl_starts_with(line + here, "def "))
      return true;
  }
  return false;
}

enum definition { NO_DEFINITION, TEMPLATE, MEMBER, DEFINITION };

/* Returns whether the function at `name` is defined here, not only called or declared, and notes
   whether it runs on the host. `begin` is the start of its line or statement. */
static enum definition find_definition(struct pawl_signature *signature, const char *begin,
                                       const char *name, const char *close,
                                       struct pawl_arena *arena) {
  const char *before = pawl_arena_printf(arena, "%.*s", (int)(name - begin), begin);
  /* "noexcept" or "-> void" may stand before the brace */
  const char *after = close + 1 + strcspn(close + 1, "{;=,()");
  if (signature->language == PAWL_SIGNATURE_PYTHON)
    return has_word(before, "def") ? DEFINITION : NO_DEFINITION;
  if (*after != '{' || !before[strspn(before, " \t\n")]) return NO_DEFINITION;
  if (has_word(before, "template")) return TEMPLATE;
  if (name - begin > 1 && name[-1] == ':' && name[-2] == ':') return MEMBER;
  signature->on_host = !has_word(before, "__global__");
  return strpbrk(before, "=(") ? NO_DEFINITION : DEFINITION;
}

#define MOST_SCOPES 16

/* The braces of `extern "C"` and of namespaces around the place, outermost first. */
struct scopes {
  const char *names[MOST_SCOPES]; /* "dsp::"; "" for extern "C" */
  size_t count;
};

/* Returns whether the brace opens `extern "C"` or a namespace, whose functions are at the top too.
 */
static bool opens_scope(const char *begin, const char *brace, struct scopes *scopes,
                        struct pawl_arena *arena) {
  char *before = pawl_arena_printf(arena, "%.*s", (int)(brace - begin), begin);
  char *name = strstr(before, "namespace");
  const bool opens = !strchr(before, '(') &&
                     (has_word(before, "extern") || has_word(before, "namespace")) &&
                     scopes->count < MOST_SCOPES;
  if (!opens) return false;
  name = name ? trim(name + strlen("namespace")) : NULL;
  scopes->names[scopes->count++] = name && *name ? pawl_arena_printf(arena, "%s::", name) : "";
  return true;
}

static bool opens_class(const char *begin, const char *brace, struct pawl_arena *arena) {
  const char *before = pawl_arena_printf(arena, "%.*s", (int)(brace - begin), begin);
  return !strchr(before, '(') && (has_word(before, "class") || has_word(before, "struct"));
}

static const char *join_scopes(const struct scopes *scopes, struct pawl_arena *arena) {
  const char *joined = "";
  for (size_t i = 0; i < scopes->count; i++)
    joined = pawl_arena_printf(arena, "%s%s", joined, scopes->names[i]);
  return joined;
}

struct reading {
  enum pawl_signature_language language;
  const char *wanted, *clean;
  struct pawl_arena *arena;
  struct pawl_signature taken; /* its name is NULL: none yet */
  bool in_class, refused, done;
  struct pawl_error why; /* the last refusal */
};

static const char *names_of(const struct reading *reading, const char *more) {
  const char *others = reading->taken.others;
  return pawl_arena_printf(reading->arena, "%s%s%s", others ? others : "", others ? ", " : "",
                           more);
}

/* Takes the first function. In CUDA, a function that launches kernels knows the grid. */
static void take(struct reading *reading, struct pawl_signature *found) {
  struct pawl_signature *taken = &reading->taken;
  if (taken->name && !(found->on_host && !taken->on_host)) {
    taken->others = names_of(reading, found->name);
    return;
  }
  if (taken->name) found->others = names_of(reading, taken->name);
  *taken = *found;
}

static void refuse(struct reading *reading, const char *name, const char *why) {
  reading->refused = true;
  pawl_fail(&reading->why, PAWL_BAD_DATA, "'%s' %s", name, why);
}

/* Looks at the name before an opening bracket at the top of the file. */
static void look_at(struct reading *reading, const char *begin, const char *open,
                    const struct scopes *scopes) {
  struct pawl_arena *arena = reading->arena;
  const bool python = reading->language == PAWL_SIGNATURE_PYTHON,
             cuda = reading->language == PAWL_SIGNATURE_CUDA;
  const char *close = find_close(open), *end = open, *name;
  while (end > begin && isspace((unsigned char)end[-1])) end--;
  for (name = end; name > begin && pawl_signature_is_word(name[-1]);) name--;
  if (!close || name == end) return;
  struct pawl_signature found = {.language = reading->language,
                                 .name = pawl_arena_printf(arena, "%.*s", (int)(end - name), name),
                                 .scope = join_scopes(scopes, arena)};
  enum definition definition = find_definition(&found, begin, name, close, arena);
  const bool inside = python ? is_inside(reading->clean, begin) : reading->in_class;
  if (definition == DEFINITION && inside) definition = MEMBER;
  if (definition == NO_DEFINITION || (python && has_triton_decorator(reading->clean, begin)))
    return;
  if (reading->wanted && strcmp(reading->wanted, found.name) != 0) return;
  if (definition == TEMPLATE) {
    refuse(reading, found.name, "is a template; write a function that calls it with its types");
    return;
  }
  if (definition == MEMBER) {
    struct pawl_error ignored;
    if (python ||
        (read_params(open, close, arena, &found, &ignored) == PAWL_OK && has_tensor(&found)))
      refuse(reading, found.name,
             "belongs to a class, a namespace or a function; write a function that calls it");
    return;
  }
  const bool read = read_params(open, close, arena, &found, &reading->why) == PAWL_OK;
  if (cuda && found.on_host && !(read && takes_stream(&found))) {
    if (reading->wanted)
      refuse(reading, found.name,
             "is no __global__ function and has no parameter of the type cudaStream_t, on which "
             "pawl times it; add one");
    return;
  }
  reading->refused = reading->refused || !read;
  reading->done = reading->wanted != NULL;
  if (!read || !has_tensor(&found)) return;
  if (!python)
    read_body(pawl_arena_printf(arena, "%.*s", (int)(name - begin), begin), close, arena, &found);
  found.returns_tensor = python && !writes_tensor(&found);
  if (!python && !found.returns && !writes_tensor(&found))
    refuse(reading, found.name,
           "writes no tensor and returns no number; give it a pointer to its results");
  else
    take(reading, &found);
}

pawl_status pawl_signature_read(const char *text, enum pawl_signature_language language,
                                const char *wanted, struct pawl_arena *arena,
                                struct pawl_signature *out, struct pawl_error *err) {
  const bool python = language == PAWL_SIGNATURE_PYTHON;
  const char *clean = without_comments(text, python, arena), *begin = clean;
  struct reading reading = {.language = language, .wanted = wanted, .clean = clean, .arena = arena};
  struct scopes scopes = {.count = 0};
  int depth = 0;
  for (const char *p = clean; *p && !reading.done; p++) {
    if (*p == ';' || *p == '}' || (python && *p == '\n')) begin = p + 1;
    if (!python && *p == '{' && (depth || !opens_scope(begin, p, &scopes, arena))) {
      if (!depth) reading.in_class = opens_class(begin, p, arena);
      depth++;
    }
    if (!python && *p == '{' && depth <= reading.in_class) begin = p + 1;
    if (!python && *p == '}' && !depth && scopes.count) scopes.count--;
    if (!python && *p == '}' && depth && !--depth) reading.in_class = false;
    if (*p == '(' && depth == reading.in_class) look_at(&reading, begin, p, &scopes);
  }
  if (reading.taken.name) {
    *out = reading.taken;
    return PAWL_OK;
  }
  if (reading.refused) return pawl_fail(err, PAWL_BAD_DATA, "%s", reading.why.message);
  if (wanted)
    return pawl_fail(err, PAWL_BAD_DATA, "it defines no function '%s' that takes a tensor", wanted);
  return pawl_fail(err, PAWL_BAD_DATA, "it defines no %sfunction that takes a tensor",
                   language == PAWL_SIGNATURE_CUDA ? "__global__ " : "");
}
