/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sealed_json.h"

#include <string.h>

#include "base/file.h"

#define SEAL "seal"
#define SCHEMA "schema_version"

/* The document without its seal, in this file: the name of the file says what the document is
 * of. */
static void add_document(struct pawl_sealer *sealer, const char *path, const json_t *document) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *slash = strrchr(path, '/');
  pawl_json_write_text(document, true, &text);
  pawl_sealer_add_string(sealer, slash ? slash + 1 : path);
  pawl_sealer_add_string(sealer, pawl_text_string(&text));
}

/* Takes the seal out of the document. */
static pawl_status check_seal(const char *path, const struct pawl_seal_key *key,
                              const struct pawl_sealed_kind *kind, json_t *document,
                              struct pawl_error *err) {
  struct pawl_sealer sealer;
  struct pawl_seal seal;
  long long schema;
  const char *text;
  PAWL_TRY(pawl_json_get_int(document, SCHEMA, path, 0, &schema, err));
  if (schema != kind->schema)
    return pawl_fail(err, PAWL_NO_INPUT, "another version of pawl kept '%s'", path);
  PAWL_TRY(pawl_json_get_string(document, SEAL, path, "", &text, err));
  enum pawl_seal_state state = PAWL_SEAL_BROKEN;
  if (pawl_seal_parse(text, &seal)) {
    json_object_del(document, SEAL);
    pawl_sealer_init_check(&sealer, key, kind->purpose, &seal);
    add_document(&sealer, path, document);
    state = pawl_sealer_check(&sealer, &seal);
  }
  if (state == PAWL_SEAL_FOREIGN)
    return pawl_fail(err, PAWL_NO_INPUT, "pawl sealed '%s' with another key", path);
  if (state == PAWL_SEAL_BROKEN)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not as pawl wrote it", path);
  return PAWL_OK;
}

pawl_status pawl_sealed_json_read(const char *path, const struct pawl_seal_key *key,
                                  const struct pawl_sealed_kind *kind, json_t **out,
                                  struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  if (!pawl_file_exists(path)) return pawl_fail(err, PAWL_NO_INPUT, "there is no file '%s'", path);
  PAWL_TRY(pawl_json_read(path, &document, err));
  PAWL_TRY(check_seal(path, key, kind, document, err));
  *out = json_incref(document);
  return PAWL_OK;
}

pawl_status pawl_sealed_json_write(const char *path, const struct pawl_seal_key *key,
                                   const struct pawl_sealed_kind *kind, json_t *document,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(path);
  struct pawl_sealer sealer;
  char text[PAWL_SEAL_TEXT];
  pawl_json_set_int(document, SCHEMA, kind->schema);
  pawl_sealer_init(&sealer, key, kind->purpose);
  add_document(&sealer, path, document);
  const struct pawl_seal seal = pawl_sealer_finish(&sealer);
  pawl_seal_format(&seal, text);
  pawl_json_set_string(document, SEAL, text);
  PAWL_TRY(pawl_make_folders(folder, err));
  return pawl_json_write(path, document, true, err);
}
