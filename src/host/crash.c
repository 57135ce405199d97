/* SPDX-License-Identifier: Apache-2.0 */
#include "host/crash.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/error.h"

/* Async-signal-safe output. */
static void crash_say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) { /* the log is closed, so nobody reads this */
  }
}

static void say_address(uintptr_t address) {
  char digits[2 * sizeof address + 1];
  char *p = digits + sizeof digits - 1;
  *p = '\0';
  do {
    *--p = "0123456789abcdef"[address & 15];
    address >>= 4;
  } while (address);
  crash_say("0x");
  crash_say(p);
}

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  /* errno belongs to this thread. The failed allocation set it, unless a later call changed it. */
  if (errno == ENOMEM) {
    crash_say("\npawl-worker: an allocation failed, and the plug-in did not handle it\n");
    _exit(PAWL_NO_MEMORY);
  }
  const bool memory_fault = number == SIGSEGV || number == SIGBUS;
  if (memory_fault && info->si_code > 0) {
    crash_say("\npawl-worker: bad access to address ");
    say_address((uintptr_t)info->si_addr);
    crash_say("\n");
  }
  raise(number); /* SA_RESETHAND: the signal ends the process once this handler returns */
}

void host_crash_notes(void) {
  static char stack[16384]; /* a stack of its own, because the fault may be a stack overflow */
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_sigaction = on_fault,
                             .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
  sigemptyset(&action.sa_mask);
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT};
  for (size_t i = 0; i < PAWL_COUNT(numbers); i++) sigaction(numbers[i], &action, NULL);
}
