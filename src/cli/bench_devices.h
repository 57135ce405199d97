/* SPDX-License-Identifier: Apache-2.0 */
/* `pawl --device 0,1 bench`: several GPUs at once, each measuring its share of the kernels and cases. */
#ifndef PAWL_CLI_BENCH_DEVICES_H
#define PAWL_CLI_BENCH_DEVICES_H

#include "cli/command.h"
#include "model/result.h"

/* Starts a pawl for each GPU of the list cli->device, with the words of `bench` in `words` (NULL-terminated, without
   --shard and -o), and joins what they measured. A kernel and case is measured on one GPU alone; its row says on which,
   in environment.device. PAWL_USAGE: a GPU twice, or GPUs that are not alike, whose results no one file can hold.
   `files` has room for PAWL_BENCH_DEVICES; all are to be released. */
#define PAWL_BENCH_DEVICES 64
pawl_status pawl_cli_bench_devices(struct pawl_cli *cli, const char *const *words, struct pawl_results *files,
                                   struct pawl_results *merged, struct pawl_error *err);

#endif
