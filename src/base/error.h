/* SPDX-License-Identifier: Apache-2.0 */
/* Status and error. A function that can fail returns a pawl_status and takes a struct pawl_error *
   last. The function that finds the cause writes it, and callers may prefix context. Outputs stay
   untouched on failure. */
#pragma once

#include <stdarg.h>

/* A status is the exit status of the program (BSD sysexits from 64). */
enum pawl_status_code {
  PAWL_OK = 0,
  /* Code under test regresses, is wrong, does not build, crashes or hangs. */
  PAWL_FAILED = 1,
  PAWL_UNDECIDED = 2,    /* pawl cannot decide */
  PAWL_USAGE = 64,       /* a bad command line */
  PAWL_BAD_DATA = 65,    /* bad contents of a file */
  PAWL_NO_INPUT = 66,    /* a missing input */
  PAWL_UNAVAILABLE = 69, /* a device or a tool is missing */
  PAWL_BUG = 70,         /* a broken invariant of pawl */
  PAWL_NO_MEMORY = 71,   /* no memory, processes or descriptors left */
  PAWL_CANNOT_WRITE = 73,
  PAWL_IO = 74,
  PAWL_TRY_AGAIN = 75, /* locked, or no answer in time */
  PAWL_PROTOCOL = 76,  /* a bad answer from a remote or a worker */
  PAWL_NOT_PERMITTED = 77,
  PAWL_CONFIG = 78 /* a bad pawl.yaml */
};
/* The return type of a function that can fail. The caller must check it. Declare a variable as enum
   pawl_status_code. */
#define pawl_status __attribute__((warn_unused_result)) enum pawl_status_code

#define PAWL_ERROR_MESSAGE 2048

struct pawl_error {
  enum pawl_status_code code;
  /* one line in lower case: the quoted subject, then what to do */
  char message[PAWL_ERROR_MESSAGE];
};

/* Writes the cause and returns `code`: return pawl_fail(err, PAWL_NO_INPUT, "cannot open '%s'",
 * path). `err` may be NULL. Control characters become spaces, so a message stays one line. */
enum pawl_status_code pawl_fail(struct pawl_error *err, enum pawl_status_code code,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the message and returns err->code. */
enum pawl_status_code pawl_prefix(struct pawl_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails with the text of an errno and its status: ENOENT is PAWL_NO_INPUT, EACCES
   PAWL_NOT_PERMITTED, ENOSPC PAWL_CANNOT_WRITE. code_of_errno() in error.c has them all. */
enum pawl_status_code pawl_fail_errno(struct pawl_error *err, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports a broken invariant and exits with PAWL_BUG. */
_Noreturn void pawl_bug(const char *file, int line, const char *what);
#define PAWL_ASSERT(condition) ((condition) ? (void)0 : pawl_bug(__FILE__, __LINE__, #condition))

/* Returns the status of a failed call to the caller. */
#define PAWL_TRY(call)                                      \
  do {                                                      \
    const enum pawl_status_code pawl_try_status = (call);   \
    if (pawl_try_status != PAWL_OK) return pawl_try_status; \
  } while (0)

#define PAWL_CLEANUP(release) __attribute__((cleanup(release)))
