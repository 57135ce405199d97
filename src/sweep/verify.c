/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/verify.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/sha256.h"
#include "sweep/folder.h"
#include "sweep/picture.h"
#include "sweep/signature.h"
#include "sweep/table.h"

#define MOST_FAULTS 100 /* a folder from elsewhere must not fill the memory */
/* Two machines compute logarithms that differ in the last bit. */
#define SAME 1e-9
#define COMPARED_DIGITS 11 /* show each difference that is larger */

struct sweep_verifier {
  const char *folder;
  struct pawl_arena *arena;
  struct pawl_verification *out;
  struct pawl_text sums; /* the checksums */
};

const char *pawl_claim_state_name(enum pawl_claim_state state) {
  static const char *const names[] = {"holds", "not decided", "does not hold"};
  return (unsigned)state < PAWL_COUNT(names) ? names[state] : NULL;
}

static void sweep_fault(struct sweep_verifier *verifier, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void sweep_fault(struct sweep_verifier *verifier, const char *format, ...) {
  struct pawl_verification *out = verifier->out;
  char words[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(words, sizeof words, format, values);
  va_end(values);
  for (size_t i = 0; i < out->fault_count; i++)
    if (!strcmp(out->faults[i], words)) return;
  if (!out->faults)
    out->faults = pawl_arena_alloc(verifier->arena, MOST_FAULTS, sizeof *out->faults);
  if (out->fault_count < MOST_FAULTS)
    out->faults[out->fault_count++] = pawl_arena_copy(verifier->arena, words);
}

/* Reads a file of the folder. A missing one is a fault. */
static bool sweep_read_file(struct sweep_verifier *verifier, const char *name,
                            struct pawl_text *out) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(verifier->folder, name);
  struct pawl_error error;
  if (pawl_file_read(path, PAWL_SWEEP_FILE_LIMIT, out, &error) == PAWL_OK) return true;
  sweep_fault(verifier, "%s", error.message);
  return false;
}

/* --- checksums --- */

static bool sweep_is_plain_name(const char *name) {
  return *name && *name != '.' && !strchr(name, '/');
}

/* Checks one line, "HASH  NAME". */
static void sweep_check_sum(struct sweep_verifier *verifier, char *line) {
  char sum[PAWL_SHA256_TEXT];
  char *name = strstr(line, "  ");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!name || name - line != PAWL_SHA256_TEXT - 1 || !sweep_is_plain_name(name + 2)) {
    sweep_fault(verifier, PAWL_SWEEP_SUMS " has a line that is no checksum: %.80s", line);
    return;
  }
  *name = '\0', name += 2;
  if (!sweep_read_file(verifier, name, &text)) return;
  pawl_sha256(pawl_text_string(&text), text.length, sum);
  if (strcmp(sum, line) != 0)
    sweep_fault(verifier, "'%s' does not have its checksum: it changed after the sweep", name);
  else
    verifier->out->files++;
}

/* A file without a checksum is not what the signer signed. */
static void sweep_check_cover(struct sweep_verifier *verifier, const struct pawl_text *sums) {
  const char **names;
  size_t count;
  struct pawl_error error;
  if (pawl_sweep_list_files(verifier->folder, verifier->arena, &names, &count, &error) != PAWL_OK) {
    sweep_fault(verifier, "%s", error.message);
    return;
  }
  for (size_t i = 0; i < count; i++)
    if (!pawl_sweep_sums_cover(sums, names[i]))
      sweep_fault(verifier, PAWL_SWEEP_SUMS " does not cover '%.200s'", names[i]);
}

static void sweep_check_sums(struct sweep_verifier *verifier) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text sums = {0};
  if (!sweep_read_file(verifier, PAWL_SWEEP_SUMS, &sums)) return;
  pawl_text_add(&verifier->sums, pawl_text_string(&sums)); /* the lines below are cut */
  sweep_check_cover(verifier, &sums);
  if (pawl_sweep_sums_cover(&sums, PAWL_SWEEP_SAMPLES) &&
      pawl_sweep_sums_cover(&sums, PAWL_SWEEP_JOURNAL))
    sweep_fault(verifier, PAWL_SWEEP_SUMS " names two files of samples; remove one of them");
  for (char *line = sums.data, *end; line && *line; line = end ? end + 1 : NULL) {
    end = strchr(line, '\n');
    if (end) *end = '\0';
    sweep_check_sum(verifier, line);
  }
}

