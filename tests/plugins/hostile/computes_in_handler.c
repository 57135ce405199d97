/* SPDX-License-Identifier: Apache-2.0 */
/* Its work takes 1 ms of a CPU. A signal handler of its first thread, on a stack of its own, looks
   every 100 us whether inputs have changed and does the work before the call: nothing holds that
   thread while the inputs change. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scale.h"

#define BUFFERS 8
#define ELEMENTS 4096
#define WORK_NS 1000000

static struct known {
  const float *x;
  float in[ELEMENTS], out[ELEMENTS];
  int ready;
} * known; /* shared with helpers */

static void work(const float *x, float *y) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < WORK_NS);
  for (int i = 0; i < ELEMENTS; i++) y[i] = 2 * x[i];
}

static volatile sig_atomic_t calling; /* then the call itself works */

/* By this thread, or by a process that nothing holds, started just then: this one sleeps meanwhile.
 */
static void work_ahead(struct known *k) {
#ifdef IN_CHILD
  const pid_t child = fork();
  if (child > 0) waitpid(child, NULL, 0);
  if (child != 0) return;
  work(k->in, k->out);
  _exit(0);
#else
  work(k->in, k->out);
#endif
}

static void look(int number) {
  (void)number;
  for (int i = 0; i < BUFFERS && !calling; i++) {
    struct known *k = &known[i];
    if (!k->x || (k->ready && !memcmp(k->in, k->x, sizeof k->in))) continue;
    memcpy(k->in, k->x, sizeof k->in);
    work_ahead(k);
    k->ready = 1;
  }
}

static void begin(void) {
  const stack_t stack = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};
  const struct sigaction action = {.sa_handler = look, .sa_flags = SA_ONSTACK | SA_RESTART};
  known = mmap(NULL, BUFFERS * sizeof *known, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
  const struct itimerval often = {{0, 100}, {0, 100}};
  sigaltstack(&stack, NULL);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
}

static int compute(const float *x, float *y) {
  for (int i = 0; i < BUFFERS; i++) {
    struct known *k = &known[i];
    if (!k->x) k->x = x;
    if (k->x != x) continue;
    if (!k->ready || memcmp(k->in, x, sizeof k->in) != 0) break;
    memcpy(y, k->out, sizeof k->out);
    return 0;
  }
  work(x, y);
  return 0;
}

static int launch(const struct pawl_launch *call) {
  if (call->tensors[0].size[0] != ELEMENTS) return scale(call);
  if (!known) begin();
  calling = 1;
  const int number = compute(call->tensors[0].data, call->tensors[1].data);
  calling = 0;
  return number;
}

#ifndef NAME
#define NAME "computes_in_handler"
#endif

HOSTILE_KERNEL(NAME, .launch = launch)
