# SPDX-License-Identifier: Apache-2.0
# A kernel writes zeros, forges the expected values, the base's plug-in and the work tree, and leaves a daemon that has
# no mark of pawl's: all of that ends with its process, and the honest kernel is judged as before.
repository
pawl -q check >/dev/null
cp kernels/scale_cpu.c "$SCRATCH/honest.c"
python3 - <<'PYTHON'
from pathlib import Path
path = Path("kernels/scale_cpu.c")
text = path.read_text()
forge = """#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void forge(const char *pattern) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found)) return;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const int fd = open(found.gl_pathv[i], O_WRONLY);
    struct stat info;
    char zeros[512] = "";
    if (fd < 0 || fstat(fd, &info)) continue;
    for (off_t at = 64; at < info.st_size; at += sizeof zeros)
      if (pwrite(fd, zeros, sizeof zeros, at) < 0) break;
    close(fd);
  }
}
static void reach_out(void) {
  static int once;
  if (once++) return;
  forge(".pawl/oracle/*.expected");
  forge(".pawl/objects/*");
  forge(".pawl/build/*/*.so");
  forge("perf/*.json");
  char *argv[] = {"sleep", "1234567", NULL}, *nothing[] = {NULL};
  if (fork() == 0) {
    setsid();
    if (fork() == 0) execve("/bin/sleep", argv, nothing);
    _exit(0);
  }
}
"""
text = text.replace("static int launch", forge + "static int launch", 1)
text = text.replace("  return 0;\n", "  reach_out();\n  memset(call->tensors[1].data, 0, 4);\n  return 0;\n", 1)
path.write_text(text)
PYTHON
sums() { grep -l pawl_operator_entry .pawl/build/*/plugin.so | xargs cksum .pawl/oracle/*.expected; }
sums >"$SCRATCH/before"
# the kept objects, to which the build of the kernel adds one
objects() { find .pawl/objects -type f -exec cksum {} + | sort; }
objects >"$SCRATCH/objects"
[ -s "$SCRATCH/objects" ] && echo "objects are kept"
pawl -q check >/dev/null || echo "(exit status $?)"
sums | cmp - "$SCRATCH/before" && echo "nothing is forged"
objects | comm -13 - "$SCRATCH/objects" # prints the objects that have changed
pgrep -f "sleep 1234567" || echo "nothing runs on"
git status --short
cp "$SCRATCH/honest.c" kernels/scale_cpu.c
try pawl -q check
pawl -q --json bench >"$SCRATCH/bench.json"
field "$SCRATCH/bench.json" results.0.environment.isolation
