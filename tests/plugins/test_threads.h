/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads.c writes how many CPUs a thread may run on, then the CPU that it runs on. */
#pragma once

enum place {
  MAIN_CPUS,
  MAIN_CPU,
  PLAIN_CPUS, /* created without attributes */
  PLAIN_CPU,
  ATTRIBUTES_CPUS, /* created with attributes that name no CPU */
  ATTRIBUTES_CPU,
  BOUND_CPUS, /* created with attributes that name the main thread's CPU */
  BOUND_CPU,
  PLACES
};
