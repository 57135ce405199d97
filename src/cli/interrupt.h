/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C: what is kept and how to go on, in one line, before the program ends by the signal. */
#ifndef PAWL_CLI_INTERRUPT_H
#define PAWL_CLI_INTERRUPT_H

#include <signal.h>

/* What is said from now on; the text must stay. SIGINT and SIGTERM end the program as before; where
   they are ignored, as in the background of a shell, they stay so. */
void pawl_interrupt_says(const char *text);

/* The first signal says the text and raises the flag, so that the command ends by itself; the
 * second ends the program.
 */
const volatile sig_atomic_t *pawl_interrupt_asks(const char *text);
/* After the first: ends the program by the signal that asked for it. */
void pawl_interrupt_end(void);

#endif