/* --- files that follow from the samples --- */

static size_t sweep_line_of(const char *text, size_t offset) {
  size_t line = 1;
  for (size_t i = 0; i < offset; i++) line += text[i] == '\n';
  return line;
}

static void sweep_check_file(struct sweep_verifier *verifier, const struct pawl_sweep_file *file,
                             const struct pawl_sweep_view *view) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text there = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text wanted = {0};
  if (!sweep_read_file(verifier, file->name, &there)) return;
  file->write(view, &wanted);
  size_t same = 0;
  while (same < there.length && same < wanted.length && there.data[same] == wanted.data[same])
    same++;
  if (same < there.length || same < wanted.length)
    sweep_fault(verifier, "line %zu of '%s' is not what the samples give",
                sweep_line_of(pawl_text_string(&there), same), file->name);
}

/* A folder may do without the pictures as PNG. */
static bool sweep_does_without(const struct sweep_verifier *verifier, const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(verifier->folder, name);
  return pawl_file_absent(path) && !pawl_sweep_sums_cover(&verifier->sums, name);
}

static void sweep_check_picture(struct sweep_verifier *verifier,
                                const struct pawl_sweep_claims *claims, size_t picture, bool svg,
                                bool dark) {
  char name[PAWL_SWEEP_PICTURE_FILE];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text there = {0};
  pawl_sweep_picture_file(picture, svg, dark, name);
  if (!svg && sweep_does_without(verifier, name)) return;
  if (!sweep_read_file(verifier, name, &there)) return;
  verifier->out->pictures++;
  if (pawl_sweep_picture_is(picture, claims, svg, dark, &there))
    verifier->out->pictures_same++;
  else
    verifier->out->others[verifier->out->other_count++] = pawl_arena_copy(verifier->arena, name);
}

static void sweep_check_pictures(struct sweep_verifier *verifier,
                                 const struct pawl_sweep_claims *claims) {
  verifier->out->others =
      pawl_arena_alloc(verifier->arena, 4 * PAWL_SWEEP_PICTURES, sizeof *verifier->out->others);
  for (size_t i = 0; i < PAWL_SWEEP_PICTURES; i++)
    for (int kind = 0; kind < 4 && pawl_sweep_picture_exists(i, claims); kind++)
      sweep_check_picture(verifier, claims, i, kind & 1, kind & 2);
}

/* --- claims --- */

static bool sweep_same(double a, double b) {
  return (isnan(a) && isnan(b)) || fabs(a - b) <= SAME * fabs(b);
}

static void sweep_claim_words(const struct pawl_sweep_claim *claim, struct pawl_text *out) {
  pawl_text_printf(out, "%s over %s on %s (%s): ", claim->kernel, claim->reference,
                   claim->case_name, claim->device);
  if (claim->speedup > 0)
    pawl_text_printf(out, "%.4g times as fast", claim->speedup);
  else
    pawl_text_add(out, pawl_sweep_verdict_name(claim->verdict));
  if (claim->low > 0) pawl_text_printf(out, ", from %.4g to %.4g", claim->low, claim->high);
}

static bool sweep_same_field(const struct pawl_field *field, const void *a, const void *b) {
  const char *left = (const char *)a + field->offset, *right = (const char *)b + field->offset;
  switch (field->rule) {
    case PAWL_FIELD_NAME:
    case PAWL_FIELD_STRING:
      return pawl_text_equal(*(const char *const *)left, *(const char *const *)right);
    case PAWL_FIELD_SIZE: return *(const size_t *)left == *(const size_t *)right;
    case PAWL_FIELD_CHOICE: return *(const int *)left == *(const int *)right;
    default: return sweep_same(*(const double *)left, *(const double *)right);
  }
}

