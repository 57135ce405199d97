/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "process/process.h"

#define NAMESPACE "pawl-sweep" /* a signature for another purpose is not good */
#define SIGNER "signer"        /* the name of the key in the list that ssh-keygen wants */
#define KEY_LIMIT ((size_t)64 << 10)
#define SIGN_SECONDS 60.0
#define SIGN_OUTPUT ((size_t)16 << 10)
#define MINISIGN_KEY "untrusted comment:" /* the first words of its keys */

static const struct signing {
  const char *program, *package, *file;
} signings[] = {{"ssh-keygen", "openssh-client", PAWL_SWEEP_SSH_SIGNATURE},
                {"minisign", "minisign", PAWL_SWEEP_MINISIGN_SIGNATURE}};
enum { SSH, MINISIGN };

/* A program and the files that it signs or checks. Release it. */
struct signature_call {
  const struct signing *signing;
  char *program; /* NULL: it is not installed */
  char *sums, *file;
  char *other; /* the file of the other program */
};

static struct signature_call signature_call_of(const char *folder, int kind) {
  return (struct signature_call){.signing = &signings[kind],
                                 .program = pawl_process_find(signings[kind].program),
                                 .sums = pawl_path_join(folder, PAWL_SWEEP_SUMS),
                                 .file = pawl_path_join(folder, signings[kind].file),
                                 .other = pawl_path_join(folder, signings[!kind].file)};
}

static void signature_call_release(struct signature_call *call) {
  pawl_free(call->program);
  pawl_free(call->sums);
  pawl_free(call->file);
  pawl_free(call->other);
}

/* Runs the program, whose name is argv[0], with a file as its standard input; NULL: none. Appends
   its output. */
static pawl_status signature_run(const char *const *argv, const char *input,
                                 struct pawl_text *output, struct pawl_exit *how,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int in = input ? open(input, O_RDONLY | O_CLOEXEC) : -1;
  const struct pawl_process_options options = {
      .argv = argv, .fds = {in, -1, -1}, .fd_count = 3, .die_with_parent = true};
  return pawl_process_run(&options, SIGN_SECONDS, SIGN_OUTPUT, output, output, how, err);
}

pawl_status pawl_sweep_unsign(const char *folder, struct pawl_error *err) {
  for (size_t i = 0; i < PAWL_COUNT(signings); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, signings[i].file);
    PAWL_TRY(pawl_file_remove_old(path, err));
  }
  return PAWL_OK;
}

static bool signature_is_minisign_key(const struct pawl_text *key) {
  return pawl_starts_with(pawl_text_string(key), MINISIGN_KEY);
}

static pawl_status signature_make(const struct signature_call *call, const char *key,
                                  struct pawl_error *err) {
  const char *const ssh[] = {call->program, "-q", "-Y",      "sign",     "-f",
                             key,           "-n", NAMESPACE, call->sums, NULL};
  const char *const minisign[] = {call->program, "-S",       "-s", key,       "-m", call->sums,
                                  "-x",          call->file, "-t", NAMESPACE, NULL};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text output = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  struct pawl_exit how;
  if (!call->program)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot find '%s', which signs: install %s",
                     call->signing->program, call->signing->package);
  PAWL_TRY(
      signature_run(call->signing == &signings[SSH] ? ssh : minisign, NULL, &output, &how, err));
  if (how.status == 0 && pawl_file_exists(call->file)) return PAWL_OK;
  pawl_exit_describe(&how, &words);
  return pawl_fail(err, PAWL_NOT_PERMITTED, "cannot sign with '%s': %s %s: %s", key,
                   call->signing->program, pawl_text_string(&words), pawl_text_string(&output));
}

/* Signs a copy of the checksums: ssh-keygen would ask before it replaces a signature, and an
   earlier one stays if the program does not sign. */
static pawl_status signature_make_in(const char *scratch, const char *folder, int kind,
                                     const char *key, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text made = {0};
  struct signature_call from = signature_call_of(folder, kind),
                        to = signature_call_of(scratch, kind);
  enum pawl_status_code status = pawl_copy_file(from.sums, to.sums, err);
  if (status == PAWL_OK) status = signature_make(&to, key, err);
  if (status == PAWL_OK) status = pawl_file_read(to.file, KEY_LIMIT, &made, err);
  if (status == PAWL_OK) status = pawl_sweep_unsign(folder, err);
  if (status == PAWL_OK) status = pawl_file_write(from.file, made.data, made.length, err);
  signature_call_release(&from);
  signature_call_release(&to);
  return status;
}

pawl_status pawl_sweep_sign(const char *folder, const char *key, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored; /* a hardware key has no file that pawl can read */
  const bool minisign = pawl_file_read(key, KEY_LIMIT, &text, &ignored) == PAWL_OK &&
                        signature_is_minisign_key(&text);
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const char *scratch;
  if (!pawl_make_temporary("sign", &arena, &scratch))
    return pawl_fail_errno(err, errno, "cannot make the folder '%s'", scratch);
  const enum pawl_status_code status =
      signature_make_in(scratch, folder, minisign ? MINISIGN : SSH, key, err);
  (void)!pawl_remove_tree(scratch, &ignored);
  return status;
}

