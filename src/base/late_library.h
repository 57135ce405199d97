/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a shared library when a command first needs it. The loader takes 3 ms for libcurl and the
 * 30 libraries that it needs, and most commands need none of them. Callers include the library's
 * own header and call its functions by their names: each name is a jump to an address that
 * pawl_late_library_open finds. docs/adr/late-libraries.md has the reasons. */
#pragma once

#include <stdatomic.h>

#include "base/library.h"

struct pawl_late_library {
  const char *file, *package; /* the name for the loader, and the package of Debian */
  const struct pawl_symbol *functions;
  size_t count;
  _Atomic bool open;
};

/* Opens the library unless it is open. Every thread may call it. Fails with PAWL_UNAVAILABLE, and
 * names the package. */
pawl_status pawl_late_library_open(struct pawl_late_library *library, struct pawl_error *err);
/* Does the same for callers that cannot fail. Without the library it prints the error and ends
 * pawl with its status. */
void pawl_late_library_require(struct pawl_late_library *library);

#if defined(__x86_64__)
#define PAWL_LATE_JUMP(slot) "  endbr64\n  jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define PAWL_LATE_JUMP(slot) \
  "  hint 34\n  adrp x16, " slot "\n  ldr x16, [x16, :lo12:" slot "]\n  br x16\n"
#else
#error "PAWL_LATE_JUMP has no jump for this processor"
#endif

#define PAWL_LATE_FUNCTION(name)                                                    \
  void *pawl_late_##name;                                                           \
  __asm__(".pushsection .text." #name                                               \
          ",\"ax\",%progbits\n"                                                     \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name \
          ":\n" PAWL_LATE_JUMP("pawl_late_" #name) ".size " #name ", . - " #name    \
                                                   "\n.popsection\n");
#define PAWL_LATE_SYMBOL(name) {#name, NULL, &pawl_late_##name},
#define PAWL_LATE_WORD(name) " " #name

/* Defines a library and the functions that LIST(F) gives as F(name). packaging/late-libraries reads
 * the section pawl_libraries, because the program does not name these libraries to the loader. */
#define PAWL_LATE_LIBRARY(variable, file_, package_, LIST)                                \
  LIST(PAWL_LATE_FUNCTION)                                                                \
  static const struct pawl_symbol variable##_functions[] = {LIST(PAWL_LATE_SYMBOL)};      \
  __attribute__((section("pawl_libraries"), used)) static const char variable##_words[] = \
      file_ LIST(PAWL_LATE_WORD) "\n";                                                    \
  struct pawl_late_library variable = {file_, package_, variable##_functions,             \
                                       sizeof variable##_functions / sizeof *variable##_functions}
