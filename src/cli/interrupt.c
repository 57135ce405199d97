/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"

/* A signal handler has no argument of ours: this is the only way to it. */
static const char *volatile said;
static volatile pid_t
    owner; /* who has the words: not a child of it that has not yet become its program */
static volatile sig_atomic_t asked; /* the signal that asked the command to end; 0: none */

static void print(const char *text) {
  const ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written; /* there is nobody left to tell */
}

/* The handler is reset before it runs, so that raising the signal ends the program. */
static void on_signal(int number) {
  if (getpid() != owner) {
    raise(number);
    return;
  }
  print(isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "");
  print("pawl: interrupted: ");
  print(said);
  print("\n");
  raise(number);
}

static void on_request(int number) {
  if (getpid() != owner)
    return; /* the terminal's signal reached the child too, and its parent decides */
  asked = number;
  print(isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "");
  print("pawl: ");
  print(said);
  print("\n");
}

static void install(void (*handler)(int), const char *text) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP}; /* the last: the terminal is gone */
  said = text;
  owner = getpid();
  for (size_t i = 0; i < PAWL_COUNT(numbers); i++) {
    struct sigaction before;
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

void pawl_interrupt_says(const char *text) {
  install(on_signal, text);
}

const volatile sig_atomic_t *pawl_interrupt_asks(const char *text) {
  install(on_request, text);
  return &asked;
}

void pawl_interrupt_end(void) {
  if (asked) raise((int)asked);
}
