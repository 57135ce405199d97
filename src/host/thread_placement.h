/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the threads of code under test on CPUs of their own. Two processes of several threads that
   take turns often wake with two threads on one CPU while another CPU is idle, and the call then
   takes twice as long.

   Each thread that code under test creates stays on the CPU that has the fewest of these threads.
   The main thread keeps all its CPUs, because run-time libraries count them to size their pools; it
   goes to the first CPU before each timed call. A thread whose attributes name CPUs stays there. */
#pragma once

/* Call this once, before the plug-in is loaded. `cpus` lists the CPUs that the process may use,
   best first, as in "0,2,1,3". If it is NULL or no such list, pawl places no threads. */
void host_threads_place(const char *cpus);

/* Moves the calling thread to the first CPU without binding it there. Does nothing if pawl places
   no threads. */
void host_threads_go_home(void);
