/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU oracle of `scale` (y = 2 x) on the fake GPU. SCALE_GPU_ORACLE says how it behaves:
     honest    gives y
     imprecise is off by 1e-9 of an element
     partial   leaves the last element unwritten
     nan       gives NaN on more than 64 elements
     crash     dies of a bad access; crash_later: on more than 64 elements
     exit      ends its process
     error     compute() returns 7
     outside   writes one element too many
     refuses   does no shape of more than 64 elements
     stranger  says that it is another operator's
     parameter cuts down a parameter that the operator does not have
     short     says that its struct is shorter than any has been */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"
#include "pawl/convert.h"
#include "pawl/gpu_oracle.h"

#define TRIAL 64

static int is(const char *name) {
  const char *behaviour = getenv("SCALE_GPU_ORACLE");
  return !strcmp(behaviour ? behaviour : "honest", name);
}

struct job {
  const void *x;
  int32_t dtype;
  int64_t n;
  double *y;
};

static void run(void *argument) {
  const struct job *job = argument;
  const int64_t n = job->n;
  double *y = job->y;
  for (int64_t i = 0; i < n; i++) y[i] = 2 * pawl_load_f64(job->x, job->dtype, i);
  if (is("imprecise")) y[n / 2] *= 1 + 1e-9;
  if (is("nan") && n > TRIAL) y[n / 2] = NAN;
  if (is("partial")) memset(&y[n - 1], 0xff, sizeof *y);
  if (is("outside")) y[n] = 0;
}

static int compute(const struct pawl_gpu_oracle_call *call) {
  const struct pawl_tensor *x = &call->tensors[0];
  const struct job job = {fake_cuda_memory(x->data), x->dtype, x->size[0],
                          fake_cuda_memory(call->expected[1])};
  void *driver = dlopen(getenv("PAWL_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
  union {
    void *address;
    fake_cuda_enqueue_function enqueue;
  } enqueue = {driver ? dlsym(driver, "fake_cuda_enqueue") : NULL};
  if (is("crash") || (is("crash_later") && job.n > TRIAL)) raise(SIGSEGV);
  if (is("exit")) exit(3);
  return is("error") ? 7 : enqueue.enqueue(NULL, run, &job, sizeof job);
}

static const char *supports(const struct pawl_shape *shape) {
  return is("refuses") && pawl_shape_get(shape, "n") > TRIAL ? "n is above 64" : NULL;
}

static const char *error_words(int number) { return number == 7 ? "seven" : NULL; }

static struct pawl_dim trial[] = {{"n", TRIAL}};
static struct pawl_gpu_oracle oracle = {.abi_version = PAWL_ABI_VERSION,
                                        .struct_size = sizeof oracle,
                                        .operator_name = "scale",
                                        .trial = trial,
                                        .trial_count = 1,
                                        .compute = compute,
                                        .supports = supports,
                                        .error = error_words};

__attribute__((visibility("default"))) const struct pawl_gpu_oracle *pawl_gpu_oracle_entry(void);
const struct pawl_gpu_oracle *pawl_gpu_oracle_entry(void) {
  if (is("stranger")) oracle.operator_name = "other";
  if (is("parameter")) trial[0].name = "m";
  if (is("short")) oracle.struct_size = 16;
  return &oracle;
}