/* Returns the first field in which the claims differ, or NULL. */
static const struct pawl_field *sweep_difference(const struct pawl_sweep_claim *a,
                                                 const struct pawl_sweep_claim *b) {
  for (size_t i = 0; i < pawl_sweep_claim_fields.count; i++)
    if (!sweep_same_field(&pawl_sweep_claim_fields.rows[i], a, b))
      return &pawl_sweep_claim_fields.rows[i];
  return NULL;
}

static void sweep_add_value(const struct pawl_field *field, const struct pawl_sweep_claim *claim,
                            struct pawl_text *out) {
  const size_t before = out->length;
  pawl_sweep_value(field, claim, COMPARED_DIGITS, out);
  if (out->length == before) pawl_text_add(out, "unknown");
}

static void sweep_verify_claim(struct sweep_verifier *verifier,
                               const struct pawl_sweep_claim *claim,
                               const struct pawl_sweep_claim *recomputed) {
  struct pawl_verification *out = verifier->out;
  struct pawl_verified_claim *made = &out->claims[out->claim_count++];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text reason = {0};
  sweep_claim_words(claim, &words);
  made->words = pawl_arena_copy(verifier->arena, pawl_text_string(&words));
  const struct pawl_field *differs = recomputed ? sweep_difference(claim, recomputed) : NULL;
  if (recomputed && !differs) {
    const bool decided = claim->verdict == PAWL_SWEEP_FASTER || claim->verdict == PAWL_SWEEP_SLOWER;
    made->state = decided ? PAWL_CLAIM_HOLDS : PAWL_CLAIM_UNDECIDED;
    ++*(decided ? &out->holding : &out->undecided);
    return;
  }
  made->state = PAWL_CLAIM_WRONG;
  out->wrong++;
  if (differs) {
    pawl_text_printf(&reason, "its %s is ", differs->key);
    sweep_add_value(differs, claim, &reason);
    pawl_text_add(&reason, ", and the samples give ");
    sweep_add_value(differs, recomputed, &reason);
  } else {
    pawl_text_add(&reason, "the plan has no such claim");
  }
  made->reason = pawl_arena_copy(verifier->arena, pawl_text_string(&reason));
}

/* Compares the claims of the folder, in their order, with those that the samples give. */
static void sweep_verify_claims(struct sweep_verifier *verifier,
                                const struct pawl_sweep_claims *recomputed) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *path = pawl_path_join(verifier->folder, PAWL_SWEEP_CLAIMS);
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  const struct pawl_json_path place = {NULL, path, -1};
  struct pawl_sweep_claims said;
  struct pawl_error error;
  pawl_struct_init(&pawl_sweep_claims_fields, &said);
  enum pawl_status_code status = pawl_json_read(path, &document, &error);
  if (status == PAWL_OK)
    status = pawl_struct_read(&pawl_sweep_claims_fields, document, &place, verifier->arena, &said,
                              &error);
  if (status != PAWL_OK) {
    sweep_fault(verifier, "%s", error.message);
    return;
  }
  verifier->out->claims =
      pawl_arena_alloc(verifier->arena, said.claim_count + 1, sizeof *verifier->out->claims);
  for (size_t i = 0; i < said.claim_count; i++)
    sweep_verify_claim(verifier, &said.claims[i],
                       i < recomputed->claim_count ? &recomputed->claims[i] : NULL);
  if (said.claim_count < recomputed->claim_count)
    sweep_fault(verifier, "'%s' has %zu claims, but the samples give %zu", path, said.claim_count,
                recomputed->claim_count);
}

/* --- the signature --- */

