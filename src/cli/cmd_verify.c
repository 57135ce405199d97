/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clean.h"
#include "base/file.h"
#include "cli/command.h"
#include "gate/replay.h"
#include "record/stored_run.h"
#include "sweep/verify.h"

static pawl_status cmd_verify_output(const struct pawl_cli *cli, const struct pawl_text *text,
                                     const json_t *document, const char *path,
                                     struct pawl_error *err) {
  if (path) PAWL_TRY(pawl_cli_write_json(path, document, err));
  if (cli->json) return pawl_cli_write_json(NULL, document, err);
  return pawl_cli_write(NULL, pawl_text_string(text), text->length, err);
}

/* Text of a file stays on its line, so that it cannot look like an answer of pawl. */
static void cmd_verify_add_line(const char *begin, const char *text, const char *more,
                                struct pawl_text *out) {
  pawl_text_add(out, begin);
  pawl_clean_text(text, false, out);
  if (more) pawl_text_add(out, "; ");
  if (more) pawl_clean_text(more, false, out);
  pawl_text_add(out, "\n");
}

/* --- a verdict.json --- */

static void cmd_verify_add_replay(const struct pawl_replay *replay, const char *contradiction,
                                  struct pawl_text *out) {
  for (size_t i = 0; i < replay->count; i++) {
    const struct pawl_replay_row *row = &replay->rows[i];
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
    pawl_text_printf(&line, "%s, %s: %s", row->kernel_name ? row->kernel_name : "(unnamed)",
                     row->case_name ? row->case_name : "(unnamed)",
                     row->difference ? "differs: " : "agrees: ");
    pawl_text_add(&line, row->difference ? row->difference : pawl_decision_name(row->decision));
    if (row->code_hash && !row->difference)
      pawl_text_printf(&line, ": both have the code %s", row->code_hash);
    cmd_verify_add_line("", pawl_text_string(&line), NULL, out);
  }
  for (size_t i = 0; i < replay->bare_count; i++) {
    const struct pawl_bare_row *row = &replay->bare[i];
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
    pawl_text_printf(&line, "%s, %s: not shown: the file says '%s' and has no blocks of it",
                     row->kernel_name, row->case_name, row->verdict);
    cmd_verify_add_line("", pawl_text_string(&line), NULL, out);
  }
  if (contradiction) cmd_verify_add_line("the file contradicts itself: ", contradiction, NULL, out);
  if (!replay->count)
    pawl_text_add(out, "it has no paired measurement: there is nothing to recompute\n");
}

static json_t *cmd_verify_replay_json(const struct pawl_replay *replay, const char *contradiction) {
  json_t *document = json_object(), *rows = json_array(), *bare = json_array();
  for (size_t i = 0; i < replay->count; i++) {
    json_t *row = json_object();
    pawl_json_set_string(row, "kernel_name", replay->rows[i].kernel_name);
    pawl_json_set_string(row, "case", replay->rows[i].case_name);
    pawl_json_set_string(row, "answer", pawl_decision_name(replay->rows[i].decision));
    pawl_json_set_int(row, "blocks", (long long)replay->rows[i].counted);
    pawl_json_set_string(row, "code_hash", replay->rows[i].code_hash);
    pawl_json_set_string(row, "difference", replay->rows[i].difference);
    json_array_append_new(rows, row);
  }
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_bool(document, "agrees", replay->differ == 0 && !contradiction);
  pawl_json_set_string(document, "contradiction", contradiction);
  for (size_t i = 0; i < replay->bare_count; i++) {
    json_t *row = json_object();
    pawl_json_set_string(row, "kernel_name", replay->bare[i].kernel_name);
    pawl_json_set_string(row, "case", replay->bare[i].case_name);
    pawl_json_set_string(row, "verdict", replay->bare[i].verdict);
    json_array_append_new(bare, row);
  }
  pawl_json_set(document, "rows", rows);
  pawl_json_set(document, "without_blocks", bare);
  return document;
}

/* Returns why the totals and the verdict of the whole do not follow from the rows, or NULL. A file
   may have its rows alone. */
static const char *find_contradiction(const json_t *document, const char *name,
                                      struct pawl_arena *arena) {
  struct pawl_stored_run run;
  struct pawl_error why = {0};
  if (!json_object_get(document, "verdict") && !json_object_get(document, "totals")) return NULL;
  const enum pawl_status_code status = pawl_stored_run_parse(document, name, arena, &run, &why);
  pawl_stored_run_release(&run);
  return status == PAWL_OK ? NULL : pawl_arena_copy(arena, why.message);
}

