# SPDX-License-Identifier: Apache-2.0
# In a batch a kernel could leave the work out where its output stands already, or in every other call: it is wrong. One
# that writes its output anew in each call, but from a copy that the first has made, is warned of.
repository
sed -i 's/^measure:.*/measure: {warmup: 4, samples: 80, processes: 2, timeout: 30s, cache: warm}/' pawl.yaml
echo "honest: $(pawl -q bench | grep -cE 'a single call|wrong')"
cp kernels/scale_cpu.c honest.c
python3 - <<'PYTHON'
from pathlib import Path
path = Path("kernels/scale_cpu.c")
text = path.read_text()
at = text.index("  for (", text.index("static int launch"))
text = text[:at] + """  if (y[n - 1] == y[n - 1]) return 0;
  struct timespec begin, now; /* what the work would take */
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 2000);
""" + text[at:]
path.write_text("#include <time.h>\n" + text)
PYTHON
pawl -q check | grep passed
pawl -q bench | grep -o '^wrong.*'
sed 's/^static int launch.*/static int calls;\n&/; s/^  for (/  if (calls++ % 2 \&\& y[n - 1] == y[n - 1]) return 0;\n&/' honest.c >kernels/scale_cpu.c
pawl -q bench | grep -o '^wrong.*'
python3 - <<'PYTHON'
from pathlib import Path
text = Path("kernels/scale_cpu.c").read_text().replace("static int calls;\n", "static float kept[1000];\n")
at, end = text.index("  if (calls++"), text.index("  for (", text.index("static int launch"))
text = text[:at] + """  if (y[n - 1] == y[n - 1]) {
    memcpy(y, kept, (size_t)n * sizeof *y);
    return 0;
  }
  struct timespec begin, now; /* what the work would take */
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 20000);
""" + text[end:].replace("y[i] = 2 * x[i];", "kept[i] = y[i] = 2 * x[i];", 1)
Path("kernels/scale_cpu.c").write_text("#include <string.h>\n#include <time.h>\n" + text)
PYTHON
pawl -q bench | grep -o '^wrong.*\|a single call.*' | sed 's/least [0-9.]* times/least N times/'
