# SPDX-License-Identifier: Apache-2.0
# What code under test leaves running, in a process group of its own too, ends with its worker: it would take time from
# whatever is measured next.
repository
sed -i 's/^measure: {/measure: {isolation: off, /' pawl.yaml # in a sandbox all ends with its process 1
python3 - <<'PYTHON'
from pathlib import Path
path = Path("kernels/scale_cpu.c")
text = path.read_text()
leave = """#include <fcntl.h>
#include <unistd.h>
static void leave_process(void) {
  static int once;
  if (once++ || fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  for (int fd = 3; fd < 64; fd++) close(fd);
  const int log = open("alive.log", O_CREAT | O_WRONLY | O_APPEND, 0666);
  for (int i = 0; i < 3000; i++) {
    if (write(log, ".", 1) != 1) _exit(1);
    usleep(10000);
  }
  _exit(0);
}
"""
text = text.replace("static int launch", leave + "static int launch", 1)
text = text.replace("  return 0;\n", "  leave_process();\n  return 0;\n", 1)
path.write_text(text)
PYTHON
try pawl -q check
[ -s alive.log ] && echo "it was there"
lines=$(wc -c <alive.log)
sleep 0.3
[ "$lines" -eq "$(wc -c <alive.log)" ] && echo "it is gone"
