/* SPDX-License-Identifier: Apache-2.0 */
#include "process/shield.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/count.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#define NATIVE 0 /* no filter: pawl_shield_available() returns false */
#endif

#define END_PROCESS SECCOMP_RET_KILL_PROCESS
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ANY UINT32_MAX

/* A system call that names a process in argument `who`. */
struct rule {
  uint32_t call, who;
  /* The argument with a signal or a request, of which 0 is allowed. ANY: no such argument. */
  uint32_t signal;
  uint32_t action;
  /* The argument may also be -1 (every process) or a negative process group. */
  bool groups;
};

static const struct rule rules[] = {
    {SYS_kill, 0, 1, END_PROCESS, true},
    {SYS_tkill, 0, 1, END_PROCESS, false},
    {SYS_tgkill, 0, 2, END_PROCESS, false},
    {SYS_rt_sigqueueinfo, 0, 1, END_PROCESS, false},
    {SYS_rt_tgsigqueueinfo, 0, 2, END_PROCESS, false},
    {SYS_ptrace, 1, 0, END_PROCESS, false}, /* request 0 lets the own parent trace */
    {SYS_process_vm_readv, 0, ANY, END_PROCESS, false},
    {SYS_process_vm_writev, 0, ANY, END_PROCESS, false},
    {SYS_pidfd_open, 0, ANY, REFUSE, false},
    {SYS_prlimit64, 0, ANY, REFUSE, false},
    {SYS_setpriority, 1, ANY, REFUSE, false},
    {SYS_ioprio_set, 1, ANY, REFUSE, false},
    {SYS_sched_setaffinity, 0, ANY, REFUSE, false},
    {SYS_sched_setscheduler, 0, ANY, REFUSE, false},
    {SYS_sched_setparam, 0, ANY, REFUSE, false},
    {SYS_sched_setattr, 0, ANY, REFUSE, false},
};

/* The user's keyring outlives the child, and no namespace of ours holds it. */
static const uint32_t keyring_calls[] = {SYS_add_key, SYS_request_key, SYS_keyctl};

#define RULES PAWL_COUNT(rules)
#define RULE_LENGTH 10 /* the most instructions of one rule */

struct program {
  struct sock_filter code[4 + RULES * RULE_LENGTH + 2 * PAWL_COUNT(keyring_calls) + 1];
  unsigned short length;
};

static void add(struct program *program, uint32_t code, uint32_t k, uint8_t if_true,
                uint8_t if_false) {
  program->code[program->length++] = (struct sock_filter){(uint16_t)code, if_true, if_false, k};
}

static void load(struct program *program, size_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Returns the offset of an argument's lower half, because process ids and signals are ints. Both
   architectures are little-endian. */
static size_t shield_argument(uint32_t index) {
  return offsetof(struct seccomp_data, args) + 8 * (size_t)index;
}

/* Adds a rule. The call's number is loaded before, and stays loaded if another call follows. */
static void add_rule(struct program *program, const struct rule *rule, pid_t parent, pid_t group) {
  const uint8_t groups = rule->groups ? 2 : 0, signal = rule->signal == ANY ? 0 : 3;
  add(program, BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, (uint8_t)(groups + signal + 4));
  load(program, shield_argument(rule->who));
  if (rule->groups) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)-1, 3, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)-group, 2, 0);
  }
  add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)parent, 1, 0);
  add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  if (signal) {
    load(program, shield_argument(rule->signal));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  }
  add(program, BPF_RET | BPF_K, rule->action, 0, 0);
}

bool pawl_shield_available(void) {
  const uint32_t action = END_PROCESS;
  return NATIVE && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool pawl_shield(pid_t parent) {
  if (!pawl_shield_available()) return false;
  struct program program = {.length = 0};
  load(&program, offsetof(struct seccomp_data, arch));
  add(&program, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
  /* the numbers of another architecture mean other calls */
  add(&program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  load(&program, offsetof(struct seccomp_data, nr));
  const pid_t group = parent ? getpgid(parent) : 0;
  for (size_t i = 0; i < RULES; i++) {
    struct rule rule = rules[i];
    if (!parent && rule.action != END_PROCESS) continue; /* 0 is the process itself */
    if (!parent) rule.groups = false;                    /* it reaches only its own processes */
    add_rule(&program, &rule, parent, group > 1 ? group : parent);
  }
  for (size_t i = 0; i < PAWL_COUNT(keyring_calls); i++) {
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, keyring_calls[i], 0, 1);
    add(&program, BPF_RET | BPF_K, REFUSE, 0, 0);
  }
  add(&program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  const struct sock_fprog filter = {.len = program.length, .filter = program.code};
  /* SPEC_ALLOW: without it, older kernels disable speculative store bypass under a filter, which
     slows the code under test. */
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) ==
             0;
}
