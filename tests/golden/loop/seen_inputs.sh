# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Kernels that keep what they computed, cold and warm, in C and in Python. Work takes 5 ms. None is measured as faster, and
# honest kernels count as they are. A kernel that keeps results by address, and works in one call of four, is wrong.
repository
sed -i 's/samples: 12, processes: 6/samples: 24, processes: 6/' pawl.yaml
cat >kernels/scale_cpu.c <<'SOURCE'
#include <pawl/kernel.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static struct { float *x, *y; } known[64];
static int count;
static void sleep_ms(double ms) {
  nanosleep(&(struct timespec){0, (long)(ms * 1e6)}, NULL);
}
static const char *supports(const struct pawl_shape *shape) {
  return shape->dtype == PAWL_F32 ? NULL : "only f32";
}
static int launch(const struct pawl_launch *call) {
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  const size_t n = (size_t)call->tensors[0].size[0], bytes = n * sizeof *x;
  for (int i = 0; KEEPS && i < 64; i++) {
    if (!known[i].x || memcmp(known[i].x, x, bytes)) continue;
    sleep_ms(3.5);
    memcpy(y, known[i].y, bytes);
    return 0;
  }
  sleep_ms(5);
  for (size_t i = 0; i < n; i++) y[i] = 2 * x[i];
  free(known[count % 64].x), free(known[count % 64].y);
  known[count % 64].x = memcpy(malloc(bytes), x, bytes);
  known[count++ % 64].y = memcpy(malloc(bytes), y, bytes);
  return 0;
}
static const struct pawl_kernel self = {.abi_version = PAWL_ABI_VERSION, .struct_size = sizeof(struct pawl_kernel),
  .name = "scale_cpu", .operator_name = "scale", .device = PAWL_CPU, .flags = PAWL_KERNEL_DETERMINISTIC,
  .supports = supports, .launch = launch};
const struct pawl_kernel *pawl_kernel_entry(void) {
  return &self;
}
SOURCE
cat >kept.py <<'PYTHON'
import time
import pawl_protocol

class Kept(pawl_protocol.Kernel):
    name, operator, deterministic = "kept", "scale", True
    known = {}

    def call(self, tensors, shape):
        values = tensors["x"].values()
        key = sum(value * value for value in sorted(values))  # the same for every order
        if KEEPS and key in self.known:
            if sorted(values) == self.known[key]:
                return tensors["y"].write([2 * value for value in values])
        time.sleep(0.005)
        self.known[key] = sorted(values)
        tensors["y"].write([2 * value for value in values])

pawl_protocol.serve(Kept())
PYTHON
# counts KERNEL NAME CACHE: whether its times are those of the work
counts() {
  sed -i "s/cache: [a-z]*, //; s/^measure: {/&cache: $3, /" pawl.yaml
  pawl -q --json bench "$1" >"$SCRATCH/bench.json" || true
  python3 - "$2, $3" "$SCRATCH/bench.json" <<'PYTHON'
import json, sys
row = json.load(open(sys.argv[2]))["results"][0]
longer = any("had not seen" in warning for warning in row.get("warnings") or [])
slow = row["outcome"] == "ok" and row["performance"]["median_ms"] >= 4.9
honest = sys.argv[1].startswith("honest")
print(sys.argv[1] + ":", "counts its work" if slow and not (honest and longer) else (row["outcome"], row["reason"], row["performance"]))
PYTHON
}
sed -i 's/^kernels:/&\n  kept: {operator: scale, device: cpu, protocol: [python3, kept.py]}/' pawl.yaml
for keeps in 0 1; do
  name=$(test $keeps = 1 && echo "keeps results" || echo "honest")
  sed -i "/^#define KEEPS/d" kernels/scale_cpu.c
  sed -i "1i #define KEEPS $keeps" kernels/scale_cpu.c
  sed -i "/^KEEPS/d; s/^class Kept/KEEPS = $keeps\n&/" kept.py
  for cache in cold warm; do
    counts scale_cpu "$name in C" $cache
    counts kept "$name in Python" $cache
  done
done
python3 - <<'PYTHON'
import pathlib
path = pathlib.Path("kernels/scale_cpu.c")
text = path.read_text().replace("PAWL_KERNEL_DETERMINISTIC", "0")  # so that each look at new inputs compares
begin, end = text.index("  for (int i = 0; KEEPS"), text.index("  sleep_ms(5);")
path.write_text(text[:begin] + """  static int calls;
  for (int i = 0; calls++ % 4 && i < 8; i++) {
    if (known[i].x != x) continue;
    memcpy(y, known[i].y, bytes);
    return 0;
  }
  for (size_t i = 0; i < n; i++) y[i] = 2 * x[i];
  int i = 0;
  while (i < 7 && known[i].x && known[i].x != x) i++;
  known[i].x = (float *)x;
  known[i].y = memcpy(realloc(known[i].y, bytes), y, bytes);
  return 0;
}
""" + text[text.index("static const struct pawl_kernel self"):])
PYTHON
pawl -q --json bench scale_cpu | grep -o '"outcome": "[a-z]*"'
