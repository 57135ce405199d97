/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/version.h"

#include "commit.h" /* the build folder's header defines PAWL_COMMIT */

/* pawl does not link drivers, so one program serves machines with and without GPUs. `pawl doctor`
   shows what a machine has. */
const char pawl_version_text[] =
    "pawl " PAWL_VERSION
    "\n"
    "commit     " PAWL_COMMIT
    "\n"
#ifdef PAWL_RELEASE
    "release    " PAWL_RELEASE
    "\n"
#endif
    "compiler   " PAWL_COMPILER
    "\n"
    "libraries  " PAWL_LIBRARIES
    "\n"
    "history    SQLite, PostgreSQL\n"
    "GPU        the CUDA driver and NVML, loaded at run time\n"
    "sandbox    namespaces, Landlock and seccomp, where the system has them\n"
    "pawl doctor shows what works on this machine.\n";
