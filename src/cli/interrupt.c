/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"

/* A signal handler takes no argument of ours, so these are global. */
static const char *volatile said;
/* The process that prints the text. A forked child does not, until it starts its program. */
static volatile pid_t owner;
static void (*volatile stops)(void); /* the first signal calls it; NULL: nothing */
static volatile sig_atomic_t asked;  /* the signal that ends the command; 0: none */

static void interrupt_print(const char *text) {
  const ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written; /* a failed write cannot be reported */
}

static void interrupt_say(const char *before) {
  if (!said) return;
  interrupt_print(isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "");
  interrupt_print(before);
  interrupt_print(said);
  interrupt_print("\n");
}

/* The system resets the handler first, so raising the signal ends the program. */
static void on_signal(int number) {
  if (getpid() != owner) {
    raise(number);
    return;
  }
  interrupt_say("pawl: interrupted: ");
  raise(number);
}

static void interrupt_on_request(int number) {
  if (getpid() != owner) return; /* the terminal signals the parent too, which decides */
  asked = number;
  if (stops) stops();
  interrupt_say("pawl: ");
}

static void install(void (*handler)(int), const char *text) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP}; /* SIGHUP: the terminal is gone */
  said = text;
  owner = getpid();
  for (size_t i = 0; i < PAWL_COUNT(numbers); i++) {
    struct sigaction before;
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

void pawl_interrupt_says(const char *text) { install(on_signal, text); }

const volatile sig_atomic_t *pawl_interrupt_asks(const char *text, void (*stop)(void)) {
  stops = stop;
  install(interrupt_on_request, text);
  return &asked;
}

void pawl_interrupt_end(void) {
  if (asked) raise((int)asked);
}
