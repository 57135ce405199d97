/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "process/process.h"

#define NAMESPACE "pawl-sweep" /* a signature for another purpose is not good */
#define SIGNER "signer"        /* the name of the key in the list that ssh-keygen wants */
#define KEY_LIMIT ((size_t)64 << 10)
#define SIGN_SECONDS 60.0
#define SIGN_OUTPUT ((size_t)16 << 10)
#define NO_PROGRAM "cannot find 'ssh-keygen'"

/* Runs ssh-keygen, whose name is words[0], with a file as its standard input; NULL: none. Appends
   its output. */
static pawl_status sweep_ssh(const char *const *words, const char *input, struct pawl_text *output,
                             struct pawl_exit *how, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int in = input ? open(input, O_RDONLY | O_CLOEXEC) : -1;
  const struct pawl_process_options options = {
      .argv = words, .fds = {in, -1, -1}, .fd_count = 3, .die_with_parent = true};
  return pawl_process_run(&options, SIGN_SECONDS, SIGN_OUTPUT, output, output, how, err);
}

pawl_status pawl_sweep_sign(const char *folder, const char *key, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_process_find("ssh-keygen");
  PAWL_CLEANUP(pawl_free_pointer) char *sums = pawl_path_join(folder, PAWL_SWEEP_SUMS);
  PAWL_CLEANUP(pawl_free_pointer) char *signature = pawl_path_join(folder, PAWL_SWEEP_SIGNATURE);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text output = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  const char *const argv[] = {program, "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, sums, NULL};
  struct pawl_exit how;
  if (!program)
    return pawl_fail(err, PAWL_UNAVAILABLE, NO_PROGRAM ", which signs: install openssh-client");
  PAWL_TRY(pawl_file_remove_old(signature, err)); /* it would ask before it replaces a file */
  PAWL_TRY(sweep_ssh(argv, NULL, &output, &how, err));
  if (how.status == 0 && pawl_file_exists(signature)) return PAWL_OK;
  pawl_exit_describe(&how, &words);
  return pawl_fail(err, PAWL_NOT_PERMITTED, "cannot sign with '%s': ssh-keygen %s: %s", key,
                   pawl_text_string(&words), pawl_text_string(&output));
}

/* Writes the list of one signer that ssh-keygen wants. */
static pawl_status sweep_write_signers(const char *key, int fd, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  PAWL_TRY(pawl_file_read(key, KEY_LIMIT, &text, err));
  if (!pawl_starts_with(pawl_text_string(&text), "ssh-") &&
      !pawl_starts_with(pawl_text_string(&text), "ecdsa-") &&
      !pawl_starts_with(pawl_text_string(&text), "sk-"))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is no public key of ssh", key);
  pawl_text_printf(&list, SIGNER " %s", pawl_text_string(&text));
  if (write(fd, list.data, list.length) != (ssize_t)list.length)
    return pawl_fail_write(err, errno, "write", "the list of signers");
  return PAWL_OK;
}

/* `list` NULL: any key may have signed. */
static bool sweep_is_good(const char *folder, const char *list, struct pawl_text *words,
                          struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_process_find("ssh-keygen");
  PAWL_CLEANUP(pawl_free_pointer) char *sums = pawl_path_join(folder, PAWL_SWEEP_SUMS);
  PAWL_CLEANUP(pawl_free_pointer) char *signature = pawl_path_join(folder, PAWL_SWEEP_SIGNATURE);
  const char *const argv[] = {program,
                              "-Y",
                              list ? "verify" : "check-novalidate",
                              "-n",
                              NAMESPACE,
                              "-s",
                              signature,
                              list ? "-f" : NULL,
                              list,
                              "-I",
                              SIGNER,
                              NULL};
  struct pawl_exit how;
  if (!program) pawl_text_add(words, NO_PROGRAM ": install openssh-client");
  return program && sweep_ssh(argv, sums, words, &how, err) == PAWL_OK && how.status == 0;
}

pawl_status pawl_sweep_check_signature(const char *folder, const char *signer, bool *good,
                                       struct pawl_text *words, struct pawl_error *err) {
  char list[] = "/tmp/pawl-signers-XXXXXX";
  PAWL_CLEANUP(pawl_close) int fd = signer ? mkostemp(list, O_CLOEXEC) : -1;
  if (signer && fd < 0) return pawl_fail_errno(err, errno, "cannot make a file in '/tmp'");
  const enum pawl_status_code status = signer ? sweep_write_signers(signer, fd, err) : PAWL_OK;
  if (status == PAWL_OK) *good = sweep_is_good(folder, signer ? list : NULL, words, err);
  if (signer) unlink(list);
  return status;
}