static pawl_status sweep_check_signature(struct sweep_verifier *verifier, const char *signer,
                                         struct pawl_error *err) {
  struct pawl_verification *out = verifier->out;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  enum pawl_sweep_signature found;
  PAWL_TRY(pawl_sweep_check_signature(verifier->folder, signer, &found, &words, err));
  while (words.length && words.data[words.length - 1] == '\n') words.data[--words.length] = '\0';
  switch (found) {
    case PAWL_SIGNATURE_NONE:
      out->signature = "there is no signature";
      if (signer)
        sweep_fault(verifier, "the folder is not signed, but '%s' must have signed it", signer);
      break;
    case PAWL_SIGNATURE_UNCHECKED:
      out->signature = "that of minisign is not checked: name its public key with --signer";
      break;
    case PAWL_SIGNATURE_OTHER:
      out->signature = "it is not checked: '--signer' is the key of another program";
      sweep_fault(verifier, "%.300s", pawl_text_string(&words));
      break;
    case PAWL_SIGNATURE_GOOD:
      out->signature = pawl_arena_printf(verifier->arena, "%.300s%s", pawl_text_string(&words),
                                         signer ? "" : "; whose key that is, you must know");
      break;
    case PAWL_SIGNATURE_BAD:
      out->signature = "the signature is not good";
      sweep_fault(verifier, "the signature is not good: %.300s", pawl_text_string(&words));
      break;
  }
  return PAWL_OK;
}

pawl_status pawl_sweep_verify(const char *folder, const char *signer, struct pawl_arena *arena,
                              struct pawl_verification *out, struct pawl_error *err) {
  struct pawl_sweep sweep;
  struct pawl_sweep_claims claims;
  struct sweep_verifier verifier = {.folder = folder, .arena = arena, .out = out};
  *out = (struct pawl_verification){0};
  PAWL_TRY(pawl_sweep_read(folder, arena, &sweep, err));
  enum pawl_status_code status = pawl_sweep_claim(&sweep, arena, &claims, err);
  if (status == PAWL_OK) {
    const struct pawl_sweep_view view = {&sweep, &claims};
    sweep_check_sums(&verifier);
    for (size_t i = 0; i < pawl_sweep_file_count; i++)
      if (!pawl_sweep_files[i].users) sweep_check_file(&verifier, &pawl_sweep_files[i], &view);
    sweep_check_pictures(&verifier, &claims);
    sweep_verify_claims(&verifier, &claims);
    status = sweep_check_signature(&verifier, signer, err);
  }
  pawl_text_clear(&verifier.sums);
  pawl_sweep_release(&sweep);
  return status;
}

static const char *sweep_state_word(int number) {
  return pawl_claim_state_name((enum pawl_claim_state)number);
}

#define VERIFIED(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_verified_claim, name), __VA_ARGS__ }
static const struct pawl_field verified_rows[] = {
    {"claim", PAWL_FIELD_STRING, offsetof(struct pawl_verified_claim, words), .required = true},
    VERIFIED(state, CHOICE, .required = true, .names = 3, .name_of = sweep_state_word),
    VERIFIED(reason, STRING, 0),
};
static const struct pawl_fields verified_fields =
    PAWL_FIELDS(verified_rows, struct pawl_verified_claim, 0);

#define VERIFICATION(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_verification, name), __VA_ARGS__ }
static const struct pawl_field verification_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, 0, .required = true, .max = PAWL_SWEEP_SCHEMA},
    VERIFICATION(holding, SIZE, .required = true),
    VERIFICATION(undecided, SIZE, .required = true),
    VERIFICATION(wrong, SIZE, .required = true),
    VERIFICATION(files, SIZE, .required = true),
    VERIFICATION(pictures, SIZE, .required = true),
    VERIFICATION(pictures_same, SIZE, .required = true),
    {"pictures_other", PAWL_FIELD_STRINGS, offsetof(struct pawl_verification, others),
     offsetof(struct pawl_verification, other_count)},
    VERIFICATION(faults, STRINGS, offsetof(struct pawl_verification, fault_count)),
    VERIFICATION(signature, STRING, 0),
    VERIFICATION(claims, LIST, offsetof(struct pawl_verification, claim_count), .required = true,
                 .table = &verified_fields),
};
const struct pawl_fields pawl_verification_fields =
    PAWL_FIELDS(verification_rows, struct pawl_verification, 0);