/* 0: every verdict of the file follows from its blocks, or from equal code. 1: one does not. 2: one
   has neither, or the file has no verdict. */
static enum pawl_status_code cmd_verify_verdict(struct pawl_cli *cli, const char *verdict,
                                                const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_replay replay;
  PAWL_TRY(pawl_json_read(verdict, &document, err));
  PAWL_TRY(pawl_replay(document, verdict, &cli->arena, &replay, err));
  const char *contradiction = find_contradiction(document, verdict, &cli->arena);
  PAWL_CLEANUP(pawl_json_release)
  json_t *result = cmd_verify_replay_json(&replay, contradiction);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  cmd_verify_add_replay(&replay, contradiction, &text);
  PAWL_TRY(cmd_verify_output(cli, &text, result, path, err));
  return pawl_cli_verdict(PAWL_OK,
                          replay.differ || contradiction       ? PAWL_FAILED
                          : replay.count && !replay.bare_count ? PAWL_OK
                                                               : PAWL_UNDECIDED,
                          err);
}

/* --- the folder of a sweep --- */

static bool cmd_verify_is_empty(const struct pawl_verification *found) {
  return !found->claim_count && !found->fault_count;
}

/* Names pictures that differ, unless all do because this machine has other fonts. */
static void cmd_verify_add_pictures(const struct pawl_verification *found, struct pawl_text *out) {
  pawl_text_printf(out, "pictures: %zu of %zu are those that this machine draws from the samples",
                   found->pictures_same, found->pictures);
  for (size_t i = 0; i < found->other_count && found->pictures_same; i++)
    pawl_text_printf(out, "%s%s", i ? ", " : "; it draws otherwise: ", found->others[i]);
  if (found->other_count)
    pawl_text_add(out, "; other fonts differ, and so does a changed picture: trust the tables");
  pawl_text_add(out, "\n");
}

static void cmd_verify_add_folder(const struct pawl_verification *found, struct pawl_text *out) {
  if (cmd_verify_is_empty(found)) {
    pawl_text_add(out, "its plan gives no claim: there is nothing to verify\n");
    return;
  }
  for (size_t i = 0; i < found->claim_count; i++) {
    const struct pawl_verified_claim *claim = &found->claims[i];
    pawl_text_printf(out, "%-13s  ", pawl_claim_state_name(claim->state));
    cmd_verify_add_line("", claim->words, claim->reason, out);
  }
  for (size_t i = 0; i < found->fault_count; i++)
    cmd_verify_add_line("fault: ", found->faults[i], NULL, out);
  pawl_text_printf(out,
                   "%zu claims hold, %zu are not decided, %zu do not hold; %zu fault%s; %zu files "
                   "have their checksums\n",
                   found->holding, found->undecided, found->wrong, found->fault_count,
                   found->fault_count == 1 ? "" : "s", found->files);
  if (found->pictures) cmd_verify_add_pictures(found, out);
  cmd_verify_add_line("signature: ", found->signature, NULL, out);
}

/* 0: everything holds. 1: something does not. 2: there is nothing to verify. */
static enum pawl_status_code cmd_verify_folder(struct pawl_cli *cli, const char *folder,
                                               const char *signer, const char *path,
                                               struct pawl_error *err) {
  struct pawl_verification found;
  PAWL_TRY(pawl_sweep_verify(folder, signer, &cli->arena, &found, err));
  PAWL_CLEANUP(pawl_json_release)
  json_t *document = pawl_struct_write(&pawl_verification_fields, &found);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  cmd_verify_add_folder(&found, &text);
  PAWL_TRY(cmd_verify_output(cli, &text, document, path, err));
  return pawl_cli_verdict(PAWL_OK,
                          found.wrong || found.fault_count ? PAWL_FAILED
                          : cmd_verify_is_empty(&found)    ? PAWL_UNDECIDED
                                                           : PAWL_OK,
                          err);
}

enum pawl_status_code pawl_cmd_verify(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  const char *signer = NULL, *path = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_PATH, "--signer", &signer, "FILE",
       "the public key of ssh or minisign that must have signed the folder"},
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "write the findings as JSON to FILE"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 1, &done, err));
  if (done) return PAWL_OK;
  if (pawl_is_folder(argv[0])) return cmd_verify_folder(cli, argv[0], signer, path, err);
  if (signer)
    return pawl_fail(err, PAWL_USAGE, "'--signer' is for the folder of a sweep, and '%s' is none",
                     argv[0]);
  return cmd_verify_verdict(cli, argv[0], path, err);
}
