# SPDX-License-Identifier: Apache-2.0
# A kernel that is slow where it is the base gains nothing: by its working folder, by its own path at run time, by the path
# of its source, and by a header that lies beside the base alone, it looks the same as either version. An honest kernel
# may ask for its folder.
# Needs true times.
repository
cat >kernels/kernel.h <<'SOURCE'
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pawl/kernel.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *supports(const struct pawl_shape *shape) {
  return shape->dtype == PAWL_F32 ? NULL : "only f32";
}

static int launch(const struct pawl_launch *call) {
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  if (is_base()) nanosleep(&(struct timespec){0, 3000000}, NULL);
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 2 * x[i];
  nanosleep(&(struct timespec){0, 300000 + VERSION}, NULL);
  return 0;
}

static const struct pawl_kernel self = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "cheat",
    .operator_name = "scale",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &self; }
SOURCE
# kernel NAME BODY: how it knows that it is the base.
kernel() {
  printf '#include "version.h"\nstatic int is_base(void);\n#include "kernel.h"\nstatic int is_base(void) {\n%s\n}\n' "$2" >"kernels/$1.c"
}
echo '#define VERSION 1' >kernels/version.h
kernel by_folder 'char folder[4096]; return getcwd(folder, sizeof folder) && strstr(folder, "worktrees");'
kernel by_git 'struct stat info; return stat(".git", &info) == 0 && S_ISREG(info.st_mode);'
kernel by_cache 'struct stat info; return stat(".pawl", &info) != 0 && stat("../../../.pawl", &info) == 0;'
kernel by_file 'return strstr(__FILE__, "worktrees") != NULL;'
kernel by_header '
#if __has_include("../../../../pawl.yaml")
  return 1;
#else
  return 0;
#endif'
# Their build commands look at the time of a file, and for a file that git ignores.
kernel by_times 'return IS_BASE;'
kernel by_ignored 'return IS_BASE;'
kernel honest 'char folder[4096]; return !getcwd(folder, sizeof folder);'
# shellcheck disable=SC2016
build='cc -O2 -fPIC -shared -I"$PAWL_INCLUDE_DIR" -o by_file.so "$PWD/kernels/by_file.c"'
compile() {
  # shellcheck disable=SC2016
  printf 'cc -O2 -fPIC -shared -I"$PAWL_INCLUDE_DIR" -DIS_BASE=$(%s; echo $?) -o %s.so kernels/%s.c' "$2" "$1" "$1"
}
printf '%s\n' '*.so' local >>.gitignore
# shellcheck disable=SC2016
python3 - "$build" "$(compile by_times '[ $(stat -c %Y pawl.yaml) -lt 1000000000 ]')" "$(compile by_ignored '[ -e local ]')" <<'PYTHON'
import pathlib, sys
lines = "".join(f"  {name}: {{operator: scale, device: cpu, sources: [kernels/{name}.c]}}\n"
                for name in ("by_folder", "by_git", "by_cache", "by_header", "honest"))
for name, command in zip(("by_file", "by_times", "by_ignored"), sys.argv[1:]):
    lines += "  %s: {operator: scale, device: cpu, build: {command: [sh, -c, '%s'], output: %s.so}}\n" % (name, command, name)
suite = pathlib.Path("pawl.yaml")
text = "".join(lines if line.startswith("  scale_cpu:") else line for line in suite.read_text().splitlines(True))
suite.write_text(text.replace("{warmup: 1, samples: 12, processes: 6", "{warmup: 1, samples: 12, processes: 2") + "gate: {busy: count}\n")
PYTHON
commit "Cheats"
quiet pawl -q run --update-baseline
commit "Record the baseline"
echo '#define VERSION 2' >kernels/version.h
touch local
touch -d 2000-01-01 pawl.yaml
rm -rf .pawl # a new machine, which builds the base in its own place
pawl -q run >/dev/null 2>&1 || true
python3 - perf/out/verdict.json <<'PYTHON'
import json, sys
for row in json.load(open(sys.argv[1]))["comparisons"]:
    change = row["paired"]["slowdown_pct"]  # the cheat adds 1000 % to the base
    print(row["kernel_name"], "gains" if change < -50 else "loses" if change > 50 else "gains nothing")
PYTHON
grep -o '"outcome": "[^"]*"' perf/out/results.json | sort | uniq -c | sed 's/^ *//'