/* --- the check --- */

static bool signature_is_ssh_key(const char *key) {
  return pawl_starts_with(key, "ssh-") || pawl_starts_with(key, "ecdsa-") ||
         pawl_starts_with(key, "sk-");
}

/* Writes the list of one signer that ssh-keygen wants. */
static pawl_status signature_write_list(const char *key, int fd, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  pawl_text_printf(&list, SIGNER " %s", key);
  if (write(fd, list.data, list.length) != (ssize_t)list.length)
    return pawl_fail_write(err, errno, "write", "the list of signers");
  return PAWL_OK;
}

/* `list` NULL: any key may have signed. */
static bool signature_ssh_is_good(const struct signature_call *call, const char *list,
                                  struct pawl_text *words, struct pawl_error *err) {
  const char *const argv[] = {call->program,
                              "-Y",
                              list ? "verify" : "check-novalidate",
                              "-n",
                              NAMESPACE,
                              "-s",
                              call->file,
                              list ? "-f" : NULL,
                              list,
                              "-I",
                              SIGNER,
                              NULL};
  struct pawl_exit how;
  return signature_run(argv, call->sums, words, &how, err) == PAWL_OK && how.status == 0;
}

static pawl_status signature_check_ssh(const struct signature_call *call, const char *key,
                                       bool *good, struct pawl_text *words,
                                       struct pawl_error *err) {
  char list[] = "/tmp/pawl-signers-XXXXXX";
  PAWL_CLEANUP(pawl_close) int fd = key ? mkostemp(list, O_CLOEXEC) : -1;
  if (key && fd < 0) return pawl_fail_errno(err, errno, "cannot make a file in '/tmp'");
  const enum pawl_status_code status = key ? signature_write_list(key, fd, err) : PAWL_OK;
  if (status == PAWL_OK) *good = signature_ssh_is_good(call, key ? list : NULL, words, err);
  if (key) unlink(list);
  return status;
}

/* The trusted comment of the signature, which is signed too, names its purpose. */
static bool signature_minisign_is_good(const struct signature_call *call, const char *signer,
                                       struct pawl_text *words, struct pawl_error *err) {
  const char *const argv[] = {call->program, "-V",       "-Q", "-p",       signer,
                              "-m",          call->sums, "-x", call->file, NULL};
  struct pawl_exit how;
  if (signature_run(argv, NULL, words, &how, err) != PAWL_OK || how.status != 0) return false;
  const bool purpose = pawl_text_equal(pawl_text_string(words), NAMESPACE "\n");
  pawl_text_clear(words);
  pawl_text_printf(
      words,
      purpose ? "Good minisign signature by the key in '%s'" : "'%s' signed it for another purpose",
      signer);
  return purpose;
}

static pawl_status signature_check(const struct signature_call *call, const char *signer,
                                   const char *key, enum pawl_sweep_signature *out,
                                   struct pawl_text *words, struct pawl_error *err) {
  const bool minisign = call->signing == &signings[MINISIGN];
  bool good = false;
  *out = PAWL_SIGNATURE_NONE;
  if (pawl_file_absent(call->file)) {
    const struct signing *other = &signings[minisign ? SSH : MINISIGN];
    if (pawl_file_absent(call->other)) return PAWL_OK;
    *out = PAWL_SIGNATURE_OTHER;
    pawl_text_printf(words,
                     "'%s' signed the folder, and '%s' is a key of '%s': name the key of '%s'",
                     other->program, signer, call->signing->program, other->program);
    return PAWL_OK;
  }
  *out = PAWL_SIGNATURE_UNCHECKED;
  if (minisign && !signer) return PAWL_OK;
  if (!call->program)
    pawl_text_printf(words, "cannot find '%s': install %s", call->signing->program,
                     call->signing->package);
  else if (minisign)
    good = signature_minisign_is_good(call, signer, words, err);
  else
    PAWL_TRY(signature_check_ssh(call, key, &good, words, err));
  *out = good ? PAWL_SIGNATURE_GOOD : PAWL_SIGNATURE_BAD;
  return PAWL_OK;
}

pawl_status pawl_sweep_check_signature(const char *folder, const char *signer,
                                       enum pawl_sweep_signature *out, struct pawl_text *words,
                                       struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  PAWL_CLEANUP(pawl_free_pointer)
  char *minisig = pawl_path_join(folder, PAWL_SWEEP_MINISIGN_SIGNATURE);
  PAWL_CLEANUP(pawl_free_pointer) char *sig = pawl_path_join(folder, PAWL_SWEEP_SSH_SIGNATURE);
  if (signer) PAWL_TRY(pawl_file_read(signer, KEY_LIMIT, &key, err));
  const bool minisign = signer ? signature_is_minisign_key(&key)
                               : !pawl_file_absent(minisig) && pawl_file_absent(sig);
  if (signer && !minisign && !signature_is_ssh_key(pawl_text_string(&key)))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is no public key of ssh or minisign", signer);
  struct signature_call call = signature_call_of(folder, minisign ? MINISIGN : SSH);
  const enum pawl_status_code status =
      signature_check(&call, signer, signer ? pawl_text_string(&key) : NULL, out, words, err);
  signature_call_release(&call);
  return status;
}
